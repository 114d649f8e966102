//! Exports a transcript as Markdown or JSON.

mod json;
mod markdown;
#[cfg(test)]
mod tests;

use attache::v1;
use attache_host::terminals::TerminalView;

pub use json::{json, json_with};
pub use markdown::{markdown, markdown_with};

/// Finds the output of a terminal by its id.
pub type TerminalLookup<'a> = &'a dyn Fn(&v1::TerminalId) -> Option<TerminalView>;
