//! How the program ends, for scripts.

use std::process::ExitCode;

use attache::process::ExitStatus;

use crate::text;

/// What happened, as an exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// All went well.
    Done,
    /// The agent, the protocol or the machine failed, or the turn ended before its time.
    Failed,
    /// The arguments make no sense.
    Usage,
    /// The time was up.
    TimedOut,
    /// There is no such session.
    NoSession,
    /// The agent wanted to do something that was not allowed, and nothing else failed.
    Denied,
    /// Somebody pressed Ctrl-C.
    Interrupted,
    /// Nobody reads the answer any more.
    Unread,
    /// As the agent that we stood in for.
    Code(u8),
}

/// The program's own code; of a signal what a shell makes of it.
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

/// Says on standard error what went wrong.
pub(crate) fn fail(exit: Exit, error: &anyhow::Error) -> Exit {
    crate::print::note!("{}", error_line(error));
    exit
}

/// What went wrong, in a line that cannot touch the terminal.
pub(crate) fn error_line(error: &anyhow::Error) -> String {
    format!("attache: {}", text::line(&format!("{error:#}")))
}
