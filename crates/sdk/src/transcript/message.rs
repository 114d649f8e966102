//! Messages and thoughts.

use std::borrow::Cow;

use attache_schema::{Meta, v1};

use super::blocks::{ContentBlocks, Growth};
use super::weight::Weight;

/// A message or a thought, put together from its pieces.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct MessageEntry {
    /// Whose it is.
    pub kind: MessageKind,
    /// Its id, if the agent gave it one.
    pub id: Option<v1::MessageId>,
    /// What it says.
    pub content: ContentBlocks,
    /// The extension data of the last piece that had any.
    pub meta: Option<Meta>,
    /// Whether it is the prompt that began a turn; otherwise the agent has sent it.
    pub is_prompt: bool,
}

/// Whose a message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum MessageKind {
    /// The person's.
    User,
    /// The agent's.
    Agent,
    /// The agent's, to itself.
    Thought,
}

impl MessageEntry {
    /// Its text, without what is not text.
    pub fn text(&self) -> Cow<'_, str> {
        self.content.text()
    }

    pub(super) fn prompt(blocks: Vec<v1::ContentBlock>) -> Self {
        let mut content = ContentBlocks::default();
        for block in blocks {
            content.push(block);
        }
        MessageEntry {
            kind: MessageKind::User,
            id: None,
            content,
            meta: None,
            is_prompt: true,
        }
    }

    pub(super) fn from_chunk(kind: MessageKind, chunk: v1::ContentChunk) -> Self {
        let mut content = ContentBlocks::default();
        content.push(chunk.content);
        MessageEntry {
            kind,
            id: chunk.message_id,
            content,
            meta: chunk.meta,
            is_prompt: false,
        }
    }

    /// Whether a piece that comes next belongs to it. One without an id belongs only to a message without an id.
    pub(super) fn continues_with(&self, kind: MessageKind, chunk: &v1::ContentChunk) -> bool {
        self.kind == kind && self.id == chunk.message_id && !self.is_prompt
    }

    pub(super) fn push(&mut self, chunk: v1::ContentChunk) -> Growth {
        if chunk.meta.is_some() {
            self.meta = chunk.meta;
        }
        self.content.push(chunk.content)
    }
}

impl Weight for MessageEntry {
    fn weight(&self) -> usize {
        self.id.weight() + self.content.weight() + self.meta.weight()
    }
}
