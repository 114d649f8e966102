//! Turns, as the client reports them to the transcript.

use attache_schema::v1;

use super::change::Change;
use super::entry::{Entry, EntryKind};
use super::message::MessageEntry;
use super::weight::{Weight, encoded};
use super::{ToolCallEntry, Transcript};
use crate::CallError;

/// The end of a turn in a transcript.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct TurnEnd {
    /// How the turn ended.
    pub outcome: TurnOutcome,
    /// Entry numbers of the open tool calls that this end marks as cancelled.
    pub cancelled: Vec<usize>,
}

/// How a turn ended.
#[derive(Debug, Clone, PartialEq)]
pub enum TurnOutcome {
    /// The agent stopped, with this reason.
    Stopped(v1::StopReason),
    /// The prompt got an error response or no response.
    Failed(v1::Error),
}

impl Transcript {
    /// Starts a turn when the client sends a prompt. The prompt becomes a message of the user, and later entries belong
    /// to the new turn.
    pub fn begin_turn(&mut self, prompt: Vec<v1::ContentBlock>) -> Change {
        self.log.next_turn();
        self.log
            .push(EntryKind::Message(MessageEntry::prompt(prompt)))
    }

    /// Ends the turn when the prompt has its response. If the turn was cancelled or failed, its unfinished tool calls
    /// are marked as cancelled, and the new entry lists them.
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
    /// Whether the turn was cancelled, with `session/cancel` or `$/cancel_request`.
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

/// A prompt without a response counts as failed.
impl From<CallError> for TurnOutcome {
    fn from(error: CallError) -> Self {
        TurnOutcome::Failed(error.forward_refusal())
    }
}

/// The awaited result of a prompt.
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
