//! Session modes: how freely the agent acts. Config options of category `mode` supersede them.

use super::SessionId;

ids! {
    /// Names a mode within its session.
    SessionModeId
}

message! {
    /// The modes of a session and the present one.
    pub struct SessionModeState {
        /// The present mode.
        current_mode_id: SessionModeId = "currentModeId",
        /// All modes.
        available_modes: Vec<SessionMode> = "availableModes" items,
    }
}

message! {
    /// A mode.
    pub struct SessionMode {
        /// Its name for programs.
        id: SessionModeId = "id",
        /// Its name for people.
        name: String = "name",
        ..
        /// What it is.
        description: Option<String> = "description" lenient,
    }
}

message! {
    /// Changes the mode.
    pub struct SetSessionModeRequest {
        /// Of which session.
        session_id: SessionId = "sessionId",
        /// To which mode.
        mode_id: SessionModeId = "modeId",
    }
}

message! {
    /// The mode is changed.
    pub struct SetSessionModeResponse or null {}
}
