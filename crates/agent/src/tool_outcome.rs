//! What a call of a tool came to, whoever ran it.

use attache::v1;
use attache_model::Input;

/// What a call of a tool came to.
#[derive(Debug, Clone, Default)]
pub struct ToolOutcome {
    /// What the person sees; replaces what the call showed before.
    pub content: Vec<v1::ToolCallContent>,
    /// What the model is told.
    pub for_model: Vec<Input>,
    /// The files it touched.
    pub locations: Vec<v1::ToolCallLocation>,
    /// What the tool gave back, as data.
    pub raw: Option<serde_json::Value>,
    /// Whether it failed.
    pub failed: bool,
}
