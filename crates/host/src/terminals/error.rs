//! Why a terminal did not do what was asked.

use std::path::PathBuf;

use attache_process as process;

/// Why a terminal did not do what was asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
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
    Headless {
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
    #[error("the command was not started, because the policy's deny rules cannot be enforced: {0}")]
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

impl Error {
    pub(super) fn variable(name: &str, reason: &'static str) -> Error {
        let name = name.chars().take(NAME).collect::<String>();
        let name = name.escape_debug().to_string();
        Error::Variable { name, reason }
    }

    /// One word for programs.
    fn kind(&self) -> &'static str {
        match self {
            Error::Unknown => "unknown_terminal",
            Error::SessionFull { .. } | Error::Full { .. } => "too_many_terminals",
            Error::Ended => "session_ended",
            Error::Unusable { .. } => "unusable_command",
            Error::Headless { .. } => "not_executable",
            Error::Directory { .. } => "directory",
            Error::Variable { .. } => "variable",
            Error::Temporary(_) => "temporary_files",
            Error::Confinement(_) => "sandbox",
            Error::TooLarge => "too_large",
            Error::Start(error) => start_kind(error),
            Error::Survivors { .. } => "survivors",
        }
    }

    fn code(&self) -> i32 {
        match self {
            Error::Unknown | Error::Ended => NOT_FOUND,
            Error::Unusable { .. }
            | Error::Headless { .. }
            | Error::Directory { .. }
            | Error::Variable { .. }
            | Error::TooLarge
            | Error::Start(
                process::Error::NotFound { .. }
                | process::Error::NotExecutable { .. }
                | process::Error::Directory { .. },
            ) => attache_rpc::Error::INVALID_PARAMS,
            Error::SessionFull { .. }
            | Error::Full { .. }
            | Error::Temporary(_)
            | Error::Confinement(_)
            | Error::Start(_)
            | Error::Survivors { .. } => attache_rpc::Error::INTERNAL,
        }
    }
}

impl From<Error> for attache_rpc::Error {
    fn from(error: Error) -> Self {
        let data = match &error {
            Error::SessionFull { limit } | Error::Full { limit } => {
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
