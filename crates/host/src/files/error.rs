//! Why a path was refused, a file not read or not written: for the agent a code and a sentence that says what to do.
//! Whatever lies outside the roots gives one and the same error, whether it exists or not.

use std::io;
use std::path::{Path, PathBuf};

use crate::denied::{AskRuleAlias, DeniedByRule};

/// Why a directory was not opened, a file not read or not written. Paths are those the caller named.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// The path does not start at the top.
    #[error("{} is not an absolute path; name it from the top", shown(.path))]
    Relative {
        /// The path.
        path: PathBuf,
    },
    /// No file can have such a path.
    #[error("{} cannot be a path: {why}", shown(.path))]
    BadPath {
        /// The path.
        path: PathBuf,
        /// What is wrong with it.
        why: &'static str,
    },
    /// The path lies outside the roots, or a link on it leads there.
    #[error("{} lies outside the directories of this session; add its directory to the session", shown(.path))]
    Outside {
        /// The path.
        path: PathBuf,
    },
    /// A root is not what it was when the session began.
    #[error("the session's directory {} was moved, replaced or removed; start a new session", shown(.root))]
    RootGone {
        /// The root.
        root: PathBuf,
    },
    /// A root must be a directory that can be opened.
    #[error("{} cannot be a session's directory: {source}", shown(.path))]
    Root {
        /// The path.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The top of the file system is a root only where a person has agreed.
    #[error("{} is the whole file system; name a directory below it, or agree to it explicitly", shown(.path))]
    WholeSystem {
        /// The path.
        path: PathBuf,
    },
    /// There is no such file.
    #[error("there is no file {}", shown(.path))]
    NotFound {
        /// The path.
        path: PathBuf,
    },
    /// What is there is not a regular file, or where a directory is asked for not a directory.
    #[error("{} is {found}; name {}", shown(.path), .found.wanted())]
    WrongKind {
        /// The path.
        path: PathBuf,
        /// What it is.
        found: UnexpectedKind,
    },
    /// The file is not UTF-8 text.
    #[error("{} is not text: it is binary or not UTF-8; read it with a tool for its format", shown(.path))]
    NotText {
        /// The path.
        path: PathBuf,
    },
    /// More bytes than the limit.
    #[error("{} is too large: {size} bytes, the limit is {limit}; {advice}", shown(.path))]
    TooLarge {
        /// The path.
        path: PathBuf,
        /// At least so many bytes.
        size: u64,
        /// The limit.
        limit: u64,
        /// What to do.
        advice: &'static str,
    },
    /// Somebody else changes the file or the way to it at this moment.
    #[error("{} is being changed; try again", shown(.path))]
    Changing {
        /// The path.
        path: PathBuf,
    },
    /// Links lead in a circle, or there are too many.
    #[error("{} leads through too many links; name the file itself", shown(.path))]
    Links {
        /// The path.
        path: PathBuf,
    },
    /// A link whose target is missing; a write would make a file at a place that the path does not name.
    #[error("{} leads through a link whose target is missing; name the target itself", shown(.path))]
    Dangling {
        /// The path.
        path: PathBuf,
    },
    /// Who can write this file can later run commands, so agents may not.
    #[error("{} is protected: whoever writes it can run commands later; ask the person to change it", shown(.path))]
    Protected {
        /// The path.
        path: PathBuf,
    },
    /// A rule of the policy denies it.
    #[error("{} is denied by policy rule `{rule}`; ask the user to change the policy", shown(.path))]
    DeniedByPolicy {
        /// The path.
        path: PathBuf,
        /// The rule's id.
        rule: String,
    },
    /// It is a hard link to a file that a rule of the policy asks about, and nobody was asked about that name.
    #[error("{} is another name of a file that policy rule `{rule}` asks about; {}", shown(.path), other_name(.other.as_deref()))]
    AskedByPolicy {
        /// The path.
        path: PathBuf,
        /// The rule's id.
        rule: String,
        /// The name that the rule knows; `None` if it is not known.
        other: Option<PathBuf>,
    },
    /// Our own state, closed to agents.
    #[error("{} belongs to attache itself and is closed to agents", shown(.path))]
    OwnState {
        /// The path.
        path: PathBuf,
    },
    /// The file has a second name, which may lie outside the roots.
    #[error("{} has more than one hard link, and writing it would change or part them; make it a copy first", shown(.path))]
    HardLinked {
        /// The path.
        path: PathBuf,
    },
    /// The file is marked as not to be written.
    #[error("{} is read-only; ask the person to make it writable", shown(.path))]
    ReadOnly {
        /// The path.
        path: PathBuf,
    },
    /// A session's directory stays where it is.
    #[error("{} is a directory of this session or holds one, so it is neither removed nor moved; name something below it", shown(.path))]
    IsRoot {
        /// The path.
        path: PathBuf,
    },
    /// Nothing is replaced by a move.
    #[error("there is something at {} already; choose another name, or remove it first", shown(.path))]
    Exists {
        /// The path.
        path: PathBuf,
    },
    /// Only empty directories are removed.
    #[error("{} is a directory with something in it; remove what is in it first", shown(.path))]
    NotEmpty {
        /// The path.
        path: PathBuf,
    },
    /// A name does not go from one file system to another.
    #[error("{} lies on another file system, and moving there would be copying; copy it and remove the original", shown(.path))]
    OtherSystem {
        /// The path.
        path: PathBuf,
    },
    /// The system does not allow it.
    #[error("the system does not allow access to {}; ask the person for it", shown(.path))]
    Denied {
        /// The path.
        path: PathBuf,
    },
    /// The system failed.
    #[error("cannot {doing} {}: {source}", shown(.path))]
    Io {
        /// The path.
        path: PathBuf,
        /// What was tried.
        doing: &'static str,
        /// What the system said.
        source: io::Error,
    },
}

/// What a path leads to when it is not what was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum UnexpectedKind {
    /// A directory, where a file is asked for.
    Directory,
    /// A pipe, socket, device, or a file that the kernel makes up.
    Special,
    /// Anything else than a directory, where one is asked for.
    File,
    /// A file, named with a slash at the end.
    FileWithSlash,
}

impl std::fmt::Display for UnexpectedKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            UnexpectedKind::Directory => "a directory",
            UnexpectedKind::Special => "not a regular file",
            UnexpectedKind::File => "not a directory",
            UnexpectedKind::FileWithSlash => "a file that was named with a slash at the end",
        })
    }
}

impl UnexpectedKind {
    fn wanted(self) -> &'static str {
        match self {
            UnexpectedKind::Directory | UnexpectedKind::Special => "a regular file",
            UnexpectedKind::File => "a directory",
            UnexpectedKind::FileWithSlash => "it without the slash",
        }
    }
}

impl FileError {
    /// What the system said about a path inside the roots.
    pub(crate) fn of_system(path: &Path, doing: &'static str, source: io::Error) -> FileError {
        let path = path.to_owned();
        match source.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => FileError::NotFound { path },
            io::ErrorKind::PermissionDenied => FileError::Denied { path },
            io::ErrorKind::WouldBlock => FileError::Changing { path },
            io::ErrorKind::AlreadyExists => FileError::Exists { path },
            io::ErrorKind::DirectoryNotEmpty => FileError::NotEmpty { path },
            io::ErrorKind::CrossesDevices => FileError::OtherSystem { path },
            io::ErrorKind::InvalidFilename => FileError::BadPath {
                path,
                why: "a name in it is too long",
            },
            _ => FileError::Io {
                path,
                doing,
                source,
            },
        }
    }

    /// A rule of the policy denies it.
    pub(crate) fn denied(path: &Path, denied: DeniedByRule) -> FileError {
        FileError::DeniedByPolicy {
            path: path.to_owned(),
            rule: denied.rule,
        }
    }

    /// A rule asks about another name of it.
    pub(crate) fn asked(path: &Path, alias: AskRuleAlias) -> FileError {
        FileError::AskedByPolicy {
            path: path.to_owned(),
            rule: alias.rule,
            other: alias.other,
        }
    }

    /// One word for programs.
    pub fn kind(&self) -> &'static str {
        match self {
            FileError::Relative { .. } => "relative",
            FileError::BadPath { .. } => "bad_path",
            FileError::Outside { .. } => "outside",
            FileError::RootGone { .. } => "root_gone",
            FileError::Root { .. } => "root",
            FileError::WholeSystem { .. } => "whole_system",
            FileError::NotFound { .. } => "not_found",
            FileError::WrongKind { .. } => "wrong_kind",
            FileError::NotText { .. } => "not_text",
            FileError::TooLarge { .. } => "too_large",
            FileError::Changing { .. } => "changing",
            FileError::Links { .. } => "links",
            FileError::Dangling { .. } => "dangling",
            FileError::Protected { .. } => "protected",
            FileError::OwnState { .. } => "own_state",
            FileError::DeniedByPolicy { .. } | FileError::AskedByPolicy { .. } => {
                "denied_by_policy"
            }
            FileError::HardLinked { .. } => "hard_linked",
            FileError::ReadOnly { .. } => "read_only",
            FileError::IsRoot { .. } => "is_root",
            FileError::Exists { .. } => "exists",
            FileError::NotEmpty { .. } => "not_empty",
            FileError::OtherSystem { .. } => "other_system",
            FileError::Denied { .. } => "denied",
            FileError::Io { .. } => "io",
        }
    }

    fn code(&self) -> i32 {
        match self {
            FileError::NotFound { .. } => RESOURCE_NOT_FOUND,
            FileError::Changing { .. }
            | FileError::RootGone { .. }
            | FileError::Denied { .. }
            | FileError::Io { .. } => attache_rpc::Error::INTERNAL,
            _ => attache_rpc::Error::INVALID_PARAMS,
        }
    }
}

impl From<FileError> for attache_rpc::Error {
    fn from(error: FileError) -> Self {
        let data = serde_json::json!({ "kind": error.kind() });
        attache_rpc::Error::new(error.code(), error.to_string()).data(data)
    }
}

fn other_name(other: Option<&Path>) -> String {
    match other {
        Some(other) => format!(
            "use the name {}, so that the user can be asked",
            shown(other)
        ),
        None => "ask the user to change the policy".to_owned(),
    }
}

/// A path as it may stand in a message: without control characters and not longer than a line or two.
fn shown(path: &Path) -> String {
    let text = path.to_string_lossy();
    let mut shown = String::from('`');
    shown.extend(
        text.chars()
            .take(LONGEST_SHOWN)
            .flat_map(char::escape_debug),
    );
    if text.chars().nth(LONGEST_SHOWN).is_some() {
        shown.push('…');
    }
    shown.push('`');
    shown
}

const LONGEST_SHOWN: usize = 200;

/// The protocol's code for a resource that does not exist.
const RESOURCE_NOT_FOUND: i32 = -32002;
