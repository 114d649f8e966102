//! Formats results, within size limits. A note says what was cut.

use attache::v1;
use attache_model::Input;
use serde_json::Value;

use crate::ToolOutcome;

/// Maximum bytes of one result.
pub(super) const MAX_RESULT: usize = 50_000;

/// An outcome with the same text for the model and the user.
pub(super) fn text_outcome(text: String, raw: Value) -> ToolOutcome {
    ToolOutcome {
        content: vec![v1::ContentBlock::from(text.clone()).into()],
        for_model: vec![Input::Text(text)],
        locations: Vec::new(),
        raw: Some(raw),
        failed: false,
    }
}

/// The first `most` bytes of a text, cut between characters.
pub(super) fn head(text: &str, most: usize) -> &str {
    &text[..text.floor_char_boundary(most)]
}

/// The last `most` bytes of a text, cut between characters.
pub(super) fn tail(text: &str, most: usize) -> &str {
    let start = text.len().saturating_sub(most);
    &text[text.ceil_char_boundary(start)..]
}

/// The beginning and the end of a text, cut at line ends where possible, with a note of how much is left out.
pub(super) fn ends(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let (first, last) = (head(text, most * 2 / 5), tail(text, most * 3 / 5));
    let first = match first.rfind('\n') {
        Some(end) if end > first.len() / 2 => &first[..=end],
        _ => first,
    };
    let last = match last.find('\n') {
        Some(start) if start < last.len() / 2 => &last[start + 1..],
        _ => last,
    };
    let cut = text.len() - first.len() - last.len();
    let line_end = if first.ends_with('\n') { "" } else { "\n" };
    format!("{first}{line_end}[… {cut} bytes left out …]\n{last}")
}

/// Text as a Markdown code block, with a fence longer than any inside it.
pub(super) fn fenced(text: &str, language: &str) -> String {
    let runs = text.split(|char| char != '`').map(str::len);
    let fence = "`".repeat(runs.max().unwrap_or(0).max(2) + 1);
    format!("{fence}{language}\n{text}\n{fence}")
}

/// `1 line`, `2 lines`.
pub(super) fn count(number: usize, one: &str, more: &str) -> String {
    match number {
        1 => format!("1 {one}"),
        _ => format!("{number} {more}"),
    }
}
