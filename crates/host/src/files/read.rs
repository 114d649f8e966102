//! Reads a text file, or a range of its lines, from an open file.

use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::Path;

use super::{FileError, FileLimits, UnexpectedKind, wrong_kind};
use crate::roots::{FileFacts, file_facts};

/// The requested lines.
#[derive(Debug, Clone, Copy)]
pub(super) struct LineRange {
    /// The number of lines to skip.
    pub(super) skip: u64,
    /// The number of lines to return; `None` for all.
    pub(super) take: Option<u64>,
}

impl LineRange {
    pub(super) fn of(line: Option<u32>, limit: Option<u32>) -> LineRange {
        LineRange {
            skip: u64::from(line.unwrap_or(1)).saturating_sub(1),
            take: limit.map(u64::from),
        }
    }

    fn is_whole(self) -> bool {
        self.skip == 0 && self.take.is_none()
    }
}

/// Reads the lines. If the file changes meanwhile it is read again. If the file only grows, the original content is
/// returned.
pub(super) fn read(
    mut file: File,
    path: &Path,
    range: LineRange,
    limits: &FileLimits,
) -> Result<String, FileError> {
    let failed = |error| FileError::of_system(path, "read", error);
    let text = |bytes| String::from_utf8(bytes).map_err(|_| not_text(path));
    let mut earlier = Vec::new();
    for _ in 0..MOST_TRIES {
        let before = file_facts(&file).map_err(failed)?;
        check(&before, path)?;
        if range.is_whole() && before.size > limits.read {
            return Err(too_large(path, before.size, limits.read));
        }
        let bytes = lines(&mut file, path, range, limits, before.size)?;
        if !earlier.is_empty() && bytes.starts_with(&earlier) {
            return text(earlier);
        }
        let after = file.metadata().map_err(failed)?;
        if after.len() == before.size && after.modified().ok() == before.written {
            return text(bytes);
        }
        earlier = bytes;
        file.rewind().map_err(failed)?;
    }
    Err(FileError::Changing {
        path: path.to_owned(),
    })
}

/// Refuses anything but a regular file.
pub(super) fn check_regular(file: &File, path: &Path) -> Result<(), FileError> {
    let facts = file_facts(file).map_err(|error| FileError::of_system(path, "read", error))?;
    check(&facts, path)
}

fn check(facts: &FileFacts, path: &Path) -> Result<(), FileError> {
    match facts {
        _ if facts.is_regular => Ok(()),
        _ if facts.is_directory => Err(wrong_kind(path, UnexpectedKind::Directory)),
        _ => Err(wrong_kind(path, UnexpectedKind::Special)),
    }
}

/// The bytes of the requested lines within the first `size` bytes of the file.
fn lines(
    file: &mut File,
    path: &Path,
    range: LineRange,
    limits: &FileLimits,
    size: u64,
) -> Result<Vec<u8>, FileError> {
    let mut cut = LineCollector {
        range,
        kept: Vec::new(),
    };
    let length = usize::try_from(size).unwrap_or(PIECE).clamp(1, PIECE);
    let mut piece = vec![0; length];
    let mut file = file.take(size.min(limits.search));
    while !cut.is_done() {
        let length = match file.read(&mut piece) {
            Ok(0) if size > limits.search => {
                return Err(FileError::TooLarge {
                    path: path.to_owned(),
                    size,
                    limit: limits.search,
                    advice: "ask for lines nearer to its beginning",
                });
            }
            Ok(0) => break,
            Ok(length) => length,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(FileError::of_system(path, "read", error)),
        };
        let piece = &piece[..length];
        if memchr::memchr(0, piece).is_some() {
            return Err(not_text(path));
        }
        cut.feed(piece);
        let kept = u64::try_from(cut.kept.len()).unwrap_or(u64::MAX);
        if kept > limits.read {
            return Err(too_large(path, kept, limits.read));
        }
    }
    Ok(cut.kept)
}

/// Collects the requested lines from chunks of text.
struct LineCollector {
    range: LineRange,
    kept: Vec<u8>,
}

impl LineCollector {
    fn is_done(&self) -> bool {
        self.range.take == Some(0)
    }

    fn feed(&mut self, mut piece: &[u8]) {
        while self.range.skip > 0 {
            let Some(end) = end_of_line(piece) else {
                return;
            };
            piece = &piece[end..];
            self.range.skip -= 1;
        }
        let Some(take) = &mut self.range.take else {
            self.kept.extend_from_slice(piece);
            return;
        };
        while *take > 0 && !piece.is_empty() {
            let end = end_of_line(piece);
            let (line, rest) = piece.split_at(end.unwrap_or(piece.len()));
            self.kept.extend_from_slice(line);
            piece = rest;
            if end.is_some() {
                *take -= 1;
            }
        }
    }
}

fn end_of_line(piece: &[u8]) -> Option<usize> {
    Some(memchr::memchr(b'\n', piece)? + 1)
}

fn not_text(path: &Path) -> FileError {
    FileError::NotText {
        path: path.to_owned(),
    }
}

fn too_large(path: &Path, size: u64, limit: u64) -> FileError {
    FileError::TooLarge {
        path: path.to_owned(),
        size,
        limit,
        advice: "ask for fewer lines with `line` and `limit`",
    }
}

const MOST_TRIES: usize = 4;

const PIECE: usize = 64 * 1024;
