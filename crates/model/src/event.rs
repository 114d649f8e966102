//! What a model says, piece by piece.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::ToolCall;

/// A piece of an answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// More words for the person.
    Text(String),
    /// More reasoning.
    Thought(String),
    /// The signature of the reasoning that has just ended.
    ThoughtSignature(String),
    /// A call begins: the tool is named, its input still comes.
    CallStarted {
        /// The call's id.
        id: String,
        /// The tool's name.
        name: String,
    },
    /// A call is complete. It was named before.
    Call(ToolCall),
    /// What the answer has cost so far; each replaces the one before.
    Usage(Usage),
    /// The provider could not answer and is asked again; what was said so far in this answer still counts.
    Retry {
        /// How often it was asked.
        attempts: u32,
        /// How long is waited before.
        wait: Duration,
        /// Why, in words without secrets.
        reason: String,
    },
    /// The answer is complete.
    End(Stop),
}

/// Why an answer ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stop {
    /// All is said.
    Done,
    /// It waits for its tools.
    Tools,
    /// The longest answer is reached.
    Length,
    /// It will not answer.
    Refusal,
}

/// What an answer cost, in tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Usage {
    /// Read, whatever a cache held excepted.
    pub input: u64,
    /// Written, reasoning included.
    pub output: u64,
    /// Of those written, reasoning; zero where the provider does not tell.
    pub thought: u64,
    /// Read from a cache.
    pub cache_read: u64,
    /// Put into a cache.
    pub cache_write: u64,
}
