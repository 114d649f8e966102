//! Notices: something a person may want to know, and nothing depends on.

message! {
    /// A notice for the person; only for clients that show them.
    pub struct Notice {
        /// How serious it is.
        severity: NoticeSeverity = "severity",
        /// What happened, in a few words; not empty.
        title: String = "title",
        ..
        /// More about it.
        description: Option<String> = "description" lenient,
    }
}

open_enum! {
    /// How serious a notice is.
    pub enum NoticeSeverity {
        /// Good to know.
        Info = "info",
        /// Something may go wrong.
        Warning = "warning",
        /// Something went wrong.
        Error = "error",
    }
}
