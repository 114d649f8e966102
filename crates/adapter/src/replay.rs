//! A stored session, told again: the lines of its transcript as updates, with those of its subagents where they started.

mod branch;
mod line_header;

use serde_json::Value;

use attache::v1;

use crate::frames::{Block, Frame, Message};
use crate::mapping::{DisplaySupport, Mapping, SessionAction};

pub use branch::{ActiveBranch, TranscriptIndex};

/// A transcript that is being told.
#[derive(Debug)]
pub struct TranscriptReplay {
    mapping: Mapping,
}

/// What a line comes to.
#[derive(Debug, Clone, PartialEq)]
pub enum TranscriptStep {
    /// Tell the client.
    Update(v1::SessionUpdate),
    /// A subagent may have begun here: whatever it did is told now.
    Subagent {
        /// The tool call that it works for.
        call: String,
        /// Its own id, where the line tells it.
        agent: Option<String>,
    },
}

impl TranscriptReplay {
    /// For a client that display these things.
    pub fn new(display: DisplaySupport) -> TranscriptReplay {
        TranscriptReplay {
            mapping: Mapping::new(display),
        }
    }

    /// What a line of the session comes to; nothing for what is the CLI's own.
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

    /// What a line of a subagent comes to. What it was asked for is known by its tool call.
    pub fn read_subagent_line(&mut self, call: &str, line: &[u8]) -> Vec<TranscriptStep> {
        let frame = object(line).and_then(message).map(|frame| match frame {
            Frame::User(message) => Frame::User(with_parent(call, message)),
            Frame::Assistant(message) => Frame::Assistant(with_parent(call, message)),
            other => other,
        });
        frame.map(|frame| self.map(frame)).unwrap_or_default()
    }

    /// What is left open has failed.
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

/// The object that a line is. Bytes that are no text do not cost the rest of it.
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
        _ => None,
    }
}

fn with_parent(call: &str, message: Message) -> Message {
    Message {
        parent: Some(call.to_owned()),
        ..message
    }
}

/// The calls that a subagent may work for.
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

/// The subagent that a result is of.
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
        _ => None,
    });
    updates.collect()
}
