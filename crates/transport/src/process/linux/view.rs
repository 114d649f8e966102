//! How we see the file system, to compare with how a process does, and where open files are.

use std::os::fd::{AsRawFd, OwnedFd};
use std::path::PathBuf;

use rustix::fs::{AtFlags, CWD, OFlags, Statx, StatxFlags};

/// Our own view of the file system.
#[derive(Debug)]
pub(super) struct Ours {
    pub(super) root: Option<Root>,
    /// The device of `/proc`.
    pub(super) processes: Option<u64>,
}

/// A root directory: its mount, which belongs to one namespace, device and inode.
pub(super) type Root = (u64, u32, u32, u64);

impl Ours {
    pub(super) fn new() -> Ours {
        let processes = rustix::fs::stat("/proc").ok();
        Ours {
            root: root("/"),
            processes: processes.map(|stat| stat.st_dev),
        }
    }
}

/// The root directory at a path; none on kernels before 5.8, which do not tell mounts.
pub(super) fn root(path: &str) -> Option<Root> {
    identity(rustix::fs::statx(CWD, path, AtFlags::empty(), WANTED))
}

/// An open directory, as if it were a root.
pub(super) fn root_of(directory: &OwnedFd) -> Option<Root> {
    identity(rustix::fs::statx(
        directory,
        "",
        AtFlags::EMPTY_PATH,
        WANTED,
    ))
}

fn identity(found: rustix::io::Result<Statx>) -> Option<Root> {
    let found = found.ok()?;
    let has_mount = found.stx_mask & StatxFlags::MNT_ID.bits() != 0;
    has_mount.then_some((
        found.stx_mnt_id,
        found.stx_dev_major,
        found.stx_dev_minor,
        found.stx_ino,
    ))
}

/// Where an open file is.
pub(super) fn real_path(file: &OwnedFd) -> PathBuf {
    std::fs::read_link(entry(file)).unwrap_or_default()
}

/// The entry of an open file of ours below /proc.
pub(super) fn entry(file: &OwnedFd) -> String {
    format!("/proc/self/fd/{}", file.as_raw_fd())
}

/// A file that is only referred to.
pub(super) const HANDLE: OFlags = OFlags::PATH.union(OFlags::CLOEXEC);
const WANTED: StatxFlags = StatxFlags::MNT_ID.union(StatxFlags::INO);
