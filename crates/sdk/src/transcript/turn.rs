//! Turns: what the client itself knows of them.

use attache_schema::v1;

use super::change::Change;
use super::entry::{Entry, EntryKind};
use super::message::MessageEntry;
use super::weight::{Weight, encoded};
use super::{ToolCallEntry, Transcript};
use crate::CallError;

/// The end of a turn.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct TurnEnd {
    /// How it ended.
    pub outcome: TurnOutcome,
    /// The numbers of the tool calls that were open and are now marked as cancelled.
    pub cancelled: Vec<usize>,
}

/// How a turn ended.
#[derive(Debug, Clone, PartialEq)]
pub enum TurnOutcome {
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
        self.log
            .push(EntryKind::Message(MessageEntry::prompt(prompt)))
    }

    /// The prompt has been answered. If the turn was cancelled or has failed, its tool calls that have not ended are
    /// marked as cancelled; the new entry lists them.
    pub fn end_turn(&mut self, outcome: impl Into<TurnOutcome>) -> Change {
        let outcome = outcome.into();
        let has_failed = matches!(outcome, TurnOutcome::Failed(_));
        let cancelled = if has_failed || outcome.is_cancelled() {
            self.cancel_open_calls()
        } else {
            Vec::new()
        };
        self.log
            .push(EntryKind::TurnEnd(TurnEnd { outcome, cancelled }))
    }

    fn cancel_open_calls(&mut self) -> Vec<usize> {
        let turn = self.log.turn();
        let is_open = |call: &ToolCallEntry| call.is_open() && call.turn == turn;
        let entries = self.log.entries().iter();
        let open = entries.filter(|entry| entry.tool_call().is_some_and(is_open));
        let open: Vec<usize> = open.map(Entry::index).collect();
        for &index in &open {
            self.log.change(index, |item| {
                if let EntryKind::ToolCall(call) = item {
                    call.is_cancelled = true;
                }
            });
        }
        open
    }
}

impl TurnOutcome {
    /// Whether the turn was cancelled, by either way of doing so.
    pub fn is_cancelled(&self) -> bool {
        match self {
            TurnOutcome::Stopped(reason) => *reason == v1::StopReason::Cancelled,
            TurnOutcome::Failed(error) => {
                v1::ErrorCode::of(error) == v1::ErrorCode::RequestCancelled
            }
        }
    }
}

impl From<v1::StopReason> for TurnOutcome {
    fn from(reason: v1::StopReason) -> Self {
        TurnOutcome::Stopped(reason)
    }
}

impl From<v1::Error> for TurnOutcome {
    fn from(error: v1::Error) -> Self {
        TurnOutcome::Failed(error)
    }
}

/// A call that never got an answer has failed as well.
impl From<CallError> for TurnOutcome {
    fn from(error: CallError) -> Self {
        TurnOutcome::Failed(error.into())
    }
}

/// What came of a prompt, as it was awaited.
impl From<Result<v1::PromptResponse, CallError>> for TurnOutcome {
    fn from(answer: Result<v1::PromptResponse, CallError>) -> Self {
        match answer {
            Ok(response) => response.stop_reason.into(),
            Err(error) => error.into(),
        }
    }
}

impl Weight for TurnEnd {
    fn weight(&self) -> usize {
        let outcome = match &self.outcome {
            TurnOutcome::Stopped(reason) => encoded(reason),
            TurnOutcome::Failed(error) => encoded(error),
        };
        outcome + size_of_val(self.cancelled.as_slice())
    }
}
