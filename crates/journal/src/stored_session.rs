//! The description of a stored session, and lists of them.

use std::path::PathBuf;

use jiff::Timestamp;

/// A stored session, without its journal.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredSession {
    /// The session id.
    pub id: String,
    /// The working directory.
    pub cwd: PathBuf,
    /// Additional directories.
    pub additional: Vec<PathBuf>,
    /// The title, if one was set.
    pub title: Option<String>,
    /// The time of creation; set by the store.
    pub created: Timestamp,
    /// The time of the last change; set by the store.
    pub updated: Timestamp,
    /// Whether the session is archived; a new session never is.
    pub archived: bool,
    /// The settings, as the agent stores them.
    pub settings: serde_json::Value,
    /// The id of the session that this one was forked from.
    pub parent: Option<String>,
}

impl StoredSession {
    /// A new session in a directory.
    pub fn new(id: impl Into<String>, cwd: impl Into<PathBuf>) -> StoredSession {
        StoredSession {
            id: id.into(),
            cwd: cwd.into(),
            additional: Vec::new(),
            title: None,
            created: Timestamp::UNIX_EPOCH,
            updated: Timestamp::UNIX_EPOCH,
            archived: false,
            settings: serde_json::Value::Null,
            parent: None,
        }
    }
}

/// Who set a session's title. The agent does not overwrite the user's title.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TitleSource {
    /// The agent.
    Agent = 1,
    /// The user.
    Person = 2,
}

/// Whether to list archived sessions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ArchiveFilter {
    /// Leave them out.
    #[default]
    Exclude,
    /// List them with the others.
    Include,
    /// List only them.
    Only,
}

/// Which sessions to list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SessionFilter {
    /// Only sessions with this working directory.
    pub cwd: Option<PathBuf>,
    /// Whether to list archived sessions.
    pub archived: ArchiveFilter,
}

/// A page of sessions, most recently changed first.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionPage {
    /// The sessions.
    pub infos: Vec<StoredSession>,
    /// The cursor of the next page; `None` at the end.
    pub next: Option<String>,
}
