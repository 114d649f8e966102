//! Systems without Unix owners and modes: files in a user's own directories are protected by the permissions of those
//! directories.

use std::fs::{DirBuilder, File, Metadata, OpenOptions, Permissions};
use std::io;
use std::path::Path;
use std::time::UNIX_EPOCH;

pub(super) fn owner_only(builder: &mut DirBuilder) -> &mut DirBuilder {
    builder
}

pub(super) fn owner_only_file(options: &mut OpenOptions) -> &mut OpenOptions {
    options
}

pub(super) fn restrict_to_owner(_: &File) -> io::Result<()> {
    Ok(())
}

pub(super) fn dir_permissions() -> Option<Permissions> {
    None
}

pub(super) fn no_follow(options: &mut OpenOptions) -> &mut OpenOptions {
    options
}

pub(super) fn is_link(_: &io::Error) -> bool {
    false
}

pub(super) fn owner_fault(metadata: &Metadata) -> Option<&'static str> {
    metadata.is_symlink().then_some("is a symbolic link")
}

pub(super) fn is_open_to_others(_: &Metadata) -> bool {
    false
}

/// Only the creation time identifies a file on this system.
pub(super) fn identity(metadata: &Metadata) -> (u64, u64) {
    let made = metadata.created().ok();
    let made = made.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    let made = made.unwrap_or_default();
    (made.as_secs(), made.subsec_nanos().into())
}

pub(super) fn change_time(metadata: &Metadata) -> (i64, i64) {
    let changed = metadata.modified().ok();
    let changed = changed.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    let changed = changed.unwrap_or_default();
    let seconds = i64::try_from(changed.as_secs()).unwrap_or(i64::MAX);
    (seconds, changed.subsec_nanos().into())
}

/// Does nothing: directories cannot be opened on this system.
pub(super) fn sync_dir(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Always `true`: an open file keeps its name on this system.
pub(super) fn is_file_at(_: &File, _: &Path) -> io::Result<bool> {
    Ok(true)
}
