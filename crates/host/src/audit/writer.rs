//! Appends to the chain, one process at a time. Damage done by another process, a crash or a stranger stays visible in
//! the log; nothing is repaired.

use std::fs::{File, OpenOptions};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;

use super::chain::{ChainHead, ChainPosition, HeadFile, LogLine};
use super::log_files::{BASE, file_numbers, file_path, lines, read_log_file};
use super::record::EventRecord;
use attache_disk::private::{self, Error, Key};

#[derive(Debug)]
pub(super) struct LogWriter {
    dir: PathBuf,
    rotate_at: u64,
    most_files: usize,
    key: Key,
    lock: File,
    head: File,
    /// The current file, with its number.
    file: Option<(u64, File)>,
    /// The number of events lost since the last successful write.
    missed: u64,
}

/// Where the next line goes, and the notices to write before it.
struct AppendPosition {
    position: ChainPosition,
    file: u64,
    size: u64,
    notes: Vec<ChainNotice>,
}

enum ChainNotice {
    /// The file ends in an incomplete line of this many bytes.
    Torn(usize),
    /// The head file is missing or forged, so the end of the log is unknown.
    HeadLost,
    /// This many events could not be written.
    Missed(u64),
    /// The lines up to this number were dropped because the log has a size limit.
    Dropped(u64),
}

impl LogWriter {
    pub(super) fn open(dir: &Path, rotate_at: u64, most_files: usize) -> Result<LogWriter, Error> {
        private::create_dir(dir)?;
        let lock_path = dir.join("lock");
        let lock = private::lock(&lock_path)?;
        let key = private::read_or_create_key(&dir.join("key"))?;
        let mut options = OpenOptions::new();
        let path = dir.join("head");
        let head = private::open(&path, options.read(true).write(true).create(true))?;
        let head = head.ok_or_else(|| Error::refused(&path, "cannot be made"))?;
        lock.unlock()
            .map_err(|error| Error::new(&lock_path, error))?;
        let dir = dir.to_owned();
        Ok(LogWriter {
            dir,
            rotate_at,
            most_files,
            key,
            lock,
            head,
            file: None,
            missed: 0,
        })
    }

    /// Counts events that were lost before they reached the writer.
    pub(super) fn miss(&mut self, events: u64) {
        self.missed = self.missed.saturating_add(events);
    }

    pub(super) fn append(&mut self, record: &EventRecord) -> Result<(), Error> {
        let appended = self.append_locked(record);
        self.missed = match appended {
            Ok(()) => 0,
            Err(_) => self.missed.saturating_add(1),
        };
        appended
    }

    fn append_locked(&mut self, record: &EventRecord) -> Result<(), Error> {
        let path = self.dir.join("lock");
        // A process that has held the lock this long will keep holding it, and each event would wait.
        let patience = match self.missed {
            0 => private::LOCK_TIMEOUT,
            _ => Duration::ZERO,
        };
        private::lock_file(&path, &self.lock, patience)?;
        let appended = self.append_event(record);
        self.lock
            .unlock()
            .map_err(|error| Error::new(&path, error))?;
        appended
    }

    fn append_event(&mut self, record: &EventRecord) -> Result<(), Error> {
        let mut next = self.position()?;
        if self.missed > 0 {
            next.notes.push(ChainNotice::Missed(self.missed));
        }
        if next.size >= self.rotate_at {
            (next.file, next.size) = (next.file.saturating_add(1), 0);
            // Failing to remove an old file must not stop the log.
            next.notes.extend(self.drop_oldest().ok().flatten());
        }
        let (mut text, mut position) = (String::new(), next.position);
        let mut add = |event: &str, fields: &[(&str, Value)]| {
            let (line, next) = position.next(&record.time, event, fields);
            text.push_str(&line);
            position = next;
        };
        for note in &next.notes {
            match note {
                ChainNotice::Torn(bytes) => add("torn", &[("bytes", Value::from(*bytes))]),
                ChainNotice::HeadLost => add("head_lost", &[]),
                ChainNotice::Dropped(seq) => add("dropped", &[("through", Value::from(*seq))]),
                ChainNotice::Missed(events) => add("missed", &[("events", Value::from(*events))]),
            }
        }
        add(record.event, &record.fields);
        if next
            .notes
            .iter()
            .any(|note| matches!(note, ChainNotice::Torn(_)))
        {
            text.insert(0, '\n');
        }
        let size = self.write(next.file, &text)?;
        let head = ChainHead {
            position,
            file: next.file,
            size,
        };
        head.write(&self.head, &self.key)
            .map_err(|error| Error::new(&self.dir.join("head"), error))
    }

    /// Appends text with one write, so that a crash leaves a whole line or an incomplete one. Returns the length of the
    /// file.
    fn write(&mut self, number: u64, text: &str) -> Result<u64, Error> {
        let path = file_path(&self.dir, number);
        let mut file = self.open_file(number)?;
        let written = file
            .write_all(text.as_bytes())
            .and_then(|()| file.metadata());
        match written {
            Ok(metadata) => Ok(metadata.len()),
            Err(error) => Err(Error::new(&path, error)),
        }
    }

    /// Removes the oldest files to make room for one more. The new start of the chain is recorded with a keyed digest
    /// first, so that `verify` can distinguish this from tampering. A file whose last line is invalid is kept.
    fn drop_oldest(&mut self) -> Result<Option<ChainNotice>, Error> {
        let numbers = file_numbers(&self.dir)?;
        let Some(surplus) = (numbers.len() + 1)
            .checked_sub(self.most_files)
            .filter(|it| *it > 0)
        else {
            return Ok(None);
        };
        let (gone, kept) = numbers.split_at(surplus.min(numbers.len()));
        let (Some(last), Some(first)) = (gone.last(), kept.first()) else {
            return Ok(None);
        };
        let bytes = read_log_file(&self.dir, *last)?;
        let Some(line) = lines(&bytes)
            .last()
            .and_then(|text| LogLine::read(text).ok())
        else {
            return Ok(None);
        };
        let base = ChainHead {
            position: line.position,
            file: *first,
            size: 0,
        };
        private::replace(&self.dir.join(BASE), &base.text(&self.key))?;
        for number in gone {
            let path = file_path(&self.dir, *number);
            std::fs::remove_file(&path).map_err(|error| Error::new(&path, error))?;
        }
        Ok(Some(ChainNotice::Dropped(line.position.seq)))
    }

    /// Finds where to append. If the head is valid and the file has the recorded length, nothing else is read.
    fn position(&mut self) -> Result<AppendPosition, Error> {
        let found = ChainHead::read(&self.head, &self.key);
        let found = found.map_err(|error| Error::new(&self.dir.join("head"), error))?;
        if let HeadFile::Valid(head) = found {
            return self.position_after(&head);
        }
        match (found, file_numbers(&self.dir)?.last()) {
            (HeadFile::Empty, None) => Ok(AppendPosition {
                position: ChainPosition::START,
                file: 1,
                size: 0,
                notes: Vec::new(),
            }),
            (_, last) => self.position_without_head(last.copied().unwrap_or(1)),
        }
    }

    /// Continues after the head. A line beyond it was left by an interrupted writer. Missing lines stay missing: the
    /// chain continues from the head, so that the gap is visible.
    fn position_after(&mut self, head: &ChainHead) -> Result<AppendPosition, Error> {
        let mut next = AppendPosition {
            position: head.position,
            file: head.file,
            size: head.size,
            notes: Vec::new(),
        };
        let path = file_path(&self.dir, head.file);
        let mut file = self.open_file(head.file)?;
        let fail = |error| Error::new(&path, error);
        let size = file.metadata().map_err(fail)?.len();
        if size > head.size {
            let mut more = Vec::new();
            file.seek(SeekFrom::Start(head.size)).map_err(fail)?;
            file.take(MAX_TAIL).read_to_end(&mut more).map_err(fail)?;
            next.advance(&more);
        }
        next.size = size;
        Ok(next)
    }

    fn position_without_head(&mut self, number: u64) -> Result<AppendPosition, Error> {
        let mut next = AppendPosition {
            position: ChainPosition::START,
            file: number,
            size: 0,
            notes: Vec::new(),
        };
        let path = file_path(&self.dir, number);
        let mut file = self.open_file(number)?;
        let fail = |error| Error::new(&path, error);
        let size = file.metadata().map_err(fail)?.len();
        let mut tail = Vec::new();
        file.seek(SeekFrom::Start(size.saturating_sub(MAX_TAIL)))
            .map_err(fail)?;
        file.take(MAX_TAIL).read_to_end(&mut tail).map_err(fail)?;
        if let Some(last) = last_line(&tail) {
            next.position = last.position;
        }
        next.note_torn(&tail);
        next.notes.push(ChainNotice::HeadLost);
        next.size = size;
        Ok(next)
    }

    fn open_file(&mut self, number: u64) -> Result<&File, Error> {
        let path = file_path(&self.dir, number);
        let is_open = self.file.as_ref().is_some_and(|(open, file)| {
            *open == number && private::is_file_at(file, &path).unwrap_or(false)
        });
        if !is_open {
            let mut options = OpenOptions::new();
            options.read(true).append(true).create(true);
            let file = private::open(&path, &mut options)?;
            self.file = file.map(|file| (number, file));
        }
        let file = self.file.as_ref().map(|(_, file)| file);
        file.ok_or_else(|| Error::refused(&path, "cannot be made"))
    }
}

impl AppendPosition {
    /// Continues after the lines beyond the head, as far as they are valid.
    fn advance(&mut self, more: &[u8]) {
        for text in more.split_inclusive(|byte| *byte == b'\n') {
            if let Some(Ok(line)) = text.strip_suffix(b"\n").map(LogLine::read)
                && line.follows(&self.position)
            {
                self.position = line.position;
            }
        }
        self.note_torn(more);
    }

    fn note_torn(&mut self, tail: &[u8]) {
        let torn = tail
            .rsplit(|byte| *byte == b'\n')
            .next()
            .unwrap_or_default();
        if !torn.is_empty() {
            self.notes.push(ChainNotice::Torn(torn.len()));
        }
    }
}

fn last_line(tail: &[u8]) -> Option<LogLine> {
    let mut lines = tail.rsplit(|byte| *byte == b'\n');
    lines.find_map(|text| LogLine::read(text).ok())
}

/// Longer than any line.
const MAX_TAIL: u64 = 1024 * 1024;
