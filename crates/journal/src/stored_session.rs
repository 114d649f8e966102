//! What is known of a session besides its journal.

use std::path::PathBuf;

use jiff::Timestamp;

/// What is known of a session besides its journal.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredSession {
    /// Its id.
    pub id: String,
    /// The directory it works in.
    pub cwd: PathBuf,
    /// More directories it works in.
    pub additional: Vec<PathBuf>,
    /// What it is about.
    pub title: Option<String>,
    /// When it was made; the store says so.
    pub created: Timestamp,
    /// When something in it last waited for the disk; the store says so.
    pub updated: Timestamp,
    /// Whether it was put away; a new session never is.
    pub archived: bool,
    /// Mode, model and the like.
    pub settings: serde_json::Value,
    /// The session it was forked from.
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

/// Who gave a session its title. What a person gave is not overwritten by the agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TitleSource {
    /// The agent.
    Agent = 1,
    /// A person.
    Person = 2,
}

/// Whether sessions that were put away are listed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ArchiveFilter {
    /// They are not.
    #[default]
    Exclude,
    /// They are, with the others.
    Include,
    /// Only they are.
    Only,
}

/// Which sessions to list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SessionFilter {
    /// Only those that work in this directory.
    pub cwd: Option<PathBuf>,
    /// Whether those that were put away are among them.
    pub archived: ArchiveFilter,
}

/// Some sessions, the one that changed last first.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionPage {
    /// The sessions.
    pub infos: Vec<StoredSession>,
    /// Where to go on; `None` at the end.
    pub next: Option<String>,
}
