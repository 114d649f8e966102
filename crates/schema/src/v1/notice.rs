//! Notices: information for the user. Nothing else depends on them.

message! {
    /// Information for the user that is not part of the session's history. The agent MUST NOT send it unless the client
    /// advertises `session.notices`, and MUST NOT put anything in it that is needed for correctness or permission. The
    /// agent SHOULD NOT replay it when the session is loaded.
    ///
    /// See [Session notices](https://agentclientprotocol.com/rfds/session-notices).
    pub struct Notice {
        /// How serious the notice is.
        severity: NoticeSeverity = "severity",
        /// Plain text that makes sense alone. MUST NOT be empty.
        title: String = "title",
        ..
        /// Details in plain text.
        description: Option<String> = "description" lenient,
    }
}

open_enum! {
    /// How serious a notice is.
    ///
    /// See [Session notices](https://agentclientprotocol.com/rfds/session-notices).
    pub enum NoticeSeverity {
        /// Information.
        Info = "info",
        /// Something may go wrong.
        Warning = "warning",
        /// Something went wrong.
        Error = "error",
    }
}
