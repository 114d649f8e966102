//! The violations of a recording, found by a thread that reads it from the beginning.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use super::Records;
use super::reader::{AGAIN, BUFFER, Tail};
use super::validate::Examiner;

/// What is known of the violations so far.
#[derive(Debug)]
pub struct Verdicts(Arc<Known>);

#[derive(Debug, Default)]
struct Known {
    state: Mutex<State>,
    dropped: AtomicBool,
}

#[derive(Debug, Default)]
struct State {
    /// By the number of the record; only the first of very many.
    found: BTreeMap<u64, Vec<String>>,
    count: u64,
    done: bool,
}

impl Verdicts {
    /// Begins to judge a recording.
    ///
    /// # Errors
    ///
    /// When it cannot be opened, or the system has no room for a thread.
    pub fn open(path: &Path) -> io::Result<Verdicts> {
        Verdicts::begin(path, Tail::Fixed)
    }

    /// Begins to judge a recording that is still being written, and goes on as it grows.
    ///
    /// # Errors
    ///
    /// When it cannot be opened, or the system has no room for a thread.
    pub fn follow(path: &Path) -> io::Result<Verdicts> {
        Verdicts::begin(path, Tail::Grows)
    }

    fn begin(path: &Path, tail: Tail) -> io::Result<Verdicts> {
        let read = BufReader::with_capacity(BUFFER, File::open(path)?);
        let records = Records::until(read, tail);
        let known = Arc::new(Known::default());
        let theirs = Arc::clone(&known);
        thread::Builder::new()
            .name("verdicts".to_owned())
            .spawn(move || {
                let judged = judge(records, tail, &theirs);
                let mut state = theirs.lock();
                state.done = true;
                if let Err(error) = judged {
                    state.add(u64::MAX, error.to_string());
                }
            })?;
        Ok(Verdicts(known))
    }

    /// How many there are, and whether all have been found.
    pub fn count(&self) -> (u64, bool) {
        let state = self.0.lock();
        (state.count, state.done)
    }

    /// Those of a record.
    pub fn of(&self, record: u64) -> Vec<String> {
        let state = self.0.lock();
        state.found.get(&record).cloned().unwrap_or_default()
    }

    /// Whether a record has any.
    pub fn has(&self, record: u64) -> bool {
        self.0.lock().found.contains_key(&record)
    }

    /// The next record behind this one that has any.
    pub fn after(&self, record: u64) -> Option<u64> {
        let state = self.0.lock();
        let mut behind = state.found.range(record.saturating_add(1)..);
        behind.next().map(|(record, _)| *record)
    }
}

fn judge<R: BufRead>(mut records: Records<R>, tail: Tail, known: &Known) -> io::Result<()> {
    let mut examiner = Examiner::default();
    while !known.dropped.load(Ordering::Relaxed) {
        match records.next_record()? {
            Some((_, record)) => examiner.take(&record, |found| {
                let text = found.finding.violation.to_string();
                known.lock().add(found.record, text);
            }),
            None if tail == Tail::Fixed => break,
            None => {
                known.lock().done = true;
                thread::sleep(AGAIN);
            }
        }
    }
    Ok(())
}

impl Drop for Verdicts {
    fn drop(&mut self) {
        self.0.dropped.store(true, Ordering::Relaxed);
    }
}

impl Known {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn add(&mut self, record: u64, text: String) {
        self.count += 1;
        if self.found.len() < MOST || self.found.contains_key(&record) {
            let texts = self.found.entry(record).or_default();
            if texts.len() < MOST_EACH {
                texts.push(text);
            }
        }
    }
}

/// How many records with violations are remembered.
const MOST: usize = 10_000;
const MOST_EACH: usize = 20;
