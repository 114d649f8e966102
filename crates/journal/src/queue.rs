//! What waits for the writer, bounded by bytes across all sessions.

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

/// Something for the writer to do.
pub(super) enum WriterTask {
    /// An entry, and who waits for it.
    Entry(OpenSession, PendingEntry),
    /// Somebody wants to know that everything before is on disk: of one session, or of all.
    Flush(Option<OpenSession>, oneshot::Sender<Result<(), Error>>),
    /// A session is closed once everything before is on disk.
    Release(
        OpenSession,
        SessionLockFile,
        Option<oneshot::Sender<Result<(), Error>>>,
    ),
    /// Some other change.
    Job(Box<dyn FnOnce(&mut Connection) + Send>),
    /// The runs of a session that is gone are to be removed when there is time.
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

    /// Tells whoever waits, if anybody still does.
    pub(super) fn answer(self, outcome: Result<u64, Error>) {
        if let Some(ack) = self.ack {
            ack.send(outcome).ok();
        }
    }
}

/// The queue between everybody and the writer.
#[derive(Default)]
pub(super) struct WriteQueue {
    state: Mutex<QueueState>,
    wake: Condvar,
    room: Notify,
}

#[derive(Default)]
struct QueueState {
    items: Vec<WriterTask>,
    /// Of all entries that are not on disk, those that the writer has taken included.
    bytes: usize,
    /// When the writer must begin with what is here.
    due: Option<Instant>,
    /// It must begin before that.
    is_pressing: bool,
    failing: Option<Error>,
    is_ended: bool,
}

/// What the writer gets.
pub(super) enum QueueBatch {
    Items(Vec<WriterTask>),
    /// Nothing came in the time it was ready to wait.
    Nothing,
    /// Nothing will come any more.
    End,
}

impl WriteQueue {
    /// Puts an entry in, and waits while there is no room.
    ///
    /// # Errors
    ///
    /// While entries cannot be written: whoever only appends hears of it here. Whoever waits for the entry tries again.
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
            // From here on no notice is missed.
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
        // One entry may go over the limit: a large one would never find its place otherwise.
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

    /// Puts something in that is done at once.
    pub(super) fn push(&self, item: WriterTask) {
        self.put(self.state(), item, Urgency::Now);
    }

    fn put(&self, mut state: MutexGuard<'_, QueueState>, item: WriterTask, urgency: Urgency) {
        // Dropping an item tells whoever waits for it.
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

    /// For the writer: all that is here, once it is due. Waits at most so long if there is nothing.
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

    /// For the writer: so many bytes wait no longer, and why the others still do.
    pub(super) fn settle(&self, bytes: usize, failing: Option<Error>) {
        let mut state = self.state();
        state.bytes -= bytes;
        state.failing = failing;
        drop(state);
        self.room.notify_waiters();
    }

    /// Nothing will come any more.
    pub(super) fn end(&self) {
        self.state().is_ended = true;
        self.wake.notify_one();
        self.room.notify_waiters();
    }

    /// Nothing will be taken any more.
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

/// How long entries gather. With the time a write takes they are on disk within 50 milliseconds.
const WINDOW: Duration = Duration::from_millis(25);
const LIMIT: usize = 16 * 1024 * 1024;
/// What an entry takes besides its body.
const OVERHEAD: usize = 128;
