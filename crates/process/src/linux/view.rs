//! How a watched program sees the file system, compared with how we do, and where open files are.

use std::os::fd::{AsRawFd, OwnedFd};
use std::path::PathBuf;

use rustix::fs::{AtFlags, CWD, OFlags, Statx, StatxFlags};

/// How a process sees the file system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileView {
    /// As we do.
    Ours,
    /// With another root or other mounts.
    Other,
}

/// How the processes of a tree see the file system. All see it alike until one of them makes a call that can change that.
#[derive(Debug)]
pub(super) struct TreeFileView {
    ours: Option<RootId>,
    /// The device of our `/proc`.
    pub(super) proc_device: Option<u64>,
    shared: SharedView,
}

#[derive(Debug, Clone, Copy)]
enum SharedView {
    Unknown,
    Known(FileView),
    /// Processes may differ, so each is looked at.
    PerProcess,
}

/// A root directory: its mount, which belongs to one namespace, device and inode.
pub(super) type RootId = (u64, u32, u32, u64);

impl TreeFileView {
    pub(super) fn new() -> TreeFileView {
        let processes = rustix::fs::stat("/proc").ok();
        TreeFileView {
            ours: root("/"),
            proc_device: processes.map(|stat| stat.st_dev),
            shared: SharedView::Unknown,
        }
    }

    /// How a thread sees the file system.
    pub(super) fn of(&mut self, thread: i32) -> FileView {
        if let SharedView::Known(view) = self.shared {
            return view;
        }
        let theirs = root(&format!("/proc/{thread}/root"));
        // Kernels before 5.8 do not tell mounts: then every view counts as another.
        let view = match theirs.is_some() && theirs == self.ours {
            true => FileView::Ours,
            false => FileView::Other,
        };
        if let SharedView::Unknown = self.shared {
            self.shared = SharedView::Known(view);
        }
        view
    }

    /// A process is about to change its view.
    pub(super) fn diverge(&mut self) {
        self.shared = SharedView::PerProcess;
    }

    /// Whether some process may have changed its view.
    pub(super) fn has_diverged(&self) -> bool {
        matches!(self.shared, SharedView::PerProcess)
    }
}

/// The root directory at a path; none on kernels before 5.8, which do not tell mounts.
fn root(path: &str) -> Option<RootId> {
    identity(rustix::fs::statx(CWD, path, AtFlags::empty(), WANTED))
}

/// An open directory, as if it were a root.
pub(super) fn root_of(directory: &OwnedFd) -> Option<RootId> {
    identity(rustix::fs::statx(
        directory,
        "",
        AtFlags::EMPTY_PATH,
        WANTED,
    ))
}

fn identity(found: rustix::io::Result<Statx>) -> Option<RootId> {
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
