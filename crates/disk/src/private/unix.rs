//! Owners and modes on Unix.

use std::fs::{DirBuilder, File, Metadata, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{
    DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _,
};
use std::path::Path;

use rustix::fs::OFlags;

/// Makes new directories accessible to their owner only.
pub(super) fn owner_only(builder: &mut DirBuilder) -> &mut DirBuilder {
    builder.mode(OWNER_ONLY_DIR)
}

/// Files that only their owner can read.
pub(super) fn owner_only_file(options: &mut OpenOptions) -> &mut OpenOptions {
    options.mode(0o600)
}

/// Removes all permissions of other users from an open file.
pub(super) fn restrict_to_owner(file: &File) -> io::Result<()> {
    file.set_permissions(Permissions::from_mode(0o600))
}

pub(super) fn dir_permissions() -> Option<Permissions> {
    Some(Permissions::from_mode(OWNER_ONLY_DIR))
}

/// Makes new files readable for their owner only, and refuses symbolic links. Without `O_NONBLOCK`, opening a pipe at the path
/// would block.
pub(super) fn no_follow(options: &mut OpenOptions) -> &mut OpenOptions {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    options.mode(0o600).custom_flags(flags.bits().cast_signed())
}

pub(super) fn is_link(error: &io::Error) -> bool {
    error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error())
}

/// The problem with the owner or the mode, or `None` if both are safe.
pub(super) fn owner_fault(metadata: &Metadata) -> Option<&'static str> {
    if metadata.uid() != rustix::process::geteuid().as_raw() {
        return Some("belongs to another user");
    }
    let is_open = metadata.mode() & 0o022 != 0;
    is_open.then_some("can be changed by others; take their right to write away with `chmod go-w`")
}

/// Whether others have any permission for the file.
pub(super) fn is_open_to_others(metadata: &Metadata) -> bool {
    metadata.mode() & 0o077 != 0
}

/// Identifies a file: its device and inode.
pub(super) fn identity(metadata: &Metadata) -> (u64, u64) {
    (metadata.dev(), metadata.ino())
}

/// The time of the last change, which programs cannot set.
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

const OWNER_ONLY_DIR: u32 = 0o700;
