//! Messages while they are made, block by block and piece by piece.

use serde_json::Value;

use super::{Block, TokenUsage, take_member, text};

/// A piece of a message.
#[derive(Debug, Clone, PartialEq)]
pub enum MessageEvent {
    /// A message begins.
    Start {
        /// Its id.
        id: String,
        /// What the context holds.
        tokens: Option<TokenUsage>,
    },
    /// A block begins.
    BlockStart {
        /// Which one.
        index: u64,
        /// As far as it is known.
        block: Block,
    },
    /// A block goes on.
    BlockDelta {
        /// Which one.
        index: u64,
        /// How.
        delta: Delta,
    },
    /// A block is complete.
    BlockEnd(u64),
    /// What the context holds now.
    Usage(TokenUsage),
    /// Anything else.
    Other,
}

/// How a block goes on.
#[derive(Debug, Clone, PartialEq)]
pub enum Delta {
    /// More text.
    Text(String),
    /// More thinking.
    Thinking(String),
    /// More of a tool call's input, as JSON text.
    Input(String),
    /// Anything else.
    Other,
}

impl MessageEvent {
    pub(super) fn from_value(event: &mut Value) -> MessageEvent {
        let index = event["index"].as_u64().unwrap_or(0);
        match event["type"].as_str().unwrap_or_default() {
            "message_start" => MessageEvent::Start {
                id: text(&event["message"], "id"),
                tokens: TokenUsage::from_value(&event["message"]["usage"]),
            },
            "content_block_start" => MessageEvent::BlockStart {
                index,
                block: Block::from_value(take_member(event, "content_block")),
            },
            "content_block_delta" => MessageEvent::BlockDelta {
                index,
                delta: Delta::from_value(&event["delta"]),
            },
            "content_block_stop" => MessageEvent::BlockEnd(index),
            "message_delta" => TokenUsage::from_value(&event["usage"])
                .map_or(MessageEvent::Other, MessageEvent::Usage),
            _ => MessageEvent::Other,
        }
    }
}

impl Delta {
    fn from_value(delta: &Value) -> Delta {
        match delta["type"].as_str().unwrap_or_default() {
            "text_delta" => Delta::Text(text(delta, "text")),
            "thinking_delta" => Delta::Thinking(text(delta, "thinking")),
            "input_json_delta" => Delta::Input(text(delta, "partial_json")),
            _ => Delta::Other,
        }
    }
}
