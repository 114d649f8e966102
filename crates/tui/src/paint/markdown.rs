//! Paints Markdown, even while it is still being written.
//!
//! The target of a link is always readable, and references are shown as they are written, so that growing text never
//! changes the lines above.

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

/// Paints untrusted text as Markdown.
pub fn lines(text: &str, appearance: &Appearance, width: u16) -> Vec<Line<'static>> {
    let mut markdown = IncrementalMarkdown::new(width);
    while markdown.update(text, appearance) == Progress::Partial {}
    markdown.into_lines()
}

fn options() -> pulldown_cmark::Options {
    use pulldown_cmark::Options;
    Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS
}
