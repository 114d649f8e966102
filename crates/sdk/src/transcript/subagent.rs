//! Child sessions, and messages between sessions (unstable).

use attache_schema::{FilePath, Meta, v1};

use super::blocks::ContentBlocks;
use super::weight::{Weight, encoded};

/// A child session, assembled from its updates (unstable).
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SubagentEntry {
    /// Id of the child session.
    pub session_id: v1::SessionId,
    /// Title of the child session.
    pub title: Option<String>,
    /// Description of the child's task.
    pub description: Option<String>,
    /// Operations that the client may use on the child session.
    pub capabilities: Option<v1::SubagentSessionCapabilities>,
    /// Whether the child session is working.
    pub state: Option<v1::StateUpdate>,
    /// Working directory of the child session.
    pub cwd: Option<FilePath>,
    /// Additional directories of the child session.
    pub additional_directories: Option<Vec<FilePath>>,
    /// Extension data (`_meta`).
    pub meta: Option<Meta>,
}

/// A message between sessions, assembled from its updates and chunks (unstable).
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SessionMessageEntry {
    /// Id of the message in this session.
    pub id: v1::MessageId,
    /// Session that sent the message.
    pub sender: Option<v1::SessionId>,
    /// Session that received the message.
    pub recipient: Option<v1::SessionId>,
    /// Id of the message in the sender's session.
    pub sender_message_id: Option<v1::MessageId>,
    /// Id of the message in the recipient's session.
    pub recipient_message_id: Option<v1::MessageId>,
    /// Content of the message.
    pub content: ContentBlocks,
    /// Extension data (`_meta`).
    pub meta: Option<Meta>,
}

impl SubagentEntry {
    pub(super) fn new(session_id: v1::SessionId) -> Self {
        SubagentEntry {
            session_id,
            title: None,
            description: None,
            capabilities: None,
            state: None,
            cwd: None,
            additional_directories: None,
            meta: None,
        }
    }

    pub(super) fn change(&mut self, update: v1::SubagentUpdate) {
        let v1::SubagentUpdate {
            session_id: _,
            title,
            description,
            capabilities,
            state,
            cwd,
            additional_directories,
            meta,
            ..
        } = update;
        title.apply_to(&mut self.title);
        description.apply_to(&mut self.description);
        capabilities.apply_to(&mut self.capabilities);
        state.apply_to(&mut self.state);
        cwd.apply_to(&mut self.cwd);
        additional_directories.apply_to(&mut self.additional_directories);
        meta.apply_to(&mut self.meta);
    }
}

impl SessionMessageEntry {
    pub(super) fn new(id: v1::MessageId) -> Self {
        SessionMessageEntry {
            id,
            sender: None,
            recipient: None,
            sender_message_id: None,
            recipient_message_id: None,
            content: ContentBlocks::default(),
            meta: None,
        }
    }

    pub(super) fn change(&mut self, update: v1::SessionMessage) {
        let v1::SessionMessage {
            message_id: _,
            sender_session_id,
            recipient_session_id,
            sender_message_id,
            recipient_message_id,
            content,
            meta,
            ..
        } = update;
        sender_session_id.apply_to(&mut self.sender);
        recipient_session_id.apply_to(&mut self.recipient);
        sender_message_id.apply_to(&mut self.sender_message_id);
        recipient_message_id.apply_to(&mut self.recipient_message_id);
        self.content.patch(content);
        meta.apply_to(&mut self.meta);
    }
}

impl Weight for SubagentEntry {
    fn weight(&self) -> usize {
        self.session_id.weight()
            + self.title.weight()
            + self.description.weight()
            + self.capabilities.as_ref().map_or(0, encoded)
            + self.state.as_ref().map_or(0, encoded)
            + self.cwd.weight()
            + self.additional_directories.weight()
            + self.meta.weight()
    }
}

impl Weight for SessionMessageEntry {
    fn weight(&self) -> usize {
        self.id.weight()
            + self.sender.weight()
            + self.recipient.weight()
            + self.sender_message_id.weight()
            + self.recipient_message_id.weight()
            + self.content.weight()
            + self.meta.weight()
    }
}
