//! The one thread of this process that writes: it takes what has gathered and puts it on disk in one transaction.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode, Statement, Transaction, TransactionBehavior};
use tokio::sync::oneshot;

use super::journal::Seat;
use super::lock::Lock;
use super::queue::{Item, Queue, Taken, Waiting};
use super::run::Packer;
use super::{Error, rows};

/// The writer and what it has taken from the queue.
pub(super) struct Writer {
    queue: Arc<Queue>,
    db: Connection,
    /// Entries that are not on disk yet, by session. Those that could not be written stay here for the next try.
    held: BTreeMap<i64, Held>,
    /// Sessions whose runs are to be removed.
    doomed: VecDeque<i64>,
    packer: Packer,
    /// Why what is held could not be written.
    fault: Option<Error>,
    /// When the next transaction may begin.
    rested: Instant,
}

struct Held {
    seat: Seat,
    entries: Vec<Waiting>,
}

/// What is answered once the entries before it are on disk.
enum After {
    Flush(Option<Seat>, oneshot::Sender<Result<(), Error>>),
    Release(Seat, Lock, Option<oneshot::Sender<Result<(), Error>>>),
}

/// Why a transaction came to nothing, and whose fault it was, if it was that of one session.
struct Failure {
    error: Error,
    culprit: Option<i64>,
}

impl Writer {
    pub(super) fn new(queue: Arc<Queue>, db: Connection, doomed: VecDeque<i64>) -> Writer {
        Writer {
            queue,
            db,
            held: BTreeMap::new(),
            doomed,
            packer: Packer::default(),
            fault: None,
            rested: Instant::now(),
        }
    }

    /// Works until the last handle of the store is gone.
    pub(super) fn run(mut self) {
        loop {
            match self.queue.take(self.patience()) {
                Taken::Items(items) => self.work(items),
                Taken::Nothing if self.held.is_empty() => self.sweep(),
                Taken::Nothing => self.write_all(),
                Taken::End => return,
            }
        }
    }

    fn patience(&self) -> Option<Duration> {
        if !self.held.is_empty() {
            Some(RETRY)
        } else if !self.doomed.is_empty() {
            Some(Duration::ZERO)
        } else {
            None
        }
    }

    fn work(&mut self, items: Vec<Item>) {
        self.breathe();
        let mut afters = Vec::new();
        let mut jobs = Vec::new();
        for item in items {
            match item {
                Item::Entry(seat, entry) => self.hold(seat, entry),
                Item::Flush(seat, reply) => afters.push(After::Flush(seat, reply)),
                Item::Release(seat, lock, reply) => afters.push(After::Release(seat, lock, reply)),
                Item::Job(job) => jobs.push(job),
                Item::Doom(number) => self.doomed.push_back(number),
            }
        }
        self.write_all();
        for after in afters {
            self.answer(after);
        }
        for job in jobs {
            job(&mut self.db);
        }
        self.rested = Instant::now() + BREATH;
    }

    /// Leaves other processes a moment between two transactions in which they can begin theirs.
    fn breathe(&self) {
        thread::sleep(self.rested.saturating_duration_since(Instant::now()));
    }

    fn hold(&mut self, seat: Seat, entry: Waiting) {
        let held = self.held.entry(seat.number()).or_insert_with(|| Held {
            seat,
            entries: Vec::new(),
        });
        held.entries.push(entry);
    }

    /// Writes all that is held. What nobody waits for stays when that fails; who waits is told.
    fn write_all(&mut self) {
        while !self.held.is_empty() {
            match self.transact() {
                Ok(()) => {
                    let written = std::mem::take(&mut self.held);
                    self.settle(written.values().map(Held::cost).sum());
                    written.into_values().for_each(Held::written);
                }
                Err(Failure {
                    error,
                    culprit: Some(number),
                }) => {
                    let Some(held) = self.held.remove(&number) else {
                        return;
                    };
                    self.settle(held.cost());
                    held.seat.spoil(error.clone());
                    held.refused(&error);
                }
                Err(Failure { error, .. }) => return self.postpone(error),
            }
        }
    }

    fn transact(&mut self) -> Result<(), Failure> {
        let change = self
            .db
            .transaction_with_behavior(TransactionBehavior::Immediate)?;
        {
            let mut insert = change.prepare_cached(rows::INSERT_RUN)?;
            for (number, held) in &self.held {
                let inserted = insert_runs(&mut insert, &mut self.packer, held);
                inserted.map_err(|error| Failure::of(error, *number))?;
                held.touch(&change)?;
            }
        }
        change.commit()?;
        Ok(())
    }

    fn postpone(&mut self, error: Error) {
        let mut refused = Vec::new();
        self.held.retain(|_, held| {
            refused.extend(held.entries.extract_if(.., |entry| entry.ack.is_some()));
            !held.entries.is_empty()
        });
        self.fault = Some(error.clone());
        // First, so that whoever hears of it finds it so.
        self.settle(refused.iter().map(Waiting::cost).sum());
        for entry in refused {
            entry.answer(Err(error.clone()));
        }
    }

    /// So many bytes wait no longer. Entries are refused as long as some are held that could not be written.
    fn settle(&mut self, bytes: usize) {
        if self.held.is_empty() {
            self.fault = None;
        }
        self.queue.settle(bytes, self.fault.clone());
    }

    fn answer(&mut self, after: After) {
        match after {
            After::Flush(seat, reply) => {
                let is_held = match &seat {
                    Some(seat) => self.held.contains_key(&seat.number()),
                    None => !self.held.is_empty(),
                };
                reply.send(self.outcome(is_held)).ok();
            }
            After::Release(seat, lock, reply) => {
                let lost = self.held.remove(&seat.number());
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

    /// Removes a few runs of a session that is gone, so that nobody waits long. What fails is done when the store is
    /// opened again.
    fn sweep(&mut self) {
        let Some(number) = self.doomed.front() else {
            return;
        };
        self.breathe();
        if !matches!(rows::sweep(&mut self.db, *number), Ok(rows::Swept::Some)) {
            self.doomed.pop_front();
        }
        self.rested = Instant::now() + BREATH;
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.queue.abandon();
    }
}

impl Held {
    fn cost(&self) -> usize {
        self.entries.iter().map(Waiting::cost).sum()
    }

    /// Only what somebody waits for is a change in the list of sessions: a stream is not, entry by entry.
    fn touch(&self, change: &Transaction<'_>) -> Result<(), rusqlite::Error> {
        let last = self.entries.iter().rfind(|entry| entry.ack.is_some());
        match last {
            Some(entry) => rows::touch(change, self.seat.number(), entry.at),
            None => Ok(()),
        }
    }

    fn written(self) {
        let first = self.seat.next();
        self.seat.set_next(first + self.entries.len() as u64);
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

impl Failure {
    /// A number that is taken is the fault of this session alone: somebody wrote to it past its lock.
    fn of(error: rusqlite::Error, number: i64) -> Failure {
        match error.sqlite_error_code() {
            Some(ErrorCode::ConstraintViolation) => Failure {
                error: Error::damaged("the journal of the session was written by somebody else"),
                culprit: Some(number),
            },
            _ => error.into(),
        }
    }
}

impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Failure {
        Failure {
            error: error.into(),
            culprit: None,
        }
    }
}

fn insert_runs(
    insert: &mut Statement<'_>,
    packer: &mut Packer,
    held: &Held,
) -> Result<(), rusqlite::Error> {
    let number = held.seat.number();
    packer.begin(held.seat.next());
    for (seq, entry) in (held.seat.next()..).zip(&held.entries) {
        if packer.ends_before(entry.kind, &entry.body) {
            rows::insert_run(insert, number, packer)?;
            packer.begin(seq);
        }
        packer.push(entry.kind, entry.at, &entry.body);
    }
    rows::insert_run(insert, number, packer)
}

/// How soon what could not be written is tried again, if nobody asks for it before.
const RETRY: Duration = Duration::from_millis(250);
/// Longer than another process waits between two looks.
const BREATH: Duration = Duration::from_micros(500);
