//! An append-only log of what was asked, decided, read, written and run. Each line holds the digest of the one before,
//! so that nothing can be changed or left out unseen. It never holds the content of a file or a secret.

mod chain;
mod fields;
mod head;
mod mask;
mod read;
#[cfg(test)]
mod tests;
mod verify;
mod writer;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::permissions::{Because, Question};
pub use crate::private::Error;
pub(crate) use mask::masked;
pub use read::{Entry, entries};
pub use verify::{Break, BreakKind, Report, verify};

use writer::Writer;

/// Something worth remembering.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Event<'a> {
    /// An agent was started.
    Started {
        /// Its name.
        agent: &'a str,
    },
    /// An agent asked for permission.
    Asked(&'a Question),
    /// A question was answered, by a rule or a person.
    Decided {
        /// The question.
        question: &'a Question,
        /// `Some(true)` allowed, `Some(false)` denied, `None` cancelled.
        is_allowed: Option<bool>,
        /// What decided.
        because: &'a Because,
    },
    /// A file was read.
    Read {
        /// Whose session.
        session: &'a str,
        /// Which file.
        path: PathBuf,
        /// How many bytes were given, or why none.
        outcome: Result<u64, String>,
    },
    /// A file was written.
    Wrote {
        /// Whose session.
        session: &'a str,
        /// Which file.
        path: PathBuf,
        /// How many bytes were written, or why none.
        outcome: Result<u64, String>,
    },
    /// A command was started.
    Ran {
        /// Whose session.
        session: &'a str,
        /// The command and its arguments.
        command: &'a [String],
        /// The terminal, or why there is none.
        outcome: Result<&'a str, String>,
    },
    /// A command ended.
    Ended {
        /// Whose session.
        session: &'a str,
        /// Which terminal.
        terminal: &'a str,
        /// Exit code or signal.
        how: String,
    },
}

/// The log, open for appending. Clones append to the same one, and several processes may do so at the same time.
///
/// Nothing is lost on the way: an event is in the file when [`append`](Log::append) returns, which takes some
/// tens of microseconds. It is not forced to the disk: it outlives the program, not a power failure.
#[derive(Debug, Clone, Default)]
pub struct Log(Option<Arc<Mutex<Open>>>);

#[derive(Debug)]
struct Open {
    writer: Writer,
    fault: Fault,
}

#[derive(Debug)]
enum Fault {
    None,
    New(String),
    Told,
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
        Log::rotating(dir, ROTATE_AT)
    }

    /// As [`open`](Log::open), with a new file once one has so many bytes.
    ///
    /// # Errors
    ///
    /// As [`open`](Log::open).
    pub fn rotating(dir: &Path, size: u64) -> Result<Log, Error> {
        let writer = Writer::open(dir, size)?;
        let fault = Fault::None;
        Ok(Log(Some(Arc::new(Mutex::new(Open { writer, fault })))))
    }

    /// Appends an event. A log that cannot be written any more says so once, through [`Log::fault`].
    pub fn append(&self, event: &Event<'_>) {
        let Some(open) = &self.0 else {
            return;
        };
        let mut open = open.lock().unwrap_or_else(PoisonError::into_inner);
        match open.writer.append(event.name(), &event.fields()) {
            Ok(()) => open.fault = Fault::None,
            Err(error) if matches!(open.fault, Fault::None) => {
                open.fault = Fault::New(error.to_string())
            }
            Err(_) => {}
        }
    }

    /// Why the log could not be written, once.
    pub fn fault(&self) -> Option<String> {
        let mut open = self
            .0
            .as_ref()?
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        match std::mem::replace(&mut open.fault, Fault::Told) {
            Fault::New(why) => Some(why),
            Fault::None => {
                open.fault = Fault::None;
                None
            }
            Fault::Told => None,
        }
    }
}

const ROTATE_AT: u64 = 8 * 1024 * 1024;
