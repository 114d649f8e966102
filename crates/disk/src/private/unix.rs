//! Owners and modes.

use std::fs::{DirBuilder, File, Metadata, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{
    DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _,
};
use std::path::Path;

use rustix::fs::OFlags;

/// Directories that only their owner can enter.
pub(super) fn owner_only(builder: &mut DirBuilder) -> &mut DirBuilder {
    builder.mode(0o700)
}

/// Files that only their owner can read.
pub(super) fn owner_only_file(options: &mut OpenOptions) -> &mut OpenOptions {
    options.mode(0o600)
}

/// Takes the rights of everybody but the owner away from an open file.
pub(super) fn restrict_to_owner(file: &File) -> io::Result<()> {
    file.set_permissions(Permissions::from_mode(0o600))
}

/// Files that only their owner can read, reached by no link. Without `O_NONBLOCK` a pipe that somebody put there would
/// hang us.
pub(super) fn no_follow(options: &mut OpenOptions) -> &mut OpenOptions {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    options.mode(0o600).custom_flags(flags.bits().cast_signed())
}

pub(super) fn is_link(error: &io::Error) -> bool {
    error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error())
}

/// What is wrong with the owner or the mode.
pub(super) fn owner_fault(metadata: &Metadata) -> Option<&'static str> {
    if metadata.uid() != rustix::process::geteuid().as_raw() {
        return Some("belongs to another user");
    }
    let is_open = metadata.mode() & 0o022 != 0;
    is_open.then_some("can be changed by others; take their right to write away with `chmod go-w`")
}

/// Whether others may do anything with it.
pub(super) fn is_open_to_others(metadata: &Metadata) -> bool {
    metadata.mode() & 0o077 != 0
}

/// What tells a file from all others: its device and number.
pub(super) fn identity(metadata: &Metadata) -> (u64, u64) {
    (metadata.dev(), metadata.ino())
}

/// What is another after every change.
pub(super) fn change_time(metadata: &Metadata) -> (i64, i64) {
    (metadata.ctime(), metadata.ctime_nsec())
}

pub(super) fn sync_dir(dir: &Path) -> io::Result<()> {
    File::open(dir)?.sync_all()
}

pub(super) fn is_file_at(file: &File, path: &Path) -> io::Result<bool> {
    let open = file.metadata()?;
    match path.symlink_metadata() {
        Ok(named) => Ok(identity(&open) == identity(&named)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}
