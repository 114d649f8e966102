//! An append-only audit log of permission requests, decisions, file reads, file writes and commands. Each line contains
//! the digest of the line before, so a change or a gap is detected. The log never contains file contents or secrets.

mod chain;
mod log_files;
mod queue;
mod record;
#[cfg(test)]
mod tests;
mod verify;
mod writer;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use attache_process::ExecRecord;

use crate::environment::WithheldValues;
use crate::permissions::{Action, Reason, Scope};
pub use attache_disk::private::Error;
pub use log_files::{LogEntry, entries};
pub use verify::{ChainBreak, ChainBreakKind, LogReport, verify};

use queue::EventQueue;
use record::EventRecord;
use writer::LogWriter;

/// An event for the audit log.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Event<'a> {
    /// An agent was started.
    Started {
        /// The agent's name.
        agent: &'a str,
    },
    /// The agent's login ran on the user's terminal, or could not start.
    LoggedIn {
        /// The agent's name.
        agent: &'a str,
        /// The program and its arguments.
        command: &'a [String],
        /// The names of the variables that the agent sets for the login.
        variables: &'a [String],
        /// How the login ended.
        outcome: &'a str,
    },
    /// An agent asked for permission.
    Asked(&'a Action),
    /// A permission request was decided, by a rule or by the user.
    Decided {
        /// The action that the request was about.
        action: &'a Action,
        /// `Some(true)` allowed, `Some(false)` denied, `None` cancelled.
        is_allowed: Option<bool>,
        /// Why: the rule, the preset or the user's answer.
        reason: &'a Reason,
        /// The user's answer; `None` if a rule decided or the request was cancelled.
        answer: Option<UserAnswer<'a>>,
    },
    /// The user revoked a decision, or tried to.
    Undone {
        /// The id of the decision, see [`UserAnswer::id`].
        id: &'a str,
        /// The agent's name.
        agent: &'a str,
        /// The session, if the decision was for one session.
        session: Option<&'a str>,
        /// A summary of the action that was decided on; `None` if the decision no longer exists.
        subject: Option<&'a str>,
        /// Whether the decision was still in force.
        was_in_force: bool,
    },
    /// A file was read.
    Read {
        /// The agent's name; empty if it is unknown.
        agent: &'a str,
        /// The session.
        session: &'a str,
        /// The file.
        path: PathBuf,
        /// The number of bytes returned, or the error.
        outcome: Result<u64, String>,
    },
    /// A file was written.
    Wrote {
        /// The agent's name; empty if it is unknown.
        agent: &'a str,
        /// The session.
        session: &'a str,
        /// The file.
        path: PathBuf,
        /// The number of bytes written, or the error.
        outcome: Result<u64, String>,
    },
    /// A command was started.
    Ran {
        /// The agent's name; empty if it is unknown.
        agent: &'a str,
        /// The session.
        session: &'a str,
        /// The command and its arguments.
        command: &'a [String],
        /// The id of the terminal, or the error.
        outcome: Result<&'a str, String>,
    },
    /// The agent or one of its commands executed a program, or was kept from it. Reported by the kernel, so it is what
    /// really ran.
    Executed {
        /// The agent's name.
        agent: &'a str,
        /// The session, if the program belongs to one of our terminals.
        session: Option<&'a str>,
        /// The program, its arguments, directory and parents.
        exec: &'a ExecRecord,
        /// The outcome: `ran`, `asked`, `denied` or `killed`.
        outcome: &'static str,
        /// The rule that decided, or a remark.
        reason: Option<&'a str>,
    },
    /// A command ended.
    Ended {
        /// The agent's name; empty if it is unknown.
        agent: &'a str,
        /// The session.
        session: &'a str,
        /// The terminal.
        terminal: &'a str,
        /// The exit code or signal.
        outcome: String,
    },
}

/// The details of a user's answer to a permission request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UserAnswer<'a> {
    /// How long and for what the answer counts.
    pub reach: AnswerReach,
    /// When the decision expires, if the user chose an expiry.
    pub expires: Option<SystemTime>,
    /// The name of the agent's option that was selected.
    pub option: Option<&'a str>,
    /// The id of the decision, if it can be revoked.
    pub id: Option<&'a str>,
}

/// Who remembers a user's answer, and for how long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnswerReach {
    /// We remember the answer for this scope.
    Scope(Scope),
    /// The agent remembers the answer by its own rules.
    Agent,
}

/// The audit log, open for appending. Clones append to the same log, and several processes can append to it at the same
/// time.
///
/// An event is in the file when [`append`](Log::append) returns, which takes some tens of microseconds unless the disk
/// is slow. For a log [`in_background`](Log::in_background) the event is in the file when [`settle`](Log::settle)
/// returns. Events are not flushed to the disk: they survive a crash of the program, not a power failure.
#[derive(Debug, Clone, Default)]
pub struct Log {
    sink: Option<Arc<LogSink>>,
    withheld: WithheldValues,
}

/// How events get into the file.
#[derive(Debug)]
enum LogSink {
    Direct(Mutex<DirectWriter>),
    Queued(EventQueue),
}

#[derive(Debug)]
struct DirectWriter {
    writer: LogWriter,
    fault: WriteFault,
}

#[derive(Debug, Default)]
enum WriteFault {
    #[default]
    None,
    Unreported(String),
    Reported,
}

impl Log {
    /// A log that drops every event.
    pub fn none() -> Log {
        Log::default()
    }

    /// Opens the log in a directory, and creates the directory if it is missing.
    ///
    /// # Errors
    ///
    /// When the directory or a file in it cannot be used, or others may change it.
    pub fn open(dir: &Path) -> Result<Log, Error> {
        Log::limited(dir, ROTATE_AT, MOST_FILES)
    }

    /// Like [`open`](Log::open), with limits: a new file starts once the current one reaches `size` bytes, and the
    /// oldest file is removed when there would be more than `files`.
    ///
    /// # Errors
    ///
    /// As [`open`](Log::open).
    pub fn limited(dir: &Path, size: u64, files: usize) -> Result<Log, Error> {
        let writer = LogWriter::open(dir, size, files.max(2))?;
        let fault = WriteFault::None;
        Ok(Log::with_sink(LogSink::Direct(Mutex::new(DirectWriter {
            writer,
            fault,
        }))))
    }

    fn with_sink(sink: LogSink) -> Log {
        Log {
            sink: Some(Arc::new(sink)),
            withheld: WithheldValues::default(),
        }
    }

    /// The same log, in which these values are replaced wherever an event contains one.
    #[must_use]
    pub fn without_values(self, withheld: WithheldValues) -> Log {
        Log { withheld, ..self }
    }

    /// The same log, written in order by a background thread. At most 8 MiB of events wait; further events are dropped,
    /// and the log records how many. Dropping the last clone waits until everything is written, but only a few seconds
    /// if the disk hangs.
    ///
    /// # Errors
    ///
    /// Returns the log unchanged if it has clones.
    pub fn in_background(self) -> Result<Log, Log> {
        let Log { sink, withheld } = self;
        let Some(sink) = sink else {
            return Ok(Log::none());
        };
        match Arc::try_unwrap(sink) {
            Ok(LogSink::Direct(open)) => {
                let open = open.into_inner().unwrap_or_else(PoisonError::into_inner);
                let queue = EventQueue::start(open.writer);
                Ok(Log::with_sink(LogSink::Queued(queue)).without_values(withheld))
            }
            Ok(queued) => Ok(Log::with_sink(queued).without_values(withheld)),
            Err(shared) => Err(Log {
                sink: Some(shared),
                withheld,
            }),
        }
    }

    /// Appends an event. [`Log::fault`] reports once why the log cannot be written.
    pub fn append(&self, event: &Event<'_>) {
        match self.sink.as_deref() {
            Some(LogSink::Direct(open)) => {
                let mut open = lock(open);
                let appended = open.writer.append(&EventRecord::of(event, &self.withheld));
                open.fault.record(appended);
            }
            Some(LogSink::Queued(queue)) => queue.push(EventRecord::of(event, &self.withheld)),
            None => {}
        }
    }

    /// Whether [`settle`](Log::settle) would return at once.
    pub fn is_settled(&self) -> bool {
        match self.sink.as_deref() {
            Some(LogSink::Queued(queue)) => queue.is_settled(),
            Some(LogSink::Direct(_)) | None => true,
        }
    }

    /// Waits until all events appended so far are written, so that nothing happens before its event is recorded. If the
    /// disk hangs, the wait ends after a few seconds, and later calls do not wait until the disk responds again.
    pub fn settle(&self) {
        if let Some(LogSink::Queued(queue)) = self.sink.as_deref() {
            queue.settle();
        }
    }

    /// Waits until all events appended so far are written, at most this long.
    pub fn flush(&self, patience: Duration) {
        if let Some(LogSink::Queued(queue)) = self.sink.as_deref() {
            queue.flush(patience);
        }
    }

    /// Why the log could not be written. Each fault is returned once.
    pub fn fault(&self) -> Option<String> {
        match self.sink.as_deref()? {
            LogSink::Direct(open) => lock(open).fault.report(),
            LogSink::Queued(queue) => queue.fault(),
        }
    }
}

impl WriteFault {
    /// Records whether an event could be written.
    fn record(&mut self, appended: Result<(), Error>) {
        match appended {
            Ok(()) => *self = WriteFault::None,
            Err(error) if matches!(self, WriteFault::None) => {
                *self = WriteFault::Unreported(error.to_string())
            }
            Err(_) => {}
        }
    }

    /// Returns an unreported fault and marks it as reported.
    fn report(&mut self) -> Option<String> {
        match std::mem::replace(self, WriteFault::Reported) {
            WriteFault::Unreported(why) => Some(why),
            WriteFault::None => {
                *self = WriteFault::None;
                None
            }
            WriteFault::Reported => None,
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

const ROTATE_AT: u64 = 8 * 1024 * 1024;
const MOST_FILES: usize = 32;
