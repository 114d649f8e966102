//! Entries: what a transcript lists.

use attache_schema::json::Raw;
use attache_schema::v1;

use super::blocks::Blocks;
use super::name::Name;
use super::weight::{Weight, encoded};
use super::{Compaction, End, Message, SessionMessage, Subagent, ToolCall};

/// A place in the transcript. It keeps its place and its number, whatever becomes of what stands there.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    pub(super) item: Item,
    pub(super) index: usize,
    pub(super) turn: usize,
    pub(super) revision: u64,
    pub(super) bytes: usize,
    pub(super) dropped: usize,
}

/// What stands at a place.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Item {
    /// A message or a thought.
    Message(Message),
    /// A tool call.
    ToolCall(Box<ToolCall>),
    /// A notice.
    Notice(v1::Notice),
    /// A compaction of the history.
    Compaction(Compaction),
    /// A child session (unstable).
    Subagent(Box<Subagent>),
    /// A message between sessions (unstable).
    SessionMessage(Box<SessionMessage>),
    /// The end of a turn.
    End(End),
    /// An update that this version does not know, as it came.
    Unknown(Raw),
}

impl Entry {
    /// What stands here.
    pub fn item(&self) -> &Item {
        &self.item
    }

    /// Its number, from 0.
    pub fn index(&self) -> usize {
        self.index
    }

    /// In which turn it began, from 1; 0 is before the first prompt, as in a replay.
    pub fn turn(&self) -> usize {
        self.turn
    }

    /// When it last changed, as [`Transcript::revision`](super::Transcript::revision) was then.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// How many bytes of it were dropped because it alone was over the limit: of content the beginning, of a tool
    /// call all but what names it.
    pub fn dropped(&self) -> usize {
        self.dropped
    }

    /// The message, if it is one.
    pub fn message(&self) -> Option<&Message> {
        match &self.item {
            Item::Message(message) => Some(message),
            _ => None,
        }
    }

    /// The tool call, if it is one.
    pub fn tool_call(&self) -> Option<&ToolCall> {
        match &self.item {
            Item::ToolCall(call) => Some(call),
            _ => None,
        }
    }

    /// The compaction, if it is one.
    pub fn compaction(&self) -> Option<&Compaction> {
        match &self.item {
            Item::Compaction(compaction) => Some(compaction),
            _ => None,
        }
    }
}

impl Item {
    pub(super) fn name(&self) -> Option<Name> {
        match self {
            Item::Message(message) => {
                let id = message.id.clone()?;
                Some(Name::Message(message.kind, id))
            }
            Item::ToolCall(call) => Some(Name::ToolCall(call.said.tool_call_id.clone())),
            Item::Compaction(compaction) => Some(Name::Compaction(compaction.id.clone())),
            Item::Subagent(child) => Some(Name::Subagent(child.session_id.clone())),
            Item::SessionMessage(message) => Some(Name::SessionMessage(message.id.clone())),
            Item::Notice(_) | Item::End(_) | Item::Unknown(_) => None,
        }
    }

    /// Drops what can be dropped, so that about `keep` bytes are left.
    pub(super) fn shed(&mut self, keep: usize) {
        match self {
            Item::ToolCall(call) => call.shed(),
            Item::Notice(_) | Item::Subagent(_) | Item::End(_) | Item::Unknown(_) => {}
            Item::Message(_) | Item::Compaction(_) | Item::SessionMessage(_) => {
                if let Some(blocks) = self.blocks_mut() {
                    blocks.shed(keep);
                }
            }
        }
    }

    pub(super) fn blocks_mut(&mut self) -> Option<&mut Blocks> {
        match self {
            Item::Message(message) => Some(&mut message.content),
            Item::Compaction(compaction) => Some(&mut compaction.summary),
            Item::SessionMessage(message) => Some(&mut message.content),
            _ => None,
        }
    }
}

impl Weight for Item {
    fn weight(&self) -> usize {
        match self {
            Item::Message(message) => message.weight(),
            Item::ToolCall(call) => call.weight(),
            Item::Notice(notice) => encoded(notice),
            Item::Compaction(compaction) => compaction.weight(),
            Item::Subagent(child) => child.weight(),
            Item::SessionMessage(message) => message.weight(),
            Item::End(end) => end.weight(),
            Item::Unknown(raw) => raw.weight(),
        }
    }
}
