//! The entries of a transcript.

use attache_schema::json::Raw;
use attache_schema::v1;

use super::blocks::ContentBlocks;
use super::weight::{Weight, encoded};
use super::{
    CompactionEntry, MessageEntry, MessageKind, SessionMessageEntry, SubagentEntry, ToolCallEntry,
    TurnEnd,
};

/// An entry of a transcript, such as a message or a tool call. It keeps its position and number when its content
/// changes.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Entry {
    pub(super) kind: EntryKind,
    pub(super) index: usize,
    pub(super) turn: usize,
    pub(super) revision: u64,
    pub(super) bytes: usize,
    pub(super) dropped: usize,
}

/// The content of an entry.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum EntryKind {
    /// A message or a thought.
    Message(MessageEntry),
    /// A tool call.
    ToolCall(Box<ToolCallEntry>),
    /// A notice.
    Notice(v1::Notice),
    /// A compaction of the history.
    Compaction(CompactionEntry),
    /// A child session (unstable).
    Subagent(Box<SubagentEntry>),
    /// A message between sessions (unstable).
    SessionMessage(Box<SessionMessageEntry>),
    /// The end of a turn.
    TurnEnd(TurnEnd),
    /// An update that this version does not know, as received.
    Unknown(Raw),
}

impl Entry {
    /// Content of the entry.
    pub fn kind(&self) -> &EntryKind {
        &self.kind
    }

    /// Number of the entry, starting at 0.
    pub fn index(&self) -> usize {
        self.index
    }

    /// Number of the turn in which the entry was added, starting at 1; 0 is before the first prompt, as in a replay.
    pub fn turn(&self) -> usize {
        self.turn
    }

    /// [Revision](super::Transcript::revision) of the transcript when the entry last changed.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Number of bytes that were dropped because the entry alone exceeded the limit: the beginning of content, or all
    /// of a tool call except its id, title and status.
    pub fn dropped(&self) -> usize {
        self.dropped
    }

    /// The message; `None` for other entries.
    pub fn message(&self) -> Option<&MessageEntry> {
        match &self.kind {
            EntryKind::Message(message) => Some(message),
            _ => None,
        }
    }

    /// The tool call; `None` for other entries.
    pub fn tool_call(&self) -> Option<&ToolCallEntry> {
        match &self.kind {
            EntryKind::ToolCall(call) => Some(call),
            _ => None,
        }
    }

    /// The compaction; `None` for other entries.
    pub fn compaction(&self) -> Option<&CompactionEntry> {
        match &self.kind {
            EntryKind::Compaction(compaction) => Some(compaction),
            _ => None,
        }
    }
}

impl EntryKind {
    pub(super) fn key(&self) -> Option<EntryKey> {
        match self {
            EntryKind::Message(message) => {
                let id = message.id.clone()?;
                Some(EntryKey::Message(message.kind, id))
            }
            EntryKind::ToolCall(call) => Some(EntryKey::ToolCall(call.report.tool_call_id.clone())),
            EntryKind::Compaction(compaction) => Some(EntryKey::Compaction(compaction.id.clone())),
            EntryKind::Subagent(child) => Some(EntryKey::Subagent(child.session_id.clone())),
            EntryKind::SessionMessage(message) => {
                Some(EntryKey::SessionMessage(message.id.clone()))
            }
            EntryKind::Notice(_) | EntryKind::TurnEnd(_) | EntryKind::Unknown(_) => None,
        }
    }

    /// Drops content until about `keep` bytes are left.
    pub(super) fn trim(&mut self, keep: usize) {
        match self {
            EntryKind::ToolCall(call) => call.trim(),
            EntryKind::Notice(_)
            | EntryKind::Subagent(_)
            | EntryKind::TurnEnd(_)
            | EntryKind::Unknown(_) => {}
            EntryKind::Message(_) | EntryKind::Compaction(_) | EntryKind::SessionMessage(_) => {
                if let Some(blocks) = self.blocks_mut() {
                    blocks.trim(keep);
                }
            }
        }
    }

    pub(super) fn blocks_mut(&mut self) -> Option<&mut ContentBlocks> {
        match self {
            EntryKind::Message(message) => Some(&mut message.content),
            EntryKind::Compaction(compaction) => Some(&mut compaction.summary),
            EntryKind::SessionMessage(message) => Some(&mut message.content),
            _ => None,
        }
    }
}

impl Weight for EntryKind {
    fn weight(&self) -> usize {
        match self {
            EntryKind::Message(message) => message.weight(),
            EntryKind::ToolCall(call) => call.weight(),
            EntryKind::Notice(notice) => encoded(notice),
            EntryKind::Compaction(compaction) => compaction.weight(),
            EntryKind::Subagent(child) => child.weight(),
            EntryKind::SessionMessage(message) => message.weight(),
            EntryKind::TurnEnd(end) => end.weight(),
            EntryKind::Unknown(raw) => raw.weight(),
        }
    }
}

/// Kind and id of an entry. The kind is needed because a thought and a message may have the same id.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum EntryKey {
    Message(MessageKind, v1::MessageId),
    ToolCall(v1::ToolCallId),
    Compaction(v1::CompactionId),
    Subagent(v1::SessionId),
    SessionMessage(v1::MessageId),
}
