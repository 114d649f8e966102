//! Stored sessions: listing, deleting, archiving and naming them.

use super::SessionId;
use crate::FilePath;

message! {
    /// Parameters of `session/list`, which returns stored sessions page by page.
    ///
    /// See [Session list](https://agentclientprotocol.com/protocol/v1/session-list).
    pub struct ListSessionsRequest or null {
        ..
        /// Return only sessions with this working directory. MUST be absolute. Default: any.
        cwd: Option<FilePath> = "cwd",
        /// The `nextCursor` of the previous page. Default: the first page.
        cursor: Option<String> = "cursor",
        /// Whether to return archived sessions (unstable). Default: [`Exclude`](SessionArchiveFilter::Exclude).
        archived: Option<SessionArchiveFilter> = "archived",
    }
}

message! {
    /// Response to `session/list`: one page of sessions.
    ///
    /// See [Session list](https://agentclientprotocol.com/protocol/v1/session-list).
    pub struct ListSessionsResponse {
        /// The sessions. MUST be an empty list when nothing matches. Items that cannot be read are skipped.
        sessions: Vec<SessionInfo> = "sessions" items,
        ..
        /// Where the next page starts. The client MUST treat it as opaque and MUST NOT keep it for later. Absent on the
        /// last page.
        next_cursor: Option<String> = "nextCursor" lenient,
    }
}

message! {
    /// A stored session, as returned by `session/list`.
    ///
    /// See [Session list](https://agentclientprotocol.com/protocol/v1/session-list).
    pub struct SessionInfo {
        /// Id of the session.
        session_id: SessionId = "sessionId",
        /// Working directory of the session. MUST be absolute.
        cwd: FilePath = "cwd",
        ..
        /// The complete list of additional directories, each absolute. The client MUST NOT merge it with earlier lists.
        /// Default: none.
        additional_directories: Vec<FilePath> = "additionalDirectories" items,
        /// Title for the user.
        title: Option<String> = "title" lenient,
        /// Time of the last activity, in ISO 8601.
        updated_at: Option<String> = "updatedAt" lenient,
        /// Whether the session is archived (unstable). An agent that advertises `sessionCapabilities.archive` MUST send
        /// it. Default: not reported.
        archived: Option<bool> = "archived" lenient,
    }
}

message! {
    /// Parameters of `session/delete`. Deleted sessions no longer appear in `session/list`. Deleting an unknown session
    /// SHOULD succeed.
    ///
    /// See [Session delete](https://agentclientprotocol.com/protocol/v1/session-delete).
    pub struct DeleteSessionRequest {
        /// The session to delete.
        session_id: SessionId = "sessionId",
    }
}

message! {
    /// Response to `session/delete`.
    ///
    /// See [Session delete](https://agentclientprotocol.com/protocol/v1/session-delete).
    pub struct DeleteSessionResponse or null {}
}

message! {
    /// Parameters of `session/archive`, which hides a session from `session/list` but keeps it. The agent MUST close an
    /// active session first. Archiving an archived session succeeds; an unknown session is an error (-32002).
    ///
    /// Unstable: may change or be removed. See [Session archive](https://agentclientprotocol.com/rfds/session-archive).
    pub struct ArchiveSessionRequest {
        /// The session to archive.
        session_id: SessionId = "sessionId",
    }
}

message! {
    /// Response to `session/archive`.
    ///
    /// Unstable: may change or be removed. See [Session archive](https://agentclientprotocol.com/rfds/session-archive).
    pub struct ArchiveSessionResponse or null {}
}

message! {
    /// Parameters of `session/unarchive`, which makes an archived session appear in `session/list` again. It never
    /// loads the session. Unarchiving a session that is not archived succeeds; an unknown session is an error (-32002).
    ///
    /// Unstable: may change or be removed. See [Session archive](https://agentclientprotocol.com/rfds/session-archive).
    pub struct UnarchiveSessionRequest {
        /// The session to unarchive.
        session_id: SessionId = "sessionId",
    }
}

message! {
    /// Response to `session/unarchive`.
    ///
    /// Unstable: may change or be removed. See [Session archive](https://agentclientprotocol.com/rfds/session-archive).
    pub struct UnarchiveSessionResponse or null {}
}

open_enum! {
    /// Which sessions `session/list` returns. The agent MUST respond with -32602 to a value it does not support.
    ///
    /// Unstable: may change or be removed. See [Session archive](https://agentclientprotocol.com/rfds/session-archive).
    pub enum SessionArchiveFilter {
        /// Only sessions that are not archived. The default.
        Exclude = "exclude",
        /// All sessions.
        Include = "include",
        /// Only archived sessions.
        Only = "only",
    }
}

message! {
    /// Parameters of `session/status`, which asks whether the agent has a session in memory. It MUST NOT have side
    /// effects. An unknown session is an error (-32002).
    ///
    /// Unstable: may change or be removed. See [Session status](https://agentclientprotocol.com/rfds/session-status).
    pub struct SessionStatusRequest {
        /// The session to report on.
        session_id: SessionId = "sessionId",
    }
}

message! {
    /// Response to `session/status`: the state at this moment, which may change before the next request.
    ///
    /// Unstable: may change or be removed. See [Session status](https://agentclientprotocol.com/rfds/session-status).
    pub struct SessionStatusResponse {
        /// Whether the agent has the session in memory.
        status: SessionStatus = "status",
    }
}

open_enum! {
    /// Whether the agent has a session in memory. The client MUST treat an unknown value as [`Saved`](Self::Saved).
    ///
    /// Unstable: may change or be removed. See [Session status](https://agentclientprotocol.com/rfds/session-status).
    pub enum SessionStatus {
        /// In memory, perhaps for another connection. A client that has not set up the session on its own connection
        /// MUST still load or resume it before it sends a prompt.
        Open = "open",
        /// Stored, but not in memory. It can be loaded or resumed.
        Saved = "saved",
    }
}

message! {
    /// Parameters of `session/set_title`. The agent responds after it has stored the title, and SHOULD NOT replace it
    /// with a generated one later. The session need not be active. An unknown session is an error (-32002).
    ///
    /// Unstable: may change or be removed. See [Session
    /// list](https://agentclientprotocol.com/protocol/v1/session-list).
    pub struct SetSessionTitleRequest {
        /// The session to rename.
        session_id: SessionId = "sessionId",
        /// The new title. The agent MAY normalize it, such as by trimming it. A title that is empty after that is an
        /// error (-32602).
        title: String = "title",
    }
}

message! {
    /// Response to `session/set_title`.
    ///
    /// Unstable: may change or be removed. See [Session
    /// list](https://agentclientprotocol.com/protocol/v1/session-list).
    pub struct SetSessionTitleResponse {
        /// The title as stored. The client SHOULD show it instead of the one it sent.
        title: String = "title",
    }
}
