//! An append-only log of what was asked, decided, read, written and run. Each line holds the digest of the one before,
//! so that nothing can be changed or left out unseen. It never holds the content of a file or a secret.

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

use crate::permissions::{Action, Reason, Scope};
pub use attache_disk::private::Error;
pub use log_files::{LogEntry, entries};
pub use verify::{ChainBreak, ChainBreakKind, LogReport, verify};

use queue::EventQueue;
use record::EventRecord;
use writer::LogWriter;

/// Something worth remembering.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Event<'a> {
    /// An agent was started.
    Started {
        /// Its name.
        agent: &'a str,
    },
    /// A login of the agent's ran on the user's terminal, or could not.
    LoggedIn {
        /// The agent's name.
        agent: &'a str,
        /// The program and its arguments.
        command: &'a [String],
        /// The names of the variables that the agent has it get.
        variables: &'a [String],
        /// How it ended.
        outcome: &'a str,
    },
    /// An agent asked for permission.
    Asked(&'a Action),
    /// A question was answered, by a rule or a person.
    Decided {
        /// The question.
        action: &'a Action,
        /// `Some(true)` allowed, `Some(false)` denied, `None` cancelled.
        is_allowed: Option<bool>,
        /// What decided.
        reason: &'a Reason,
        /// How far the user's answer reaches; nothing where a rule decided, or nobody.
        answer: Option<UserAnswer<'a>>,
    },
    /// The user took a decision back, or tried to.
    Undone {
        /// The id of the decision, as [`UserAnswer::id`] has it.
        id: &'a str,
        /// The agent's name.
        agent: &'a str,
        /// Whose session, where the decision was about one.
        session: Option<&'a str>,
        /// What had been decided on; nothing where the decision is no longer known.
        subject: Option<&'a str>,
        /// Whether it still counted.
        was_in_force: bool,
    },
    /// A file was read.
    Read {
        /// The agent's name; none where nobody has told it.
        agent: &'a str,
        /// Whose session.
        session: &'a str,
        /// Which file.
        path: PathBuf,
        /// How many bytes were given, or why none.
        outcome: Result<u64, String>,
    },
    /// A file was written.
    Wrote {
        /// The agent's name; none where nobody has told it.
        agent: &'a str,
        /// Whose session.
        session: &'a str,
        /// Which file.
        path: PathBuf,
        /// How many bytes were written, or why none.
        outcome: Result<u64, String>,
    },
    /// A command was started.
    Ran {
        /// The agent's name; none where nobody has told it.
        agent: &'a str,
        /// Whose session.
        session: &'a str,
        /// The command and its arguments.
        command: &'a [String],
        /// The terminal, or why there is none.
        outcome: Result<&'a str, String>,
    },
    /// A program was executed by the agent or one of its commands, or was not. This is what really ran.
    Executed {
        /// The agent's name.
        agent: &'a str,
        /// Whose session, for a command in a terminal of ours.
        session: Option<&'a str>,
        /// The program, its arguments, directory and parents.
        exec: &'a ExecRecord,
        /// What became of it: `ran`, `asked`, `denied` or `killed`.
        outcome: &'static str,
        /// The rule, or something worth knowing.
        reason: Option<&'a str>,
    },
    /// A command ended.
    Ended {
        /// The agent's name; none where nobody has told it.
        agent: &'a str,
        /// Whose session.
        session: &'a str,
        /// Which terminal.
        terminal: &'a str,
        /// Exit code or signal.
        outcome: String,
    },
}

/// What a user's answer says beyond yes and no.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UserAnswer<'a> {
    /// How far it reaches.
    pub reach: AnswerReach,
    /// When it ends, where the user chose that.
    pub expires: Option<SystemTime>,
    /// The option of the agent that it gets, by the agent's name for it.
    pub option: Option<&'a str>,
    /// Names the decision where it can be undone.
    pub id: Option<&'a str>,
}

/// How far a user's answer reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnswerReach {
    /// We remember it so far.
    Scope(Scope),
    /// The agent remembers it, by rules of its own.
    Agent,
}

/// The log, open for appending. Clones append to the same one, and several processes may do so at the same time.
///
/// Nothing is lost on the way: an event is in the file when [`append`](Log::append) returns, which takes some
/// tens of microseconds, unless the disk is slow. With a log [`in_background`](Log::in_background) it is there when
/// [`settle`](Log::settle) returns. An event is not forced to the disk: it outlives the program, not a power failure.
#[derive(Debug, Clone, Default)]
pub struct Log(Option<Arc<LogSink>>);

/// How events come into the file.
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
    /// A log that keeps nothing.
    pub fn none() -> Log {
        Log::default()
    }

    /// Opens the log in a directory, which is made if it is missing.
    ///
    /// # Errors
    ///
    /// When the directory or a file in it cannot be used, or others may change it.
    pub fn open(dir: &Path) -> Result<Log, Error> {
        Log::limited(dir, ROTATE_AT, MOST_FILES)
    }

    /// As [`open`](Log::open), with a new file once one has so many bytes, and at most so many files: then the oldest goes.
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
        Log(Some(Arc::new(sink)))
    }

    /// The same log, written by a thread of its own in the order of the events. At most 8 MiB wait; what comes while there
    /// is no room is counted, and the log says how many are missing. Whoever drops the last clone waits until all is
    /// written, or for a few seconds if the disk hangs.
    ///
    /// # Errors
    ///
    /// The log as it was, when it has clones.
    pub fn in_background(self) -> Result<Log, Log> {
        let Some(sink) = self.0 else {
            return Ok(Log::none());
        };
        match Arc::try_unwrap(sink) {
            Ok(LogSink::Direct(open)) => {
                let open = open.into_inner().unwrap_or_else(PoisonError::into_inner);
                Ok(Log::with_sink(LogSink::Queued(EventQueue::start(
                    open.writer,
                ))))
            }
            Ok(queued) => Ok(Log::with_sink(queued)),
            Err(shared) => Err(Log(Some(shared))),
        }
    }

    /// Appends an event. A log that cannot be written any more says so once, through [`Log::fault`].
    pub fn append(&self, event: &Event<'_>) {
        match self.0.as_deref() {
            Some(LogSink::Direct(open)) => {
                let mut open = lock(open);
                let appended = open.writer.append(&EventRecord::of(event));
                open.fault.record(appended);
            }
            Some(LogSink::Queued(queue)) => queue.push(EventRecord::of(event)),
            None => {}
        }
    }

    /// Whether [`settle`](Log::settle) would return at once.
    pub fn is_settled(&self) -> bool {
        match self.0.as_deref() {
            Some(LogSink::Queued(queue)) => queue.is_settled(),
            Some(LogSink::Direct(_)) | None => true,
        }
    }

    /// Waits until everything is written that was appended before, so that what is done next cannot be known while this is
    /// not. A disk that hangs is waited for a few seconds, and then no longer until it has moved.
    pub fn settle(&self) {
        if let Some(LogSink::Queued(queue)) = self.0.as_deref() {
            queue.settle();
        }
    }

    /// Waits until everything that was appended is written, and only so long.
    pub fn flush(&self, patience: Duration) {
        if let Some(LogSink::Queued(queue)) = self.0.as_deref() {
            queue.flush(patience);
        }
    }

    /// Why the log could not be written, once.
    pub fn fault(&self) -> Option<String> {
        match self.0.as_deref()? {
            LogSink::Direct(open) => lock(open).fault.report(),
            LogSink::Queued(queue) => queue.fault(),
        }
    }
}

impl WriteFault {
    /// What came of writing an event.
    fn record(&mut self, appended: Result<(), Error>) {
        match appended {
            Ok(()) => *self = WriteFault::None,
            Err(error) if matches!(self, WriteFault::None) => {
                *self = WriteFault::Unreported(error.to_string())
            }
            Err(_) => {}
        }
    }

    /// Why events could not be written, once.
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
