//! An append-only, durable log of sessions on SQLite.
//!
//! A [`Store`] is one SQLite database, which several processes may share. A [`Journal`] is one open session in it; only
//! one process can have a session open at a time. A journal appends entries, waits for the disk and reads page by page.
//! This crate does not interpret entries: ids are text, bodies are bytes, and [`Kind`]s are numbers that callers choose.
//! `docs/journal.md` describes the guarantees and the tables.

mod entries;
mod error;
mod id;
mod journal;
mod kind;
mod list;
mod queue;
mod reader;
mod rows;
mod run;
mod schema;
mod session_lock_file;
mod stored_session;
#[cfg(test)]
mod tests;
mod time;
mod writer;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

use attache_disk::private;
use rusqlite::{Connection, Transaction, TransactionBehavior};
use tokio::sync::oneshot;

pub use entries::{Entries, Entry};
pub use error::Error;
pub use id::new_id;
pub use journal::Journal;
pub use kind::{Kind, Kinds};
pub use stored_session::{ArchiveFilter, SessionFilter, SessionPage, StoredSession, TitleSource};

use journal::OpenSession;
use queue::{WriteQueue, WriterTask};
use reader::Reader;
use rows::SessionState;
use session_lock_file::SessionLockFile;
use time::Clock;
use writer::Writer;

/// The stored sessions of a user. Clones share the store; two threads of its own do all the work.
#[derive(Clone)]
pub struct Store(Arc<StoreInner>);

struct StoreInner {
    locks: PathBuf,
    queue: Arc<WriteQueue>,
    reader: Reader,
    clock: Clock,
}

impl Store {
    /// Opens the store in a directory, creating it if needed. Briefly reads and writes files.
    ///
    /// # Errors
    ///
    /// When the directory or the database cannot be used. A database that is damaged, newer or of another program is not
    /// changed.
    pub fn open(dir: &Path) -> Result<Store, Error> {
        Store::with_clock(dir, time::now)
    }

    fn with_clock(dir: &Path, clock: Clock) -> Result<Store, Error> {
        private::create_dir(dir)?;
        let dir = dir
            .canonicalize()
            .map_err(|error| Error::file(dir, &error))?;
        let locks = dir.join("locks");
        private::create_dir(&locks)?;
        let path = dir.join("sessions.db");
        let db = schema::prepare(&path)?;
        private::sync_dir(&dir)?;
        remove_unfinished_forks(&db, &locks)?;
        let doomed = rows::numbers(&db, SessionState::Gone)?.into();
        let reader = schema::reading(&path)?;
        let failed = |error| Error::file(&path, &error);
        let reader = Reader::start(reader).map_err(failed)?;
        let queue = Arc::new(WriteQueue::default());
        let writer = Writer::new(Arc::clone(&queue), db, doomed);
        let thread = thread::Builder::new().name("journal-writer".to_owned());
        thread.spawn(move || writer.run()).map_err(failed)?;
        Ok(Store(Arc::new(StoreInner {
            locks,
            queue,
            reader,
            clock,
        })))
    }

    /// Creates a session and opens it. The store sets the time of creation.
    ///
    /// # Errors
    ///
    /// `Exists`, or an error of the database.
    pub async fn create(&self, info: StoredSession) -> Result<Journal, Error> {
        self.make(info, SessionState::Live).await
    }

    /// Opens a session.
    ///
    /// # Errors
    ///
    /// `NotFound`; `InUse` when it is already open, here or in another process.
    pub async fn open_session(&self, id: &str) -> Result<(StoredSession, Journal), Error> {
        self.settle().await?;
        let (id, locks) = (id.to_owned(), self.0.locks.clone());
        let opened = self.0.reader.read(move |db| {
            let number = rows::number(db, &id)?;
            let lock = SessionLockFile::take(&locks, number)?;
            // Read it again: the session may have been deleted before we got the lock.
            let info = rows::info(db, &id)?;
            Ok((
                info,
                OpenSession::new(number, rows::next(db, number)?),
                lock,
            ))
        });
        let (info, session, lock) = opened.await?;
        Ok((info, Journal::new(self.clone(), session, lock)))
    }

    /// Creates a session with a copy of another one's journal and opens it. The copy ends before an unfinished turn. The
    /// other session may be open anywhere.
    ///
    /// # Errors
    ///
    /// `NotFound`, `Exists`, or an error of the database. No part of the new session is visible then.
    pub async fn fork(&self, id: &str, info: StoredSession) -> Result<Journal, Error> {
        self.settle().await?;
        let source = id.to_owned();
        let read = move |db: &Connection| {
            let number = rows::number(db, &source)?;
            Ok((number, rows::completed(db, number)?))
        };
        let (number, end) = self.0.reader.read(read).await?;
        let parent = Some(id.to_owned());
        let fork = self
            .make(StoredSession { parent, ..info }, SessionState::Making)
            .await?;
        match self.fill(&fork, number, end).await {
            Ok(()) => Ok(fork),
            Err(error) => {
                let number = fork.session().number();
                let gone = move |change: &Transaction<'_>| rows::remove(change, number);
                // If this fails, the fork is removed when the store is opened again.
                if self.write(gone).await.is_ok() {
                    self.0.queue.push(WriterTask::Sweep(number));
                }
                Err(error)
            }
        }
    }

    /// A page of the list of sessions, most recently changed first. A session that changes while a caller reads the pages
    /// moves to the front: it is not listed twice, and listing again finds it.
    ///
    /// # Errors
    ///
    /// `Cursor` when the cursor is not from a listing with this filter.
    pub async fn list(
        &self,
        filter: &SessionFilter,
        cursor: Option<&str>,
        size: usize,
    ) -> Result<SessionPage, Error> {
        let (filter, cursor) = (filter.clone(), cursor.map(str::to_owned));
        let read = move |db: &Connection| list::page(db, &filter, cursor.as_deref(), size);
        self.0.reader.read(read).await
    }

    /// The description of a session.
    ///
    /// # Errors
    ///
    /// `NotFound`.
    pub async fn info(&self, id: &str) -> Result<StoredSession, Error> {
        let id = id.to_owned();
        self.0.reader.read(move |db| rows::info(db, &id)).await
    }

    /// Deletes a session. Succeeds if the session does not exist.
    ///
    /// # Errors
    ///
    /// `InUse` when it is open, here or in another process.
    pub async fn delete(&self, id: &str) -> Result<(), Error> {
        self.settle().await?;
        let (id, locks) = (id.to_owned(), self.0.locks.clone());
        let gone = move |change: &Transaction<'_>| {
            let number = rows::number(change, &id)?;
            let lock = SessionLockFile::take(&locks, number)?;
            rows::remove(change, number)?;
            Ok((number, lock))
        };
        match self.write(gone).await {
            Ok((number, _lock)) => {
                self.0.queue.push(WriterTask::Sweep(number));
                Ok(())
            }
            Err(Error::NotFound) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Archives a session.
    ///
    /// # Errors
    ///
    /// `NotFound`.
    pub async fn archive(&self, id: &str) -> Result<(), Error> {
        let id = id.to_owned();
        let work = move |change: &Transaction<'_>| rows::archive(change, &id);
        self.write(work).await
    }

    /// Takes a session out of the archive.
    ///
    /// # Errors
    ///
    /// `NotFound`.
    pub async fn unarchive(&self, id: &str) -> Result<(), Error> {
        let id = id.to_owned();
        let work = move |change: &Transaction<'_>| rows::unarchive(change, &id);
        self.write(work).await
    }

    /// Sets the title of a session and returns the title it has now: the agent does not overwrite the user's.
    ///
    /// # Errors
    ///
    /// `NotFound`.
    pub async fn set_title(&self, id: &str, title: &str, by: TitleSource) -> Result<String, Error> {
        if title.len() > LARGEST_TEXT {
            return Err(too_large("a title", LARGEST_TEXT));
        }
        let (id, title) = (id.to_owned(), title.to_owned());
        let work = move |change: &Transaction<'_>| rows::set_title(change, &id, &title, by);
        self.write(work).await
    }

    /// Waits until everything appended to any journal is on disk. Call it before the process ends.
    ///
    /// # Errors
    ///
    /// When a part can't be written now.
    pub async fn flush(&self) -> Result<(), Error> {
        self.flush_up_to(None).await
    }

    async fn make(&self, info: StoredSession, state: SessionState) -> Result<Journal, Error> {
        check(&info)?;
        let (locks, now) = (self.0.locks.clone(), self.now());
        let made = self.write(move |change| {
            let number = rows::insert(change, &info, state, now)?;
            // No other process can know this session yet.
            Ok((number, SessionLockFile::take(&locks, number)?))
        });
        let (number, lock) = made.await?;
        Ok(Journal::new(
            self.clone(),
            OpenSession::new(number, 1),
            lock,
        ))
    }

    /// Copies a journal up to a key, a few runs at a time, so that others can write in between.
    async fn fill(&self, fork: &Journal, source: i64, end: i64) -> Result<(), Error> {
        let number = fork.session().number();
        let mut from = Some(rows::key(source, 0));
        while let Some(key) = from {
            let step =
                move |change: &Transaction<'_>| rows::copy(change, (key, end), source, number);
            from = self.write(step).await?;
        }
        let show = move |change: &Transaction<'_>| {
            rows::show(change, number)?;
            rows::next(change, number)
        };
        fork.session().set_next(self.write(show).await?);
        Ok(())
    }

    /// Waits until sessions that were closed here before are released.
    async fn settle(&self) -> Result<(), Error> {
        match self.flush().await {
            Err(Error::Ended) => Err(Error::Ended),
            _ => Ok(()),
        }
    }

    async fn flush_up_to(&self, session: Option<OpenSession>) -> Result<(), Error> {
        let (reply, answer) = oneshot::channel();
        self.0.queue.push(WriterTask::Flush(session, reply));
        answer.await.map_err(|_| Error::Ended)?
    }

    /// Runs a change in a transaction of its own. It is on disk when this returns.
    async fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let (reply, answer) = oneshot::channel();
        let job = move |db: &mut Connection| {
            reply.send(transact(db, work)).ok();
        };
        self.0.queue.push(WriterTask::Job(Box::new(job)));
        answer.await.map_err(|_| Error::Ended)?
    }

    fn now(&self) -> i64 {
        (self.0.clock)()
    }

    fn queue(&self) -> &WriteQueue {
        &self.0.queue
    }

    fn reader(&self) -> &Reader {
        &self.0.reader
    }
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Store").finish_non_exhaustive()
    }
}

impl Drop for StoreInner {
    fn drop(&mut self) {
        self.queue.end();
    }
}

fn transact<T>(
    db: &mut Connection,
    work: impl FnOnce(&Transaction<'_>) -> Result<T, Error>,
) -> Result<T, Error> {
    let change = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let value = work(&change)?;
    change.commit()?;
    Ok(value)
}

/// Removes forks whose process was killed while it copied.
fn remove_unfinished_forks(db: &Connection, locks: &Path) -> Result<(), Error> {
    for number in rows::numbers(db, SessionState::Making)? {
        if let Ok(_lock) = SessionLockFile::take(locks, number) {
            rows::remove(db, number)?;
        }
    }
    Ok(())
}

fn check(info: &StoredSession) -> Result<(), Error> {
    let paths = info.additional.iter().map(|path| path.as_os_str().len());
    let title = info.title.as_ref().map_or(0, String::len);
    let length = info.id.len() + info.cwd.as_os_str().len() + paths.sum::<usize>() + title;
    if length > LARGEST_TEXT || info.settings.to_string().len() > LARGEST_TEXT {
        return Err(too_large("a description of a session", LARGEST_TEXT));
    }
    Ok(())
}

fn too_large(what: &'static str, limit: usize) -> Error {
    Error::TooLarge { what, limit }
}

const LARGEST_TEXT: usize = 1024 * 1024;
