//! Permission: the agent asks before it acts.

use super::{SessionId, ToolCallUpdate};

ids! {
    /// Names an answer within its question.
    PermissionOptionId
}

message! {
    /// Asks the person whether a tool may run.
    pub struct RequestPermissionRequest {
        /// In which session.
        session_id: SessionId = "sessionId",
        /// The tool call in question.
        tool_call: ToolCallUpdate = "toolCall",
        /// The answers to choose from.
        options: Vec<PermissionOption> = "options",
    }
}

message! {
    /// An answer to choose.
    pub struct PermissionOption {
        /// Its name for programs.
        option_id: PermissionOptionId = "optionId",
        /// Its name for people, in the agent's words.
        name: String = "name",
        /// What choosing it means.
        kind: PermissionOptionKind = "kind",
    }
}

open_enum! {
    /// What choosing an answer means. One that is not known must never be taken for a permission.
    pub enum PermissionOptionKind {
        /// Yes, this time.
        AllowOnce = "allow_once",
        /// Yes, and do not ask again.
        AllowAlways = "allow_always",
        /// No, this time.
        RejectOnce = "reject_once",
        /// No, and do not ask again.
        RejectAlways = "reject_always",
    }
}

message! {
    /// What became of the question.
    pub struct RequestPermissionResponse {
        /// The outcome.
        outcome: RequestPermissionOutcome = "outcome",
    }
}

union! {
    /// What became of a question. One that is not known must never be taken for a permission.
    pub enum RequestPermissionOutcome by "outcome" {
        /// The turn was cancelled before an answer.
        Cancelled = "cancelled",
        /// An answer was chosen.
        Selected(SelectedPermissionOutcome) = "selected",
    }
}

message! {
    /// The answer that was chosen.
    pub struct SelectedPermissionOutcome {
        /// Which one.
        option_id: PermissionOptionId = "optionId",
    }
}
