//! The files of the store, which only their owner may read or change.

use std::fs::{DirBuilder, File, Metadata, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use super::Error;

/// Makes a directory that only its owner can enter, unless it is there, and gives its name without links.
///
/// # Errors
///
/// When it cannot be made, is not ours, or others may write to it.
pub(super) fn directory(dir: &Path) -> Result<PathBuf, Error> {
    let failed = |error| Error::file(dir, &error);
    owner_only(DirBuilder::new().recursive(true))
        .create(dir)
        .map_err(failed)?;
    check(dir, &dir.metadata().map_err(failed)?)?;
    dir.canonicalize().map_err(failed)
}

/// Opens a file that only its owner can read, and makes it if there is none.
///
/// # Errors
///
/// When it cannot be made or opened, is no regular file, is not ours, or others may write to it.
pub(super) fn file(path: &Path) -> Result<File, Error> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true);
    let failed = |error| Error::file(path, &error);
    let file = straight(&mut options).open(path).map_err(failed)?;
    let metadata = file.metadata().map_err(failed)?;
    if !metadata.is_file() {
        return Err(refused(path, "is not a regular file"));
    }
    check(path, &metadata)?;
    Ok(file)
}

/// Makes sure that the names in a directory are on disk.
///
/// # Errors
///
/// When the system says so.
pub(super) fn sync(dir: &Path) -> Result<(), Error> {
    let synced = if cfg!(unix) {
        File::open(dir).and_then(|dir| dir.sync_all())
    } else {
        Ok(())
    };
    synced.map_err(|error| Error::file(dir, &error))
}

fn refused(path: &Path, why: &str) -> Error {
    Error::File {
        path: path.to_owned(),
        why: why.to_owned(),
    }
}

fn check(path: &Path, metadata: &Metadata) -> Result<(), Error> {
    match fault(metadata) {
        Some(fault) => Err(refused(path, fault)),
        None => Ok(()),
    }
}

#[cfg(unix)]
pub(super) use unix::is_at;
#[cfg(unix)]
use unix::{fault, owner_only, straight};

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};

    use rustix::fs::OFlags;

    use super::*;

    pub(super) fn owner_only(builder: &mut DirBuilder) -> &mut DirBuilder {
        builder.mode(0o700)
    }

    /// Reached by no link; without `NONBLOCK` a pipe in its place would hang us.
    pub(super) fn straight(options: &mut OpenOptions) -> &mut OpenOptions {
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
        options.mode(0o600).custom_flags(flags.bits().cast_signed())
    }

    pub(super) fn fault(metadata: &Metadata) -> Option<&'static str> {
        if metadata.uid() != rustix::process::geteuid().as_raw() {
            return Some("belongs to another user");
        }
        let is_open = metadata.mode() & 0o022 != 0;
        is_open
            .then_some("can be changed by others; take their right to write away with `chmod go-w`")
    }

    /// Whether this file, and no later one, has the name.
    pub(in super::super) fn is_at(file: &File, path: &Path) -> io::Result<bool> {
        let held = file.metadata()?;
        match path.symlink_metadata() {
            Ok(named) => Ok((held.dev(), held.ino()) == (named.dev(), named.ino())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }
}

#[cfg(not(unix))]
pub(super) use other::is_at;
#[cfg(not(unix))]
use other::{fault, owner_only, straight};

/// The directories of a user are private there already.
#[cfg(not(unix))]
mod other {
    use super::*;

    pub(super) fn owner_only(builder: &mut DirBuilder) -> &mut DirBuilder {
        builder
    }

    pub(super) fn straight(options: &mut OpenOptions) -> &mut OpenOptions {
        options
    }

    pub(super) fn fault(_: &Metadata) -> Option<&'static str> {
        None
    }

    /// An open file keeps its name there.
    pub(in super::super) fn is_at(_: &File, _: &Path) -> io::Result<bool> {
        Ok(true)
    }
}
