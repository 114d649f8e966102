//! The only thread of this process that writes. It takes a batch from the queue and writes it in one transaction.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode, Statement, Transaction, TransactionBehavior};
use tokio::sync::oneshot;

use super::journal::OpenSession;
use super::queue::{PendingEntry, QueueBatch, WriteQueue, WriterTask};
use super::run::Packer;
use super::session_lock_file::SessionLockFile;
use super::{Error, rows};

/// The writer, with the entries it has taken from the queue.
pub(super) struct Writer {
    queue: Arc<WriteQueue>,
    db: Connection,
    /// Entries that are not on disk yet, by session. Entries that could not be written stay for the next attempt.
    unwritten: BTreeMap<i64, UnwrittenEntries>,
    /// Sessions whose runs are to be removed.
    to_sweep: VecDeque<i64>,
    packer: Packer,
    /// Why the unwritten entries could not be written.
    fault: Option<Error>,
    /// When the next transaction may begin.
    next_transaction: Instant,
}

struct UnwrittenEntries {
    session: OpenSession,
    entries: Vec<PendingEntry>,
}

/// A reply to send once the entries before it are on disk.
enum Acknowledgement {
    Flush(Option<OpenSession>, oneshot::Sender<Result<(), Error>>),
    Release(
        OpenSession,
        SessionLockFile,
        Option<oneshot::Sender<Result<(), Error>>>,
    ),
}

/// Why a transaction failed, and the session that caused it, if it was one.
struct TransactionError {
    error: Error,
    session: Option<i64>,
}

impl Writer {
    pub(super) fn new(queue: Arc<WriteQueue>, db: Connection, to_sweep: VecDeque<i64>) -> Writer {
        Writer {
            queue,
            db,
            unwritten: BTreeMap::new(),
            to_sweep,
            packer: Packer::default(),
            fault: None,
            next_transaction: Instant::now(),
        }
    }

    /// Runs until the last handle of the store is dropped.
    pub(super) fn run(mut self) {
        loop {
            match self.queue.take(self.patience()) {
                QueueBatch::Items(items) => self.work(items),
                QueueBatch::Nothing if self.unwritten.is_empty() => self.sweep(),
                QueueBatch::Nothing => self.write_all(),
                QueueBatch::End => return,
            }
        }
    }

    fn patience(&self) -> Option<Duration> {
        if !self.unwritten.is_empty() {
            Some(RETRY)
        } else if !self.to_sweep.is_empty() {
            Some(Duration::ZERO)
        } else {
            None
        }
    }

    fn work(&mut self, items: Vec<WriterTask>) {
        self.pause_for_others();
        let mut acknowledgements = Vec::new();
        let mut jobs = Vec::new();
        for item in items {
            match item {
                WriterTask::Entry(session, entry) => self.add_unwritten(session, entry),
                WriterTask::Flush(session, reply) => {
                    acknowledgements.push(Acknowledgement::Flush(session, reply))
                }
                WriterTask::Release(session, lock, reply) => {
                    acknowledgements.push(Acknowledgement::Release(session, lock, reply))
                }
                WriterTask::Job(job) => jobs.push(job),
                WriterTask::Sweep(number) => self.to_sweep.push_back(number),
            }
        }
        self.write_all();
        for acknowledgement in acknowledgements {
            self.answer(acknowledgement);
        }
        for job in jobs {
            job(&mut self.db);
        }
        self.next_transaction = Instant::now() + PAUSE_FOR_OTHERS;
    }

    /// Pauses between two transactions, so that other processes can begin theirs.
    fn pause_for_others(&self) {
        thread::sleep(
            self.next_transaction
                .saturating_duration_since(Instant::now()),
        );
    }

    fn add_unwritten(&mut self, session: OpenSession, entry: PendingEntry) {
        let unwritten =
            self.unwritten
                .entry(session.number())
                .or_insert_with(|| UnwrittenEntries {
                    session,
                    entries: Vec::new(),
                });
        unwritten.entries.push(entry);
    }

    /// Writes all unwritten entries. On failure, those that nobody waits for are kept; callers that wait get the error.
    fn write_all(&mut self) {
        while !self.unwritten.is_empty() {
            match self.transact() {
                Ok(()) => {
                    let written = std::mem::take(&mut self.unwritten);
                    self.settle(written.values().map(UnwrittenEntries::cost).sum());
                    written.into_values().for_each(UnwrittenEntries::written);
                }
                Err(TransactionError {
                    error,
                    session: Some(number),
                }) => {
                    let Some(unwritten) = self.unwritten.remove(&number) else {
                        return;
                    };
                    self.settle(unwritten.cost());
                    unwritten.session.fail_writes(error.clone());
                    unwritten.refused(&error);
                }
                Err(TransactionError { error, .. }) => return self.postpone(error),
            }
        }
    }

    fn transact(&mut self) -> Result<(), TransactionError> {
        let change = self
            .db
            .transaction_with_behavior(TransactionBehavior::Immediate)?;
        {
            let mut insert = change.prepare_cached(rows::INSERT_RUN)?;
            for (number, unwritten) in &self.unwritten {
                let inserted = insert_runs(&mut insert, &mut self.packer, unwritten);
                inserted.map_err(|error| TransactionError::of(error, *number))?;
                unwritten.touch(&change)?;
            }
        }
        change.commit()?;
        Ok(())
    }

    fn postpone(&mut self, error: Error) {
        let mut refused = Vec::new();
        self.unwritten.retain(|_, unwritten| {
            refused.extend(
                unwritten
                    .entries
                    .extract_if(.., |entry| entry.ack.is_some()),
            );
            !unwritten.entries.is_empty()
        });
        self.fault = Some(error.clone());
        // Set the state first, so that callers that get the error see it.
        self.settle(refused.iter().map(PendingEntry::cost).sum());
        for entry in refused {
            entry.answer(Err(error.clone()));
        }
    }

    /// Releases the bytes of written or refused entries. New entries are refused while older ones can't be written.
    fn settle(&mut self, bytes: usize) {
        if self.unwritten.is_empty() {
            self.fault = None;
        }
        self.queue.settle(bytes, self.fault.clone());
    }

    fn answer(&mut self, acknowledgement: Acknowledgement) {
        match acknowledgement {
            Acknowledgement::Flush(session, reply) => {
                let is_held = match &session {
                    Some(session) => self.unwritten.contains_key(&session.number()),
                    None => !self.unwritten.is_empty(),
                };
                reply.send(self.outcome(is_held)).ok();
            }
            Acknowledgement::Release(session, lock, reply) => {
                let lost = self.unwritten.remove(&session.number());
                let outcome = self.outcome(lost.is_some());
                if let Some(lost) = lost {
                    self.settle(lost.cost());
                }
                drop(lock);
                if let Some(reply) = reply {
                    reply.send(outcome).ok();
                }
            }
        }
    }

    fn outcome(&self, is_held: bool) -> Result<(), Error> {
        match &self.fault {
            Some(fault) if is_held => Err(fault.clone()),
            _ => Ok(()),
        }
    }

    /// Removes a few runs of a deleted session, so few that nobody waits long. Opening the store retries a failure.
    fn sweep(&mut self) {
        let Some(number) = self.to_sweep.front() else {
            return;
        };
        self.pause_for_others();
        if !matches!(
            rows::sweep(&mut self.db, *number),
            Ok(rows::SweepProgress::Some)
        ) {
            self.to_sweep.pop_front();
        }
        self.next_transaction = Instant::now() + PAUSE_FOR_OTHERS;
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.queue.abandon();
    }
}

impl UnwrittenEntries {
    fn cost(&self) -> usize {
        self.entries.iter().map(PendingEntry::cost).sum()
    }

    /// Moves the session to the front of the list only for committed entries, not for each appended one.
    fn touch(&self, change: &Transaction<'_>) -> Result<(), rusqlite::Error> {
        let last = self.entries.iter().rfind(|entry| entry.ack.is_some());
        match last {
            Some(entry) => rows::touch(change, self.session.number(), entry.at),
            None => Ok(()),
        }
    }

    fn written(self) {
        let first = self.session.next();
        self.session.set_next(first + self.entries.len() as u64);
        for (seq, entry) in (first..).zip(self.entries) {
            entry.answer(Ok(seq));
        }
    }

    fn refused(self, error: &Error) {
        for entry in self.entries {
            entry.answer(Err(error.clone()));
        }
    }
}

impl TransactionError {
    /// An entry number that exists already is an error of this session only: another process wrote without its lock.
    fn of(error: rusqlite::Error, number: i64) -> TransactionError {
        match error.sqlite_error_code() {
            Some(ErrorCode::ConstraintViolation) => TransactionError {
                error: Error::damaged("the journal of the session was written by somebody else"),
                session: Some(number),
            },
            _ => error.into(),
        }
    }
}

impl From<rusqlite::Error> for TransactionError {
    fn from(error: rusqlite::Error) -> TransactionError {
        TransactionError {
            error: error.into(),
            session: None,
        }
    }
}

fn insert_runs(
    insert: &mut Statement<'_>,
    packer: &mut Packer,
    unwritten: &UnwrittenEntries,
) -> Result<(), rusqlite::Error> {
    let number = unwritten.session.number();
    packer.begin(unwritten.session.next());
    for (seq, entry) in (unwritten.session.next()..).zip(&unwritten.entries) {
        if packer.ends_before(entry.kind, &entry.body) {
            rows::insert_run(insert, number, packer)?;
            packer.begin(seq);
        }
        packer.push(entry.kind, entry.at, &entry.body);
    }
    rows::insert_run(insert, number, packer)
}

/// How soon a failed write is retried, if nothing else triggers it before.
const RETRY: Duration = Duration::from_millis(250);
/// Longer than the interval at which another process retries.
const PAUSE_FOR_OTHERS: Duration = Duration::from_micros(500);
