//! How a child is stopped, and how it ended.

use std::fmt;
use std::time::Duration;

use attache_text::plain;

/// How long [`Child::stop`](super::Child::stop) waits after each step: first it closes standard input, then it sends
/// SIGTERM to the child's process group, then it kills everything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct StopTimeouts {
    /// How long to wait for the child to end after closing its standard input.
    pub after_close: Duration,
    /// How long to wait for the child to end after SIGTERM.
    pub after_term: Duration,
}

impl StopTimeouts {
    /// These times after closing standard input and after SIGTERM.
    pub const fn new(after_close: Duration, after_term: Duration) -> StopTimeouts {
        StopTimeouts {
            after_close,
            after_term,
        }
    }
}

impl Default for StopTimeouts {
    fn default() -> StopTimeouts {
        StopTimeouts {
            after_close: Duration::from_secs(1),
            after_term: Duration::from_secs(2),
        }
    }
}

/// The step of [`Child::stop`](super::Child::stop) that ended a child.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum StopStep {
    /// No step: the child ended on its own.
    Own,
    /// Closing the child's standard input.
    Close,
    /// Sending SIGTERM.
    Term,
    /// Sending SIGKILL.
    Kill,
}

/// How the child's own process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitStatus {
    /// The child exited with this code.
    Exited(i32),
    /// The child was killed by a signal.
    Signaled(Signal),
    /// The guard was killed, and the child with it. Processes that the child had started may still run.
    Lost,
}

/// The number of a signal that killed a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Signal(pub i32);

/// How a child ended. Printed, it reads `agent exited with 127: sh: node: not found`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ChildExit {
    /// How the child's own process ended.
    pub status: ExitStatus,
    /// The step that ended the child.
    pub step: StopStep,
    /// The last output of the child on standard error, made safe to print.
    pub stderr: String,
    /// The number of processes in the child's tree that could not be killed, for example because they run as another user.
    pub survivors: u32,
}

impl fmt::Display for ChildExit {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "agent {}", self.status)?;
        match self.survivors {
            0 => {}
            1 => out.write_str(", 1 process of it could not be ended")?,
            count => write!(out, ", {count} processes of it could not be ended")?,
        }
        if self.status != ExitStatus::Exited(0) && self.step < StopStep::Term {
            let words = plain::last_lines(&self.stderr, LINES);
            if !words.is_empty() {
                write!(out, ": {words}")?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for ExitStatus {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ExitStatus::Exited(code) => write!(out, "exited with {code}"),
            ExitStatus::Signaled(signal) => write!(out, "was ended by {signal}"),
            ExitStatus::Lost => out.write_str("was lost: its guard was killed"),
        }
    }
}

impl fmt::Display for Signal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => out.write_str(name),
            None => write!(out, "signal {}", self.0),
        }
    }
}

impl Signal {
    /// The name of the signal, if it is one that commonly kills a process.
    pub fn name(self) -> Option<&'static str> {
        let name = match self.0 {
            1 => "SIGHUP",
            2 => "SIGINT",
            3 => "SIGQUIT",
            4 => "SIGILL",
            5 => "SIGTRAP",
            6 => "SIGABRT",
            8 => "SIGFPE",
            9 => "SIGKILL",
            11 => "SIGSEGV",
            13 => "SIGPIPE",
            14 => "SIGALRM",
            15 => "SIGTERM",
            7 if LINUX => "SIGBUS",
            10 if LINUX => "SIGUSR1",
            12 if LINUX => "SIGUSR2",
            16 if LINUX => "SIGSTKFLT",
            24 if LINUX => "SIGXCPU",
            25 if LINUX => "SIGXFSZ",
            26 if LINUX => "SIGVTALRM",
            27 if LINUX => "SIGPROF",
            29 if LINUX => "SIGIO",
            30 if LINUX => "SIGPWR",
            31 if LINUX => "SIGSYS",
            _ => return None,
        };
        Some(name)
    }
}

const LINES: usize = 3;
const LINUX: bool = cfg!(target_os = "linux");

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::{ChildExit, ExitStatus, Signal, StopStep};

    fn check(status: ExitStatus, step: StopStep, stderr: &str, survivors: u32, expected: &Expect) {
        let stderr = stderr.to_owned();
        let exit = ChildExit {
            status,
            step,
            stderr,
            survivors,
        };
        expected.assert_eq(&exit.to_string());
    }

    #[test]
    fn a_failure_shows_the_last_lines_of_stderr() {
        check(
            ExitStatus::Exited(127),
            StopStep::Own,
            "starting\n\nsh: node: not found\n",
            0,
            &expect!["agent exited with 127: starting | sh: node: not found"],
        );
        check(
            ExitStatus::Signaled(Signal(11)),
            StopStep::Own,
            "",
            0,
            &expect!["agent was ended by SIGSEGV"],
        );
    }

    #[test]
    fn a_requested_stop_does_not_show_stderr() {
        let noise = "shutting down\n";
        check(
            ExitStatus::Exited(0),
            StopStep::Close,
            noise,
            0,
            &expect!["agent exited with 0"],
        );
        check(
            ExitStatus::Signaled(Signal(9)),
            StopStep::Kill,
            noise,
            2,
            &expect!["agent was ended by SIGKILL, 2 processes of it could not be ended"],
        );
    }
}
