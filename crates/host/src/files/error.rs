//! File errors. The agent gets a code and a sentence that says what to do. Everything outside the roots causes the same
//! error, whether it exists or not.

use std::io;
use std::path::{Path, PathBuf};

use crate::denied::{AskRuleAlias, DeniedByRule};

/// Why a file or directory was not accessed. Paths are as the caller gave them.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// The path is not absolute.
    #[error("{} is not an absolute path; start it at the root", quoted_path(.path))]
    Relative {
        /// The path.
        path: PathBuf,
    },
    /// The path is not valid.
    #[error("{} is not a valid path: {why}", quoted_path(.path))]
    BadPath {
        /// The path.
        path: PathBuf,
        /// What is wrong with the path.
        why: &'static str,
    },
    /// The path, or a link on it, leads out of the roots.
    #[error("{} lies outside the directories of this session; add its directory to the session", quoted_path(.path))]
    Outside {
        /// The path.
        path: PathBuf,
    },
    /// A root was replaced since the session began.
    #[error("the session's directory {} was moved, replaced or removed; start a new session", quoted_path(.root))]
    RootGone {
        /// The root.
        root: PathBuf,
    },
    /// The path cannot be a root: it is not a directory that can be opened.
    #[error("{} cannot be a session's directory: {source}", quoted_path(.path))]
    Root {
        /// The path.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The path is the root of the file system, which the user has not agreed to.
    #[error("{} is the whole file system; name a directory below it, or agree to it explicitly", quoted_path(.path))]
    WholeSystem {
        /// The path.
        path: PathBuf,
    },
    /// The file does not exist.
    #[error("there is no file {}", quoted_path(.path))]
    NotFound {
        /// The path.
        path: PathBuf,
    },
    /// The path leads to something else than a regular file, or than a directory where one was requested.
    #[error("{} is {found}; name {}", quoted_path(.path), .found.wanted())]
    WrongKind {
        /// The path.
        path: PathBuf,
        /// What the path leads to.
        found: UnexpectedKind,
    },
    /// The file is not UTF-8 text.
    #[error("{} is not text: it is binary or not UTF-8; read it with a tool for its format", quoted_path(.path))]
    NotText {
        /// The path.
        path: PathBuf,
    },
    /// The file is larger than the limit.
    #[error("{} is too large: {size} bytes, the limit is {limit}; {advice}", quoted_path(.path))]
    TooLarge {
        /// The path.
        path: PathBuf,
        /// The size in bytes, or a lower bound of it.
        size: u64,
        /// The limit.
        limit: u64,
        /// What to do.
        advice: &'static str,
    },
    /// Another process is changing the file or a directory on the path.
    #[error("{} is being changed; try again", quoted_path(.path))]
    Changing {
        /// The path.
        path: PathBuf,
    },
    /// Links form a loop, or there are too many.
    #[error("{} leads through too many links; use the path of the file itself", quoted_path(.path))]
    Links {
        /// The path.
        path: PathBuf,
    },
    /// The path goes through a link whose target is missing. A write would create a file that the path does not name.
    #[error("{} leads through a link whose target is missing; use the path of the target", quoted_path(.path))]
    Dangling {
        /// The path.
        path: PathBuf,
    },
    /// Writing the file could run commands later, so agents may not.
    #[error("{} is protected, because a change to it can run commands later; ask the user to change it", quoted_path(.path))]
    Protected {
        /// The path.
        path: PathBuf,
    },
    /// A policy rule denies access.
    #[error("{} is denied by policy rule `{rule}`; ask the user to change the policy", quoted_path(.path))]
    DeniedByPolicy {
        /// The path.
        path: PathBuf,
        /// The rule's id.
        rule: String,
    },
    /// The file is a hard link to a file that an ask rule covers, and the user was not asked about this name.
    #[error("{} is another name of a file that policy rule `{rule}` asks about; {}", quoted_path(.path), other_name(.other.as_deref()))]
    AskedByPolicy {
        /// The path.
        path: PathBuf,
        /// The rule's id.
        rule: String,
        /// The name that the rule covers, if it is known.
        other: Option<PathBuf>,
    },
    /// The file belongs to attache itself.
    #[error("{} belongs to attache itself, and agents cannot access it", quoted_path(.path))]
    OwnState {
        /// The path.
        path: PathBuf,
    },
    /// The file has another hard link, which may be outside the roots.
    #[error("{} has more than one hard link, and writing it would change or separate them; replace it by a copy first", quoted_path(.path))]
    HardLinked {
        /// The path.
        path: PathBuf,
    },
    /// The file is read-only.
    #[error("{} is read-only; ask the user to make it writable", quoted_path(.path))]
    ReadOnly {
        /// The path.
        path: PathBuf,
    },
    /// The path is a session's directory, or contains one, and cannot be moved or removed.
    #[error("{} is or contains a directory of this session, so it cannot be removed or moved; choose a path below it", quoted_path(.path))]
    IsRoot {
        /// The path.
        path: PathBuf,
    },
    /// The target of a move exists.
    #[error("{} exists already; choose another name, or remove it first", quoted_path(.path))]
    Exists {
        /// The path.
        path: PathBuf,
    },
    /// The directory is not empty.
    #[error("{} is a directory that is not empty; remove its content first", quoted_path(.path))]
    NotEmpty {
        /// The path.
        path: PathBuf,
    },
    /// The source and the target of a move are on different file systems.
    #[error("{} is on another file system, where files can only be copied; copy it and remove the original", quoted_path(.path))]
    OtherSystem {
        /// The path.
        path: PathBuf,
    },
    /// The system denied access.
    #[error("the system does not allow access to {}; ask the user to change its permissions", quoted_path(.path))]
    Denied {
        /// The path.
        path: PathBuf,
    },
    /// Another error of the system.
    #[error("cannot {doing} {}: {source}", quoted_path(.path))]
    Io {
        /// The path.
        path: PathBuf,
        /// The operation, as a verb.
        doing: &'static str,
        /// The system's error.
        source: io::Error,
    },
}

/// What a path leads to instead of the requested kind of file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum UnexpectedKind {
    /// A directory, where a file was requested.
    Directory,
    /// A pipe, socket or device, or a file that the kernel generates.
    Special,
    /// Anything but a directory, where a directory was requested.
    File,
    /// A file whose path ends with a slash.
    FileWithSlash,
}

impl std::fmt::Display for UnexpectedKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            UnexpectedKind::Directory => "a directory",
            UnexpectedKind::Special => "not a regular file",
            UnexpectedKind::File => "not a directory",
            UnexpectedKind::FileWithSlash => "a file, but the path ends with a slash",
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
    /// Converts the system's error about a path inside the roots.
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

    /// A policy rule denies access.
    pub(crate) fn denied(path: &Path, denied: DeniedByRule) -> FileError {
        FileError::DeniedByPolicy {
            path: path.to_owned(),
            rule: denied.rule,
        }
    }

    /// The error for a file whose other name an ask rule covers.
    pub(crate) fn covered_by_ask_rule(path: &Path, alias: AskRuleAlias) -> FileError {
        FileError::AskedByPolicy {
            path: path.to_owned(),
            rule: alias.rule,
            other: alias.other,
        }
    }

    /// A stable identifier for programs.
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
            quoted_path(other)
        ),
        None => "ask the user to change the policy".to_owned(),
    }
}

/// Formats a path for an error: quoted, escaped and cut to 200 characters.
fn quoted_path(path: &Path) -> String {
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

/// The protocol's error code for a resource that does not exist.
const RESOURCE_NOT_FOUND: i32 = -32002;
