//! An open session: appends to its journal and reads it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use bytes::Bytes;
use tokio::sync::oneshot;

use super::entries::{Entries, Entry};
use super::kind::{Kind, Kinds};
use super::queue::{PendingEntry, WriterTask};
use super::reader::newest;
use super::session_lock_file::SessionLockFile;
use super::{Error, Store, rows};

/// The journal of a session that is open here and nowhere else.
///
/// Dropping it closes the session: appended entries are written, then others can open it.
/// [`close`](Journal::close) does the same and returns the result.
#[derive(Debug)]
pub struct Journal {
    store: Store,
    session: OpenSession,
    /// Passed to the writer on close.
    lock: Mutex<Option<SessionLockFile>>,
}

impl Journal {
    pub(super) fn new(store: Store, session: OpenSession, lock: SessionLockFile) -> Journal {
        Journal {
            store,
            session,
            lock: Mutex::new(Some(lock)),
        }
    }

    /// Appends an entry, which is on disk within 50 milliseconds. Waits while the queue to the writer is full.
    ///
    /// # Errors
    ///
    /// The entry is not in the journal, because earlier entries can't be written. Those are kept and retried, and until
    /// they are written no entry is accepted.
    pub async fn append(&self, kind: Kind, body: impl Into<Bytes>) -> Result<(), Error> {
        let pending = self.pending(kind, body.into())?;
        self.store.queue().enter(&self.session, pending).await
    }

    /// Appends an entry and returns its number once it is on disk, with everything appended before. Dropping the future does
    /// not withdraw the entry.
    ///
    /// # Errors
    ///
    /// The entry is not in the journal, unless the machine stops before anything else is written.
    pub async fn commit(&self, kind: Kind, body: impl Into<Bytes>) -> Result<u64, Error> {
        let mut pending = self.pending(kind, body.into())?;
        let (ack, answer) = oneshot::channel();
        pending.ack = Some(ack);
        self.store.queue().enter(&self.session, pending).await?;
        answer.await.map_err(|_| Error::Ended)?
    }

    /// Waits until everything appended before is on disk.
    ///
    /// # Errors
    ///
    /// When it can't be written now. The entries are kept and retried.
    pub async fn flush(&self) -> Result<(), Error> {
        self.session.check()?;
        self.store.flush_up_to(Some(self.session.clone())).await
    }

    /// The current entries of some kinds, from the start.
    ///
    /// # Errors
    ///
    /// Like [`flush`](Journal::flush), which this calls first.
    pub async fn entries(&self, kinds: Kinds) -> Result<Entries, Error> {
        self.flush().await?;
        let reader = self.store.reader().clone();
        Ok(Entries::new(
            reader,
            self.session.number(),
            kinds,
            self.session.next(),
        ))
    }

    /// The newest entry of some kinds.
    ///
    /// # Errors
    ///
    /// Like [`flush`](Journal::flush), which this calls first; `Entries` if the entry is damaged.
    pub async fn newest(&self, kinds: Kinds) -> Result<Option<Entry>, Error> {
        self.flush().await?;
        let (number, end) = (self.session.number(), self.session.next());
        let reader = self.store.reader();
        reader.read(move |db| newest(db, number, end, kinds)).await
    }

    /// Stores the settings of the session.
    ///
    /// # Errors
    ///
    /// When they can't be written. The old ones stay.
    pub async fn set_settings(&self, settings: &serde_json::Value) -> Result<(), Error> {
        let settings = settings.to_string();
        if settings.len() > super::LARGEST_TEXT {
            return Err(super::too_large("settings", super::LARGEST_TEXT));
        }
        let number = self.session.number();
        let work =
            move |change: &rusqlite::Transaction<'_>| rows::set_settings(change, number, &settings);
        self.store.write(work).await
    }

    /// Moves the session to the front of the list.
    ///
    /// # Errors
    ///
    /// When that cannot be written.
    pub async fn touch(&self) -> Result<(), Error> {
        let (number, now) = (self.session.number(), self.store.now());
        let work = move |change: &rusqlite::Transaction<'_>| Ok(rows::touch(change, number, now)?);
        self.store.write(work).await
    }

    /// Closes the session. No more entries can be appended.
    ///
    /// # Errors
    ///
    /// When appended entries could not be written. They are lost, and the session is closed anyway. `Ended` if it was closed
    /// before.
    pub async fn close(&self) -> Result<(), Error> {
        let (reply, answer) = oneshot::channel();
        self.release(Some(reply));
        answer.await.map_err(|_| Error::Ended)?
    }

    pub(super) fn session(&self) -> &OpenSession {
        &self.session
    }

    fn pending(&self, kind: Kind, body: Bytes) -> Result<PendingEntry, Error> {
        if self.lock().is_none() {
            return Err(Error::Ended);
        }
        self.session.check()?;
        if body.len() > LARGEST_ENTRY {
            return Err(super::too_large("an entry", LARGEST_ENTRY));
        }
        Ok(PendingEntry {
            kind,
            at: self.store.now(),
            body,
            ack: None,
        })
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<SessionLockFile>> {
        self.lock.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn release(&self, reply: Option<oneshot::Sender<Result<(), Error>>>) {
        let lock = self.lock().take();
        if let Some(lock) = lock {
            let item = WriterTask::Release(self.session.clone(), lock, reply);
            self.store.queue().push(item);
        }
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        self.release(None);
    }
}

/// An open session in the database, shared with the writer.
#[derive(Debug, Clone)]
pub(super) struct OpenSession(Arc<OpenSessionInner>);

#[derive(Debug)]
struct OpenSessionInner {
    number: i64,
    /// The number of the next entry; only the writer changes it.
    next: AtomicU64,
    write_error: OnceLock<Error>,
}

impl OpenSession {
    pub(super) fn new(number: i64, next: u64) -> OpenSession {
        OpenSession(Arc::new(OpenSessionInner {
            number,
            next: AtomicU64::new(next),
            write_error: OnceLock::new(),
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

    /// Fails all later writes with this error.
    pub(super) fn fail_writes(&self, error: Error) {
        self.0.write_error.set(error).ok();
    }

    fn check(&self) -> Result<(), Error> {
        match self.0.write_error.get() {
            Some(error) => Err(error.clone()),
            None => Ok(()),
        }
    }
}

const LARGEST_ENTRY: usize = 64 * 1024 * 1024;
