//! Random access to a large recording: checkpoints, which a background thread creates as it reads ahead.
//!
//! There are at most some thousand checkpoints however large the file is, so that memory does not grow with it.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use super::reader::{FileGrowth, POLL_INTERVAL};
use super::{Correlator, Record, RecordContent, RecordFilter, RecordRow, RecordingReader};

/// The records of a file that a filter shows, by their number.
#[derive(Debug)]
pub struct RecordIndex {
    path: PathBuf,
    filter: RecordFilter,
    shared: Arc<IndexShared>,
}

/// Some of the shown records.
#[derive(Debug, Clone, Default)]
pub struct IndexPage {
    /// The rows, each with its number in the file and the offset of its line.
    pub rows: Vec<(u64, u64, RecordRow)>,
}

/// How far the file has been read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IndexProgress {
    /// Bytes read so far.
    pub read: u64,
    /// The size of the file in bytes.
    pub size: u64,
    /// Records read so far.
    pub records: u64,
    /// Records so far that the filter shows.
    pub shown: u64,
    /// Whether the whole file has been read.
    pub done: bool,
    /// Why the rest of the file could not be read.
    pub fault: Option<String>,
}

#[derive(Debug)]
struct IndexShared {
    state: Mutex<IndexState>,
    dropped: AtomicBool,
}

#[derive(Debug)]
struct IndexState {
    checkpoints: Vec<Checkpoint>,
    progress: IndexProgress,
}

/// A place in the file to start reading from: the records before it, and the open requests there.
#[derive(Debug, Clone)]
struct Checkpoint {
    offset: u64,
    records: u64,
    shown: u64,
    correlator: Correlator,
}

impl RecordIndex {
    /// Opens a recording. Its beginning is available at once, the rest when the background thread has read it.
    ///
    /// # Errors
    ///
    /// When the file cannot be opened, or the thread cannot be started.
    pub fn open(path: &Path, filter: RecordFilter) -> io::Result<RecordIndex> {
        RecordIndex::begin(path, filter, FileGrowth::Fixed)
    }

    /// Opens a recording that is still being written, and follows it until its last line.
    ///
    /// # Errors
    ///
    /// When the file cannot be opened, or the thread cannot be started.
    pub fn follow(path: &Path, filter: RecordFilter) -> io::Result<RecordIndex> {
        RecordIndex::begin(path, filter, FileGrowth::Growing)
    }

    fn begin(path: &Path, filter: RecordFilter, growth: FileGrowth) -> io::Result<RecordIndex> {
        let file = File::open(path)?;
        let size = file.metadata()?.len();
        let first = Checkpoint {
            offset: 0,
            records: 0,
            shown: 0,
            correlator: Correlator::default(),
        };
        let progress = IndexProgress {
            size,
            ..IndexProgress::default()
        };
        let shared = Arc::new(IndexShared {
            state: Mutex::new(IndexState {
                checkpoints: vec![first],
                progress,
            }),
            dropped: AtomicBool::new(false),
        });
        let (theirs, wanted) = (Arc::clone(&shared), filter.clone());
        thread::Builder::new()
            .name("index".to_owned())
            .spawn(move || {
                let scanned =
                    IndexScan::new(file, growth).and_then(|mut scan| scan.run(&wanted, &theirs));
                let mut state = theirs.lock();
                state.progress.done = true;
                state.progress.fault = scanned.err().map(|error| error.to_string());
            })?;
        Ok(RecordIndex {
            path: path.to_owned(),
            filter,
            shared,
        })
    }

    /// How far the file has been read.
    pub fn progress(&self) -> IndexProgress {
        self.shared.lock().progress.clone()
    }

    /// The filter of the index.
    pub fn filter(&self) -> &RecordFilter {
        &self.filter
    }

    /// At most `count` shown records, starting with number `first`.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub fn page(&self, first: u64, count: usize) -> io::Result<IndexPage> {
        let mut page = IndexPage::default();
        let mut next = first;
        while page.rows.len() < count {
            let Some((checkpoint, until)) = self.checkpoint_before(next) else {
                break;
            };
            let before = page.rows.len();
            self.read_from(&checkpoint, until, next, count, &mut page)?;
            let found = (page.rows.len() - before) as u64;
            if found == 0 {
                break;
            }
            next += found;
        }
        Ok(page)
    }

    /// The record whose line begins at this offset.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub fn record(&self, offset: u64) -> io::Result<Option<Record>> {
        let mut records = RecordingReader::new(self.reader(offset)?);
        Ok(records.next_record()?.map(|(_, record)| record))
    }

    /// The last checkpoint with at most this many shown records before it, and the offset of the next one.
    fn checkpoint_before(&self, shown: u64) -> Option<(Checkpoint, Option<u64>)> {
        let state = self.shared.lock();
        let behind = state
            .checkpoints
            .partition_point(|checkpoint| checkpoint.shown <= shown);
        let checkpoint = state.checkpoints.get(behind.checked_sub(1)?)?.clone();
        let until = state.checkpoints.get(behind).map(|next| next.offset);
        Some((checkpoint, until))
    }

    fn read_from(
        &self,
        checkpoint: &Checkpoint,
        until: Option<u64>,
        first: u64,
        count: usize,
        page: &mut IndexPage,
    ) -> io::Result<()> {
        let mut records = RecordingReader::new(self.reader(checkpoint.offset)?);
        let mut correlator = checkpoint.correlator.clone();
        let (mut number, mut shown) = (checkpoint.records, checkpoint.shown);
        let until = until.unwrap_or_else(|| checkpoint.offset.saturating_add(READ_AHEAD));
        while page.rows.len() < count && checkpoint.offset + records.offset() < until {
            let Some((offset, record)) = records.next_record()? else {
                break;
            };
            let row = correlator.correlate(&record);
            if self.filter.shows(&row, &record) {
                if shown >= first {
                    page.rows.push((number, checkpoint.offset + offset, row));
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

impl Drop for RecordIndex {
    fn drop(&mut self) {
        self.shared.dropped.store(true, Ordering::Relaxed);
    }
}

impl IndexShared {
    fn lock(&self) -> MutexGuard<'_, IndexState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The background thread's pass over the file.
struct IndexScan {
    file: File,
    records: RecordingReader<BufReader<File>>,
    growth: FileGrowth,
    correlator: Correlator,
    number: u64,
    shown: u64,
    stride: u64,
    next_checkpoint: u64,
}

impl IndexScan {
    fn new(file: File, growth: FileGrowth) -> io::Result<IndexScan> {
        let read = BufReader::with_capacity(BUFFER, file.try_clone()?);
        Ok(IndexScan {
            file,
            records: RecordingReader::with_growth(read, growth),
            growth,
            correlator: Correlator::default(),
            number: 0,
            shown: 0,
            stride: FIRST_STRIDE,
            next_checkpoint: FIRST_STRIDE,
        })
    }

    fn run(&mut self, filter: &RecordFilter, shared: &IndexShared) -> io::Result<()> {
        while !shared.dropped.load(Ordering::Relaxed) {
            if self.records.offset() >= self.next_checkpoint {
                self.checkpoint(shared);
            }
            let Some((_, record)) = self.records.next_record()? else {
                self.report(&mut shared.lock().progress);
                if self.growth == FileGrowth::Fixed {
                    break;
                }
                if self.file.metadata()?.len() < self.records.offset() {
                    return Err(io::Error::other("the file has been emptied"));
                }
                shared.lock().progress.done = true;
                thread::sleep(POLL_INTERVAL);
                continue;
            };
            let row = self.correlator.correlate(&record);
            self.number += 1;
            self.shown += u64::from(filter.shows(&row, &record));
            if matches!(record.content, RecordContent::End(_)) {
                self.growth = FileGrowth::Fixed;
            }
        }
        Ok(())
    }

    fn checkpoint(&mut self, shared: &IndexShared) {
        let offset = self.records.offset();
        let mut state = shared.lock();
        state.checkpoints.push(Checkpoint {
            offset,
            records: self.number,
            shown: self.shown,
            correlator: self.correlator.clone(),
        });
        if state.checkpoints.len() > MAX_CHECKPOINTS {
            let mut number = 0;
            state.checkpoints.retain(|_| {
                number += 1;
                number % 2 == 1
            });
            self.stride *= 2;
        }
        self.next_checkpoint = offset + self.stride;
        self.report(&mut state.progress);
    }

    fn report(&self, progress: &mut IndexProgress) {
        progress.read = self.records.offset();
        progress.size = progress.size.max(progress.read);
        progress.records = self.number;
        progress.shown = self.shown;
    }
}

/// Maximum number of checkpoints. When there are more, every second one is removed.
const MAX_CHECKPOINTS: usize = 4096;
/// The initial distance between checkpoints in bytes.
const FIRST_STRIDE: u64 = 64 << 10;
/// Minimum number of bytes that are read beyond the last checkpoint.
const READ_AHEAD: u64 = 4 << 20;
const BUFFER: usize = 64 << 10;
