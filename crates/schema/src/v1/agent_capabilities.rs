//! What an agent offers. A marker object (`{}`) means yes; anything that is no object means no.

message! {
    /// What the agent offers the client; all that is left out is not offered.
    pub struct AgentCapabilities {
        ..
        /// `session/load`.
        load_session: bool = "loadSession" lenient,
        /// Content in prompts beyond text and links.
        prompt_capabilities: PromptCapabilities = "promptCapabilities" lenient,
        /// MCP servers beyond stdio.
        mcp_capabilities: McpCapabilities = "mcpCapabilities" lenient,
        /// Session methods beyond the basic ones.
        session_capabilities: SessionCapabilities = "sessionCapabilities" lenient,
        /// Login methods beyond `authenticate`.
        auth: AgentAuthCapabilities = "auth" lenient,
        /// `providers/*` (unstable).
        providers: Option<ProvidersCapabilities> = "providers" lenient,
    }
}

message! {
    /// Content that the agent takes in prompts beyond text and links.
    pub struct PromptCapabilities {
        ..
        /// Images.
        image: bool = "image" lenient,
        /// Sounds.
        audio: bool = "audio" lenient,
        /// Resources with their contents.
        embedded_context: bool = "embeddedContext" lenient,
    }
}

message! {
    /// Ways to reach MCP servers beyond stdio.
    pub struct McpCapabilities {
        ..
        /// Streamable HTTP.
        http: bool = "http" lenient,
        /// Server-sent events; deprecated.
        sse: bool = "sse" lenient,
        /// Over this connection (unstable).
        acp: bool = "acp" lenient,
    }
}

message! {
    /// Session methods and parameters beyond the basic ones.
    pub struct SessionCapabilities {
        ..
        /// `session/list`.
        list: Option<SessionListCapabilities> = "list" lenient,
        /// `session/delete`.
        delete: Option<SessionDeleteCapabilities> = "delete" lenient,
        /// More roots than the working directory.
        additional_directories: Option<SessionAdditionalDirectoriesCapabilities> = "additionalDirectories" lenient,
        /// A system prompt from the client (unstable).
        system_prompt: Option<SessionSystemPromptCapabilities> = "systemPrompt" lenient,
        /// `session/fork` (unstable).
        fork: Option<SessionForkCapabilities> = "fork" lenient,
        /// `session/archive` and `session/unarchive` (unstable).
        archive: Option<SessionArchiveCapabilities> = "archive" lenient,
        /// `session/status` (unstable).
        status: Option<SessionStatusCapabilities> = "status" lenient,
        /// `session/set_title` (unstable).
        title: Option<SessionTitleCapabilities> = "title" lenient,
        /// `session/resume`.
        resume: Option<SessionResumeCapabilities> = "resume" lenient,
        /// `session/close`.
        close: Option<SessionCloseCapabilities> = "close" lenient,
    }
}

message! {
    /// How a system prompt from the client may be used (unstable).
    pub struct SessionSystemPromptCapabilities {
        ..
        /// Modes beyond appending.
        mode: Option<SessionSystemPromptModeCapabilities> = "mode" lenient,
    }
}

message! {
    /// Modes of a system prompt beyond appending (unstable).
    pub struct SessionSystemPromptModeCapabilities {
        ..
        /// Replacing the agent's own.
        overriding: Option<SessionSystemPromptOverrideCapabilities> = "override" lenient,
    }
}

message! {
    /// Login methods beyond `authenticate`.
    pub struct AgentAuthCapabilities {
        ..
        /// `auth/status` (unstable).
        status: Option<AuthStatusCapabilities> = "status" lenient,
        /// `logout`.
        logout: Option<LogoutCapabilities> = "logout" lenient,
    }
}

markers! {
    /// `session/list` is there.
    SessionListCapabilities
    /// `session/delete` is there.
    SessionDeleteCapabilities
    /// Sessions take more roots than the working directory.
    SessionAdditionalDirectoriesCapabilities
    /// A system prompt may replace the agent's own (unstable).
    SessionSystemPromptOverrideCapabilities
    /// `session/fork` is there (unstable).
    SessionForkCapabilities
    /// `session/archive` and `session/unarchive` are there (unstable).
    SessionArchiveCapabilities
    /// `session/status` is there (unstable).
    SessionStatusCapabilities
    /// `session/set_title` is there (unstable).
    SessionTitleCapabilities
    /// `session/resume` is there.
    SessionResumeCapabilities
    /// `session/close` is there.
    SessionCloseCapabilities
    /// `auth/status` is there (unstable).
    AuthStatusCapabilities
    /// `logout` is there.
    LogoutCapabilities
    /// `providers/*` is there (unstable).
    ProvidersCapabilities
}
