//! The violations of a recording. A background thread finds them, from the beginning of the file.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use super::RecordingReader;
use super::reader::{BUFFER, FileGrowth, POLL_INTERVAL};
use super::validate::RecordValidator;

/// The violations found so far, shared with the thread.
#[derive(Debug)]
pub struct ViolationIndex(Arc<ViolationShared>);

#[derive(Debug, Default)]
struct ViolationShared {
    state: Mutex<ViolationState>,
    dropped: AtomicBool,
}

#[derive(Debug, Default)]
struct ViolationState {
    /// Violations by record number; limited to the first ones.
    found: BTreeMap<u64, Vec<String>>,
    count: u64,
    done: bool,
}

impl ViolationIndex {
    /// Starts checking a recording.
    ///
    /// # Errors
    ///
    /// When the file cannot be opened, or the thread cannot be started.
    pub fn open(path: &Path) -> io::Result<ViolationIndex> {
        ViolationIndex::begin(path, FileGrowth::Fixed)
    }

    /// Starts checking a recording that is still being written, and follows it.
    ///
    /// # Errors
    ///
    /// When the file cannot be opened, or the thread cannot be started.
    pub fn follow(path: &Path) -> io::Result<ViolationIndex> {
        ViolationIndex::begin(path, FileGrowth::Growing)
    }

    fn begin(path: &Path, growth: FileGrowth) -> io::Result<ViolationIndex> {
        let read = BufReader::with_capacity(BUFFER, File::open(path)?);
        let records = RecordingReader::with_growth(read, growth);
        let shared = Arc::new(ViolationShared::default());
        let theirs = Arc::clone(&shared);
        thread::Builder::new()
            .name("violations".to_owned())
            .spawn(move || {
                let judged = collect(records, growth, &theirs);
                let mut state = theirs.lock();
                state.done = true;
                if let Err(error) = judged {
                    state.add(u64::MAX, error.to_string());
                }
            })?;
        Ok(ViolationIndex(shared))
    }

    /// The number of violations so far, and whether the whole recording has been checked.
    pub fn count(&self) -> (u64, bool) {
        let state = self.0.lock();
        (state.count, state.done)
    }

    /// The violations of a record.
    pub fn of(&self, record: u64) -> Vec<String> {
        let state = self.0.lock();
        state.found.get(&record).cloned().unwrap_or_default()
    }

    /// Whether a record has violations.
    pub fn has(&self, record: u64) -> bool {
        self.0.lock().found.contains_key(&record)
    }

    /// The next record after this one that has violations.
    pub fn after(&self, record: u64) -> Option<u64> {
        let state = self.0.lock();
        let mut behind = state.found.range(record.saturating_add(1)..);
        behind.next().map(|(record, _)| *record)
    }
}

fn collect<R: BufRead>(
    mut records: RecordingReader<R>,
    growth: FileGrowth,
    shared: &ViolationShared,
) -> io::Result<()> {
    let mut validator = RecordValidator::default();
    while !shared.dropped.load(Ordering::Relaxed) {
        match records.next_record()? {
            Some((_, record)) => validator.validate(&record, |found| {
                let text = found.violation.violation.to_string();
                shared.lock().add(found.record, text);
            }),
            None if growth == FileGrowth::Fixed => break,
            None => {
                shared.lock().done = true;
                thread::sleep(POLL_INTERVAL);
            }
        }
    }
    Ok(())
}

impl Drop for ViolationIndex {
    fn drop(&mut self) {
        self.0.dropped.store(true, Ordering::Relaxed);
    }
}

impl ViolationShared {
    fn lock(&self) -> MutexGuard<'_, ViolationState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ViolationState {
    fn add(&mut self, record: u64, text: String) {
        self.count += 1;
        if self.found.len() < MAX_RECORDS || self.found.contains_key(&record) {
            let texts = self.found.entry(record).or_default();
            if texts.len() < MAX_PER_RECORD {
                texts.push(text);
            }
        }
    }
}

/// The maximum number of records with violations that are remembered.
const MAX_RECORDS: usize = 10_000;
const MAX_PER_RECORD: usize = 20;
