//! Subagents: child sessions that the agent creates within a session (unstable).

use attache_rpc::Error as RpcError;
use attache_rpc::json::{
    Decode, DecodeError, Encode, Flatten, MaybeUndefined, Members, Reader, field, write,
};

use super::{ContentBlock, MessageId, SessionId, Usage};
use crate::{FilePath, Meta};

fragment! {
    /// The agent created a child session, or its data changed. The agent sends it in the parent session, and MUST send
    /// it before any update of the child. An omitted member is unchanged, and `null` removes the value. The agent MUST
    /// NOT send it unless the client advertises `subagents`.
    ///
    /// Unstable: may change or be removed. See [Subagents](https://agentclientprotocol.com/rfds/subagents).
    pub struct SubagentUpdate {
        /// Id of the child session.
        session_id: SessionId = "sessionId",
        ..
        /// Title of the child for the user.
        title: MaybeUndefined<String> = "title" lenient,
        /// Description of the child's task, for the user.
        description: MaybeUndefined<String> = "description" lenient,
        /// Operations that the client may use on the child. Default: none.
        capabilities: MaybeUndefined<SubagentSessionCapabilities> = "capabilities" lenient,
        /// Whether the child is working. Default: not reported.
        state: MaybeUndefined<StateUpdate> = "state" lenient,
        /// Working directory of the child. MUST be absolute. Default: that of the parent.
        cwd: MaybeUndefined<FilePath> = "cwd",
        /// Additional directories of the child, each absolute. Default: those of the parent.
        additional_directories: MaybeUndefined<Vec<FilePath>> = "additionalDirectories",
        /// Extension data (`_meta`), kept and passed on unchanged. `null` removes it.
        meta: MaybeUndefined<Meta> = "_meta" lenient,
    }
}

message! {
    /// Operations that the client may use on a child session.
    ///
    /// Unstable: may change or be removed. See [Subagents](https://agentclientprotocol.com/rfds/subagents).
    pub struct SubagentSessionCapabilities {
        ..
        /// Supports `session/cancel` for the child.
        cancel: Option<SessionCancelCapabilities> = "cancel" lenient,
    }
}

markers! {
    /// The client may cancel the child's current work with `session/cancel`. The child session stays open.
    ///
    /// Unstable: may change or be removed. See [Subagents](https://agentclientprotocol.com/rfds/subagents).
    SessionCancelCapabilities
}

fragment! {
    /// A message between sessions, as seen in the session of the update. An omitted member is unchanged, and `null`
    /// removes the value.
    ///
    /// Unstable: may change or be removed. See [Subagents](https://agentclientprotocol.com/rfds/subagents).
    pub struct SessionMessage {
        /// Id of the message in this session.
        message_id: MessageId = "messageId",
        ..
        /// The session that sent the message.
        sender_session_id: MaybeUndefined<SessionId> = "senderSessionId" lenient,
        /// The session that received the message.
        recipient_session_id: MaybeUndefined<SessionId> = "recipientSessionId" lenient,
        /// Id of the same message in the sender's session.
        sender_message_id: MaybeUndefined<MessageId> = "senderMessageId" lenient,
        /// Id of the same message in the recipient's session.
        recipient_message_id: MaybeUndefined<MessageId> = "recipientMessageId" lenient,
        /// The whole content. It replaces the previous content.
        content: MaybeUndefined<Vec<ContentBlock>> = "content" patch_items,
        /// Extension data (`_meta`), kept and passed on unchanged. `null` removes it.
        meta: MaybeUndefined<Meta> = "_meta" lenient,
    }
}

message! {
    /// The next part of a message between sessions.
    ///
    /// Unstable: may change or be removed. See [Subagents](https://agentclientprotocol.com/rfds/subagents).
    pub struct SessionMessageChunk {
        /// Id of the message in this session.
        message_id: MessageId = "messageId",
        /// The part.
        content: ContentBlock = "content",
    }
}

union! {
    /// Whether a child session is working. Each update replaces the previous state as a whole.
    ///
    /// Unstable: may change or be removed. See
    /// [Subagents](https://agentclientprotocol.com/rfds/subagents#current-work-state).
    pub enum StateUpdate by "state" {
        /// Working.
        Running(RunningStateUpdate) = "running",
        /// Ready for another prompt.
        Idle(IdleStateUpdate) = "idle",
        /// Waiting for the user.
        RequiresAction(RequiresActionStateUpdate) = "requires_action",
        /// The agent cannot tell. The client MUST NOT show the previous state as current any more.
        Unknown(UnknownStateUpdate) = "unknown",
    }
}

markers! {
    /// The child session is working.
    ///
    /// Unstable: may change or be removed. See [Subagents](https://agentclientprotocol.com/rfds/subagents).
    RunningStateUpdate
    /// The child session is waiting for the user.
    ///
    /// Unstable: may change or be removed. See [Subagents](https://agentclientprotocol.com/rfds/subagents).
    RequiresActionStateUpdate
    /// The agent cannot tell whether the child session is working. Its work may go on.
    ///
    /// Unstable: may change or be removed. See [Subagents](https://agentclientprotocol.com/rfds/subagents).
    UnknownStateUpdate
}

message! {
    /// The child session is ready for another prompt.
    ///
    /// Unstable: may change or be removed. See [Subagents](https://agentclientprotocol.com/rfds/subagents).
    pub struct IdleStateUpdate {
        /// Why the work ended. Default: not reported.
        part stop_reason: IdleStop,
        ..
        /// Tokens used by the work. Default: not reported.
        usage: Option<Usage> = "usage" lenient,
    }
}

/// Why a child session's work ended, or `None` if the agent does not report it.
///
/// Unstable: may change or be removed. See [Subagents](https://agentclientprotocol.com/rfds/subagents).
#[derive(Debug, Clone, PartialEq, Default)]
pub struct IdleStop(pub Option<IdleStopReason>);

union! {
    /// Why a child session's work ended.
    ///
    /// Unstable: may change or be removed. See [Subagents](https://agentclientprotocol.com/rfds/subagents).
    pub enum IdleStopReason by "stopReason" {
        /// The model finished without asking for another tool.
        EndTurn = "end_turn",
        /// The maximum number of tokens was reached.
        MaxTokens = "max_tokens",
        /// The maximum number of model requests was reached.
        MaxTurnRequests = "max_turn_requests",
        /// The agent refuses to continue.
        Refusal = "refusal",
        /// The work was cancelled.
        Cancelled = "cancelled",
        /// The work failed.
        Error(ErrorStopReason) = "error",
    }
}

fragment! {
    /// How a child session's work failed.
    ///
    /// Unstable: may change or be removed. See [Subagents](https://agentclientprotocol.com/rfds/subagents).
    pub struct ErrorStopReason {
        ..
        /// The error. The agent SHOULD send it.
        error: Option<RpcError> = "error" lenient,
    }
}

impl Decode for IdleStop {
    /// A reason that is missing, `null` or invalid becomes `None`.
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
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

impl Flatten for IdleStop {
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
