//! Reads a recording in order, one line at a time.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::time::Duration;

use super::Record;

/// Whether a file is being written to while it is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileGrowth {
    /// The file is complete.
    Fixed,
    /// The file may grow: a line without a line break is not complete yet.
    Growing,
}

/// The records of a file, in order. Lines that are not records are counted and skipped.
#[derive(Debug)]
pub struct RecordingReader<R> {
    read: R,
    line: Vec<u8>,
    growth: FileGrowth,
    offset: u64,
    invalid: u64,
}

/// Opens a recording.
///
/// # Errors
///
/// When the file cannot be opened.
pub fn open_recording(path: &Path) -> io::Result<RecordingReader<BufReader<File>>> {
    let file = File::open(path)?;
    Ok(RecordingReader::new(BufReader::with_capacity(BUFFER, file)))
}

impl<R: BufRead> RecordingReader<R> {
    /// Reads records from the start of a text.
    pub fn new(read: R) -> Self {
        RecordingReader::with_growth(read, FileGrowth::Fixed)
    }

    pub(super) fn with_growth(read: R, growth: FileGrowth) -> Self {
        RecordingReader {
            read,
            line: Vec::new(),
            growth,
            offset: 0,
            invalid: 0,
        }
    }

    /// The number of lines that were not records.
    pub fn invalid(&self) -> u64 {
        self.invalid
    }

    /// The offset of the next line.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// The next record and the offset of its line.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub fn next_record(&mut self) -> io::Result<Option<(u64, Record)>> {
        loop {
            let start = self.offset;
            let room = MAX_LINE.saturating_sub(self.line.len()) as u64;
            let mut within = (&mut self.read).take(room);
            within.read_until(b'\n', &mut self.line)?;
            let whole = self.line.ends_with(b"\n");
            let too_long = !whole && self.line.len() >= MAX_LINE;
            if self.line.is_empty() || (!whole && !too_long && self.growth == FileGrowth::Growing) {
                return Ok(None);
            }
            self.offset += self.line.len() as u64;
            if too_long {
                self.offset += skip_line(&mut self.read)?;
            }
            let line = self.line.trim_ascii();
            let is_blank = line.is_empty();
            let text = std::str::from_utf8(line).ok();
            let record = text.and_then(|text| Record::parse(text).ok());
            self.line.clear();
            match record {
                Some(record) => return Ok(Some((start, record))),
                None => self.invalid += u64::from(!is_blank),
            }
        }
    }
}

/// Skips the rest of a line of any length.
fn skip_line(read: &mut impl BufRead) -> io::Result<u64> {
    let mut skipped = 0;
    loop {
        let piece = read.fill_buf()?;
        let (count, ended) = match memchr::memchr(b'\n', piece) {
            Some(end) => (end + 1, true),
            None => (piece.len(), piece.is_empty()),
        };
        read.consume(count);
        skipped += count as u64;
        if ended {
            return Ok(skipped);
        }
    }
}

impl<R: BufRead> Iterator for RecordingReader<R> {
    type Item = io::Result<Record>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_record()
            .map(|found| found.map(|(_, record)| record))
            .transpose()
    }
}

pub(super) const BUFFER: usize = 256 << 10;
/// The interval for checking whether a file has grown.
pub(super) const POLL_INTERVAL: Duration = Duration::from_millis(100);
/// The longest line that is read. No message becomes longer when it is written as JSON.
const MAX_LINE: usize = 128 << 20;
