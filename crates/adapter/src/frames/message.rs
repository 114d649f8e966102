//! Messages to and from the model, as the CLI sends them and stores them in transcripts, and the result of a turn.

use serde_json::Value;

use super::{string, strings, take_member, text};

/// A message, or one block of it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Message {
    /// The id from the model, shared by all blocks of the message.
    pub id: String,
    /// The CLI's id for this frame.
    pub uuid: String,
    /// The tool call whose subagent the message belongs to.
    pub parent: Option<String>,
    /// Whether the CLI made the message, not a model or a user.
    pub is_synthetic: bool,
    /// Whether the CLI repeats a prompt that we sent.
    pub is_replay: bool,
    /// The content.
    pub blocks: Vec<Block>,
    /// The tool's structured result.
    pub tool_result: Value,
    /// Tokens in the context after this message.
    pub tokens: Option<TokenUsage>,
}

/// A content block of a message.
#[derive(Debug, Clone, PartialEq)]
pub enum Block {
    /// Text.
    Text(String),
    /// Thinking.
    Thinking(String),
    /// A tool call.
    ToolUse {
        /// The id of the tool call.
        id: String,
        /// The name of the tool.
        name: String,
        /// The input.
        input: Value,
    },
    /// The result of a tool call.
    ToolResult {
        /// The id of the tool call.
        id: String,
        /// The result as the model sees it.
        content: Value,
        /// Whether the call failed.
        is_error: bool,
    },
    /// An image in base64.
    Image {
        /// The bytes in base64.
        data: String,
        /// The media type.
        mime_type: String,
    },
    /// Any other block.
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
        // Transcripts use camel case.
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
    /// Reads a block from its JSON object.
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

/// How a turn ended, and what it cost.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TurnResult {
    /// `success`, or the kind of error.
    pub subtype: String,
    /// Whether the turn failed.
    pub is_error: bool,
    /// Why the model stopped.
    pub stop_reason: Option<String>,
    /// Why the CLI stopped.
    pub terminal_reason: Option<String>,
    /// The last text of the model, or the error message.
    pub result: String,
    /// Error messages.
    pub errors: Vec<String>,
    /// The error type from the API.
    pub api_error: Option<String>,
    /// The tokens of the turn.
    pub tokens: Option<TokenUsage>,
    /// Cost of the session so far, in US dollars.
    pub cost: Option<f64>,
    /// Whether the prompt was a command that the CLI handled itself, which may have changed settings.
    pub is_local: bool,
    /// The largest context window of the models used, in tokens.
    pub window: Option<u64>,
}

/// Tokens used by one or more responses of the model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TokenUsage {
    /// Input tokens, without cached ones.
    pub input: u64,
    /// Output tokens.
    pub output: u64,
    /// Input tokens read from a cache.
    pub cache_read: u64,
    /// Input tokens written to a cache.
    pub cache_written: u64,
}

impl TokenUsage {
    /// The sum of all counts.
    pub fn total(self) -> u64 {
        let sent = self.input.saturating_add(self.output);
        sent.saturating_add(self.cache_read)
            .saturating_add(self.cache_written)
    }

    /// Adds two usages.
    pub fn plus(self, other: TokenUsage) -> TokenUsage {
        TokenUsage {
            input: self.input.saturating_add(other.input),
            output: self.output.saturating_add(other.output),
            cache_read: self.cache_read.saturating_add(other.cache_read),
            cache_written: self.cache_written.saturating_add(other.cache_written),
        }
    }

    pub(super) fn from_value(usage: &Value) -> Option<TokenUsage> {
        let count = |name: &str| usage[name].as_u64().unwrap_or(0);
        usage.is_object().then(|| TokenUsage {
            input: count("input_tokens"),
            output: count("output_tokens"),
            cache_read: count("cache_read_input_tokens"),
            cache_written: count("cache_creation_input_tokens"),
        })
    }
}

impl TurnResult {
    pub(super) fn from_value(frame: &Value) -> TurnResult {
        let windows = frame["modelUsage"].as_object().into_iter().flatten();
        let windows = windows.filter_map(|(_, usage)| usage["contextWindow"].as_u64());
        TurnResult {
            subtype: text(frame, "subtype"),
            is_error: frame["is_error"] == true,
            stop_reason: string(frame, "stop_reason"),
            terminal_reason: string(frame, "terminal_reason"),
            result: text(frame, "result"),
            errors: strings(&frame["errors"]),
            api_error: string(frame, "api_error_type"),
            tokens: TokenUsage::from_value(&frame["usage"]),
            cost: frame["total_cost_usd"].as_f64(),
            is_local: frame["local_command"].is_string(),
            window: windows.max(),
        }
    }
}
