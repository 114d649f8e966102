//! Messages to and from the model, as the CLI tells and stores them.

use serde_json::Value;

use super::{TokenUsage, string, take_member, text};

/// A message, or one block of it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Message {
    /// The model's id of the message, the same for all its blocks.
    pub id: String,
    /// The CLI's id of this frame.
    pub uuid: String,
    /// The tool call of the subagent that it belongs to.
    pub parent: Option<String>,
    /// Whether no model made it.
    pub is_synthetic: bool,
    /// Whether it is our own prompt coming back.
    pub is_replay: bool,
    /// The blocks.
    pub blocks: Vec<Block>,
    /// What the tool gave back, in the tool's own form.
    pub tool_result: Value,
    /// What the context holds after it.
    pub tokens: Option<TokenUsage>,
}

/// A block of a message.
#[derive(Debug, Clone, PartialEq)]
pub enum Block {
    /// Text.
    Text(String),
    /// Thinking.
    Thinking(String),
    /// A tool call.
    ToolUse {
        /// Its id.
        id: String,
        /// The tool.
        name: String,
        /// What the tool is given.
        input: Value,
    },
    /// What a tool call gave back.
    ToolResult {
        /// The call.
        id: String,
        /// What the model is shown.
        content: Value,
        /// Whether it failed.
        is_error: bool,
    },
    /// An image in base64.
    Image {
        /// The image.
        data: String,
        /// Its type.
        mime_type: String,
    },
    /// Anything else.
    Other,
}

impl Message {
    pub(super) fn from_value(mut frame: Value) -> Message {
        let mut message = take_member(&mut frame, "message");
        let blocks = match take_member(&mut message, "content") {
            Value::String(text) => vec![Block::Text(text)],
            Value::Array(blocks) => blocks.into_iter().map(Block::from_value).collect(),
            _ => Vec::new(),
        };
        // The transcript writes the same members in another style.
        let tool_result = match take_member(&mut frame, "tool_use_result") {
            Value::Null => take_member(&mut frame, "toolUseResult"),
            result => result,
        };
        let is_synthetic = frame["isSynthetic"] == true
            || frame["isMeta"] == true
            || frame["isCompactSummary"] == true
            || message["model"] == "<synthetic>";
        Message {
            id: text(&message, "id"),
            uuid: text(&frame, "uuid"),
            parent: string(&frame, "parent_tool_use_id"),
            is_synthetic,
            is_replay: frame["isReplay"] == true,
            blocks,
            tool_result,
            tokens: TokenUsage::from_value(&message["usage"]),
        }
    }
}

impl Block {
    /// The block that an object is.
    pub fn from_value(mut block: Value) -> Block {
        match block["type"].as_str().unwrap_or_default() {
            "text" => Block::Text(text(&block, "text")),
            "thinking" => Block::Thinking(text(&block, "thinking")),
            "tool_use" | "server_tool_use" | "mcp_tool_use" => Block::ToolUse {
                id: text(&block, "id"),
                name: text(&block, "name"),
                input: take_member(&mut block, "input"),
            },
            "image" => Block::Image {
                data: text(&block["source"], "data"),
                mime_type: text(&block["source"], "media_type"),
            },
            kind if kind.ends_with("tool_result") => Block::ToolResult {
                id: text(&block, "tool_use_id"),
                is_error: block["is_error"] == true,
                content: take_member(&mut block, "content"),
            },
            _ => Block::Other,
        }
    }
}
