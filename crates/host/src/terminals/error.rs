//! Errors of terminals.

use std::path::PathBuf;

use attache_process as process;

use crate::environment::printable_name;

/// Why a terminal request failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TerminalError {
    /// The session has no such terminal, or it was released.
    #[error("the session has no such terminal; it may have been released")]
    Unknown,
    /// The session has reached its limit of terminals.
    #[error(
        "the session has {limit} terminals, which is the limit; release terminals that are done"
    )]
    SessionFull {
        /// The limit.
        limit: usize,
    },
    /// All sessions together have reached the limit of terminals.
    #[error(
        "all sessions together have {limit} terminals, which is the limit; release terminals that are done"
    )]
    Full {
        /// The limit.
        limit: usize,
    },
    /// The session ended while the command was starting.
    #[error("the session has ended, so the command was not started")]
    Ended,
    /// The command or an argument cannot be passed to a program.
    #[error("{part} {problem}")]
    Unusable {
        /// The part of the request.
        part: &'static str,
        /// The problem.
        problem: &'static str,
    },
    /// The file is a script without a `#!` line.
    #[error("`{}` cannot be executed: it is a text without a `#!` line; set `command` to the program that runs it, such as `sh`", .program.display())]
    NoShebang {
        /// The program as the request named it.
        program: PathBuf,
    },
    /// The working directory does not exist, or is outside the session's directories.
    #[error("the command cannot run in `{}`: {reason}", .path.display())]
    Directory {
        /// The directory as the request named it.
        path: PathBuf,
        /// The problem.
        reason: String,
    },
    /// An environment variable is not valid.
    #[error("environment variable `{name}` is refused: {reason}")]
    Variable {
        /// The variable's name, escaped and cut.
        name: String,
        /// The problem.
        reason: &'static str,
    },
    /// The policy's deny rules cannot be enforced on the command.
    #[error("the command was not started because the policy's deny rules cannot be enforced: {0}")]
    Confinement(std::io::Error),
    /// The directory for temporary files could not be created.
    #[error("cannot create a directory for temporary files: {0}")]
    Temporary(std::io::Error),
    /// The arguments and variables exceed the system's limit.
    #[error(
        "the arguments and variables, or one of them, exceed the system's limit; pass them in a file"
    )]
    TooLarge,
    /// The program did not start.
    #[error(transparent)]
    Start(process::Error),
    /// Some processes of the command could not be ended.
    #[error(
        "{count} processes of the command could not be ended, because they run as another user or hang in the kernel"
    )]
    Survivors {
        /// The number of processes.
        count: u32,
    },
}

impl TerminalError {
    pub(super) fn variable(name: &str, reason: &'static str) -> TerminalError {
        let name = printable_name(name);
        TerminalError::Variable { name, reason }
    }

    /// A stable identifier for programs.
    fn kind(&self) -> &'static str {
        match self {
            TerminalError::Unknown => "unknown_terminal",
            TerminalError::SessionFull { .. } | TerminalError::Full { .. } => "too_many_terminals",
            TerminalError::Ended => "session_ended",
            TerminalError::Unusable { .. } => "unusable_command",
            TerminalError::NoShebang { .. } => "not_executable",
            TerminalError::Directory { .. } => "directory",
            TerminalError::Variable { .. } => "variable",
            TerminalError::Temporary(_) => "temporary_files",
            TerminalError::Confinement(_) => "sandbox",
            TerminalError::TooLarge => "too_large",
            TerminalError::Start(error) => start_kind(error),
            TerminalError::Survivors { .. } => "survivors",
        }
    }

    fn code(&self) -> i32 {
        match self {
            TerminalError::Unknown | TerminalError::Ended => NOT_FOUND,
            TerminalError::Unusable { .. }
            | TerminalError::NoShebang { .. }
            | TerminalError::Directory { .. }
            | TerminalError::Variable { .. }
            | TerminalError::TooLarge
            | TerminalError::Start(
                process::Error::NotFound { .. }
                | process::Error::NotExecutable { .. }
                | process::Error::Directory { .. },
            ) => attache_rpc::Error::INVALID_PARAMS,
            TerminalError::SessionFull { .. }
            | TerminalError::Full { .. }
            | TerminalError::Temporary(_)
            | TerminalError::Confinement(_)
            | TerminalError::Start(_)
            | TerminalError::Survivors { .. } => attache_rpc::Error::INTERNAL,
        }
    }
}

impl From<TerminalError> for attache_rpc::Error {
    fn from(error: TerminalError) -> Self {
        let data = match &error {
            TerminalError::SessionFull { limit } | TerminalError::Full { limit } => {
                serde_json::json!({ "kind": error.kind(), "limit": limit })
            }
            _ => serde_json::json!({ "kind": error.kind() }),
        };
        attache_rpc::Error::new(error.code(), error.to_string()).data(data)
    }
}

fn start_kind(error: &process::Error) -> &'static str {
    match error {
        process::Error::NotFound { .. } => "not_found",
        process::Error::NotExecutable { .. } => "not_executable",
        process::Error::Directory { .. } => "directory",
        process::Error::Sandbox { .. } => "sandbox",
        _ => "not_started",
    }
}

const NOT_FOUND: i32 = -32002;
