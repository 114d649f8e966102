//! Facts about paths and files on disk: where a path leads, whether nothing is there, and how many names a file has.

use std::fs::{File, Metadata};
use std::io;
use std::path::{Path, PathBuf};

/// Resolves the links of a path as far as it exists, and appends the rest.
pub(crate) fn real_path(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut existing = path.as_path();
    loop {
        if let Ok(real) = std::fs::canonicalize(existing) {
            return match path.strip_prefix(existing) {
                Ok(rest) if !rest.as_os_str().is_empty() => real.join(rest),
                _ => real,
            };
        }
        match existing.parent() {
            Some(parent) => existing = parent,
            None => return path,
        }
    }
}

/// Whether an error means that the path does not exist.
pub(crate) fn is_absence(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

/// The number of hard links of a file.
#[cfg(unix)]
pub(crate) fn link_count(metadata: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::nlink(metadata)
}

#[cfg(not(unix))]
pub(crate) fn link_count(_: &Metadata) -> u64 {
    1
}

/// Opens a file for reading. Opening a pipe does not wait for a writer.
pub(crate) fn open_without_waiting(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, NONBLOCK);
    options.open(path)
}

#[cfg(unix)]
const NONBLOCK: i32 = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();
