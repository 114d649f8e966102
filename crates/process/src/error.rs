//! Errors of starting a program.

use std::fmt;
use std::io;
use std::path::PathBuf;

/// Why a program did not start. No process of it is left running.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The program, or the interpreter named in its first line, does not exist.
    NotFound {
        /// The program, as the caller named it.
        program: PathBuf,
    },
    /// The file exists but cannot be executed.
    NotExecutable {
        /// The program, as the caller named it.
        program: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The program's working directory cannot be entered.
    Directory {
        /// The directory, as the caller named it.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The system refused to start the program.
    Start {
        /// The program, as the caller named it.
        program: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The program's process tree could not be supervised, so the program was not started.
    Custody {
        /// The program, as the caller named it.
        program: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// This system cannot confine the program as requested, so the program was not started.
    Sandbox {
        /// The program, as the caller named it.
        program: PathBuf,
        /// The reason, in words for the user.
        reason: String,
    },
    /// A file or directory that had to be covered was moved or replaced meanwhile, so the program was not started.
    Moved {
        /// The program, as the caller named it.
        program: PathBuf,
    },
    /// This system cannot watch what the program executes, so the program was not started.
    Watch {
        /// The program, as the caller named it.
        program: PathBuf,
        /// The reason, in words for the user.
        reason: String,
    },
    /// An exec rule denies the program.
    Denied {
        /// The program, as the caller named it.
        program: PathBuf,
        /// The rule that denies the program, in words for the user.
        why: String,
    },
    /// The call was not made within a tokio runtime.
    NoRuntime,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::NotFound { program } => write!(
                f,
                "program `{}` was not found: install it, or check its name, the PATH it is given, and the interpreter in its first line",
                program.display()
            ),
            Error::NotExecutable { program, source } => write!(
                f,
                "program `{}` cannot be executed ({source}): check its permissions and format",
                program.display()
            ),
            Error::Directory { path, source } => write!(
                f,
                "directory `{}` cannot be entered ({source}): create it, or choose another one to work in",
                path.display()
            ),
            Error::Start { program, source } => {
                write!(f, "program `{}` did not start: {source}", program.display())
            }
            Error::Custody { program, source } => write!(
                f,
                "program `{}` was not started, because its processes could not be supervised: {source}",
                program.display()
            ),
            Error::Sandbox { program, reason } => write!(
                f,
                "program `{}` was not started, because it cannot be confined: {reason}",
                program.display()
            ),
            Error::Moved { program } => write!(
                f,
                "program `{}` was not started, because a file or directory that it must not see was moved or replaced at that moment: try again",
                program.display()
            ),
            Error::Watch { program, reason } => write!(
                f,
                "program `{}` was not started, because the programs it executes cannot be watched: {reason}",
                program.display()
            ),
            Error::Denied { program, why } => {
                write!(f, "program `{}` was not started: {why}", program.display())
            }
            Error::NoRuntime => {
                f.write_str("no program can be started here: call spawn inside a tokio runtime")
            }
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::NotExecutable { source, .. }
            | Error::Directory { source, .. }
            | Error::Start { source, .. }
            | Error::Custody { source, .. } => Some(source),
            Error::NotFound { .. }
            | Error::Sandbox { .. }
            | Error::Moved { .. }
            | Error::Watch { .. }
            | Error::Denied { .. }
            | Error::NoRuntime => None,
        }
    }
}
