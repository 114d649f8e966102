//! One open session: appending to its journal and reading it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use bytes::Bytes;
use tokio::sync::oneshot;

use super::entries::{Entries, Entry};
use super::kind::{Kind, Kinds};
use super::lock::Lock;
use super::queue::{Item, Waiting};
use super::reader::newest;
use super::{Error, Store, rows};

/// The journal of a session that is open here and nowhere else.
///
/// Whoever drops it, closes the session: what was appended is put on disk, then others can open it.
/// [`close`](Journal::close) does the same and says how it went.
#[derive(Debug)]
pub struct Journal {
    store: Store,
    seat: Seat,
    /// Goes to the writer in the end.
    lock: Mutex<Option<Lock>>,
}

impl Journal {
    pub(super) fn new(store: Store, seat: Seat, lock: Lock) -> Journal {
        Journal {
            store,
            seat,
            lock: Mutex::new(Some(lock)),
        }
    }

    /// Adds an entry that is on disk within 50 milliseconds. Waits while too much is not yet there.
    ///
    /// # Errors
    ///
    /// Then this entry is not in the journal. Entries that were taken before and cannot be written are the reason:
    /// they are kept and tried again until they are, and as long as they are not no entry is taken.
    pub async fn append(&self, kind: Kind, body: impl Into<Bytes>) -> Result<(), Error> {
        let waiting = self.waiting(kind, body.into())?;
        self.store.queue().enter(&self.seat, waiting).await
    }

    /// Adds an entry, which is on disk when this returns its number, with all that was appended before. Whoever stops
    /// waiting does not take it back.
    ///
    /// # Errors
    ///
    /// Then this entry is not in the journal, unless the machine stops before anything else is written.
    pub async fn commit(&self, kind: Kind, body: impl Into<Bytes>) -> Result<u64, Error> {
        let mut waiting = self.waiting(kind, body.into())?;
        let (ack, answer) = oneshot::channel();
        waiting.ack = Some(ack);
        self.store.queue().enter(&self.seat, waiting).await?;
        answer.await.map_err(|_| Error::Ended)?
    }

    /// Waits until all that was appended before is on disk.
    ///
    /// # Errors
    ///
    /// When it cannot be written now; it is kept.
    pub async fn flush(&self) -> Result<(), Error> {
        self.seat.check()?;
        self.store.flush_up_to(Some(self.seat.clone())).await
    }

    /// The entries of some kinds that are there now, from the start.
    ///
    /// # Errors
    ///
    /// As [`flush`](Journal::flush), which it does first.
    pub async fn entries(&self, kinds: Kinds) -> Result<Entries, Error> {
        self.flush().await?;
        let reader = self.store.reader().clone();
        Ok(Entries::new(
            reader,
            self.seat.number(),
            kinds,
            self.seat.next(),
        ))
    }

    /// The newest entry of some kinds.
    ///
    /// # Errors
    ///
    /// As [`flush`](Journal::flush), which it does first; `Entries` if it is among those that are damaged.
    pub async fn newest(&self, kinds: Kinds) -> Result<Option<Entry>, Error> {
        self.flush().await?;
        let (number, end) = (self.seat.number(), self.seat.next());
        let reader = self.store.reader();
        reader.read(move |db| newest(db, number, end, kinds)).await
    }

    /// Stores mode, model and the like.
    ///
    /// # Errors
    ///
    /// When they cannot be written; then the old ones stand.
    pub async fn set_settings(&self, settings: &serde_json::Value) -> Result<(), Error> {
        let settings = settings.to_string();
        if settings.len() > super::LARGEST_TEXT {
            return Err(super::too_large("settings", super::LARGEST_TEXT));
        }
        let number = self.seat.number();
        let work =
            move |change: &rusqlite::Transaction<'_>| rows::set_settings(change, number, &settings);
        self.store.write(work).await
    }

    /// Puts the session first in the list.
    ///
    /// # Errors
    ///
    /// When that cannot be written.
    pub async fn touch(&self) -> Result<(), Error> {
        let (number, now) = (self.seat.number(), self.store.now());
        let work = move |change: &rusqlite::Transaction<'_>| Ok(rows::touch(change, number, now)?);
        self.store.write(work).await
    }

    /// Closes the session. Nothing more can be appended.
    ///
    /// # Errors
    ///
    /// When what was appended could not be written: it is lost then, and the session closed all the same. `Ended` if it was
    /// closed before.
    pub async fn close(&self) -> Result<(), Error> {
        let (reply, answer) = oneshot::channel();
        self.release(Some(reply));
        answer.await.map_err(|_| Error::Ended)?
    }

    pub(super) fn seat(&self) -> &Seat {
        &self.seat
    }

    fn waiting(&self, kind: Kind, body: Bytes) -> Result<Waiting, Error> {
        if self.lock().is_none() {
            return Err(Error::Ended);
        }
        self.seat.check()?;
        if body.len() > LARGEST_ENTRY {
            return Err(super::too_large("an entry", LARGEST_ENTRY));
        }
        Ok(Waiting {
            kind,
            at: self.store.now(),
            body,
            ack: None,
        })
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Lock>> {
        self.lock.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn release(&self, reply: Option<oneshot::Sender<Result<(), Error>>>) {
        let lock = self.lock().take();
        if let Some(lock) = lock {
            let item = Item::Release(self.seat.clone(), lock, reply);
            self.store.queue().push(item);
        }
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        self.release(None);
    }
}

/// The place of an open session in the database.
#[derive(Debug, Clone)]
pub(super) struct Seat(Arc<Place>);

#[derive(Debug)]
struct Place {
    number: i64,
    /// The number of the next entry; only the writer moves it.
    next: AtomicU64,
    spoiled: OnceLock<Error>,
}

impl Seat {
    pub(super) fn new(number: i64, next: u64) -> Seat {
        Seat(Arc::new(Place {
            number,
            next: AtomicU64::new(next),
            spoiled: OnceLock::new(),
        }))
    }

    pub(super) fn number(&self) -> i64 {
        self.0.number
    }

    pub(super) fn next(&self) -> u64 {
        self.0.next.load(Ordering::Acquire)
    }

    pub(super) fn set_next(&self, next: u64) {
        self.0.next.store(next, Ordering::Release);
    }

    /// Nothing can be added any more, for this reason.
    pub(super) fn spoil(&self, error: Error) {
        self.0.spoiled.set(error).ok();
    }

    fn check(&self) -> Result<(), Error> {
        match self.0.spoiled.get() {
            Some(error) => Err(error.clone()),
            None => Ok(()),
        }
    }
}

const LARGEST_ENTRY: usize = 64 * 1024 * 1024;
