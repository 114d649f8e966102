//! Turns: what the client itself knows of them.

use attache_schema::v1;

use super::change::Change;
use super::entry::{Entry, Item};
use super::message::Message;
use super::weight::{Weight, encoded};
use super::{ToolCall, Transcript};
use crate::CallError;

/// The end of a turn.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct End {
    /// How it ended.
    pub outcome: Outcome,
    /// The numbers of the tool calls that were open and are now marked as cancelled.
    pub cancelled: Vec<usize>,
}

/// How a turn ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// The agent stopped, and said why.
    Stopped(v1::StopReason),
    /// The prompt was answered with an error, or not at all.
    Failed(v1::Error),
}

impl Transcript {
    /// The client has sent a prompt. It becomes a message of the person, and the entries from there on belong to the
    /// new turn.
    pub fn begin_turn(&mut self, prompt: Vec<v1::ContentBlock>) -> Change {
        self.log.next_turn();
        self.log.push(Item::Message(Message::prompt(prompt)))
    }

    /// The prompt has been answered. If the turn was cancelled or has failed, its tool calls that have not ended are
    /// marked as cancelled; the new entry lists them.
    pub fn end_turn(&mut self, outcome: impl Into<Outcome>) -> Change {
        let outcome = outcome.into();
        let has_failed = matches!(outcome, Outcome::Failed(_));
        let cancelled = if has_failed || outcome.is_cancelled() {
            self.cancel_open_calls()
        } else {
            Vec::new()
        };
        self.log.push(Item::End(End { outcome, cancelled }))
    }

    fn cancel_open_calls(&mut self) -> Vec<usize> {
        let turn = self.log.turn();
        let is_open = |call: &ToolCall| call.is_open() && call.turn == turn;
        let entries = self.log.entries().iter();
        let open = entries.filter(|entry| entry.tool_call().is_some_and(is_open));
        let open: Vec<usize> = open.map(Entry::index).collect();
        for &index in &open {
            self.log.change(index, |item| {
                if let Item::ToolCall(call) = item {
                    call.is_cancelled = true;
                }
            });
        }
        open
    }
}

impl Outcome {
    /// Whether the turn was cancelled, by either way of doing so.
    pub fn is_cancelled(&self) -> bool {
        match self {
            Outcome::Stopped(reason) => *reason == v1::StopReason::Cancelled,
            Outcome::Failed(error) => v1::ErrorCode::of(error) == v1::ErrorCode::RequestCancelled,
        }
    }
}

impl From<v1::StopReason> for Outcome {
    fn from(reason: v1::StopReason) -> Self {
        Outcome::Stopped(reason)
    }
}

impl From<v1::Error> for Outcome {
    fn from(error: v1::Error) -> Self {
        Outcome::Failed(error)
    }
}

/// A call that never got an answer has failed as well.
impl From<CallError> for Outcome {
    fn from(error: CallError) -> Self {
        Outcome::Failed(error.into())
    }
}

/// What came of a prompt, as it was awaited.
impl From<Result<v1::PromptResponse, CallError>> for Outcome {
    fn from(answer: Result<v1::PromptResponse, CallError>) -> Self {
        match answer {
            Ok(response) => response.stop_reason.into(),
            Err(error) => error.into(),
        }
    }
}

impl Weight for End {
    fn weight(&self) -> usize {
        let outcome = match &self.outcome {
            Outcome::Stopped(reason) => encoded(reason),
            Outcome::Failed(error) => encoded(error),
        };
        outcome + size_of_val(self.cancelled.as_slice())
    }
}
