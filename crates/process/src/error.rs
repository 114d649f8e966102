//! Errors of starting a program.

use std::io;
use std::path::PathBuf;

/// Why a program did not start. No process of it is left running.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The program, or the interpreter named in its first line, does not exist.
    #[error(
        "program `{}` was not found: install it, or check its name, the PATH it is given, and the interpreter in its first line",
        .program.display()
    )]
    NotFound {
        /// The program, as the caller named it.
        program: PathBuf,
    },
    /// The file exists but cannot be executed.
    #[error("program `{}` cannot be executed ({source}): check its permissions and format", .program.display())]
    NotExecutable {
        /// The program, as the caller named it.
        program: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The program's working directory cannot be entered.
    #[error("directory `{}` cannot be entered ({source}): create it, or choose another one to work in", .path.display())]
    Directory {
        /// The directory, as the caller named it.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The system refused to start the program.
    #[error("program `{}` did not start: {source}", .program.display())]
    Start {
        /// The program, as the caller named it.
        program: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The program's process tree could not be supervised, so the program was not started.
    #[error("program `{}` was not started, because its processes could not be supervised: {source}", .program.display())]
    Custody {
        /// The program, as the caller named it.
        program: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// This system cannot confine the program as requested, so the program was not started.
    #[error("program `{}` was not started, because it cannot be confined: {reason}", .program.display())]
    Sandbox {
        /// The program, as the caller named it.
        program: PathBuf,
        /// The reason, in words for the user.
        reason: String,
    },
    /// A file or directory that had to be covered was moved or replaced meanwhile, so the program was not started.
    #[error("program `{}` was not started, because a file or directory that it must not see was moved or replaced at that moment: try again", .program.display())]
    Moved {
        /// The program, as the caller named it.
        program: PathBuf,
    },
    /// This system cannot watch what the program executes, so the program was not started.
    #[error("program `{}` was not started, because the programs it executes cannot be watched: {reason}", .program.display())]
    Watch {
        /// The program, as the caller named it.
        program: PathBuf,
        /// The reason, in words for the user.
        reason: String,
    },
    /// An exec rule denies the program.
    #[error("program `{}` was not started: {why}", .program.display())]
    Denied {
        /// The program, as the caller named it.
        program: PathBuf,
        /// The rule that denies the program, in words for the user.
        why: String,
    },
    /// The call was not made within a tokio runtime.
    #[error("no program can be started here: call spawn inside a tokio runtime")]
    NoRuntime,
}
