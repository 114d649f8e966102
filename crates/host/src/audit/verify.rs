//! Verification: walks the whole chain to detect lines that were changed, removed, inserted or moved.

use std::collections::HashSet;
use std::fmt;
use std::fs::OpenOptions;
use std::path::{Path, PathBuf};

use super::chain::{ChainHead, ChainPosition, HeadFile, InvalidLine, LogLine};
use super::log_files::{BASE, file_numbers, file_path, lines, read_log_file};
use attache_disk::private::{self, Error};

/// The result of verifying a log.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LogReport {
    /// The number of valid lines up to the first fault.
    pub lines: u64,
    /// The number of log files.
    pub files: usize,
    /// Harmless irregularities, such as an incomplete line left by an interrupted writer.
    pub notes: Vec<String>,
    /// The first place where the chain is broken.
    pub broken: Option<ChainBreak>,
}

/// A place where the chain is broken.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ChainBreak {
    /// The file.
    pub file: PathBuf,
    /// The line in the file, counted from 1.
    pub line: usize,
    /// The kind of tampering.
    pub kind: ChainBreakKind,
}

/// A kind of tampering with the chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ChainBreakKind {
    /// A line was changed.
    Changed,
    /// Lines before this one were removed.
    Removed,
    /// A line was added.
    Inserted,
    /// A line was moved.
    Moved,
    /// Lines at the end were removed.
    Truncated,
    /// The head file is missing or forged, so lines at the end may be missing.
    HeadLost,
}

impl fmt::Display for ChainBreak {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.kind {
            ChainBreakKind::Changed => "this line was changed",
            ChainBreakKind::Removed => "lines before this one were removed",
            ChainBreakKind::Inserted => {
                "this line, or the earlier line with the same number, was inserted"
            }
            ChainBreakKind::Moved => "this line was moved",
            ChainBreakKind::Truncated => "the lines after this one were removed",
            ChainBreakKind::HeadLost => {
                "the head file is missing or was changed; lines may have been removed after this one"
            }
        };
        write!(f, "{}:{}: {what}", self.file.display(), self.line)
    }
}

/// Verifies a log. Other processes may keep writing to it.
///
/// # Errors
///
/// When a file cannot be read. A broken chain is part of the report, not an error.
pub fn verify(dir: &Path) -> Result<LogReport, Error> {
    let report = walk(dir)?;
    if report.broken.is_none() {
        return Ok(report);
    }
    // The log may have grown meanwhile, so verify again while holding the lock. Without a lock file nobody writes.
    let _lock = private::lock(&dir.join("lock")).ok();
    walk(dir)
}

fn walk(dir: &Path) -> Result<LogReport, Error> {
    let mut files = file_numbers(dir)?;
    let base = match read_head(dir, BASE)? {
        Some(HeadFile::Valid(base)) => Some(base),
        _ => None,
    };
    // A writer may have been interrupted before it removed old files.
    files.retain(|number| base.is_none_or(|base| *number >= base.file));
    let start = base.map_or(ChainPosition::START, |base| base.position);
    let mut walk = ChainWalk {
        dir,
        position: start,
        at: (file_path(dir, files.first().copied().unwrap_or(1)), 0),
        stray: None,
        notes: Vec::new(),
    };
    if base.is_some() {
        let first = file_path(dir, files.first().copied().unwrap_or(1));
        let (lines, first) = (start.seq, first.display());
        walk.notes.push(format!(
            "{first}: the {lines} lines before this file were dropped because the log has a size limit"
        ));
    }
    let mut broken = None;
    for number in &files {
        broken = walk.file(*number, &read_log_file(dir, *number)?)?;
        if broken.is_some() {
            break;
        }
    }
    if broken.is_none() {
        broken = walk.end(files.is_empty())?;
    }
    Ok(LogReport {
        lines: walk.position.seq.saturating_sub(start.seq),
        files: files.len(),
        notes: walk.notes,
        broken,
    })
}

struct ChainWalk<'a> {
    dir: &'a Path,
    position: ChainPosition,
    /// The file and line last read.
    at: (PathBuf, usize),
    /// Text that is not a valid line: an incomplete line, or one that somebody else wrote.
    stray: Option<(ChainBreak, usize)>,
    notes: Vec<String>,
}

impl ChainWalk<'_> {
    fn file(&mut self, number: u64, bytes: &[u8]) -> Result<Option<ChainBreak>, Error> {
        for (index, text) in bytes.split_inclusive(|byte| *byte == b'\n').enumerate() {
            self.at = (file_path(self.dir, number), index + 1);
            if let Some(kind) = self.line(text)? {
                let stray = self.stray.take().map(|(stray, _)| stray);
                return Ok(Some(stray.unwrap_or_else(|| self.break_here(kind))));
            }
        }
        Ok(None)
    }

    fn line(&mut self, text: &[u8]) -> Result<Option<ChainBreakKind>, Error> {
        let whole = text.strip_suffix(b"\n");
        let line = match LogLine::read(whole.unwrap_or(text)) {
            Err(_) if self.stray.is_some() => return Ok(Some(ChainBreakKind::Changed)),
            Err(InvalidLine::Changed) if whole.is_some() => {
                return Ok(Some(ChainBreakKind::Changed));
            }
            Err(_) => {
                let length = whole.unwrap_or(text).len();
                self.stray = Some((self.break_here(ChainBreakKind::Changed), length));
                return Ok(None);
            }
            Ok(line) => line,
        };
        if !line.follows(&self.position) {
            return self.classify_misplaced(&line).map(Some);
        }
        if let Some((_, length)) = &self.stray {
            let bytes = line
                .members
                .get("bytes")
                .and_then(serde_json::Value::as_u64);
            if line.text("event") != "torn" || bytes != u64::try_from(*length).ok() {
                return Ok(Some(ChainBreakKind::Changed));
            }
            self.note("an incomplete line, left by an interrupted writer");
            self.stray = None;
        }
        if line.text("event") == "missed" {
            self.note("events before this line could not be written");
        }
        if line.text("event") == "head_lost" {
            return Ok(Some(ChainBreakKind::HeadLost));
        }
        self.position = line.position;
        Ok(None)
    }

    fn classify_misplaced(&self, line: &LogLine) -> Result<ChainBreakKind, Error> {
        let expected = self.position.seq.saturating_add(1);
        if line.position.seq <= self.position.seq {
            return Ok(ChainBreakKind::Inserted);
        }
        if line.position.seq == expected {
            return Ok(ChainBreakKind::Changed);
        }
        let mut seen = HashSet::new();
        for number in file_numbers(self.dir)? {
            let bytes = read_log_file(self.dir, number)?;
            let lines = lines(&bytes).filter_map(|text| LogLine::read(text).ok());
            seen.extend(lines.map(|line| line.position.seq));
        }
        match seen.contains(&expected) {
            true => Ok(ChainBreakKind::Moved),
            false => Ok(ChainBreakKind::Removed),
        }
    }

    /// Compares the last line with the head file.
    fn end(&mut self, is_empty: bool) -> Result<Option<ChainBreak>, Error> {
        if self.stray.take().is_some() {
            self.note("an incomplete line, left by an interrupted writer");
        }
        let head = read_head(self.dir, "head")?;
        let kind = match head {
            None | Some(HeadFile::Empty) if is_empty => return Ok(None),
            None | Some(HeadFile::Empty | HeadFile::Forged) => ChainBreakKind::HeadLost,
            Some(HeadFile::Valid(head)) if head.position == self.position => return Ok(None),
            Some(HeadFile::Valid(head)) if head.position.seq > self.position.seq => {
                ChainBreakKind::Truncated
            }
            Some(HeadFile::Valid(head)) if head.position.seq + 1 == self.position.seq => {
                self.note(
                    "a line that the head file does not include yet, left by an interrupted writer",
                );
                return Ok(None);
            }
            Some(HeadFile::Valid(head)) if head.position.seq < self.position.seq => {
                ChainBreakKind::Inserted
            }
            Some(HeadFile::Valid(_)) => ChainBreakKind::Changed,
        };
        Ok(Some(self.break_here(kind)))
    }

    fn break_here(&self, kind: ChainBreakKind) -> ChainBreak {
        let (file, line) = self.at.clone();
        ChainBreak { file, line, kind }
    }

    fn note(&mut self, what: &str) {
        self.notes
            .push(format!("{}:{}: {what}", self.at.0.display(), self.at.1));
    }
}

/// Reads a head file; `None` if the file or the key is missing.
fn read_head(dir: &Path, name: &str) -> Result<Option<HeadFile>, Error> {
    let Some(key) = private::read_key(&dir.join("key"))? else {
        return Ok(None);
    };
    let path = dir.join(name);
    let Some(file) = private::open(&path, OpenOptions::new().read(true))? else {
        return Ok(None);
    };
    ChainHead::read(&file, &key)
        .map(Some)
        .map_err(|error| Error::new(&path, error))
}
