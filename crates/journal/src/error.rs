//! Errors of the store.

use std::path::PathBuf;

use rusqlite::ErrorCode;

/// An error of the store.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no such session.
    #[error("there is no such session")]
    NotFound,
    /// A session with this id exists.
    #[error("a session with this id already exists")]
    Exists,
    /// The session is open elsewhere.
    #[error("the session is in use by {}; close it there first", owner(*pid))]
    InUse {
        /// The process that has the session open; `None` if it is unknown.
        pid: Option<u32>,
    },
    /// The cursor is not from a listing with this filter.
    #[error("the cursor is not from this listing; list from the start")]
    Cursor,
    /// A value is larger than the store accepts.
    #[error("{what} of more than {limit} bytes cannot be stored")]
    TooLarge {
        /// The value that is too large.
        what: &'static str,
        /// The largest size.
        limit: usize,
    },
    /// A path is not valid Unicode.
    #[error("a path of the session is not valid Unicode")]
    Path,
    /// The database belongs to a newer version.
    #[error("`{}` has format {found}, this version knows {known}; use the newer version that made it", path.display())]
    Newer {
        /// The path of the database.
        path: PathBuf,
        /// The format of the database.
        found: i64,
        /// The newest format that this version knows.
        known: i64,
    },
    /// The database belongs to another program.
    #[error("`{}` is not a database of sessions; move it away", path.display())]
    Foreign {
        /// The path of the database.
        path: PathBuf,
    },
    /// The database cannot be understood.
    #[error("the database of sessions is damaged: {why}; move it away, or restore it from a copy")]
    Damaged {
        /// The reason.
        why: String,
    },
    /// Some entries of a journal are damaged; those after them can be read.
    #[error("entries {first} to {last} of the session are damaged")]
    Entries {
        /// The number of the first damaged entry.
        first: u64,
        /// The number of the last damaged entry.
        last: u64,
    },
    /// The disk is full.
    #[error(
        "the disk is full and the database of sessions can't be written; free some space, then it continues by itself"
    )]
    Full,
    /// The database cannot be read or written now.
    #[error("the database of sessions cannot be used: {why}")]
    Database {
        /// The message of SQLite.
        why: String,
    },
    /// A file or directory cannot be used.
    #[error("`{}` {why}", path.display())]
    File {
        /// The file or directory.
        path: PathBuf,
        /// The reason.
        why: String,
    },
    /// The system provides no random numbers.
    #[error("the system provides no random numbers: {why}")]
    Random {
        /// The message of the system.
        why: String,
    },
    /// The store has ended, or its thread has.
    #[error("the store of sessions has ended")]
    Ended,
}

impl Error {
    pub(super) fn file(path: &std::path::Path, error: &std::io::Error) -> Error {
        Error::File {
            path: path.to_owned(),
            why: format!("cannot be used: {error}"),
        }
    }

    pub(super) fn damaged(why: &str) -> Error {
        Error::Damaged {
            why: why.to_owned(),
        }
    }
}

impl From<attache_disk::private::Error> for Error {
    fn from(error: attache_disk::private::Error) -> Error {
        let (path, why) = error.into_parts();
        Error::File { path, why }
    }
}

impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Error {
        let why = error.to_string();
        match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => Error::Full,
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Error::Damaged { why },
            _ => match error {
                rusqlite::Error::FromSqlConversionFailure(..)
                | rusqlite::Error::InvalidColumnType(..)
                | rusqlite::Error::IntegralValueOutOfRange(..) => Error::Damaged { why },
                _ => Error::Database { why },
            },
        }
    }
}

fn owner(pid: Option<u32>) -> String {
    match pid {
        Some(pid) if pid == std::process::id() => "this process".to_owned(),
        Some(pid) => format!("process {pid}"),
        None => "another process".to_owned(),
    }
}
