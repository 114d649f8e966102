//! The capabilities of a client. An omitted capability is not supported. Where `{}` means supported, any value that
//! is not an object means not supported.

message! {
    /// The capabilities of the client, sent in `initialize`. The agent MUST treat an omitted capability as unsupported.
    ///
    /// See [Initialization](https://agentclientprotocol.com/protocol/v1/initialization#client-capabilities).
    pub struct ClientCapabilities {
        ..
        /// File methods that the agent may call. Default: none.
        fs: FileSystemCapabilities = "fs" lenient,
        /// Supports all `terminal/*` methods. The agent MUST NOT call them otherwise. Default: false.
        terminal: bool = "terminal" lenient,
        /// Kinds of session updates and config options that the client understands besides the required ones. Default:
        /// none.
        session: Option<ClientSessionCapabilities> = "session" lenient,
        /// Understands child sessions (unstable).
        subagents: Option<SubagentCapabilities> = "subagents" lenient,
        /// Understands `plan_update` and `plan_removed` (unstable). Without it the agent MUST send `plan` instead.
        plan: Option<PlanCapabilities> = "plan" lenient,
        /// Kinds of authentication methods that the agent may offer. Default: `agent` only.
        auth: AuthCapabilities = "auth" lenient,
        /// Ways in which the agent may ask the user for input. Default: none.
        elicitation: Option<ElicitationCapabilities> = "elicitation" lenient,
    }
}

message! {
    /// File methods that the client supports. The agent MUST check them before it calls one.
    ///
    /// See [Initialization](https://agentclientprotocol.com/protocol/v1/initialization#client-capabilities).
    pub struct FileSystemCapabilities {
        ..
        /// Supports `fs/read_text_file`. Default: false.
        read_text_file: bool = "readTextFile" lenient,
        /// Supports `fs/write_text_file`. Default: false.
        write_text_file: bool = "writeTextFile" lenient,
    }
}

message! {
    /// Kinds of session updates and config options that the client understands besides the required ones.
    ///
    /// See [Initialization](https://agentclientprotocol.com/protocol/v1/initialization#client-capabilities).
    pub struct ClientSessionCapabilities {
        ..
        /// Understands `compaction_update` and `compaction_summary_chunk`. The agent MUST NOT send them otherwise.
        compaction: Option<CompactionCapabilities> = "compaction" lenient,
        /// Kinds of config options besides `select`. Default: none.
        config_options: Option<SessionConfigOptionsCapabilities> = "configOptions" lenient,
        /// Understands `notice`. The agent MUST NOT send it otherwise.
        notices: Option<NoticeCapabilities> = "notices" lenient,
    }
}

fragment! {
    /// The client understands `compaction_update` and `compaction_summary_chunk`.
    ///
    /// See [Initialization](https://agentclientprotocol.com/protocol/v1/initialization#client-capabilities).
    pub struct CompactionCapabilities {}
}

fragment! {
    /// The client understands `notice`.
    ///
    /// See [Initialization](https://agentclientprotocol.com/protocol/v1/initialization#client-capabilities).
    pub struct NoticeCapabilities {}
}

message! {
    /// Kinds of config options that the client understands besides `select`.
    ///
    /// See [Initialization](https://agentclientprotocol.com/protocol/v1/initialization#client-capabilities).
    pub struct SessionConfigOptionsCapabilities {
        ..
        /// Understands options that are on or off. The agent MUST NOT offer them otherwise.
        boolean: Option<BooleanConfigOptionCapabilities> = "boolean" lenient,
    }
}

message! {
    /// Kinds of authentication methods that the client supports besides `agent`.
    ///
    /// See [Initialization](https://agentclientprotocol.com/protocol/v1/initialization#client-capabilities).
    pub struct AuthCapabilities {
        ..
        /// Supports methods of type `terminal`. The client should set it only if it can run the configured agent
        /// command interactively. Default: false.
        terminal: bool = "terminal" lenient,
    }
}

message! {
    /// Ways in which the agent may ask the user for input. `{}` allows none: each mode has to be named.
    ///
    /// See [Initialization](https://agentclientprotocol.com/protocol/v1/initialization#client-capabilities).
    pub struct ElicitationCapabilities {
        ..
        /// Shows forms.
        form: Option<ElicitationFormCapabilities> = "form" lenient,
        /// Opens web pages.
        url: Option<ElicitationUrlCapabilities> = "url" lenient,
    }
}

markers! {
    /// The client shows forms.
    ///
    /// See [Initialization](https://agentclientprotocol.com/protocol/v1/initialization#client-capabilities).
    ElicitationFormCapabilities
    /// The client opens web pages for elicitations.
    ///
    /// See [Initialization](https://agentclientprotocol.com/protocol/v1/initialization#client-capabilities).
    ElicitationUrlCapabilities
    /// The client understands config options that are on or off.
    ///
    /// See [Initialization](https://agentclientprotocol.com/protocol/v1/initialization#client-capabilities).
    BooleanConfigOptionCapabilities
    /// The client understands child sessions: their announcement, their state and the messages between sessions.
    ///
    /// Unstable: may change or be removed. See
    /// [Initialization](https://agentclientprotocol.com/protocol/v1/initialization#client-capabilities).
    SubagentCapabilities
    /// The client understands `plan_update` and `plan_removed`.
    ///
    /// Unstable: may change or be removed. See
    /// [Initialization](https://agentclientprotocol.com/protocol/v1/initialization#client-capabilities).
    PlanCapabilities
}
