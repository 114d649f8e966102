//! A recording read in order, a line at a time.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use super::Record;

/// The records of a file, in order. Lines that are no record are counted and stepped over.
#[derive(Debug)]
pub struct Records<R> {
    read: R,
    line: Vec<u8>,
    offset: u64,
    broken: u64,
}

/// Opens a recording.
///
/// # Errors
///
/// When the file cannot be opened.
pub fn records(path: &Path) -> io::Result<Records<BufReader<File>>> {
    let file = File::open(path)?;
    Ok(Records::new(BufReader::with_capacity(BUFFER, file)))
}

impl<R: BufRead> Records<R> {
    /// Records from the start of a text.
    pub fn new(read: R) -> Self {
        Records {
            read,
            line: Vec::new(),
            offset: 0,
            broken: 0,
        }
    }

    /// How many lines were none.
    pub fn broken(&self) -> u64 {
        self.broken
    }

    /// Where the next line begins.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// The next record and where its line begins.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub fn next_record(&mut self) -> io::Result<Option<(u64, Record)>> {
        loop {
            let start = self.offset;
            self.line.clear();
            let read = self.read.read_until(b'\n', &mut self.line)?;
            if read == 0 {
                return Ok(None);
            }
            self.offset += read as u64;
            let line = self.line.trim_ascii();
            if line.is_empty() {
                continue;
            }
            let text = std::str::from_utf8(line).ok();
            match text.and_then(|text| Record::parse(text).ok()) {
                Some(record) => return Ok(Some((start, record))),
                None => self.broken += 1,
            }
        }
    }
}

impl<R: BufRead> Iterator for Records<R> {
    type Item = io::Result<Record>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_record()
            .map(|found| found.map(|(_, record)| record))
            .transpose()
    }
}

const BUFFER: usize = 256 << 10;
