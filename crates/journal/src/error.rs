//! Why the store could not do something.

use std::path::PathBuf;

use rusqlite::ErrorCode;

/// Why the store could not do something.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no such session.
    #[error("there is no such session")]
    NotFound,
    /// There is such a session already.
    #[error("there is a session of this id already")]
    Exists,
    /// Somebody has the session open.
    #[error("the session is in use by {}; close it there first", owner(*pid))]
    InUse {
        /// Which process; unknown where the system does not let us look.
        pid: Option<u32>,
    },
    /// A cursor that no listing with this filter gave out.
    #[error("the cursor is not one of this listing; list from the start")]
    Cursor,
    /// More than the store takes in one piece.
    #[error("{what} of more than {limit} bytes cannot be stored")]
    TooLarge {
        /// What is too large.
        what: &'static str,
        /// The largest size.
        limit: usize,
    },
    /// A path that is not text.
    #[error("a path of the session is not valid Unicode")]
    Path,
    /// The database belongs to a newer version.
    #[error("`{}` has format {found}, this version knows {known}; use the newer version that made it", path.display())]
    Newer {
        /// The database.
        path: PathBuf,
        /// Its format.
        found: i64,
        /// The newest format that is known here.
        known: i64,
    },
    /// A database of some other program.
    #[error("`{}` is not a database of sessions; move it away", path.display())]
    Foreign {
        /// The database.
        path: PathBuf,
    },
    /// The database cannot be understood.
    #[error("the database of sessions is damaged: {why}; move it away, or restore it from a copy")]
    Damaged {
        /// What is wrong with it.
        why: String,
    },
    /// Some entries of a journal cannot be understood; those after them can be read.
    #[error("entries {first} to {last} of the session are damaged")]
    Entries {
        /// The first of them.
        first: u64,
        /// The last of them.
        last: u64,
    },
    /// There is no room.
    #[error(
        "there is no room on the disk for the database of sessions; make some, it goes on by itself"
    )]
    Full,
    /// The database cannot be read or written now.
    #[error("the database of sessions cannot be used: {why}")]
    Database {
        /// What the database says.
        why: String,
    },
    /// A file or directory cannot be used.
    #[error("`{}` {why}", path.display())]
    File {
        /// Which one.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// The system gives no random numbers.
    #[error("no random numbers: {why}")]
    Random {
        /// What the system says.
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
