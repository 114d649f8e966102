//! Any place of a large recording at hand: marks in it, made by a thread that reads ahead.
//!
//! There are at most some thousand marks however large the file is, so that memory does not grow with it.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use super::reader::{AGAIN, Tail};
use super::{Filter, Flow, Record, Records, Row, What};

/// The records of a file that a filter shows, by their number.
#[derive(Debug)]
pub struct Index {
    path: PathBuf,
    filter: Filter,
    shared: Arc<Shared>,
}

/// Some of them.
#[derive(Debug, Clone, Default)]
pub struct Page {
    /// The rows, each with its number in the file and where its line begins.
    pub rows: Vec<(u64, u64, Row)>,
}

/// How far the file has been read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Progress {
    /// Bytes that have been read.
    pub read: u64,
    /// Bytes of the file.
    pub size: u64,
    /// Records so far.
    pub records: u64,
    /// Those that the filter shows.
    pub shown: u64,
    /// Whether all has been read.
    pub done: bool,
    /// Why not all could be read.
    pub fault: Option<String>,
}

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    dropped: AtomicBool,
}

#[derive(Debug)]
struct State {
    marks: Vec<Mark>,
    progress: Progress,
}

/// A place to start from: what is before it, and what is open there.
#[derive(Debug, Clone)]
struct Mark {
    offset: u64,
    records: u64,
    shown: u64,
    flow: Flow,
}

impl Index {
    /// Opens a recording. Its beginning can be looked at at once, the rest as the thread gets there.
    ///
    /// # Errors
    ///
    /// When the file cannot be opened, or the system has no room for a thread.
    pub fn open(path: &Path, filter: Filter) -> io::Result<Index> {
        Index::begin(path, filter, Tail::Fixed)
    }

    /// Opens a recording that is still being written: what is added is found, too, until its last line has come.
    ///
    /// # Errors
    ///
    /// When the file cannot be opened, or the system has no room for a thread.
    pub fn follow(path: &Path, filter: Filter) -> io::Result<Index> {
        Index::begin(path, filter, Tail::Grows)
    }

    fn begin(path: &Path, filter: Filter, tail: Tail) -> io::Result<Index> {
        let file = File::open(path)?;
        let size = file.metadata()?.len();
        let first = Mark {
            offset: 0,
            records: 0,
            shown: 0,
            flow: Flow::default(),
        };
        let progress = Progress {
            size,
            ..Progress::default()
        };
        let shared = Arc::new(Shared {
            state: Mutex::new(State {
                marks: vec![first],
                progress,
            }),
            dropped: AtomicBool::new(false),
        });
        let (theirs, wanted) = (Arc::clone(&shared), filter.clone());
        thread::Builder::new()
            .name("index".to_owned())
            .spawn(move || {
                let scanned = Scan::new(file, tail).and_then(|mut scan| scan.run(&wanted, &theirs));
                let mut state = theirs.lock();
                state.progress.done = true;
                state.progress.fault = scanned.err().map(|error| error.to_string());
            })?;
        Ok(Index {
            path: path.to_owned(),
            filter,
            shared,
        })
    }

    /// How far the file has been read.
    pub fn progress(&self) -> Progress {
        self.shared.lock().progress.clone()
    }

    /// What is shown.
    pub fn filter(&self) -> &Filter {
        &self.filter
    }

    /// The shown records from a number on, at most so many.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub fn page(&self, first: u64, count: usize) -> io::Result<Page> {
        let mut page = Page::default();
        let mut next = first;
        while page.rows.len() < count {
            let Some((mark, until)) = self.mark_before(next) else {
                break;
            };
            let before = page.rows.len();
            self.read_from(&mark, until, next, count, &mut page)?;
            let found = (page.rows.len() - before) as u64;
            if found == 0 {
                break;
            }
            next += found;
        }
        Ok(page)
    }

    /// The record whose line begins there.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub fn record(&self, offset: u64) -> io::Result<Option<Record>> {
        let mut records = Records::new(self.reader(offset)?);
        Ok(records.next_record()?.map(|(_, record)| record))
    }

    /// The last mark with at most so many shown records before it, and where the next begins.
    fn mark_before(&self, shown: u64) -> Option<(Mark, Option<u64>)> {
        let state = self.shared.lock();
        let behind = state.marks.partition_point(|mark| mark.shown <= shown);
        let mark = state.marks.get(behind.checked_sub(1)?)?.clone();
        let until = state.marks.get(behind).map(|next| next.offset);
        Some((mark, until))
    }

    fn read_from(
        &self,
        mark: &Mark,
        until: Option<u64>,
        first: u64,
        count: usize,
        page: &mut Page,
    ) -> io::Result<()> {
        let mut records = Records::new(self.reader(mark.offset)?);
        let mut flow = mark.flow.clone();
        let (mut number, mut shown) = (mark.records, mark.shown);
        let until = until.unwrap_or_else(|| mark.offset.saturating_add(AHEAD));
        while page.rows.len() < count && mark.offset + records.offset() < until {
            let Some((offset, record)) = records.next_record()? else {
                break;
            };
            let row = flow.take(&record);
            if self.filter.shows(&row, &record) {
                if shown >= first {
                    page.rows.push((number, mark.offset + offset, row));
                }
                shown += 1;
            }
            number += 1;
        }
        Ok(())
    }

    fn reader(&self, offset: u64) -> io::Result<impl BufRead + use<>> {
        let mut file = File::open(&self.path)?;
        file.seek(SeekFrom::Start(offset))?;
        Ok(BufReader::with_capacity(BUFFER, file))
    }
}

impl Drop for Index {
    fn drop(&mut self) {
        self.shared.dropped.store(true, Ordering::Relaxed);
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The reading ahead.
struct Scan {
    file: File,
    records: Records<BufReader<File>>,
    tail: Tail,
    flow: Flow,
    number: u64,
    shown: u64,
    stride: u64,
    next_mark: u64,
}

impl Scan {
    fn new(file: File, tail: Tail) -> io::Result<Scan> {
        let read = BufReader::with_capacity(BUFFER, file.try_clone()?);
        Ok(Scan {
            file,
            records: Records::until(read, tail),
            tail,
            flow: Flow::default(),
            number: 0,
            shown: 0,
            stride: STRIDE,
            next_mark: STRIDE,
        })
    }

    fn run(&mut self, filter: &Filter, shared: &Shared) -> io::Result<()> {
        while !shared.dropped.load(Ordering::Relaxed) {
            if self.records.offset() >= self.next_mark {
                self.mark(shared);
            }
            let Some((_, record)) = self.records.next_record()? else {
                self.tell(&mut shared.lock().progress);
                if self.tail == Tail::Fixed {
                    break;
                }
                if self.file.metadata()?.len() < self.records.offset() {
                    return Err(io::Error::other("the file has been emptied"));
                }
                shared.lock().progress.done = true;
                thread::sleep(AGAIN);
                continue;
            };
            let row = self.flow.take(&record);
            self.number += 1;
            self.shown += u64::from(filter.shows(&row, &record));
            if matches!(record.what, What::End(_)) {
                self.tail = Tail::Fixed;
            }
        }
        Ok(())
    }

    fn mark(&mut self, shared: &Shared) {
        let offset = self.records.offset();
        let mut state = shared.lock();
        state.marks.push(Mark {
            offset,
            records: self.number,
            shown: self.shown,
            flow: self.flow.clone(),
        });
        if state.marks.len() > MARKS {
            let mut number = 0;
            state.marks.retain(|_| {
                number += 1;
                number % 2 == 1
            });
            self.stride *= 2;
        }
        self.next_mark = offset + self.stride;
        self.tell(&mut state.progress);
    }

    fn tell(&self, progress: &mut Progress) {
        progress.read = self.records.offset();
        progress.size = progress.size.max(progress.read);
        progress.records = self.number;
        progress.shown = self.shown;
    }
}

/// How many marks there are at most; with one more, every second is given up.
const MARKS: usize = 4096;
/// How far marks are apart at first.
const STRIDE: u64 = 64 << 10;
/// How far is read beyond the last mark at least.
const AHEAD: u64 = 4 << 20;
const BUFFER: usize = 64 << 10;
