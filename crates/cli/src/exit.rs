//! How the program ends, for scripts.

use std::process::ExitCode;

use crate::text;

/// What happened, as an exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// All went well.
    Done = 0,
    /// The agent, the protocol or the machine failed, or the turn ended before its time.
    Failed = 1,
    /// The arguments make no sense.
    Usage = 2,
    /// The time was up.
    TimedOut = 3,
    /// There is no such session.
    NoSession = 4,
    /// The agent wanted to do something that was not allowed, and nothing else failed.
    Denied = 5,
    /// Somebody pressed Ctrl-C.
    Interrupted = 130,
    /// Nobody reads the answer any more.
    Unread = 141,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(exit as u8)
    }
}

/// Says on standard error what went wrong.
pub(crate) fn fail(exit: Exit, error: &anyhow::Error) -> Exit {
    eprintln!("{}", said(error));
    exit
}

/// What went wrong, in a line that cannot touch the terminal.
pub(crate) fn said(error: &anyhow::Error) -> String {
    format!("attache: {}", text::line(&format!("{error:#}")))
}
