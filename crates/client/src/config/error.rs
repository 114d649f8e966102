//! What is wrong with a configuration, and where.

use std::fmt;
use std::io;
use std::path::PathBuf;

use attache_host::ownership::OwnershipError;

/// A place in a file, from 1.
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
        /// What the system said.
        cause: io::Error,
    },
    /// Somebody else may have written a file.
    #[error(transparent)]
    Ownership(OwnershipError),
    /// A file cannot be written. It is as it was.
    #[error("{} cannot be written: {cause}", .path.display())]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        cause: io::Error,
    },
    /// A file is no JSON, also with comments and trailing commas allowed.
    #[error("{place}: {what}")]
    Syntax {
        /// Where.
        place: SourceLocation,
        /// What is wrong.
        what: String,
    },
    /// A value does not fit.
    #[error("{place}: `{field}` {what}")]
    Field {
        /// Where.
        place: SourceLocation,
        /// Which field, with those around it.
        field: String,
        /// What is wanted.
        what: String,
    },
    /// There is no such key.
    #[error("there is no key `{key}`; {}", hint(.nearest.as_deref()))]
    NoSuchKey {
        /// The key as it was named.
        key: String,
        /// The one that it looks like.
        nearest: Option<String>,
    },
}

fn hint(nearest: Option<&str>) -> String {
    match nearest {
        Some(nearest) => format!("did you mean `{nearest}`?"),
        None => "`attache config --help` tells the keys".to_owned(),
    }
}

/// Something that looks wrong and does no harm.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigWarning {
    /// Where, unless what is wrong says it.
    pub place: Option<SourceLocation>,
    /// What.
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
