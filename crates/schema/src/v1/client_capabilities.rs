//! What a client offers. A marker object (`{}`) means yes; anything that is no object means no.

message! {
    /// What the client offers the agent; all that is left out is not offered.
    pub struct ClientCapabilities {
        ..
        /// Reading and writing files.
        fs: FileSystemCapabilities = "fs" lenient,
        /// All of `terminal/*`.
        terminal: bool = "terminal" lenient,
        /// What the client can show of a session.
        session: Option<ClientSessionCapabilities> = "session" lenient,
        /// Subagents (unstable).
        subagents: Option<SubagentCapabilities> = "subagents" lenient,
        /// Plans with ids (unstable).
        plan: Option<PlanCapabilities> = "plan" lenient,
        /// Ways to log in.
        auth: AuthCapabilities = "auth" lenient,
        /// Questions to the person.
        elicitation: Option<ElicitationCapabilities> = "elicitation" lenient,
    }
}

message! {
    /// Which file methods the client answers.
    pub struct FileSystemCapabilities {
        ..
        /// `fs/read_text_file`.
        read_text_file: bool = "readTextFile" lenient,
        /// `fs/write_text_file`.
        write_text_file: bool = "writeTextFile" lenient,
    }
}

message! {
    /// What the client can show of a session.
    pub struct ClientSessionCapabilities {
        ..
        /// Updates on compaction.
        compaction: Option<CompactionCapabilities> = "compaction" lenient,
        /// Kinds of config options beyond lists.
        config_options: Option<SessionConfigOptionsCapabilities> = "configOptions" lenient,
        /// Notices.
        notices: Option<NoticeCapabilities> = "notices" lenient,
    }
}

fragment! {
    /// The client shows compaction.
    pub struct CompactionCapabilities {}
}

fragment! {
    /// The client shows notices.
    pub struct NoticeCapabilities {}
}

message! {
    /// Kinds of config options beyond lists.
    pub struct SessionConfigOptionsCapabilities {
        ..
        /// Switches that are on or off.
        boolean: Option<BooleanConfigOptionCapabilities> = "boolean" lenient,
    }
}

message! {
    /// Ways to log in that the client supports.
    pub struct AuthCapabilities {
        ..
        /// The client can run the agent's command in a terminal for a login.
        terminal: bool = "terminal" lenient,
    }
}

message! {
    /// The ways in which the client can ask the person; with none named it cannot ask at all.
    pub struct ElicitationCapabilities {
        ..
        /// By a form.
        form: Option<ElicitationFormCapabilities> = "form" lenient,
        /// By a page.
        url: Option<ElicitationUrlCapabilities> = "url" lenient,
    }
}

markers! {
    /// The client can ask by a form.
    ElicitationFormCapabilities
    /// The client can ask by a page.
    ElicitationUrlCapabilities
    /// The client shows switches.
    BooleanConfigOptionCapabilities
    /// The client shows subagents (unstable).
    SubagentCapabilities
    /// The client shows plans with ids (unstable).
    PlanCapabilities
}
