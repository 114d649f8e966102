//! Stored sessions: listing, deleting, archiving, naming.

use super::SessionId;
use crate::FilePath;

message! {
    /// Asks for stored sessions, a page at a time.
    pub struct ListSessionsRequest or null {
        ..
        /// Only those of this working directory.
        cwd: Option<FilePath> = "cwd",
        /// Where the last page ended.
        cursor: Option<String> = "cursor",
        /// Whether archived ones count (unstable).
        archived: Option<SessionArchiveFilter> = "archived",
    }
}

message! {
    /// A page of stored sessions.
    pub struct ListSessionsResponse {
        /// The sessions.
        sessions: Vec<SessionInfo> = "sessions" items,
        ..
        /// Where this page ended; none on the last one.
        next_cursor: Option<String> = "nextCursor" lenient,
    }
}

message! {
    /// A stored session.
    pub struct SessionInfo {
        /// Its id.
        session_id: SessionId = "sessionId",
        /// Its working directory.
        cwd: FilePath = "cwd",
        ..
        /// Its other roots.
        additional_directories: Vec<FilePath> = "additionalDirectories" items,
        /// Its title.
        title: Option<String> = "title" lenient,
        /// When it last changed, in ISO 8601.
        updated_at: Option<String> = "updatedAt" lenient,
        /// Whether it is archived (unstable).
        archived: Option<bool> = "archived" lenient,
    }
}

message! {
    /// Deletes a stored session; one that is not there is no error.
    pub struct DeleteSessionRequest {
        /// Which session.
        session_id: SessionId = "sessionId",
    }
}

message! {
    /// The session is deleted.
    pub struct DeleteSessionResponse or null {}
}

message! {
    /// Puts a session away; an active one is closed first (unstable).
    pub struct ArchiveSessionRequest {
        /// Which session.
        session_id: SessionId = "sessionId",
    }
}

message! {
    /// The session is put away (unstable).
    pub struct ArchiveSessionResponse or null {}
}

message! {
    /// Takes a session back from the archive without loading it (unstable).
    pub struct UnarchiveSessionRequest {
        /// Which session.
        session_id: SessionId = "sessionId",
    }
}

message! {
    /// The session is back (unstable).
    pub struct UnarchiveSessionResponse or null {}
}

open_enum! {
    /// Which sessions a list shows (unstable).
    pub enum SessionArchiveFilter {
        /// Those that are not archived; what counts when nothing is said.
        Exclude = "exclude",
        /// All.
        Include = "include",
        /// Those that are archived.
        Only = "only",
    }
}

message! {
    /// Asks whether a session is active (unstable).
    pub struct SessionStatusRequest {
        /// Which session.
        session_id: SessionId = "sessionId",
    }
}

message! {
    /// Whether a session is active (unstable).
    pub struct SessionStatusResponse {
        /// Active or stored.
        status: SessionStatus = "status",
    }
}

open_enum! {
    /// Whether a session is active (unstable). A value that is not known counts as `saved`.
    pub enum SessionStatus {
        /// Active.
        Open = "open",
        /// Only stored.
        Saved = "saved",
    }
}

message! {
    /// Gives a session a title (unstable).
    pub struct SetSessionTitleRequest {
        /// Which session.
        session_id: SessionId = "sessionId",
        /// The title.
        title: String = "title",
    }
}

message! {
    /// The title as it is stored (unstable).
    pub struct SetSessionTitleResponse {
        /// What to show.
        title: String = "title",
    }
}
