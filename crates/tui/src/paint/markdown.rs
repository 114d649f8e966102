//! Markdown as styled lines, also while it is still being written.
//!
//! Where a link leads is always readable, and references are shown as they are written: a text that grows cannot
//! change what stands above.

mod block;
mod flow;
mod inline;
mod split;
mod table;
#[cfg(test)]
mod tests;

use ratatui::text::Line;

use super::Brush;

pub use flow::{Flow, Progress};

/// Text of a stranger, read as Markdown.
pub fn lines(text: &str, brush: &Brush, width: u16) -> Vec<Line<'static>> {
    let mut flow = Flow::new(width);
    while flow.update(text, brush) == Progress::Partial {}
    flow.into_lines()
}

fn options() -> pulldown_cmark::Options {
    use pulldown_cmark::Options;
    Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS
}
