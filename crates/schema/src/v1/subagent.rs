//! Subagents: sessions that an agent starts below a session (unstable).

use attache_rpc::Error as RpcError;
use attache_rpc::json::{Decode, Encode, Error, Maybe, Members, Part, Reader, field, write};

use super::{ContentBlock, MessageId, SessionId, Usage};
use crate::{FilePath, Meta};

fragment! {
    /// News of a child session; absent members are unchanged, `null` clears them (unstable).
    pub struct SubagentUpdate {
        /// The child.
        session_id: SessionId = "sessionId",
        ..
        /// Its title.
        title: Maybe<String> = "title" lenient,
        /// What it does.
        description: Maybe<String> = "description" lenient,
        /// What the client may do with it.
        capabilities: Maybe<SubagentSessionCapabilities> = "capabilities" lenient,
        /// Whether it works.
        state: Maybe<StateUpdate> = "state" lenient,
        /// Its working directory.
        cwd: Maybe<FilePath> = "cwd",
        /// Its other roots.
        additional_directories: Maybe<Vec<FilePath>> = "additionalDirectories",
        /// Extension data (`_meta`): kept and passed on as it is.
        meta: Maybe<Meta> = "_meta" lenient,
    }
}

message! {
    /// What a client may do with a child session (unstable).
    pub struct SubagentSessionCapabilities {
        ..
        /// `session/cancel`.
        cancel: Option<SessionCancelCapabilities> = "cancel" lenient,
    }
}

markers! {
    /// `session/cancel` works on the child (unstable).
    SessionCancelCapabilities
}

fragment! {
    /// A message between sessions; absent members are unchanged, `null` clears them (unstable).
    pub struct SessionMessage {
        /// Its id in this session.
        message_id: MessageId = "messageId",
        ..
        /// Who sent it.
        sender_session_id: Maybe<SessionId> = "senderSessionId" lenient,
        /// Who got it.
        recipient_session_id: Maybe<SessionId> = "recipientSessionId" lenient,
        /// Its id in the sender's session.
        sender_message_id: Maybe<MessageId> = "senderMessageId" lenient,
        /// Its id in the recipient's session.
        recipient_message_id: Maybe<MessageId> = "recipientMessageId" lenient,
        /// What it says.
        content: Maybe<Vec<ContentBlock>> = "content" patch_items,
        /// Extension data (`_meta`): kept and passed on as it is.
        meta: Maybe<Meta> = "_meta" lenient,
    }
}

message! {
    /// The next piece of a message between sessions (unstable).
    pub struct SessionMessageChunk {
        /// The message's id in this session.
        message_id: MessageId = "messageId",
        /// The piece.
        content: ContentBlock = "content",
    }
}

union! {
    /// Whether a child session works (unstable).
    pub enum StateUpdate by "state" {
        /// It works.
        Running(RunningStateUpdate) = "running",
        /// It waits for its next task.
        Idle(IdleStateUpdate) = "idle",
        /// It waits for the person.
        RequiresAction(RequiresActionStateUpdate) = "requires_action",
        /// The agent cannot tell.
        Unknown(UnknownStateUpdate) = "unknown",
    }
}

markers! {
    /// The child works (unstable).
    RunningStateUpdate
    /// The child waits for the person (unstable).
    RequiresActionStateUpdate
    /// The agent cannot tell what the child does (unstable).
    UnknownStateUpdate
}

message! {
    /// The child waits for its next task (unstable).
    pub struct IdleStateUpdate {
        /// Why it stopped, if the agent says.
        part stop_reason: IdleStop,
        ..
        /// What the task cost in tokens.
        usage: Option<Usage> = "usage" lenient,
    }
}

/// Why a child session stopped, if the agent says (unstable).
#[derive(Debug, Clone, PartialEq, Default)]
pub struct IdleStop(pub Option<IdleStopReason>);

union! {
    /// Why a child session stopped (unstable).
    pub enum IdleStopReason by "stopReason" {
        /// The model had nothing more to say or do.
        EndTurn = "end_turn",
        /// The model ran out of tokens.
        MaxTokens = "max_tokens",
        /// The task took more requests to the model than it may.
        MaxTurnRequests = "max_turn_requests",
        /// The model would not go on.
        Refusal = "refusal",
        /// The task was cancelled.
        Cancelled = "cancelled",
        /// The task failed.
        Error(ErrorStopReason) = "error",
    }
}

fragment! {
    /// How a task failed (unstable).
    pub struct ErrorStopReason {
        ..
        /// The error, if the agent says.
        error: Option<RpcError> = "error" lenient,
    }
}

impl Decode for IdleStop {
    /// A reason that is missing, `null` or badly made counts as none.
    fn decode(reader: &mut Reader<'_>) -> Result<Self, Error> {
        field::lenient(reader, "stopReason").map(IdleStop)
    }
}

impl Members for IdleStop {
    fn members(&self, out: &mut String) {
        if let Some(reason) = &self.0 {
            reason.members(out);
        }
    }
}

impl Encode for IdleStop {
    fn encode(&self, out: &mut String) {
        write::object(out, self);
    }
}

impl Part for IdleStop {
    fn forget(&mut self, names: &[&str]) {
        if let Some(reason) = &mut self.0 {
            reason.forget(names);
            reason.forget(&["state"]);
        }
    }
}

impl From<IdleStopReason> for IdleStop {
    fn from(reason: IdleStopReason) -> Self {
        IdleStop(Some(reason))
    }
}
