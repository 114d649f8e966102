//! Errors and warnings of a configuration, with their location.

use std::fmt;
use std::io;
use std::path::PathBuf;

use attache_host::ownership::OwnershipError;

/// A position in a file. Lines and columns start at 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceLocation {
    /// The file.
    pub path: PathBuf,
    /// The line; 0 for the file as a whole.
    pub line: usize,
    /// The column, in characters.
    pub column: usize,
}

/// Why a configuration cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// A file cannot be read.
    #[error("{} cannot be read: {cause}", .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's error.
        cause: io::Error,
    },
    /// Another user may have written a file.
    #[error(transparent)]
    Ownership(OwnershipError),
    /// A file cannot be written and was not changed.
    #[error("{} cannot be written: {cause}", .path.display())]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// The system's error.
        cause: io::Error,
    },
    /// A file is not JSON, even with comments and trailing commas allowed.
    #[error("{place}: {what}")]
    Syntax {
        /// The location.
        place: SourceLocation,
        /// The parser's message.
        what: String,
    },
    /// A value is invalid.
    #[error("{place}: `{field}` {what}")]
    Field {
        /// The location.
        place: SourceLocation,
        /// The field's full name, such as `agent_servers.mine.args`.
        field: String,
        /// Description of the expected value.
        what: String,
    },
    /// The key does not exist.
    #[error("there is no key `{key}`; {}", hint(.nearest.as_deref()))]
    NoSuchKey {
        /// The key.
        key: String,
        /// A similar key that exists.
        nearest: Option<String>,
    },
}

fn hint(nearest: Option<&str>) -> String {
    match nearest {
        Some(nearest) => format!("did you mean `{nearest}`?"),
        None => "`attache config --help` lists the keys".to_owned(),
    }
}

/// A problem that is not an error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigWarning {
    /// The location, unless `what` contains it.
    pub place: Option<SourceLocation>,
    /// The problem.
    pub what: String,
}

impl From<ConfigError> for ConfigWarning {
    fn from(error: ConfigError) -> ConfigWarning {
        ConfigWarning {
            place: None,
            what: error.to_string(),
        }
    }
}

impl fmt::Display for SourceLocation {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SourceLocation { path, line, column } = self;
        match line {
            0 => write!(out, "{}", path.display()),
            line => write!(out, "{}:{line}:{column}", path.display()),
        }
    }
}

impl fmt::Display for ConfigWarning {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Some(place) => write!(out, "{place}: {}", self.what),
            None => out.write_str(&self.what),
        }
    }
}
