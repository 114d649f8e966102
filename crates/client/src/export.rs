//! A transcript for others to read: as Markdown, and as JSON.

mod json;
mod markdown;
#[cfg(test)]
mod tests;

use attache::v1;
use attache_host::terminals::TerminalView;

pub use json::{json, json_with};
pub use markdown::{markdown, markdown_with};

/// What is known of a terminal of the host.
pub type TerminalLookup<'a> = &'a dyn Fn(&v1::TerminalId) -> Option<TerminalView>;
