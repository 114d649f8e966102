//! Session updates: notifications about the progress of a session.

use attache_rpc::json::{Decode, DecodeError, Encode, MaybeUndefined, Raw, Reader, ValueKind};

use super::{
    CompactionSummaryChunk, CompactionUpdate, ContentBlock, MessageId, Notice, Plan, PlanRemoved,
    PlanUpdate, SessionConfigOption, SessionId, SessionMessage, SessionMessageChunk, SessionModeId,
    SubagentUpdate, ToolCall, ToolCallUpdate,
};

message! {
    /// Parameters of `session/update`, which the agent sends while it works on a prompt, and also at other times.
    /// Updates of a turn MUST arrive before the response to its `session/prompt`. The client SHOULD accept them even
    /// after it has cancelled the turn.
    ///
    /// See [Prompt turn](https://agentclientprotocol.com/protocol/v1/prompt-turn#3-agent-reports-output).
    pub struct SessionNotification {
        /// The session that the update is about.
        session_id: SessionId = "sessionId",
        /// The update.
        update: SessionUpdate = "update",
    }
}

union! {
    /// An update of a session. The member `sessionUpdate` names its kind.
    ///
    /// See [Prompt turn](https://agentclientprotocol.com/protocol/v1/prompt-turn#3-agent-reports-output).
    pub enum SessionUpdate by "sessionUpdate" {
        /// The next part of a message of the user, for example when the agent replays history.
        UserMessageChunk(ContentChunk) = "user_message_chunk" shared,
        /// The next part of the agent's message.
        AgentMessageChunk(ContentChunk) = "agent_message_chunk" shared,
        /// The next part of the agent's reasoning.
        AgentThoughtChunk(ContentChunk) = "agent_thought_chunk" shared,
        /// A new tool call.
        ToolCall(ToolCall) = "tool_call",
        /// A change to a tool call.
        ToolCallUpdate(ToolCallUpdate) = "tool_call_update",
        /// The agent's plan. It replaces the previous one.
        Plan(Plan) = "plan",
        /// A plan with an id. It replaces the previous plan with that id (unstable). Only for clients that advertise
        /// `plan`.
        PlanUpdate(PlanUpdate) = "plan_update",
        /// The plan with this id no longer exists (unstable). Only for clients that advertise `plan`.
        PlanRemoved(PlanRemoved) = "plan_removed",
        /// The slash commands. They replace the previous ones.
        AvailableCommandsUpdate(AvailableCommandsUpdate) = "available_commands_update",
        /// The agent changed the mode.
        CurrentModeUpdate(CurrentModeUpdate) = "current_mode_update",
        /// The config options. They replace the previous ones.
        ConfigOptionUpdate(ConfigOptionUpdate) = "config_option_update",
        /// The session's title or time of last activity changed.
        SessionInfoUpdate(SessionInfoUpdate) = "session_info_update",
        /// Use of the context window and cost of the session.
        UsageUpdate(UsageUpdate) = "usage_update",
        /// Information for the user that is not part of the history. Only for clients that advertise `session.notices`.
        Notice(Notice) = "notice",
        /// A compaction of the history started, changed or ended. Only for clients that advertise `session.compaction`.
        CompactionUpdate(CompactionUpdate) = "compaction_update",
        /// The next part of a compaction's summary. Only for clients that advertise `session.compaction`.
        CompactionSummaryChunk(CompactionSummaryChunk) = "compaction_summary_chunk",
        /// A child session was created or changed (unstable). Only for clients that advertise `subagents`.
        SubagentUpdate(Box<SubagentUpdate>) = "subagent_update",
        /// A message between this session and another one (unstable). Only for clients that advertise `subagents`.
        SessionMessage(SessionMessage) = "session_message",
        /// The next part of a message between sessions (unstable). Only for clients that advertise `subagents`.
        SessionMessageChunk(SessionMessageChunk) = "session_message_chunk",
    }
}

impl From<SubagentUpdate> for SessionUpdate {
    fn from(update: SubagentUpdate) -> Self {
        SessionUpdate::SubagentUpdate(Box::new(update))
    }
}

message! {
    /// The next part of a message.
    ///
    /// See [Prompt turn](https://agentclientprotocol.com/protocol/v1/prompt-turn#3-agent-reports-output).
    pub struct ContentChunk {
        /// The part.
        content: ContentBlock = "content",
        ..
        /// Id of the message. Parts of one message have the same id, and a new id starts a new message. Default: not
        /// reported.
        message_id: Option<MessageId> = "messageId" lenient,
    }
}

message! {
    /// The slash commands of a session. The agent MAY send them after the session is set up and whenever they change.
    ///
    /// See [Slash commands](https://agentclientprotocol.com/protocol/v1/slash-commands).
    pub struct AvailableCommandsUpdate {
        /// The complete list. Items that cannot be read are skipped.
        available_commands: Vec<AvailableCommand> = "availableCommands" items,
    }
}

message! {
    /// A slash command. The user runs it with a prompt that starts with `/` and its name.
    ///
    /// See [Slash commands](https://agentclientprotocol.com/protocol/v1/slash-commands).
    pub struct AvailableCommand {
        /// Name of the command, without the slash.
        name: String = "name",
        /// Description of the command for the user.
        description: String = "description",
        ..
        /// Input that may follow the name. Default: none.
        input: Option<AvailableCommandInput> = "input" lenient,
    }
}

/// Input that may follow the name of a slash command.
///
/// See [Slash commands](https://agentclientprotocol.com/protocol/v1/slash-commands).
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum AvailableCommandInput {
    /// Any text.
    Unstructured(UnstructuredCommandInput),
    /// A form that this version does not know, as received.
    Other(Raw),
}

message! {
    /// All text after the name of a slash command is its input.
    ///
    /// See [Slash commands](https://agentclientprotocol.com/protocol/v1/slash-commands).
    pub struct UnstructuredCommandInput {
        /// Text to show until the user has typed input.
        hint: String = "hint",
    }
}

message! {
    /// The agent changed the session's mode.
    ///
    /// See [Session modes](https://agentclientprotocol.com/protocol/v1/session-modes).
    pub struct CurrentModeUpdate {
        /// The active mode.
        current_mode_id: SessionModeId = "currentModeId",
    }
}

message! {
    /// The agent changed config options of the session.
    ///
    /// See [Config options](https://agentclientprotocol.com/protocol/v1/session-config-options).
    pub struct ConfigOptionUpdate {
        /// The complete list. Items that cannot be read are skipped.
        config_options: Vec<SessionConfigOption> = "configOptions" items,
    }
}

message! {
    /// The session's title or time of last activity changed. An omitted member is unchanged, and `null` removes the
    /// value.
    ///
    /// See [Session list](https://agentclientprotocol.com/protocol/v1/session-list).
    pub struct SessionInfoUpdate {
        ..
        /// Title for the user.
        title: MaybeUndefined<String> = "title" lenient,
        /// Time of the last activity, in ISO 8601.
        updated_at: MaybeUndefined<String> = "updatedAt" lenient,
    }
}

message! {
    /// Use of the context window and cost of the session. The agent MAY send it at any time.
    ///
    /// See [Prompt turn](https://agentclientprotocol.com/protocol/v1/prompt-turn).
    pub struct UsageUpdate {
        /// Tokens in the context window now.
        used: u64 = "used",
        /// Tokens that fit in the context window.
        size: u64 = "size",
        ..
        /// Cost of the session so far. Default: not reported.
        cost: Option<Cost> = "cost" lenient,
    }
}

message! {
    /// Cost of a session so far.
    ///
    /// See [Prompt turn](https://agentclientprotocol.com/protocol/v1/prompt-turn).
    pub struct Cost {
        /// The total so far, in units of `currency`.
        amount: f64 = "amount",
        /// ISO 4217 code of the currency, such as `USD`, or another unit such as `credits`.
        currency: String = "currency",
    }
}

impl Decode for AvailableCommandInput {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let mark = reader.mark();
        match UnstructuredCommandInput::decode(reader) {
            Ok(input) => Ok(Self::Unstructured(input)),
            Err(error) => {
                reader.reset(mark);
                match reader.kind()? {
                    ValueKind::Object => Raw::decode(reader).map(Self::Other),
                    _ => Err(error),
                }
            }
        }
    }
}

impl Encode for AvailableCommandInput {
    fn encode(&self, out: &mut String) {
        match self {
            Self::Unstructured(input) => input.encode(out),
            Self::Other(raw) => raw.encode(out),
        }
    }
}
