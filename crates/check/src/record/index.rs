//! Any place of a large recording at hand: marks in it, made by a thread that reads ahead.
//!
//! There are at most some thousand marks however large the file is, so that memory does not grow with it.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use super::{Filter, Flow, Record, Records, Row};

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
                let scanned = scan(file, &wanted, stride(size), &theirs);
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

fn scan(file: File, filter: &Filter, stride: u64, shared: &Shared) -> io::Result<()> {
    let mut records = Records::new(BufReader::with_capacity(BUFFER, file));
    let mut flow = Flow::default();
    let (mut number, mut shown) = (0, 0);
    let mut next_mark = stride;
    while !shared.dropped.load(Ordering::Relaxed) {
        let at = records.offset();
        if at >= next_mark {
            next_mark = at + stride;
            let mut state = shared.lock();
            state.marks.push(Mark {
                offset: at,
                records: number,
                shown,
                flow: flow.clone(),
            });
            state.progress.read = at;
            state.progress.records = number;
            state.progress.shown = shown;
        }
        let Some((_, record)) = records.next_record()? else {
            break;
        };
        let row = flow.take(&record);
        number += 1;
        shown += u64::from(filter.shows(&row, &record));
    }
    let mut state = shared.lock();
    state.progress.read = records.offset();
    state.progress.records = number;
    state.progress.shown = shown;
    Ok(())
}

fn stride(size: u64) -> u64 {
    (size / MARKS).max(STRIDE)
}

/// How many marks there are at most, nearly.
const MARKS: u64 = 8192;
/// How far marks are apart at least.
const STRIDE: u64 = 64 << 10;
/// How far is read beyond the last mark.
const AHEAD: u64 = 4 << 20;
const BUFFER: usize = 64 << 10;
