//! The one thread of this process that reads. Each read is one short transaction, so no lock is held between pages.

use std::collections::VecDeque;
use std::ops::RangeInclusive;
use std::sync::mpsc;
use std::thread;

use bytes::{Bytes, BytesMut};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, params};
use tokio::sync::oneshot;

use super::entries::Entry;
use super::kind::Kinds;
use super::run::{RunEntries, is_whole};
use super::{Error, rows};

/// A handle of the reading thread, which ends when the last handle is dropped.
#[derive(Debug, Clone)]
pub(super) struct Reader(mpsc::Sender<Job>);

type Job = Box<dyn FnOnce(&Connection) + Send>;

impl Reader {
    /// Starts the thread.
    ///
    /// # Errors
    ///
    /// When the thread can't be started.
    pub(super) fn start(db: Connection) -> std::io::Result<Reader> {
        let (jobs, todo) = mpsc::channel::<Job>();
        let work = move || {
            for job in todo {
                job(&db);
            }
        };
        thread::Builder::new()
            .name("journal-reader".to_owned())
            .spawn(work)?;
        Ok(Reader(jobs))
    }

    /// Runs `work` on the reading thread.
    ///
    /// # Errors
    ///
    /// The error of `work`, or `Ended`.
    pub(super) async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let (reply, answer) = oneshot::channel();
        let job = move |db: &Connection| {
            reply.send(work(db)).ok();
        };
        self.0.send(Box::new(job)).map_err(|_| Error::Ended)?;
        answer.await.map_err(|_| Error::Ended)?
    }
}

/// A page of runs of a session, in order.
#[derive(Debug)]
pub(super) struct RunPage {
    pub(super) runs: VecDeque<PageRun>,
    /// The number of the next entry to read.
    pub(super) next: u64,
}

/// A run of a page, or a gap.
#[derive(Debug)]
pub(super) enum PageRun {
    Run {
        first: u64,
        count: u32,
        bytes: Bytes,
    },
    /// A damaged or missing run.
    Damaged(RangeInclusive<u64>),
}

/// Reads the runs with the entries of a range, up to about the size of a page. Skips the bodies of runs that contain none
/// of the kinds.
pub(super) fn page(
    db: &Connection,
    number: i64,
    (from, to): (u64, u64),
    kinds: Kinds,
) -> Result<RunPage, Error> {
    let mut find = db.prepare_cached(
        "SELECT key, count, CASE WHEN kinds & ?4 THEN body END FROM run
         WHERE key >= coalesce((SELECT max(key) FROM run WHERE key >= ?1 AND key <= ?2), ?2) AND key < ?3
         ORDER BY key",
    )?;
    let keys = [0, from, to].map(|seq| rows::key(number, seq));
    let mut found = find.query(params![keys[0], keys[1], keys[2], kinds.bits()])?;
    let mut page = PageBuilder::new(from);
    for _ in 0..ROWS {
        let Some(row) = found.next()? else {
            page.skip_to(to);
            break;
        };
        let (key, count) = (row.get::<_, i64>(0)?, row.get::<_, u32>(1)?);
        page.add(rows::first(key), count, row.get_ref(2)?);
        if page.buffer.len() >= PAGE {
            break;
        }
    }
    Ok(page.finish())
}

/// The newest entry of some kinds before a number.
pub(super) fn newest(
    db: &Connection,
    number: i64,
    end: u64,
    kinds: Kinds,
) -> Result<Option<Entry>, Error> {
    let mut find = db.prepare_cached(
        "SELECT key, count, body FROM run WHERE key >= ?1 AND key < ?2 AND kinds & ?3
         ORDER BY key DESC LIMIT 1",
    )?;
    let keys = [0, end].map(|seq| rows::key(number, seq));
    let mut found = find.query(params![keys[0], keys[1], kinds.bits()])?;
    let Some(row) = found.next()? else {
        return Ok(None);
    };
    let (first, count) = (rows::first(row.get(0)?), row.get::<_, u32>(1)?);
    let bytes = row.get::<_, Vec<u8>>(2)?;
    let damaged = || Error::Entries {
        first,
        last: first + u64::from(count).saturating_sub(1),
    };
    if !is_whole(first, &bytes) {
        return Err(damaged());
    }
    let mut run_entries = RunEntries::new(first, count, bytes.into());
    let mut newest = None;
    while let Some(entry) = run_entries.next().map_err(|_| damaged())? {
        if kinds.has(entry.kind) {
            newest = Some(entry);
        }
    }
    Ok(newest)
}

/// A page being read: the bytes of its runs in one buffer, and their positions.
struct PageBuilder {
    next: u64,
    buffer: BytesMut,
    pieces: Vec<PagePiece>,
}

enum PagePiece {
    Run { first: u64, count: u32, end: usize },
    Damaged(RangeInclusive<u64>),
}

impl PageBuilder {
    fn new(next: u64) -> PageBuilder {
        PageBuilder {
            next,
            buffer: BytesMut::with_capacity(PAGE + PAGE / 4),
            pieces: Vec::new(),
        }
    }

    fn add(&mut self, first: u64, count: u32, body: ValueRef<'_>) {
        let end = first + u64::from(count);
        self.skip_to(first);
        if end <= self.next {
            return;
        }
        self.next = end;
        match body {
            ValueRef::Null => {}
            ValueRef::Blob(bytes) if is_whole(first, bytes) => {
                self.buffer.extend_from_slice(bytes);
                let end = self.buffer.len();
                self.pieces.push(PagePiece::Run { first, count, end });
            }
            _ => self.pieces.push(PagePiece::Damaged(first..=end - 1)),
        }
    }

    /// Marks the entries before this number as missing.
    fn skip_to(&mut self, seq: u64) {
        if self.next < seq {
            self.pieces.push(PagePiece::Damaged(self.next..=seq - 1));
            self.next = seq;
        }
    }

    fn finish(self) -> RunPage {
        let mut rest = self.buffer.freeze();
        let mut taken = 0;
        let runs = self.pieces.into_iter().map(|piece| match piece {
            PagePiece::Run { first, count, end } => {
                let bytes = rest.split_to(end - taken);
                taken = end;
                PageRun::Run {
                    first,
                    count,
                    bytes,
                }
            }
            PagePiece::Damaged(range) => PageRun::Damaged(range),
        });
        RunPage {
            runs: runs.collect(),
            next: self.next,
        }
    }
}

/// Approximate bytes of a page.
const PAGE: usize = 256 * 1024;
/// Maximum rows of a page.
const ROWS: usize = 4096;
