//! The mounts of our own namespace, against which the files of a watched process are compared. Device and inode tell what
//! a file is, except on an overlay file system that somebody else has mounted: it gives the files below it other ones.

use std::cell::RefCell;
use std::collections::HashSet;
use std::path::Path;

use rustix::fs::{AtFlags, CWD, StatxFlags, fstatfs, makedev, statx};

use super::file_cache::OpenFile;

/// Our own mounts, read when they are first needed and again when one is not among them.
#[derive(Debug, Default)]
pub(super) struct OwnMounts(RefCell<HashSet<OwnMount>>);

/// A mount by its id, and the device of its file system.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct OwnMount {
    id: u64,
    device: u64,
}

impl OwnMounts {
    /// Whether the id of a file that a thread has found can be compared with those of files that we see.
    pub(super) fn can_compare(&self, found: &OpenFile, thread: i32) -> bool {
        match fstatfs(&found.file) {
            Ok(system) if system.f_type != OVERLAY => true,
            Ok(_) => self.is_ours(found, thread),
            Err(_) => false,
        }
    }

    /// Whether a file is on a file system that is mounted here as well.
    fn is_ours(&self, found: &OpenFile, thread: i32) -> bool {
        let Some(id) = found.mount() else {
            return false;
        };
        if self.0.borrow().iter().any(|mount| mount.id == id) {
            return true;
        }
        self.renew();
        let own = self.0.borrow();
        if own.iter().any(|mount| mount.id == id) {
            return true;
        }
        // In a namespace of its own, the same file system has another mount.
        let theirs = mounts(&format!("/proc/{thread}/mountinfo"));
        let theirs = theirs.into_iter().flatten().find(|mount| mount.id == id);
        theirs.is_some_and(|theirs| own.iter().any(|mount| mount.device == theirs.device))
    }

    /// Whether a path leads us to a file that a process has found. Files that exist only in memory of the process's own
    /// are not ours under any path.
    pub(super) fn shows_at(&self, found: &OpenFile, path: &Path) -> bool {
        // Pipes and sockets have no path.
        if !path.is_absolute() {
            return true;
        }
        let seen = statx(CWD, path, AtFlags::SYMLINK_NOFOLLOW, StatxFlags::INO);
        let is_there = seen.is_ok_and(|seen| {
            let device = makedev(seen.stx_dev_major, seen.stx_dev_minor);
            (device, seen.stx_ino) == found.id()
        });
        is_there || self.is_on_other_tmpfs(found)
    }

    fn is_on_other_tmpfs(&self, found: &OpenFile) -> bool {
        if !fstatfs(&found.file).is_ok_and(|system| system.f_type == TMPFS) {
            return false;
        }
        self.renew();
        let own = self.0.borrow();
        !own.is_empty() && own.iter().all(|mount| mount.device != found.device())
    }

    fn renew(&self) {
        let read = mounts("/proc/self/mountinfo").unwrap_or_default();
        *self.0.borrow_mut() = read.into_iter().collect();
    }
}

/// The mounts in a list of the kernel.
fn mounts(list: &str) -> Option<Vec<OwnMount>> {
    let list = std::fs::read(list).ok()?;
    let lines = list.split(|byte| *byte == b'\n');
    let mount = |line: &[u8]| {
        let mut fields = line.split(|byte| *byte == b' ');
        let id = str::from_utf8(fields.next()?).ok()?.parse().ok()?;
        let (major, minor) = str::from_utf8(fields.nth(1)?).ok()?.split_once(':')?;
        let device = makedev(major.parse().ok()?, minor.parse().ok()?);
        Some(OwnMount { id, device })
    };
    Some(lines.filter_map(mount).collect())
}

const OVERLAY: libc::__fsword_t = 0x794c_7630;
const TMPFS: libc::__fsword_t = libc::TMPFS_MAGIC;
