//! Reads a journal in order, a page at a time.

use std::collections::VecDeque;
use std::ops::RangeInclusive;

use bytes::Bytes;
use jiff::Timestamp;

use super::Error;
use super::kind::{Kind, Kinds};
use super::reader::{PageRun, Reader, page};
use super::run::{Malformed, RunEntries};

/// An entry of a journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The number of the entry. Numbers start at 1 and have no gaps.
    pub seq: u64,
    /// The kind of the entry.
    pub kind: Kind,
    /// The time when the entry was appended. Clocks may go back; numbers do not.
    pub at: Timestamp,
    /// The body, as a slice of the page it was read with. Keeping it keeps the page of about 256 KiB in memory.
    pub body: Bytes,
}

/// The entries that were in a journal when [`Journal::entries`](crate::Journal::entries) was called.
#[derive(Debug)]
pub struct Entries {
    reader: Reader,
    number: i64,
    kinds: Kinds,
    from: u64,
    end: u64,
    /// The number of the first entry of the next page.
    next: u64,
    runs: VecDeque<PageRun>,
    /// The current run, and its entry numbers for the error if it is malformed.
    run_entries: Option<(RunEntries, RangeInclusive<u64>)>,
}

impl Entries {
    pub(super) fn new(reader: Reader, number: i64, kinds: Kinds, end: u64) -> Entries {
        Entries {
            reader,
            number,
            kinds,
            from: 1,
            end,
            next: 1,
            runs: VecDeque::new(),
            run_entries: None,
        }
    }

    /// Starts after the entry with this number.
    #[must_use]
    pub fn after(mut self, seq: u64) -> Entries {
        self.from = seq.saturating_add(1);
        self.next = self.from;
        self
    }

    /// The next entry; `None` at the end.
    ///
    /// # Errors
    ///
    /// `Entries` for damaged entries; the next call continues after them. Otherwise an error of the database, and the next
    /// call tries again.
    pub async fn next(&mut self) -> Result<Option<Entry>, Error> {
        loop {
            if let Some(entry) = self.step()? {
                return Ok(Some(entry));
            }
            if let Some(found) = self.runs.pop_front() {
                self.begin(found)?;
                continue;
            }
            if self.next >= self.end {
                return Ok(None);
            }
            let (number, range, kinds) = (self.number, (self.next, self.end), self.kinds);
            let read = self
                .reader
                .read(move |db| page(db, number, range, kinds))
                .await?;
            self.runs = read.runs;
            self.next = read.next;
        }
    }

    /// The next entry of the current run.
    fn step(&mut self) -> Result<Option<Entry>, Error> {
        let Some((run_entries, range)) = &mut self.run_entries else {
            return Ok(None);
        };
        loop {
            let fault = match run_entries.next() {
                Ok(Some(entry)) if self.kinds.has(entry.kind) && entry.seq >= self.from => {
                    return Ok(Some(entry));
                }
                Ok(Some(_)) => continue,
                Ok(None) => Ok(None),
                Err(Malformed) => Err(range.clone()),
            };
            self.run_entries = None;
            return fault.map_err(damaged);
        }
    }

    fn begin(&mut self, found: PageRun) -> Result<(), Error> {
        match found {
            PageRun::Run {
                first,
                count,
                bytes,
            } => {
                let range = first..=first + u64::from(count).saturating_sub(1);
                self.run_entries = Some((RunEntries::new(first, count, bytes), range));
                Ok(())
            }
            PageRun::Damaged(range) => Err(damaged(range)),
        }
    }
}

fn damaged(range: RangeInclusive<u64>) -> Error {
    let (first, last) = range.into_inner();
    Error::Entries { first, last }
}
