//! Who else could have written a file that decides what agents may do. Such a file counts only if it belongs to the user
//! or to root, and if nobody else may change it or put another in its place.

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
/// A path that leads to something other than a regular file is refused before it is opened: a pipe would be waited for, and
/// a device is not for us to read or to give advice about.
///
/// # Errors
///
/// When it cannot be read, is longer than `limit` bytes or is not text, and when somebody else could have written it.
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

/// Why [`read_text`] has no text.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// It cannot be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// Somebody else could have written it.
    #[error(transparent)]
    Refused(OwnershipError),
}

/// Opens a regular file, and waits for nobody.
fn open_regular(path: &Path) -> io::Result<File> {
    let not_regular = || io::Error::other("it is not a regular file");
    if !std::fs::metadata(path)?.is_file() {
        return Err(not_regular());
    }
    // It may have been replaced meanwhile.
    let file = platform::open_without_waiting(path)?;
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(not_regular()),
    }
}

/// Checks an open file, the directories above its path, and those above where its path leads.
///
/// Refused are a file that belongs to neither the user nor root, a file that everyone or a shared group may write, and
/// a directory above it that belongs to neither, or in which everyone or a shared group may replace entries (no sticky
/// bit). A group is the user's own when it is the user's primary group and no other user of this system is in it.
///
/// # Errors
///
/// When somebody else could have written the file; the message says what to do.
pub fn check(path: &Path, file: &File) -> Result<(), OwnershipError> {
    let of_system = |error: io::Error| refused(path, format!("cannot be checked: {error}"));
    let metadata = file.metadata().map_err(of_system)?;
    let owner = match platform::has_unknown_owner(&metadata) && is_accepted(file) {
        true => OwnerCheck::Done,
        false => OwnerCheck::Required,
    };
    if let Some(fault) = platform::file_fault(path, &metadata, owner) {
        return Err(refused(path, fault));
    }
    check_directories(path)
}

/// Checks the directories above a path, and those above where it leads: none of them may let somebody else replace what is
/// there.
///
/// # Errors
///
/// As [`check`].
pub(crate) fn check_directories(path: &Path) -> Result<(), OwnershipError> {
    let of_system = |error: io::Error| refused(path, format!("cannot be checked: {error}"));
    let path = std::path::absolute(path).map_err(of_system)?;
    let real = path.canonicalize().unwrap_or_else(|_| path.clone());
    let above = path.ancestors().skip(1).chain(real.ancestors().skip(1));
    for directory in above {
        let Ok(metadata) = directory.metadata() else {
            continue;
        };
        if let Some(fault) = platform::directory_fault(directory, &metadata) {
            return Err(refused(&path, fault));
        }
    }
    Ok(())
}

/// The digest of a file that passes [`check`] and belongs to somebody else, which is root. A process of ours that runs in a
/// user namespace cannot tell that owner: it gets the digest, for [`accept`].
pub fn digest_to_accept(path: &Path) -> Option<String> {
    let file = open_regular(path).ok()?;
    check(path, &file).ok()?;
    let is_own = platform::is_own(&file.metadata().ok()?);
    (!is_own).then(|| digest(&file)).flatten()
}

/// Accepts files by their digests, in this process and for good, where their owner cannot be told.
pub fn accept(digests: Vec<String>) {
    // It is told once, when the process starts.
    ACCEPTED.set(digests).ok();
}

/// Whether whoever started this process has checked the file.
fn is_accepted(file: &File) -> bool {
    let accepted = ACCEPTED.get().filter(|accepted| !accepted.is_empty());
    accepted.is_some_and(|accepted| digest(file).is_some_and(|digest| accepted.contains(&digest)))
}

/// The digest of a file from its beginning; it is read on from where it was.
fn digest(file: &File) -> Option<String> {
    let text = platform::read_whole(file, LONGEST).ok()?;
    let mut hasher = FieldHasher::new("attache: a file whose owner was checked");
    hasher.text(std::str::from_utf8(&text).ok()?);
    let digest = hasher.end();
    Some(digest.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// What is known about the owner of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OwnerCheck {
    /// What the system tells.
    Required,
    /// It was checked where it can be told.
    Done,
}

static ACCEPTED: OnceLock<Vec<String>> = OnceLock::new();
const LONGEST: u64 = 4 << 20;
const BYTE_ORDER_MARK: char = '\u{feff}';

/// Why a file is refused, and what to do about it.
#[derive(Debug, thiserror::Error)]
#[error("`{}` {why}", .path.display())]
pub struct OwnershipError {
    path: PathBuf,
    why: String,
}

impl OwnershipError {
    /// What is wrong and what to do, to be read after the name of the file.
    pub fn why(&self) -> &str {
        &self.why
    }
}

fn refused(path: &Path, why: String) -> OwnershipError {
    OwnershipError {
        path: path.to_owned(),
        why,
    }
}
