//! The queue to the writer, bounded by bytes across all sessions.

use std::pin::pin;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use rusqlite::Connection;
use tokio::sync::{Notify, oneshot};

use super::Error;
use super::journal::OpenSession;
use super::kind::Kind;
use super::session_lock_file::SessionLockFile;

/// A task for the writer.
pub(super) enum WriterTask {
    /// Writes an entry.
    Entry(OpenSession, PendingEntry),
    /// Replies when everything queued before is on disk, for one session or for all.
    Flush(Option<OpenSession>, oneshot::Sender<Result<(), Error>>),
    /// Closes a session once everything queued before is on disk.
    Release(
        OpenSession,
        SessionLockFile,
        Option<oneshot::Sender<Result<(), Error>>>,
    ),
    /// Runs another change.
    Job(Box<dyn FnOnce(&mut Connection) + Send>),
    /// Removes the runs of a deleted session when there is time.
    Sweep(i64),
}

/// An entry that is not on disk yet.
pub(super) struct PendingEntry {
    pub(super) kind: Kind,
    pub(super) at: i64,
    pub(super) body: Bytes,
    pub(super) ack: Option<oneshot::Sender<Result<u64, Error>>>,
}

impl PendingEntry {
    pub(super) fn cost(&self) -> usize {
        self.body.len() + OVERHEAD
    }

    /// Sends the result to the caller, if it still waits.
    pub(super) fn answer(self, outcome: Result<u64, Error>) {
        if let Some(ack) = self.ack {
            ack.send(outcome).ok();
        }
    }
}

/// The queue to the writer.
#[derive(Default)]
pub(super) struct WriteQueue {
    state: Mutex<QueueState>,
    wake: Condvar,
    room: Notify,
}

#[derive(Default)]
struct QueueState {
    items: Vec<WriterTask>,
    /// Bytes of all entries that are not on disk, including those that the writer has taken.
    bytes: usize,
    /// When the writer must begin.
    due: Option<Instant>,
    /// Whether it must begin at once.
    is_pressing: bool,
    failing: Option<Error>,
    is_ended: bool,
}

/// The tasks that the writer takes from the queue at once.
pub(super) enum QueueBatch {
    Items(Vec<WriterTask>),
    /// Nothing arrived in time.
    Nothing,
    /// The queue has ended.
    End,
}

impl WriteQueue {
    /// Queues an entry, waiting while the queue is full.
    ///
    /// # Errors
    ///
    /// While entries can't be written. Callers of `append` get the error here; those of `commit` queue anyway if there is room.
    pub(super) async fn enter(
        &self,
        session: &OpenSession,
        pending: PendingEntry,
    ) -> Result<(), Error> {
        let mut pending = Some(pending);
        if self.try_enter(session, &mut pending)? {
            return Ok(());
        }
        loop {
            let mut room = pin!(self.room.notified());
            // From here on no notification is missed.
            room.as_mut().enable();
            if self.try_enter(session, &mut pending)? {
                return Ok(());
            }
            room.await;
        }
    }

    fn try_enter(
        &self,
        session: &OpenSession,
        pending: &mut Option<PendingEntry>,
    ) -> Result<bool, Error> {
        let mut state = self.state();
        let Some(entry) = pending.as_ref() else {
            return Ok(true);
        };
        if state.is_ended {
            return Err(Error::Ended);
        }
        // One entry may exceed the limit; otherwise a large one would never fit.
        let has_room = state.bytes < LIMIT;
        if let Some(error) = &state.failing
            && (entry.ack.is_none() || !has_room)
        {
            return Err(error.clone());
        }
        if !has_room {
            return Ok(false);
        }
        let urgency = match entry.ack {
            Some(_) => Urgency::Now,
            None => Urgency::Soon,
        };
        state.bytes += entry.cost();
        if let Some(entry) = pending.take() {
            self.put(state, WriterTask::Entry(session.clone(), entry), urgency);
        }
        Ok(true)
    }

    /// Queues work that is done at once.
    pub(super) fn push(&self, item: WriterTask) {
        self.put(self.state(), item, Urgency::Now);
    }

    fn put(&self, mut state: MutexGuard<'_, QueueState>, item: WriterTask, urgency: Urgency) {
        // Dropping the task notifies its caller.
        if state.is_ended {
            return;
        }
        state.items.push(item);
        let is_pressing = urgency == Urgency::Now || state.bytes >= LIMIT / 2;
        let wakes = state.due.is_none() || is_pressing && !state.is_pressing;
        state.is_pressing |= is_pressing;
        state.due.get_or_insert_with(|| Instant::now() + WINDOW);
        drop(state);
        if wakes {
            self.wake.notify_one();
        }
    }

    /// For the writer: takes everything once it is due. Waits at most `patience` if the queue is empty.
    pub(super) fn take(&self, patience: Option<Duration>) -> QueueBatch {
        let deadline = patience.map(|patience| Instant::now() + patience);
        let mut state = self.state();
        loop {
            let now = Instant::now();
            let until = match state.due {
                Some(due) if due <= now || state.is_pressing || state.is_ended => {
                    state.due = None;
                    state.is_pressing = false;
                    return QueueBatch::Items(std::mem::take(&mut state.items));
                }
                Some(due) => Some(due),
                None if state.is_ended => return QueueBatch::End,
                None if deadline.is_some_and(|deadline| deadline <= now) => {
                    return QueueBatch::Nothing;
                }
                None => deadline,
            };
            state = match until {
                Some(until) => {
                    let woken = self.wake.wait_timeout(state, until.duration_since(now));
                    woken.unwrap_or_else(PoisonError::into_inner).0
                }
                None => {
                    let woken = self.wake.wait(state);
                    woken.unwrap_or_else(PoisonError::into_inner)
                }
            };
        }
    }

    /// For the writer: releases bytes, and sets the error while writes fail.
    pub(super) fn settle(&self, bytes: usize, failing: Option<Error>) {
        let mut state = self.state();
        state.bytes -= bytes;
        state.failing = failing;
        drop(state);
        self.room.notify_waiters();
    }

    /// Ends the queue.
    pub(super) fn end(&self) {
        self.state().is_ended = true;
        self.wake.notify_one();
        self.room.notify_waiters();
    }

    /// For the writer: ends the queue and drops what is in it.
    pub(super) fn abandon(&self) {
        self.end();
        let items = std::mem::take(&mut self.state().items);
        drop(items);
    }

    fn state(&self) -> MutexGuard<'_, QueueState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Urgency {
    Soon,
    Now,
}

/// How long entries are collected before they are written. Including the write, they are on disk within 50 milliseconds.
const WINDOW: Duration = Duration::from_millis(25);
const LIMIT: usize = 16 * 1024 * 1024;
/// Memory of an entry besides its body.
const OVERHEAD: usize = 128;
