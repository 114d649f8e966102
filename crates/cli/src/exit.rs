//! Exit codes, for scripts.

use std::process::ExitCode;

use attache::process::ExitStatus;

use crate::text;

/// The exit code of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Success.
    Done,
    /// The agent, the protocol or the system failed, or the turn stopped early.
    Failed,
    /// The arguments are invalid.
    Usage,
    /// The time limit was reached.
    TimedOut,
    /// The session does not exist.
    NoSession,
    /// An action of the agent was denied, and nothing else failed.
    Denied,
    /// The user pressed Ctrl-C.
    Interrupted,
    /// The reader of standard output has closed it.
    Unread,
    /// The exit code of a program that was run for the user.
    Code(u8),
}

/// The program's exit code; after a signal, the code that a shell would report.
impl From<ExitStatus> for Exit {
    fn from(status: ExitStatus) -> Self {
        Exit::Code(match status {
            ExitStatus::Exited(code) => u8::try_from(code & 0xff).unwrap_or(1),
            ExitStatus::Signaled(signal) => u8::try_from(signal.0).map_or(1, |signal| signal | 128),
            ExitStatus::Lost => 1,
        })
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(match exit {
            Exit::Done => 0,
            Exit::Failed => 1,
            Exit::Usage => 2,
            Exit::TimedOut => 3,
            Exit::NoSession => 4,
            Exit::Denied => 5,
            Exit::Interrupted => 130,
            Exit::Unread => 141,
            Exit::Code(code) => code,
        })
    }
}

/// Prints an error on standard error.
pub(crate) fn fail(exit: Exit, error: &anyhow::Error) -> Exit {
    crate::print::note!("{}", error_line(error));
    exit
}

/// An error on one line that is safe for a terminal.
pub(crate) fn error_line(error: &anyhow::Error) -> String {
    format!("attache: {}", text::line(&format!("{error:#}")))
}
