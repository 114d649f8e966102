//! Hunks: the draft's diffs are parts of a file with line numbers, the protocol's are whole texts.

use attache_rpc::json::{self, Object, Raw};

use super::shape;
use crate::edit;

/// Draft hunks as the text of a unified diff.
pub(super) fn unified(path: &str, hunks: &[Raw]) -> String {
    let mut out = format!("--- {path}\n+++ {path}");
    for hunk in hunks {
        let Ok(hunk) = Object::parse(hunk.as_str()) else {
            continue;
        };
        let content = edit::string(&hunk, "content").unwrap_or_default();
        if !content.starts_with("@@") {
            let number = |name| shape::value::<u64>(&hunk, name).unwrap_or_default();
            out.push('\n');
            out.push_str(&header(
                [number("oldStart"), number("oldLines")],
                [number("newStart"), number("newLines")],
            ));
        }
        out.push('\n');
        out.push_str(&content);
    }
    out
}

/// The list of draft hunks between two texts: one, from the first line that differs to the last, with a few lines
/// around it; none if no line differs.
pub(super) fn of(old: &str, new: &str) -> String {
    let (old, new) = (lines(old), lines(new));
    if old == new {
        return "[]".to_owned();
    }
    let shorter = old.len().min(new.len());
    let head = (0..shorter).take_while(|&i| old[i] == new[i]).count();
    let tail = (0..shorter - head)
        .take_while(|&i| old[old.len() - 1 - i] == new[new.len() - 1 - i])
        .count();
    let start = head.saturating_sub(CONTEXT);
    let after = tail.min(CONTEXT);
    let [old_end, new_end] = [&old, &new].map(|lines| lines.len() - tail);
    let (before, after) = (&old[start..head], &old[old_end..old_end + after]);
    let marked = [
        (' ', before),
        ('-', &old[head..old_end]),
        ('+', &new[head..new_end]),
        (' ', after),
    ];
    let around = before.len() + after.len();
    let lengths = [old_end - head + around, new_end - head + around];
    let [old_range, new_range] = lengths.map(|length| range(start, length));
    let mut content = header(old_range, new_range);
    for (mark, lines) in marked {
        for line in lines {
            content.push('\n');
            content.push(mark);
            content.push_str(line);
        }
    }
    hunk(old_range, new_range, &content)
}

fn hunk(old: [u64; 2], new: [u64; 2], content: &str) -> String {
    let mut hunk = Object::default();
    hunk.put("oldStart", &old[0]);
    hunk.put("oldLines", &old[1]);
    hunk.put("newStart", &new[0]);
    hunk.put("newLines", &new[1]);
    hunk.put("content", content);
    format!("[{}]", json::to_string(&hunk))
}

fn header([old, old_lines]: [u64; 2], [new, new_lines]: [u64; 2]) -> String {
    format!("@@ -{old},{old_lines} +{new},{new_lines} @@")
}

/// The first line and the number of lines. A range without lines is named by the line before it.
fn range(start: usize, length: usize) -> [u64; 2] {
    let first = if length == 0 { start } else { start + 1 };
    [first, length].map(|number| u64::try_from(number).unwrap_or(u64::MAX))
}

/// A carriage return is part of its line. Otherwise the hunks would not show that one was added or removed.
fn lines(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = text.split('\n').collect();
    if lines.last() == Some(&"") {
        lines.pop();
    }
    lines
}

const CONTEXT: usize = 3;
