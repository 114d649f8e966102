//! Session modes, such as "ask" or "code". Config options replace them; a client that understands both SHOULD use the
//! config options.

use super::SessionId;

ids! {
    /// Id of a mode, unique within its session.
    ///
    /// See [Session modes](https://agentclientprotocol.com/protocol/v1/session-modes).
    SessionModeId
}

message! {
    /// The modes of a session, and which one is active.
    ///
    /// See [Session modes](https://agentclientprotocol.com/protocol/v1/session-modes).
    pub struct SessionModeState {
        /// The active mode.
        current_mode_id: SessionModeId = "currentModeId",
        /// The modes to choose from. Items that cannot be read are skipped.
        available_modes: Vec<SessionMode> = "availableModes" items,
    }
}

message! {
    /// A mode that the agent can work in.
    ///
    /// See [Session modes](https://agentclientprotocol.com/protocol/v1/session-modes).
    pub struct SessionMode {
        /// Id to pass to `session/set_mode`.
        id: SessionModeId = "id",
        /// Name for the user.
        name: String = "name",
        ..
        /// Description for the user.
        description: Option<String> = "description" lenient,
    }
}

message! {
    /// Parameters of `session/set_mode`. The client may send it at any time, also during a turn.
    ///
    /// See [Session modes](https://agentclientprotocol.com/protocol/v1/session-modes).
    pub struct SetSessionModeRequest {
        /// The session to change.
        session_id: SessionId = "sessionId",
        /// The new mode: one of the session's [`available_modes`](SessionModeState#structfield.available_modes).
        mode_id: SessionModeId = "modeId",
    }
}

message! {
    /// Response to `session/set_mode`.
    ///
    /// See [Session modes](https://agentclientprotocol.com/protocol/v1/session-modes).
    pub struct SetSessionModeResponse or null {}
}
