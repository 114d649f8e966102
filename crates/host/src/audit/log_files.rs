//! The files of the audit log, and the events in them.

use std::fs::OpenOptions;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::chain::LogLine;
use attache_disk::private::{self, Error};

/// An event read from the log.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct LogEntry {
    /// The line number in the chain.
    pub seq: u64,
    /// The time, in RFC 3339.
    pub time: String,
    /// The kind of event, such as `asked`.
    pub event: String,
    /// All members of the line, by name.
    pub fields: Map<String, Value>,
    /// The unparsed line.
    pub line: String,
}

/// Reads the events of a log, oldest first. Invalid lines are skipped; [`verify`](super::verify) reports them.
///
/// # Errors
///
/// When the directory cannot be read. A missing directory has no events.
pub fn entries(dir: &Path) -> Result<impl Iterator<Item = Result<LogEntry, Error>>, Error> {
    let files = file_numbers(dir)?;
    let dir = dir.to_owned();
    Ok(files
        .into_iter()
        .flat_map(move |number| match read_log_file(&dir, number) {
            Ok(bytes) => lines(&bytes).filter_map(parse_entry).map(Ok).collect(),
            Err(error) => vec![Err(error)],
        }))
}

/// The numbers of the existing log files, in order.
pub(super) fn file_numbers(dir: &Path) -> Result<Vec<u64>, Error> {
    let entries = match std::fs::read_dir(dir) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(Error::new(dir, error)),
    };
    let mut numbers = Vec::new();
    for entry in entries {
        let name = entry.map_err(|error| Error::new(dir, error))?.file_name();
        let name = name.to_str().and_then(|name| name.strip_suffix(END));
        numbers.extend(name.and_then(|number| number.parse::<u64>().ok()));
    }
    numbers.sort_unstable();
    Ok(numbers)
}

pub(super) fn file_path(dir: &Path, number: u64) -> PathBuf {
    dir.join(format!("{number:06}{END}"))
}

/// The content of a log file.
pub(super) fn read_log_file(dir: &Path, number: u64) -> Result<Vec<u8>, Error> {
    let path = file_path(dir, number);
    let mut bytes = Vec::new();
    if let Some(mut file) = private::open(&path, OpenOptions::new().read(true))? {
        file.read_to_end(&mut bytes)
            .map_err(|error| Error::new(&path, error))?;
    }
    Ok(bytes)
}

/// The lines of a file, without line feeds.
pub(super) fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let lines = bytes.split_inclusive(|byte| *byte == b'\n');
    lines.map(|line| line.strip_suffix(b"\n").unwrap_or(line))
}

fn parse_entry(text: &[u8]) -> Option<LogEntry> {
    let line = LogLine::read(text).ok()?;
    Some(LogEntry {
        seq: line.position.seq,
        time: line.text("time").to_owned(),
        event: line.text("event").to_owned(),
        fields: line.members,
        line: str::from_utf8(text).ok()?.to_owned(),
    })
}

const END: &str = ".jsonl";
/// The file that records where the chain begins once the oldest log files were dropped.
pub(super) const BASE: &str = "base";
