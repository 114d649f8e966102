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
use std::path::{Path, PathBuf};

/// Checks an open file, the directories above its path, and those above where its path leads.
///
/// Refused are a file that belongs to neither the user nor root, a file that everyone or a shared group may write, and
/// a directory above it in which everyone or a shared group may replace entries (no sticky bit). A group is the user's
/// own when it is the user's primary group and no other user of this system is in it.
///
/// # Errors
///
/// When somebody else could have written the file; the message says what to do.
pub fn check(path: &Path, file: &File) -> Result<(), OwnershipError> {
    let of_system = |error: std::io::Error| refused(path, format!("cannot be checked: {error}"));
    let metadata = file.metadata().map_err(of_system)?;
    if let Some(fault) = platform::file_fault(path, &metadata) {
        return Err(refused(path, fault));
    }
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
