//! A plan: items, some of which are requests of the grammar, and their states while they are worked off.

use serde_json::{Value, json};

use super::words::unmarked;

/// The items of a plan: a line for each, or all on one line with semicolons between.
pub(super) fn items(text: &str) -> Vec<String> {
    let separators: &[char] = match text.trim().contains('\n') {
        true => &['\n'],
        false => &[';'],
    };
    let items = text
        .split(separators)
        .map(unmarked)
        .filter(|item| !item.is_empty());
    items.take(MOST_ITEMS).map(str::to_owned).collect()
}

/// The input of the tool `plan`: what is done, and which one is being worked on.
pub(super) fn entries(items: &[String], done: &[usize], current: Option<usize>) -> Value {
    let entries = items.iter().enumerate().map(|(place, item)| {
        let status = match place {
            _ if done.contains(&place) => "completed",
            _ if current == Some(place) => "in_progress",
            _ => "pending",
        };
        json!({ "content": item, "status": status, "priority": "medium" })
    });
    json!({ "entries": entries.collect::<Vec<_>>() })
}

const MOST_ITEMS: usize = 100;
