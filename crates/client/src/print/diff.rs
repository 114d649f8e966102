//! Changes to files as unified diffs with three lines of context.

use std::time::Duration;

use attache::v1;
use attache_text::plain::{visible, visible_changed_line};
use similar::{ChangeTag, TextDiff};

use super::Colour;

/// The diffs of a tool call.
pub(super) fn all(call: &v1::ToolCall, colour: Colour) -> Vec<String> {
    let diffs = call.content.iter().filter_map(|content| match content {
        v1::ToolCallContent::Diff(diff) => Some(unified(diff, colour)),
        _ => None,
    });
    diffs.collect()
}

/// One diff.
pub(super) fn unified(diff: &v1::Diff, colour: Colour) -> String {
    let path = visible(diff.path.as_str());
    let old = diff.old_text.as_deref();
    let mut page = Page {
        lines: Vec::new(),
        left_out: 0,
        colour,
    };
    let before = if old.is_some() { &*path } else { "/dev/null" };
    page.add(BOLD, &format!("--- {before}"));
    page.add(BOLD, &format!("+++ {path}"));
    let compared = TextDiff::configure()
        .timeout(LONGEST)
        .diff_lines(old.unwrap_or_default(), &diff.new_text);
    for hunk in compared.unified_diff().iter_hunks() {
        page.add(CYAN, hunk.header().to_string().trim_end());
        for change in hunk.iter_changes() {
            let (sign, paint) = match change.tag() {
                ChangeTag::Delete => ('-', RED),
                ChangeTag::Insert => ('+', GREEN),
                ChangeTag::Equal => (' ', ""),
            };
            let value = change.value();
            let text = visible_changed_line(value.strip_suffix('\n').unwrap_or(value));
            page.add(paint, &format!("{sign}{text}"));
            if change.missing_newline() {
                page.add("", "\\ No newline at end of file");
            }
        }
    }
    page.done()
}

struct Page {
    lines: Vec<String>,
    left_out: usize,
    colour: Colour,
}

impl Page {
    fn add(&mut self, paint: &str, line: &str) {
        if self.lines.len() >= MOST_LINES {
            self.left_out += 1;
        } else if self.colour == Colour::On && !paint.is_empty() {
            self.lines.push(format!("{paint}{line}{PLAIN}"));
        } else {
            self.lines.push(line.to_owned());
        }
    }

    fn done(mut self) -> String {
        if self.left_out > 0 {
            self.lines.push(format!("({} more lines)", self.left_out));
        }
        self.lines.join("\n")
    }
}

/// Time limit for a comparison; after that the diff is coarser. Long texts with nothing in common would take too long.
const LONGEST: Duration = Duration::from_millis(200);
const MOST_LINES: usize = 400;
const BOLD: &str = "\u{1b}[1m";
const CYAN: &str = "\u{1b}[36m";
const RED: &str = "\u{1b}[31m";
const GREEN: &str = "\u{1b}[32m";
const PLAIN: &str = "\u{1b}[0m";
