//! Markdown as styled lines, also while it is still being written.
//!
//! Where a link leads is always readable, and references are shown as they are written: a text that grows cannot
//! change what stands above.

mod block;
mod incremental;
mod inline;
mod split;
mod table;
#[cfg(test)]
mod tests;

use ratatui::text::Line;

use super::Appearance;

pub use incremental::{IncrementalMarkdown, Progress};

/// Text of a stranger, read as Markdown.
pub fn lines(text: &str, appearance: &Appearance, width: u16) -> Vec<Line<'static>> {
    let mut markdown = IncrementalMarkdown::new(width);
    while markdown.update(text, appearance) == Progress::Partial {}
    markdown.into_lines()
}

fn options() -> pulldown_cmark::Options {
    use pulldown_cmark::Options;
    Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS
}
