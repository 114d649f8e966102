//! A stored session, told again: the lines of its transcript as updates, with those of its subagents where they began.

mod outline;
mod survey;

use serde_json::Value;

use attache::v1;

use crate::frames::{Block, Frame, Message};
use crate::mapping::{Act, Mapping, Shows};

pub use survey::{Conversation, Survey};

/// A transcript that is being told.
#[derive(Debug)]
pub struct Replay {
    mapping: Mapping,
}

/// What a line comes to.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// Tell the client.
    Tell(v1::SessionUpdate),
    /// A subagent may have begun here: whatever it did is told now.
    Subagent {
        /// The tool call that it works for.
        call: String,
        /// Its own id, where the line tells it.
        agent: Option<String>,
    },
}

impl Replay {
    /// For a client that shows these things.
    pub fn new(shows: Shows) -> Replay {
        Replay {
            mapping: Mapping::new(shows),
        }
    }

    /// What a line of the session comes to; nothing for what is the CLI's own.
    pub fn line(&mut self, line: &[u8]) -> Vec<Step> {
        let Some(line) = object(line).filter(|line| line["isSidechain"] != true) else {
            return Vec::new();
        };
        match message(line) {
            Some(Frame::User(message)) => {
                let mut steps = told(self.mapping.replay_prompt(&message));
                steps.extend(self.taken(Frame::User(message)));
                steps
            }
            Some(frame) => self.taken(frame),
            None => Vec::new(),
        }
    }

    /// What a line of a subagent comes to. What it was asked for is known by its tool call.
    pub fn line_of(&mut self, call: &str, line: &[u8]) -> Vec<Step> {
        let frame = object(line).and_then(message).map(|frame| match frame {
            Frame::User(message) => Frame::User(of(call, message)),
            Frame::Assistant(message) => Frame::Assistant(of(call, message)),
            other => other,
        });
        frame.map(|frame| self.taken(frame)).unwrap_or_default()
    }

    /// What is left open has failed.
    pub fn end(mut self) -> Vec<Step> {
        told(self.mapping.abandon())
    }

    fn taken(&mut self, frame: Frame) -> Vec<Step> {
        let began = began(&frame);
        let ended = ended(&frame);
        let acts = self.mapping.take(frame);
        ended.into_iter().chain(told(acts)).chain(began).collect()
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
    match Frame::of(line) {
        Frame::User(_) | Frame::Assistant(_) | Frame::TaskEnded(_) if is_meta => None,
        frame @ (Frame::User(_)
        | Frame::Assistant(_)
        | Frame::TaskEnded(_)
        | Frame::LocalOutput(_)) => Some(frame),
        _ => None,
    }
}

fn of(call: &str, message: Message) -> Message {
    Message {
        parent: Some(call.to_owned()),
        ..message
    }
}

/// The calls that a subagent may work for.
fn began(frame: &Frame) -> Vec<Step> {
    let Frame::Assistant(message) = frame else {
        return Vec::new();
    };
    let calls = message.blocks.iter().filter_map(|block| match block {
        Block::ToolUse { id, .. } => Some(Step::Subagent {
            call: id.clone(),
            agent: None,
        }),
        _ => None,
    });
    calls.collect()
}

/// The subagent that a result is of.
fn ended(frame: &Frame) -> Option<Step> {
    let Frame::User(message) = frame else {
        return None;
    };
    let agent = message.tool_result["agentId"].as_str()?;
    let call = frame.results().next()?;
    Some(Step::Subagent {
        call: call.to_owned(),
        agent: Some(agent.to_owned()),
    })
}

fn told(acts: Vec<Act>) -> Vec<Step> {
    let told = acts.into_iter().filter_map(|act| match act {
        Act::Tell(update) => Some(Step::Tell(update)),
        _ => None,
    });
    told.collect()
}
