//! Messages while they are made, block by block and piece by piece.

use serde_json::Value;

use super::{Block, Tokens, take, text};

/// A piece of a message.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// A message begins.
    Message {
        /// Its id.
        id: String,
        /// What the context holds.
        tokens: Option<Tokens>,
    },
    /// A block begins.
    Block {
        /// Which one.
        index: u64,
        /// As far as it is known.
        block: Block,
    },
    /// A block goes on.
    Delta {
        /// Which one.
        index: u64,
        /// How.
        delta: Delta,
    },
    /// A block is complete.
    BlockEnd(u64),
    /// What the context holds now.
    Tokens(Tokens),
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

impl Event {
    pub(super) fn of(event: &mut Value) -> Event {
        let index = event["index"].as_u64().unwrap_or(0);
        match event["type"].as_str().unwrap_or_default() {
            "message_start" => Event::Message {
                id: text(&event["message"], "id"),
                tokens: Tokens::of(&event["message"]["usage"]),
            },
            "content_block_start" => Event::Block {
                index,
                block: Block::of(take(event, "content_block")),
            },
            "content_block_delta" => Event::Delta {
                index,
                delta: Delta::of(&event["delta"]),
            },
            "content_block_stop" => Event::BlockEnd(index),
            "message_delta" => Tokens::of(&event["usage"]).map_or(Event::Other, Event::Tokens),
            _ => Event::Other,
        }
    }
}

impl Delta {
    fn of(delta: &Value) -> Delta {
        match delta["type"].as_str().unwrap_or_default() {
            "text_delta" => Delta::Text(text(delta, "text")),
            "thinking_delta" => Delta::Thinking(text(delta, "thinking")),
            "input_json_delta" => Delta::Input(text(delta, "partial_json")),
            _ => Delta::Other,
        }
    }
}
