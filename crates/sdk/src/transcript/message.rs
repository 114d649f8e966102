//! Messages and thoughts.

use std::borrow::Cow;

use attache_schema::{Meta, v1};

use super::blocks::{ContentBlocks, Growth};
use super::weight::Weight;

/// A message or a thought, assembled from its chunks.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct MessageEntry {
    /// Author of the message.
    pub kind: MessageKind,
    /// Id of the message, if the agent sent one.
    pub id: Option<v1::MessageId>,
    /// Content of the message.
    pub content: ContentBlocks,
    /// Extension data (`_meta`) of the last chunk that had any.
    pub meta: Option<Meta>,
    /// Whether this is the prompt that started a turn, rather than a message that the agent has sent.
    pub is_prompt: bool,
}

/// Author of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum MessageKind {
    /// A message of the user.
    User,
    /// A message of the agent.
    Agent,
    /// A part of the agent's reasoning.
    Thought,
}

impl MessageEntry {
    /// Text of the message, without other content.
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

    /// Whether the next chunk belongs to this message. A chunk without an id belongs only to a message without an id.
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
