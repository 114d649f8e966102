//! The outcome of a tool call.

use attache::v1;
use attache_model::Input;

/// The outcome of a tool call.
#[derive(Debug, Clone, Default)]
pub struct ToolOutcome {
    /// Content for the user; replaces what the call showed before.
    pub content: Vec<v1::ToolCallContent>,
    /// The result for the model.
    pub for_model: Vec<Input>,
    /// The files it touched.
    pub locations: Vec<v1::ToolCallLocation>,
    /// The result as data.
    pub raw: Option<serde_json::Value>,
    /// Whether it failed.
    pub failed: bool,
}
