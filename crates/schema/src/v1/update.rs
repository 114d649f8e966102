//! Session updates: all that the client learns while a session runs.

use attache_rpc::json::{Decode, Encode, Error, Kind, Maybe, Raw, Reader};

use super::{
    CompactionSummaryChunk, CompactionUpdate, ContentBlock, MessageId, Notice, Plan, PlanRemoved,
    PlanUpdate, SessionConfigOption, SessionId, SessionMessage, SessionMessageChunk, SessionModeId,
    SubagentUpdate, ToolCall, ToolCallUpdate,
};

message! {
    /// News of a session.
    pub struct SessionNotification {
        /// Which session.
        session_id: SessionId = "sessionId",
        /// The news.
        update: SessionUpdate = "update",
    }
}

union! {
    /// One piece of news.
    pub enum SessionUpdate by "sessionUpdate" {
        /// The next piece of a message of the person, as in a replay.
        UserMessageChunk(ContentChunk) = "user_message_chunk" shared,
        /// The next piece of a message of the agent.
        AgentMessageChunk(ContentChunk) = "agent_message_chunk" shared,
        /// The next piece of the agent's thinking.
        AgentThoughtChunk(ContentChunk) = "agent_thought_chunk" shared,
        /// A tool call, first reported.
        ToolCall(ToolCall) = "tool_call",
        /// A change to a tool call.
        ToolCallUpdate(ToolCallUpdate) = "tool_call_update",
        /// The plan, complete.
        Plan(Plan) = "plan",
        /// A plan with an id, complete (unstable).
        PlanUpdate(PlanUpdate) = "plan_update",
        /// A plan with an id is gone (unstable).
        PlanRemoved(PlanRemoved) = "plan_removed",
        /// The slash commands, complete.
        AvailableCommandsUpdate(AvailableCommandsUpdate) = "available_commands_update",
        /// The mode has changed.
        CurrentModeUpdate(CurrentModeUpdate) = "current_mode_update",
        /// The config options, complete.
        ConfigOptionUpdate(ConfigOptionUpdate) = "config_option_update",
        /// The session's title or time has changed.
        SessionInfoUpdate(SessionInfoUpdate) = "session_info_update",
        /// How full the context is, and what the session has cost.
        UsageUpdate(UsageUpdate) = "usage_update",
        /// A notice; only for clients that show them.
        Notice(Notice) = "notice",
        /// How a compaction is going; only for clients that show it.
        CompactionUpdate(CompactionUpdate) = "compaction_update",
        /// The next piece of a compaction's summary; only for clients that show it.
        CompactionSummaryChunk(CompactionSummaryChunk) = "compaction_summary_chunk",
        /// News of a child session; only for clients that show subagents (unstable).
        SubagentUpdate(Box<SubagentUpdate>) = "subagent_update",
        /// A message between sessions; only for clients that show subagents (unstable).
        SessionMessage(SessionMessage) = "session_message",
        /// The next piece of a message between sessions; only for clients that show subagents (unstable).
        SessionMessageChunk(SessionMessageChunk) = "session_message_chunk",
    }
}

impl From<SubagentUpdate> for SessionUpdate {
    fn from(update: SubagentUpdate) -> Self {
        SessionUpdate::SubagentUpdate(Box::new(update))
    }
}

message! {
    /// The next piece of a message.
    pub struct ContentChunk {
        /// The piece.
        content: ContentBlock = "content",
        ..
        /// Which message it belongs to; another id starts another message.
        message_id: Option<MessageId> = "messageId" lenient,
    }
}

message! {
    /// The slash commands, complete.
    pub struct AvailableCommandsUpdate {
        /// All of them.
        available_commands: Vec<AvailableCommand> = "availableCommands" items,
    }
}

message! {
    /// A slash command: the person runs it by a prompt that starts with `/name`.
    pub struct AvailableCommand {
        /// Its name, without the slash.
        name: String = "name",
        /// What it does.
        description: String = "description",
        ..
        /// What may stand behind the name.
        input: Option<AvailableCommandInput> = "input" lenient,
    }
}

/// What may stand behind a slash command's name.
#[derive(Debug, Clone, PartialEq)]
pub enum AvailableCommandInput {
    /// Any text.
    Unstructured(UnstructuredCommandInput),
    /// A form that this version does not know, as it came.
    Other(Raw),
}

message! {
    /// Any text behind a slash command's name.
    pub struct UnstructuredCommandInput {
        /// What to show while nothing has been typed.
        hint: String = "hint",
    }
}

message! {
    /// The mode has changed.
    pub struct CurrentModeUpdate {
        /// The present mode.
        current_mode_id: SessionModeId = "currentModeId",
    }
}

message! {
    /// The config options, complete.
    pub struct ConfigOptionUpdate {
        /// All of them.
        config_options: Vec<SessionConfigOption> = "configOptions" items,
    }
}

message! {
    /// What is known of a session has changed; absent members have not.
    pub struct SessionInfoUpdate {
        ..
        /// Its title.
        title: Maybe<String> = "title" lenient,
        /// When it last changed, in ISO 8601.
        updated_at: Maybe<String> = "updatedAt" lenient,
    }
}

message! {
    /// How full the context is, and what the session has cost.
    pub struct UsageUpdate {
        /// Tokens in the context.
        used: u64 = "used",
        /// Tokens the context can hold.
        size: u64 = "size",
        ..
        /// What the session has cost so far.
        cost: Option<Cost> = "cost" lenient,
    }
}

message! {
    /// An amount of money.
    pub struct Cost {
        /// How much.
        amount: f64 = "amount",
        /// Of which currency, in ISO 4217.
        currency: String = "currency",
    }
}

impl Decode for AvailableCommandInput {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, Error> {
        let mark = reader.mark();
        match UnstructuredCommandInput::decode(reader) {
            Ok(input) => Ok(Self::Unstructured(input)),
            Err(error) => {
                reader.reset(mark);
                match reader.kind()? {
                    Kind::Object => Raw::decode(reader).map(Self::Other),
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
