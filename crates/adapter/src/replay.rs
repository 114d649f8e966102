//! Replays a stored session: converts the lines of its transcript to updates, and marks where subagents started.

mod branch;

use serde_json::Value;

use attache::v1;

use crate::frames::{Block, Frame, Message};
use crate::mapping::{DisplaySupport, Mapping, SessionAction};

pub use branch::{ActiveBranch, TranscriptIndex};

/// The replay of one transcript.
#[derive(Debug)]
pub struct TranscriptReplay {
    mapping: Mapping,
}

/// What to do for a line.
#[derive(Debug, Clone, PartialEq)]
pub enum TranscriptStep {
    /// Send this update.
    Update(v1::SessionUpdate),
    /// Replay the transcript of a subagent here, if there is one.
    Subagent {
        /// The tool call that started the subagent.
        call: String,
        /// The subagent's id, if the line contains it.
        agent: Option<String>,
    },
}

impl TranscriptReplay {
    /// A replay for a client with this display support.
    pub fn new(display: DisplaySupport) -> TranscriptReplay {
        TranscriptReplay {
            mapping: Mapping::new(display),
        }
    }

    /// The steps for a line of the session; none for the CLI's own lines.
    pub fn read_line(&mut self, line: &[u8]) -> Vec<TranscriptStep> {
        let Some(line) = object(line).filter(|line| line["isSidechain"] != true) else {
            return Vec::new();
        };
        match message(line) {
            Some(Frame::User(message)) => {
                let mut steps = updates(self.mapping.replay_prompt(&message));
                steps.extend(self.map(Frame::User(message)));
                steps
            }
            Some(frame) => self.map(frame),
            None => Vec::new(),
        }
    }

    /// The steps for a line of a subagent's transcript. Its prompt is not shown, because the tool call shows it.
    pub fn read_subagent_line(&mut self, call: &str, line: &[u8]) -> Vec<TranscriptStep> {
        let frame = object(line).and_then(message).map(|frame| match frame {
            Frame::User(message) => Frame::User(with_parent(call, message)),
            Frame::Assistant(message) => Frame::Assistant(with_parent(call, message)),
            other => other,
        });
        frame.map(|frame| self.map(frame)).unwrap_or_default()
    }

    /// Fails the tool calls that are still open.
    pub fn finish(mut self) -> Vec<TranscriptStep> {
        updates(self.mapping.fail_open_calls())
    }

    fn map(&mut self, frame: Frame) -> Vec<TranscriptStep> {
        let started = started(&frame);
        let finished = finished(&frame);
        let actions = self.mapping.apply(frame);
        finished
            .into_iter()
            .chain(updates(actions))
            .chain(started)
            .collect()
    }
}

/// Parses a line. Invalid UTF-8 does not lose the rest of the line.
fn object(line: &[u8]) -> Option<Value> {
    let read = match std::str::from_utf8(line) {
        Ok(line) => serde_json::from_str(line),
        Err(_) => serde_json::from_str(&String::from_utf8_lossy(line)),
    };
    read.ok().filter(Value::is_object)
}

fn message(line: Value) -> Option<Frame> {
    let is_meta = line["isMeta"] == true;
    match Frame::from_value(line) {
        Frame::User(_) | Frame::Assistant(_) | Frame::TaskEnded(_) if is_meta => None,
        frame @ (Frame::User(_)
        | Frame::Assistant(_)
        | Frame::TaskEnded(_)
        | Frame::LocalOutput(_)) => Some(frame),
        Frame::ControlResponse { .. }
        | Frame::State(_)
        | Frame::TurnStarted { .. }
        | Frame::Mode(_)
        | Frame::Commands(_)
        | Frame::Compaction(_)
        | Frame::TaskStarted { .. }
        | Frame::PromptAccepted(_)
        | Frame::Stream { .. }
        | Frame::Result(_)
        | Frame::CanUseTool(_)
        | Frame::Elicitation(_)
        | Frame::ElicitationComplete { .. }
        | Frame::Dialog(_)
        | Frame::UnsupportedRequest { .. }
        | Frame::RequestCancelled(_)
        | Frame::Other => None,
    }
}

fn with_parent(call: &str, message: Message) -> Message {
    Message {
        parent: Some(call.to_owned()),
        ..message
    }
}

/// The tool calls that may have started a subagent.
fn started(frame: &Frame) -> Vec<TranscriptStep> {
    let Frame::Assistant(message) = frame else {
        return Vec::new();
    };
    let calls = message.blocks.iter().filter_map(|block| match block {
        Block::ToolUse { id, .. } => Some(TranscriptStep::Subagent {
            call: id.clone(),
            agent: None,
        }),
        _ => None,
    });
    calls.collect()
}

/// The subagent whose result a frame contains.
fn finished(frame: &Frame) -> Option<TranscriptStep> {
    let Frame::User(message) = frame else {
        return None;
    };
    let agent = message.tool_result["agentId"].as_str()?;
    let call = frame.results().next()?;
    Some(TranscriptStep::Subagent {
        call: call.to_owned(),
        agent: Some(agent.to_owned()),
    })
}

fn updates(actions: Vec<SessionAction>) -> Vec<TranscriptStep> {
    let updates = actions.into_iter().filter_map(|action| match action {
        SessionAction::Update(update) => Some(TranscriptStep::Update(update)),
        SessionAction::AskPermission(_)
        | SessionAction::Elicit(_)
        | SessionAction::CompleteElicitation { .. }
        | SessionAction::WithdrawRequest(_)
        | SessionAction::SendFrame(_)
        | SessionAction::SettleRequest { .. }
        | SessionAction::AcceptPrompt(_)
        | SessionAction::RefreshSettings
        | SessionAction::ExpectCommand { .. }
        | SessionAction::EndTurn(_)
        | SessionAction::SetState(_) => None,
    });
    updates.collect()
}
