//! Why a program did not start.

use std::io;
use std::path::PathBuf;

/// Why a program did not start. Nothing of it is left running.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no such program, or the interpreter its first line names is missing.
    #[error(
        "program `{}` was not found: install it, or check its name, the PATH it is given, and the interpreter in its first line",
        .program.display()
    )]
    NotFound {
        /// The program as it was named.
        program: PathBuf,
    },
    /// The file exists but cannot be executed.
    #[error("program `{}` cannot be executed ({source}): check its permissions and format", .program.display())]
    NotExecutable {
        /// The program as it was named.
        program: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The working directory cannot be entered.
    #[error("directory `{}` cannot be entered ({source}): create it, or choose another one to work in", .path.display())]
    Directory {
        /// The directory as it was named.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The system refused to start the program.
    #[error("program `{}` did not start: {source}", .program.display())]
    Start {
        /// The program as it was named.
        program: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The program could not be taken into custody, so it was not started.
    #[error("program `{}` was not started, as nothing can guard it: {source}", .program.display())]
    Custody {
        /// The program as it was named.
        program: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The program was to be confined and cannot be, so it was not started.
    #[error("program `{}` was not started, as it cannot be confined: {reason}", .program.display())]
    Sandbox {
        /// The program as it was named.
        program: PathBuf,
        /// What is missing.
        reason: String,
    },
    /// A place that was to be covered is no longer what it was, so the program was not started.
    #[error("program `{}` was not started, as a file or directory that it must not see was moved or replaced at that moment: try again", .program.display())]
    Moved {
        /// The program as it was named.
        program: PathBuf,
    },
    /// The program was to be watched and cannot be, so it was not started.
    #[error("program `{}` was not started, as the programs it executes cannot be watched: {reason}", .program.display())]
    Watch {
        /// The program as it was named.
        program: PathBuf,
        /// What is missing.
        reason: String,
    },
    /// A rule does not allow the program to be executed.
    #[error("program `{}` was not started: {why}", .program.display())]
    Denied {
        /// The program as it was named.
        program: PathBuf,
        /// The rule.
        why: String,
    },
    /// The call was not made inside a tokio runtime.
    #[error("no program can be started here: call spawn inside a tokio runtime")]
    NoRuntime,
}
