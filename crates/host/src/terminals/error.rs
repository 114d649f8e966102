//! Why a terminal did not do what was asked.

use std::path::PathBuf;

use attache_process as process;

/// Why a terminal did not do what was asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TerminalError {
    /// The session has no such terminal, or it was released.
    #[error("the session has no such terminal; it may have been released")]
    Unknown,
    /// The session has as many terminals as it may have.
    #[error(
        "the session has {limit} terminals, and may not have more: release those that are done"
    )]
    SessionFull {
        /// How many it may have.
        limit: usize,
    },
    /// All sessions together have as many terminals as they may have.
    #[error(
        "there are {limit} terminals in all sessions, and may not be more: release those that are done"
    )]
    Full {
        /// How many there may be.
        limit: usize,
    },
    /// The session ended while the command was started.
    #[error("the session has ended, so the command was not started")]
    Ended,
    /// The command or an argument cannot be given to a program.
    #[error("{part} {problem}")]
    Unusable {
        /// Which part of the request.
        part: &'static str,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// The file is a script that does not say what runs it.
    #[error("`{}` cannot be executed: it is a text without a `#!` line; name the program that runs it as `command`, such as `sh`", .program.display())]
    NoShebang {
        /// The program as it was named.
        program: PathBuf,
    },
    /// The working directory is none, or lies outside the session's directories.
    #[error("the command cannot run in `{}`: {reason}", .path.display())]
    Directory {
        /// The directory as it was named.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// An environment variable may not be set.
    #[error("environment variable `{name}` is refused: {reason}")]
    Variable {
        /// Its name, made printable and cut.
        name: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// What the policy denies cannot be kept from the command.
    #[error("the command was not started, as the policy's deny rules cannot be enforced: {0}")]
    Confinement(std::io::Error),
    /// There is no directory for the temporary files of confined commands.
    #[error("no directory for temporary files could be made: {0}")]
    Temporary(std::io::Error),
    /// The arguments and variables are more than the system takes.
    #[error(
        "the arguments and variables are together larger than the system takes, or one of them is: put them into a file"
    )]
    TooLarge,
    /// The program did not start.
    #[error(transparent)]
    Start(process::Error),
    /// Some processes of the command could not be ended.
    #[error(
        "{count} processes of the command could not be ended: they run as another user, or hang in the kernel"
    )]
    Survivors {
        /// How many.
        count: u32,
    },
}

impl TerminalError {
    pub(super) fn variable(name: &str, reason: &'static str) -> TerminalError {
        let name = name.chars().take(NAME).collect::<String>();
        let name = name.escape_debug().to_string();
        TerminalError::Variable { name, reason }
    }

    /// One word for programs.
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
const NAME: usize = 64;
