//! Starting, loading, resuming, forking and closing sessions.

use super::{ContentBlock, McpServer, SessionConfigOption, SessionModeState};
use crate::FilePath;

ids! {
    /// Names a session; opaque to the client.
    SessionId
    /// Names a message within its session.
    MessageId
}

message! {
    /// Starts a session.
    pub struct NewSessionRequest {
        /// The working directory, absolute.
        cwd: FilePath = "cwd",
        /// The MCP servers to connect to.
        mcp_servers: Vec<McpServer> = "mcpServers" nullable,
        ..
        /// More roots, absolute; only for agents that take them.
        additional_directories: Vec<FilePath> = "additionalDirectories" nullable,
        /// A system prompt; only for agents that take one (unstable).
        system_prompt: Option<SystemPrompt> = "systemPrompt",
    }
}

message! {
    /// The session has started.
    pub struct NewSessionResponse {
        /// Its id.
        session_id: SessionId = "sessionId",
        ..
        /// Its modes.
        modes: Option<SessionModeState> = "modes" lenient,
        /// Its config options.
        config_options: Option<Vec<SessionConfigOption>> = "configOptions" optional_items,
    }
}

message! {
    /// Loads a stored session; its whole history is sent before the answer.
    pub struct LoadSessionRequest {
        /// Which session.
        session_id: SessionId = "sessionId",
        /// The working directory, absolute.
        cwd: FilePath = "cwd",
        /// The MCP servers to connect to.
        mcp_servers: Vec<McpServer> = "mcpServers" nullable,
        ..
        /// More roots, absolute and complete: those of before are not kept.
        additional_directories: Vec<FilePath> = "additionalDirectories" nullable,
        /// A system prompt; only for agents that take one (unstable).
        system_prompt: Option<SystemPrompt> = "systemPrompt",
    }
}

message! {
    /// The session is loaded and its history sent.
    pub struct LoadSessionResponse or null {
        ..
        /// Its modes.
        modes: Option<SessionModeState> = "modes" lenient,
        /// Its config options.
        config_options: Option<Vec<SessionConfigOption>> = "configOptions" optional_items,
    }
}

message! {
    /// Takes up a stored session without sending its history.
    pub struct ResumeSessionRequest {
        /// Which session.
        session_id: SessionId = "sessionId",
        /// The working directory, absolute.
        cwd: FilePath = "cwd",
        ..
        /// More roots, absolute and complete: those of before are not kept.
        additional_directories: Vec<FilePath> = "additionalDirectories" nullable,
        /// The MCP servers to connect to.
        mcp_servers: Vec<McpServer> = "mcpServers" nullable,
        /// A system prompt; only for agents that take one (unstable).
        system_prompt: Option<SystemPrompt> = "systemPrompt",
    }
}

message! {
    /// The session is taken up.
    pub struct ResumeSessionResponse or null {
        ..
        /// Its modes.
        modes: Option<SessionModeState> = "modes" lenient,
        /// Its config options.
        config_options: Option<Vec<SessionConfigOption>> = "configOptions" optional_items,
    }
}

message! {
    /// Starts a session from the history of another (unstable).
    pub struct ForkSessionRequest {
        /// The session to start from.
        session_id: SessionId = "sessionId",
        /// The working directory, absolute.
        cwd: FilePath = "cwd",
        ..
        /// More roots, absolute and complete.
        additional_directories: Vec<FilePath> = "additionalDirectories" nullable,
        /// The MCP servers to connect to.
        mcp_servers: Vec<McpServer> = "mcpServers" nullable,
        /// A system prompt; only for agents that take one (unstable).
        system_prompt: Option<SystemPrompt> = "systemPrompt",
    }
}

message! {
    /// The new session, ready for a prompt (unstable).
    pub struct ForkSessionResponse {
        /// Its id.
        session_id: SessionId = "sessionId",
        ..
        /// Its modes.
        modes: Option<SessionModeState> = "modes" lenient,
        /// Its config options.
        config_options: Option<Vec<SessionConfigOption>> = "configOptions" optional_items,
    }
}

message! {
    /// Ends a session's work and frees what it holds; it stays stored.
    pub struct CloseSessionRequest {
        /// Which session.
        session_id: SessionId = "sessionId",
    }
}

message! {
    /// The session is closed.
    pub struct CloseSessionResponse or null {}
}

message! {
    /// A system prompt from the client (unstable).
    pub struct SystemPrompt {
        /// How it goes with the agent's own.
        mode: SystemPromptMode = "mode",
        /// The prompt: text blocks only, and at least one.
        content: Vec<ContentBlock> = "content",
    }
}

open_enum! {
    /// How a system prompt goes with the agent's own (unstable). One that is not known is an error.
    pub enum SystemPromptMode {
        /// It comes after the agent's own.
        Append = "append",
        /// It replaces the agent's own.
        Override = "override",
    }
}
