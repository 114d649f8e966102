//! A transcript for others to read: as Markdown, and as JSON.

mod as_json;
mod as_markdown;
#[cfg(test)]
mod tests;

pub use as_json::{json, json_with};
pub use as_markdown::{markdown, markdown_with};
