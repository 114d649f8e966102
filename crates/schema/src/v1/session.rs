//! Creating, loading, resuming, forking and closing sessions.

use super::{ContentBlock, McpServer, SessionConfigOption, SessionModeState};
use crate::FilePath;

ids! {
    /// Id of a session, chosen by the agent and unique. The client MUST NOT read a meaning into it.
    ///
    /// See [Session setup](https://agentclientprotocol.com/protocol/v1/session-setup#session-id).
    SessionId = "session"
    /// Id of a message, unique within its session. MUST be compared as an opaque string.
    ///
    /// See [Prompt turn](https://agentclientprotocol.com/protocol/v1/prompt-turn#3-agent-reports-output).
    MessageId = "message"
}

message! {
    /// Parameters of `session/new`, which creates a session. The agent responds with "authentication required" (-32000)
    /// if a login is needed first.
    ///
    /// See [Session setup](https://agentclientprotocol.com/protocol/v1/session-setup#creating-a-session).
    pub struct NewSessionRequest {
        /// Working directory of the session. MUST be absolute. Relative paths in the session are relative to it.
        cwd: FilePath = "cwd",
        /// MCP servers that the agent SHOULD connect to. Required on the wire, but may be empty.
        mcp_servers: Vec<McpServer> = "mcpServers" nullable,
        ..
        /// More directories that the session may work in. Each MUST be absolute. The client MUST send them only to
        /// agents that advertise `sessionCapabilities.additionalDirectories`. Default: none.
        additional_directories: Vec<FilePath> = "additionalDirectories" nullable,
        /// Instructions for the model. The client MUST send it only to agents that advertise
        /// `sessionCapabilities.systemPrompt` (unstable). Default: the agent's own instructions.
        system_prompt: Option<SystemPrompt> = "systemPrompt",
    }
}

message! {
    /// Response to `session/new`.
    ///
    /// See [Session setup](https://agentclientprotocol.com/protocol/v1/session-setup#creating-a-session).
    pub struct NewSessionResponse {
        /// Id of the new session, for all later messages about it.
        session_id: SessionId = "sessionId",
        ..
        /// The session's modes, if the agent has modes.
        modes: Option<SessionModeState> = "modes" lenient,
        /// The session's config options, if the agent has any.
        config_options: Option<Vec<SessionConfigOption>> = "configOptions" optional_items,
    }
}

message! {
    /// Parameters of `session/load`, which opens a stored session. The agent MUST send the whole conversation as
    /// `session/update` notifications before it responds.
    ///
    /// See [Session setup](https://agentclientprotocol.com/protocol/v1/session-setup#loading-sessions).
    pub struct LoadSessionRequest {
        /// The session to load.
        session_id: SessionId = "sessionId",
        /// Working directory of the session. MUST be absolute.
        cwd: FilePath = "cwd",
        /// MCP servers that the agent SHOULD connect to. Required on the wire, but may be empty.
        mcp_servers: Vec<McpServer> = "mcpServers" nullable,
        ..
        /// The complete list of additional directories, each absolute. The agent does not restore directories from
        /// earlier requests. Default: none.
        additional_directories: Vec<FilePath> = "additionalDirectories" nullable,
        /// Instructions for the model (unstable). The client SHOULD send the same as when it created the session.
        /// Default: those stored with the session, or the agent's own.
        system_prompt: Option<SystemPrompt> = "systemPrompt",
    }
}

message! {
    /// Response to `session/load`. All history has been sent before it.
    ///
    /// See [Session setup](https://agentclientprotocol.com/protocol/v1/session-setup#loading-sessions).
    pub struct LoadSessionResponse or null {
        ..
        /// The session's modes, if the agent has modes.
        modes: Option<SessionModeState> = "modes" lenient,
        /// The session's config options, if the agent has any.
        config_options: Option<Vec<SessionConfigOption>> = "configOptions" optional_items,
    }
}

message! {
    /// Parameters of `session/resume`, which opens a stored session without sending its history. The agent MUST NOT
    /// replay history before it responds.
    ///
    /// See [Session setup](https://agentclientprotocol.com/protocol/v1/session-setup).
    pub struct ResumeSessionRequest {
        /// The session to resume.
        session_id: SessionId = "sessionId",
        /// Working directory of the session. MUST be absolute.
        cwd: FilePath = "cwd",
        ..
        /// The complete list of additional directories, each absolute. The agent does not restore directories from
        /// earlier requests. Default: none.
        additional_directories: Vec<FilePath> = "additionalDirectories" nullable,
        /// MCP servers that the agent SHOULD connect to. Default: none.
        mcp_servers: Vec<McpServer> = "mcpServers" nullable,
        /// Instructions for the model (unstable). The client SHOULD send the same as when it created the session.
        /// Default: those stored with the session, or the agent's own.
        system_prompt: Option<SystemPrompt> = "systemPrompt",
    }
}

message! {
    /// Response to `session/resume`.
    ///
    /// See [Session setup](https://agentclientprotocol.com/protocol/v1/session-setup).
    pub struct ResumeSessionResponse or null {
        ..
        /// The session's modes, if the agent has modes.
        modes: Option<SessionModeState> = "modes" lenient,
        /// The session's config options, if the agent has any.
        config_options: Option<Vec<SessionConfigOption>> = "configOptions" optional_items,
    }
}

message! {
    /// Parameters of `session/fork`, which creates a session with the conversation of another one. The original does
    /// not change.
    ///
    /// Unstable: may change or be removed. See [Session fork](https://agentclientprotocol.com/rfds/session-fork).
    pub struct ForkSessionRequest {
        /// The session to copy.
        session_id: SessionId = "sessionId",
        /// Working directory of the new session. MUST be absolute.
        cwd: FilePath = "cwd",
        ..
        /// The complete list of additional directories of the new session, each absolute. Default: none.
        additional_directories: Vec<FilePath> = "additionalDirectories" nullable,
        /// MCP servers that the agent SHOULD connect to. Default: none.
        mcp_servers: Vec<McpServer> = "mcpServers" nullable,
        /// Instructions for the model (unstable). The client SHOULD send the same as for the original session. Default:
        /// those stored with the original, or the agent's own.
        system_prompt: Option<SystemPrompt> = "systemPrompt",
    }
}

message! {
    /// Response to `session/fork`. The new session accepts prompts at once, without `session/load`.
    ///
    /// Unstable: may change or be removed. See [Session fork](https://agentclientprotocol.com/rfds/session-fork).
    pub struct ForkSessionResponse {
        /// Id of the new session.
        session_id: SessionId = "sessionId",
        ..
        /// The session's modes, if the agent has modes.
        modes: Option<SessionModeState> = "modes" lenient,
        /// The session's config options, if the agent has any.
        config_options: Option<Vec<SessionConfigOption>> = "configOptions" optional_items,
    }
}

message! {
    /// Parameters of `session/close`. The agent MUST cancel running work as for `session/cancel`, then free the
    /// session's resources. The session stays stored. The agent MAY respond with an error if the session is not known
    /// or not active.
    ///
    /// See [Session setup](https://agentclientprotocol.com/protocol/v1/session-setup).
    pub struct CloseSessionRequest {
        /// The session to close.
        session_id: SessionId = "sessionId",
    }
}

message! {
    /// Response to `session/close`.
    ///
    /// See [Session setup](https://agentclientprotocol.com/protocol/v1/session-setup).
    pub struct CloseSessionResponse or null {}
}

message! {
    /// Instructions for the model that come from the client. An agent that cannot apply them MUST respond with an error
    /// instead of setting up the session.
    ///
    /// Unstable: may change or be removed. See [System
    /// prompts](https://agentclientprotocol.com/rfds/session-system-prompt).
    pub struct SystemPrompt {
        /// How the instructions combine with the agent's own.
        mode: SystemPromptMode = "mode",
        /// The instructions. The client MUST send at least one block, and only text.
        content: Vec<ContentBlock> = "content",
    }
}

open_enum! {
    /// How a client's system prompt combines with the agent's own instructions. The agent MUST respond with an error to
    /// a mode it does not support.
    ///
    /// Unstable: may change or be removed. See [System
    /// prompts](https://agentclientprotocol.com/rfds/session-system-prompt).
    pub enum SystemPromptMode {
        /// Added to the agent's own instructions. Every agent that accepts system prompts supports it.
        Append = "append",
        /// Replaces the agent's own instructions, but not its tools, permissions or settings. The client MUST use it
        /// only with agents that advertise `sessionCapabilities.systemPrompt.mode.override`.
        Override = "override",
    }
}
