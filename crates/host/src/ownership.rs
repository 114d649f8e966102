//! Checks who could have written a file that decides what agents may do. Such a file counts only if it belongs to the
//! user or root, and nobody else can change or replace it.

#[cfg(unix)]
mod unix;
#[cfg(unix)]
use unix as platform;

#[cfg(not(unix))]
mod other;
#[cfg(not(unix))]
use other as platform;

use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::field_hasher::FieldHasher;

/// Reads a file that decides what agents may do, as text without its byte order mark. The file passes [`check`] first.
///
/// A path to anything but a regular file is refused before it is opened: opening a pipe would block, and a device is
/// not for us to read or to give advice about.
///
/// # Errors
///
/// When the file cannot be read, is longer than `limit` bytes or is not text, and when somebody else could have written
/// it.
pub fn read_text(path: &Path, limit: u64) -> Result<String, ReadError> {
    let file = open_regular(path)?;
    check(path, &file).map_err(ReadError::Refused)?;
    let mut text = String::new();
    file.take(limit.saturating_add(1))
        .read_to_string(&mut text)?;
    if u64::try_from(text.len()).unwrap_or(u64::MAX) > limit {
        let why = format!("it is larger than {} MiB", limit >> 20);
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, why).into());
    }
    if text.starts_with(BYTE_ORDER_MARK) {
        text.remove(0);
    }
    Ok(text)
}

/// Why [`read_text`] failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The file cannot be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// Somebody else could have written the file.
    #[error(transparent)]
    Refused(OwnershipError),
}

/// Opens a regular file without blocking.
fn open_regular(path: &Path) -> io::Result<File> {
    let not_regular = || io::Error::other("it is not a regular file");
    if !std::fs::metadata(path)?.is_file() {
        return Err(not_regular());
    }
    // The file may have been replaced meanwhile.
    let file = platform::open_without_waiting(path)?;
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(not_regular()),
    }
}

/// Checks an open file, the directories above its path, and the directories above its link target.
///
/// A file is refused if it belongs to neither the user nor root, or if everyone, a shared group or somebody in its access
/// control list may write it. So is a file below such a directory, unless the sticky bit keeps others from replacing entries. A group is the user's own if
/// it is the user's primary group and has no other member.
///
/// # Errors
///
/// When somebody else could have written the file; the message says what to do.
pub fn check(path: &Path, file: &File) -> Result<(), OwnershipError> {
    let of_system = |error: io::Error| refusal(path, format!("cannot be checked: {error}"));
    let metadata = file.metadata().map_err(of_system)?;
    let owner = match platform::has_unknown_owner(&metadata) && is_accepted(file) {
        true => OwnerCheck::Done,
        false => OwnerCheck::Required,
    };
    if let Some(fault) = platform::file_fault(path, file, &metadata, owner) {
        return Err(refusal(path, fault));
    }
    check_directories(path)
}

/// Checks the directories above a path and above its link target: nobody else may be able to replace the file.
///
/// # Errors
///
/// See [`check`].
pub(crate) fn check_directories(path: &Path) -> Result<(), OwnershipError> {
    let of_system = |error: io::Error| refusal(path, format!("cannot be checked: {error}"));
    let path = std::path::absolute(path).map_err(of_system)?;
    let real = path.canonicalize().unwrap_or_else(|_| path.clone());
    let above = path.ancestors().skip(1).chain(real.ancestors().skip(1));
    for directory in above {
        let Ok(metadata) = directory.metadata() else {
            continue;
        };
        if let Some(fault) = platform::directory_fault(directory, &metadata) {
            return Err(refusal(&path, fault));
        }
    }
    Ok(())
}

/// The digest of a file that passes [`check`] and belongs to root. One of our processes in a user namespace cannot see
/// that owner, so it gets the digest for [`accept`].
pub fn digest_to_accept(path: &Path) -> Option<String> {
    let file = open_regular(path).ok()?;
    check(path, &file).ok()?;
    let is_own = platform::is_own(&file.metadata().ok()?);
    (!is_own).then(|| digest(&file)).flatten()
}

/// Accepts files by their digests, for the rest of this process, where their owner is not visible.
pub fn accept(digests: Vec<String>) {
    // Called once, when the process starts.
    ACCEPTED.set(digests).ok();
}

/// Whether the parent process has checked the file.
fn is_accepted(file: &File) -> bool {
    let accepted = ACCEPTED.get().filter(|accepted| !accepted.is_empty());
    accepted.is_some_and(|accepted| digest(file).is_some_and(|digest| accepted.contains(&digest)))
}

/// The digest of the whole file. Does not change the read position.
fn digest(file: &File) -> Option<String> {
    let text = platform::read_whole(file, LONGEST).ok()?;
    let mut hasher = FieldHasher::new("attache: a file whose owner was checked");
    hasher.text(std::str::from_utf8(&text).ok()?);
    let digest = hasher.end();
    Some(digest.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Whether the owner of a file still has to be checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OwnerCheck {
    /// The owner reported by the system decides.
    Required,
    /// The parent process has checked the owner.
    Done,
}

static ACCEPTED: OnceLock<Vec<String>> = OnceLock::new();
const LONGEST: u64 = 4 << 20;
const BYTE_ORDER_MARK: char = '\u{feff}';

/// Why a file is refused, and what to do about it.
#[derive(Debug, thiserror::Error)]
#[error("`{}` {why}", .path.display())]
#[non_exhaustive]
pub struct OwnershipError {
    path: PathBuf,
    why: String,
}

impl OwnershipError {
    /// What is wrong and what to do, to be printed after the name of the file.
    pub fn why(&self) -> &str {
        &self.why
    }
}

fn refusal(path: &Path, why: String) -> OwnershipError {
    OwnershipError {
        path: path.to_owned(),
        why,
    }
}
