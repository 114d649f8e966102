//! The capabilities of an agent. An omitted capability is not supported. Where `{}` means supported, any value that
//! is not an object means not supported.

message! {
    /// The capabilities of the agent, sent in the response to `initialize`. The client MUST treat an omitted capability
    /// as unsupported.
    ///
    /// See [Initialization](https://agentclientprotocol.com/protocol/v1/initialization#agent-capabilities).
    pub struct AgentCapabilities {
        ..
        /// Supports `session/load`, which the client MUST NOT call otherwise. Default: false.
        load_session: bool = "loadSession" lenient,
        /// Kinds of content that prompts may contain besides text and resource links. Default: none.
        prompt_capabilities: PromptCapabilities = "promptCapabilities" lenient,
        /// Transports to MCP servers besides stdio. Default: none.
        mcp_capabilities: McpCapabilities = "mcpCapabilities" lenient,
        /// Session methods and parameters besides the required ones. Default: none.
        session_capabilities: SessionCapabilities = "sessionCapabilities" lenient,
        /// Methods for logging in and out besides `authenticate`. Default: none.
        auth: AgentAuthCapabilities = "auth" lenient,
        /// Supports `providers/list`, `providers/set` and `providers/disable` (unstable).
        providers: Option<ProvidersCapabilities> = "providers" lenient,
    }
}

message! {
    /// Kinds of content that the agent accepts in `session/prompt` besides `text` and `resource_link`, which every
    /// agent MUST support. The client MUST send no others.
    ///
    /// See [Initialization](https://agentclientprotocol.com/protocol/v1/initialization#agent-capabilities).
    pub struct PromptCapabilities {
        ..
        /// Accepts images. Default: false.
        image: bool = "image" lenient,
        /// Accepts audio. Default: false.
        audio: bool = "audio" lenient,
        /// Accepts resources with their contents. Default: false.
        embedded_context: bool = "embeddedContext" lenient,
    }
}

message! {
    /// Transports to MCP servers that the agent supports besides stdio, which every agent MUST support. The client MUST
    /// check them before it names such a server.
    ///
    /// See [Initialization](https://agentclientprotocol.com/protocol/v1/initialization#agent-capabilities).
    pub struct McpCapabilities {
        ..
        /// Supports Streamable HTTP. New agents SHOULD. Default: false.
        http: bool = "http" lenient,
        /// Supports server-sent events, which MCP has deprecated. Default: false.
        sse: bool = "sse" lenient,
        /// Supports MCP over this ACP connection (unstable). Default: false.
        acp: bool = "acp" lenient,
    }
}

message! {
    /// Session methods and parameters that the agent supports besides `session/new`, `session/prompt`, `session/cancel`
    /// and `session/update`, which every agent MUST support. [`AgentCapabilities::load_session`] covers `session/load`.
    ///
    /// See [Initialization](https://agentclientprotocol.com/protocol/v1/initialization#agent-capabilities).
    pub struct SessionCapabilities {
        ..
        /// Supports `session/list`.
        list: Option<SessionListCapabilities> = "list" lenient,
        /// Supports `session/delete`.
        delete: Option<SessionDeleteCapabilities> = "delete" lenient,
        /// Accepts `additionalDirectories` in requests that set up a session.
        additional_directories: Option<SessionAdditionalDirectoriesCapabilities> = "additionalDirectories" lenient,
        /// Accepts `systemPrompt` in requests that set up a session (unstable).
        system_prompt: Option<SessionSystemPromptCapabilities> = "systemPrompt" lenient,
        /// Supports `session/fork` (unstable).
        fork: Option<SessionForkCapabilities> = "fork" lenient,
        /// Supports `session/archive`, `session/unarchive` and the member `archived` of `session/list` (unstable). An
        /// agent that sets it MUST also set `list`.
        archive: Option<SessionArchiveCapabilities> = "archive" lenient,
        /// Supports `session/status` (unstable).
        status: Option<SessionStatusCapabilities> = "status" lenient,
        /// Supports `session/set_title` (unstable). The agent reports titles with or without it.
        title: Option<SessionTitleCapabilities> = "title" lenient,
        /// Supports `session/resume`.
        resume: Option<SessionResumeCapabilities> = "resume" lenient,
        /// Supports `session/close`.
        close: Option<SessionCloseCapabilities> = "close" lenient,
    }
}

message! {
    /// The agent accepts a system prompt from the client. `{}` means in the mode `append` only.
    ///
    /// Unstable: may change or be removed. See
    /// [Initialization](https://agentclientprotocol.com/protocol/v1/initialization#agent-capabilities).
    pub struct SessionSystemPromptCapabilities {
        ..
        /// Modes besides `append`. Default: none.
        mode: Option<SessionSystemPromptModeCapabilities> = "mode" lenient,
    }
}

message! {
    /// Modes of a client's system prompt that the agent supports besides `append`.
    ///
    /// Unstable: may change or be removed. See
    /// [Initialization](https://agentclientprotocol.com/protocol/v1/initialization#agent-capabilities).
    pub struct SessionSystemPromptModeCapabilities {
        ..
        /// The system prompt may replace the agent's own instructions.
        overriding: Option<SessionSystemPromptOverrideCapabilities> = "override" lenient,
    }
}

message! {
    /// Methods for logging in and out that the agent supports besides `authenticate`.
    ///
    /// See [Initialization](https://agentclientprotocol.com/protocol/v1/initialization#agent-capabilities).
    pub struct AgentAuthCapabilities {
        ..
        /// Supports `auth/status` and sends `auth/status_update` (unstable).
        status: Option<AuthStatusCapabilities> = "status" lenient,
        /// Supports `logout`. The client MUST NOT call it otherwise.
        logout: Option<LogoutCapabilities> = "logout" lenient,
    }
}

markers! {
    /// The agent supports `session/list`.
    ///
    /// See [Initialization](https://agentclientprotocol.com/protocol/v1/initialization#agent-capabilities).
    SessionListCapabilities
    /// The agent supports `session/delete`.
    ///
    /// See [Initialization](https://agentclientprotocol.com/protocol/v1/initialization#agent-capabilities).
    SessionDeleteCapabilities
    /// The agent accepts `additionalDirectories` in requests that set up a session.
    ///
    /// See [Initialization](https://agentclientprotocol.com/protocol/v1/initialization#agent-capabilities).
    SessionAdditionalDirectoriesCapabilities
    /// The agent lets a client's system prompt replace its own instructions.
    ///
    /// Unstable: may change or be removed. See
    /// [Initialization](https://agentclientprotocol.com/protocol/v1/initialization#agent-capabilities).
    SessionSystemPromptOverrideCapabilities
    /// The agent supports `session/fork`.
    ///
    /// Unstable: may change or be removed. See
    /// [Initialization](https://agentclientprotocol.com/protocol/v1/initialization#agent-capabilities).
    SessionForkCapabilities
    /// The agent supports `session/archive` and `session/unarchive`.
    ///
    /// Unstable: may change or be removed. See
    /// [Initialization](https://agentclientprotocol.com/protocol/v1/initialization#agent-capabilities).
    SessionArchiveCapabilities
    /// The agent supports `session/status`.
    ///
    /// Unstable: may change or be removed. See
    /// [Initialization](https://agentclientprotocol.com/protocol/v1/initialization#agent-capabilities).
    SessionStatusCapabilities
    /// The agent supports `session/set_title`.
    ///
    /// Unstable: may change or be removed. See
    /// [Initialization](https://agentclientprotocol.com/protocol/v1/initialization#agent-capabilities).
    SessionTitleCapabilities
    /// The agent supports `session/resume`.
    ///
    /// See [Initialization](https://agentclientprotocol.com/protocol/v1/initialization#agent-capabilities).
    SessionResumeCapabilities
    /// The agent supports `session/close`.
    ///
    /// See [Initialization](https://agentclientprotocol.com/protocol/v1/initialization#agent-capabilities).
    SessionCloseCapabilities
    /// The agent supports `auth/status`.
    ///
    /// Unstable: may change or be removed. See
    /// [Initialization](https://agentclientprotocol.com/protocol/v1/initialization#agent-capabilities).
    AuthStatusCapabilities
    /// The agent supports `logout`.
    ///
    /// See [Initialization](https://agentclientprotocol.com/protocol/v1/initialization#agent-capabilities).
    LogoutCapabilities
    /// The agent supports `providers/list`, `providers/set` and `providers/disable`.
    ///
    /// Unstable: may change or be removed. See
    /// [Initialization](https://agentclientprotocol.com/protocol/v1/initialization#agent-capabilities).
    ProvidersCapabilities
}
