//! Finds a file as another process would: step by step, from that process's root and directory, and with its own entries
//! where a path leads through `/proc/self`. Magic links such as `/proc/7/exe` are followed. Also compares that process's view
//! of the file system with the view of this process.

use std::ffi::{OsStr, OsString};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

use rustix::fs::{AtFlags, CWD, Mode, OFlags, ResolveFlags, Statx, StatxFlags};
use rustix::io::Errno;

/// A lookup on behalf of another process.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lookup {
    pub(super) thread: i32,
    /// The first thread of the process, which `/proc/self` means.
    pub(super) process: i32,
    /// The device of this process's `/proc`.
    pub(super) proc_device: Option<u64>,
}

/// Why a file was not found.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum LookupError {
    /// The process would not find the file either.
    Missing(Errno),
    /// The process may find a file that is not visible here. Contains the error of the lookup.
    Unknown(Errno),
}

impl From<Errno> for LookupError {
    fn from(errno: Errno) -> LookupError {
        match errno {
            Errno::NOENT | Errno::NOTDIR | Errno::LOOP | Errno::NAMETOOLONG | Errno::BADF => {
                LookupError::Missing(errno)
            }
            _ => LookupError::Unknown(errno),
        }
    }
}

/// The target of a link.
enum LinkTarget {
    Path(OsString),
    File(OwnedFd),
}

impl Lookup {
    /// Opens the file at a path, which is relative to a directory unless it starts at the root.
    pub(super) fn open(self, base: i32, path: &OsStr) -> Result<OwnedFd, LookupError> {
        let root = self.entry("root").map_err(LookupError::Unknown)?;
        let root_id = root_of(&root);
        let mut here = match path.as_bytes().first() {
            Some(b'/') => duplicate(&root)?,
            Some(_) => self.descriptor(base)?,
            None => return Err(LookupError::Missing(Errno::NOENT)),
        };
        let mut left = Vec::new();
        push_parts(&mut left, path);
        let (mut links, mut is_in_other_proc) = (0, false);
        while let Some(name) = left.pop() {
            // In that namespace, processes and threads have other ids.
            if is_in_other_proc && (name == ".." || name == "task") {
                return Err(LookupError::Unknown(Errno::ACCESS));
            }
            if name == ".." {
                here = parent(here, root_id)?;
                continue;
            }
            let next = rustix::fs::openat(&here, &name, HANDLE | OFlags::NOFOLLOW, Mode::empty());
            let next = next.map_err(|errno| open_error(errno, &here))?;
            let mode = rustix::fs::fstat(&next)?.st_mode & libc::S_IFMT;
            if mode != libc::S_IFLNK {
                if !left.is_empty() && mode != libc::S_IFDIR {
                    return Err(LookupError::Missing(Errno::NOTDIR));
                }
                here = next;
                continue;
            }
            links += 1;
            if links > MOST_LINKS {
                return Err(LookupError::Missing(Errno::LOOP));
            }
            match self.follow(&here, &name, &next)? {
                LinkTarget::Path(path) => {
                    if path.as_bytes().first() == Some(&b'/') {
                        here = duplicate(&root)?;
                        is_in_other_proc = false;
                    }
                    push_parts(&mut left, &path);
                }
                LinkTarget::File(file) => {
                    // Entries of the process are opened in this process's /proc.
                    is_in_other_proc = is_procfs(&file) && device(&here) != self.proc_device;
                    here = file;
                }
            }
            if left.len() > MOST_PARTS {
                return Err(LookupError::Missing(Errno::NAMETOOLONG));
            }
        }
        Ok(here)
    }

    /// Opens an open file of the process, or its working directory.
    pub(super) fn descriptor(self, number: i32) -> Result<OwnedFd, Errno> {
        match number {
            libc::AT_FDCWD => self.entry("cwd"),
            number => self.entry(&format!("fd/{number}")),
        }
    }

    /// Opens the target of an entry of the process in /proc.
    fn entry(self, name: &str) -> Result<OwnedFd, Errno> {
        let path = format!("/proc/{}/{name}", self.thread);
        rustix::fs::open(path, HANDLE, Mode::empty())
    }

    fn follow(
        self,
        directory: &OwnedFd,
        name: &OsStr,
        link: &OwnedFd,
    ) -> Result<LinkTarget, LookupError> {
        if is_procfs(directory) {
            let is_top = rustix::fs::fstat(directory)?.st_ino == PROC_ROOT_INODE;
            let own = match name.to_str() {
                Some("self") if is_top => Some(format!("/proc/{}", self.process)),
                Some("thread-self") if is_top => {
                    Some(format!("/proc/{}/task/{}", self.process, self.thread))
                }
                _ => None,
            };
            if let Some(own) = own {
                return Ok(LinkTarget::File(rustix::fs::open(
                    own,
                    HANDLE,
                    Mode::empty(),
                )?));
            }
            let strict = ResolveFlags::NO_MAGICLINKS;
            let plain = rustix::fs::openat2(directory, name, HANDLE, Mode::empty(), strict);
            if plain.err() == Some(Errno::LOOP) {
                let file = rustix::fs::openat(directory, name, HANDLE, Mode::empty())?;
                return Ok(LinkTarget::File(file));
            }
        }
        let text = rustix::fs::readlinkat(link, "", Vec::new())?;
        match text.as_bytes() {
            [] => Err(LookupError::Missing(Errno::NOENT)),
            text => Ok(LinkTarget::Path(OsString::from_vec(text.to_vec()))),
        }
    }
}

/// Interprets the error of opening a name in a directory. In a user namespace of its own, a process gains access to
/// directories of its own user only.
fn open_error(errno: Errno, directory: &OwnedFd) -> LookupError {
    let own = rustix::process::geteuid().as_raw();
    match rustix::fs::fstat(directory) {
        Ok(stat) if errno == Errno::ACCESS && stat.st_uid != own => LookupError::Missing(errno),
        _ => errno.into(),
    }
}

fn duplicate(file: &OwnedFd) -> Result<OwnedFd, LookupError> {
    rustix::io::fcntl_dupfd_cloexec(file, 0).map_err(LookupError::Unknown)
}

/// The parent of a directory. A process cannot leave its root.
fn parent(here: OwnedFd, root_id: Option<RootId>) -> Result<OwnedFd, LookupError> {
    match root_of(&here) {
        None => Err(LookupError::Unknown(Errno::ACCESS)),
        found if found == root_id => Ok(here),
        _ => Ok(rustix::fs::openat(here, "..", HANDLE, Mode::empty())?),
    }
}

/// Pushes the components of a path onto the stack of remaining components, with the next one on top.
fn push_parts(left: &mut Vec<OsString>, path: &OsStr) {
    let parts = path.as_bytes().rsplit(|byte| *byte == b'/');
    let parts = parts.filter(|part| !part.is_empty() && *part != b".");
    left.extend(parts.map(|part| OsString::from_vec(part.to_vec())));
}

fn is_procfs(file: &OwnedFd) -> bool {
    rustix::fs::fstatfs(file).is_ok_and(|found| found.f_type == libc::PROC_SUPER_MAGIC)
}

fn device(file: &OwnedFd) -> Option<u64> {
    rustix::fs::fstat(file).ok().map(|stat| stat.st_dev)
}

/// How a process sees the file system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileView {
    /// The same view as this process.
    Ours,
    /// With another root or other mounts.
    Other,
}

/// How the processes of a tree see the file system. All have the same view until one of them makes a call that can change it.
#[derive(Debug)]
pub(super) struct TreeFileView {
    ours: Option<RootId>,
    /// The device of this process's `/proc`.
    pub(super) proc_device: Option<u64>,
    shared: SharedView,
}

#[derive(Debug, Clone, Copy)]
enum SharedView {
    Unknown,
    Known(FileView),
    /// Processes may differ, so each one is checked.
    PerProcess,
}

/// A root directory: its mount, which belongs to one namespace, device and inode.
type RootId = (u64, u32, u32, u64);

impl TreeFileView {
    pub(super) fn new() -> TreeFileView {
        let processes = rustix::fs::stat("/proc").ok();
        TreeFileView {
            ours: root("/"),
            proc_device: processes.map(|stat| stat.st_dev),
            shared: SharedView::Unknown,
        }
    }

    /// Determines how a thread sees the file system.
    pub(super) fn of(&mut self, thread: i32) -> FileView {
        if let SharedView::Known(view) = self.shared {
            return view;
        }
        let theirs = root(&format!("/proc/{thread}/root"));
        // Kernels before 5.8 do not report mounts; then every view counts as different.
        let view = match theirs.is_some() && theirs == self.ours {
            true => FileView::Ours,
            false => FileView::Other,
        };
        if let SharedView::Unknown = self.shared {
            self.shared = SharedView::Known(view);
        }
        view
    }

    /// Records that a process is about to change its view.
    pub(super) fn diverge(&mut self) {
        self.shared = SharedView::PerProcess;
    }

    /// Whether some process may have changed its view.
    pub(super) fn has_diverged(&self) -> bool {
        matches!(self.shared, SharedView::PerProcess)
    }
}

/// The root directory at a path, or `None` on kernels before 5.8, which do not report mounts.
fn root(path: &str) -> Option<RootId> {
    identity(rustix::fs::statx(CWD, path, AtFlags::empty(), ROOT_FIELDS))
}

/// An open directory, as if it were a root.
fn root_of(directory: &OwnedFd) -> Option<RootId> {
    identity(rustix::fs::statx(
        directory,
        "",
        AtFlags::EMPTY_PATH,
        ROOT_FIELDS,
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

/// The path in /proc of an open file of this process.
pub(super) fn entry(file: &OwnedFd) -> String {
    format!("/proc/self/fd/{}", file.as_raw_fd())
}

const MOST_LINKS: usize = 40;
const MOST_PARTS: usize = 4096;
/// The inode of the root directory of every /proc.
const PROC_ROOT_INODE: u64 = 1;
/// A file that is only referred to.
pub(super) const HANDLE: OFlags = OFlags::PATH.union(OFlags::CLOEXEC);
const ROOT_FIELDS: StatxFlags = StatxFlags::MNT_ID.union(StatxFlags::INO);

#[cfg(test)]
mod tests {
    use rustix::io::Errno;

    use super::LookupError;

    /// A file counts as missing only after an error that the process would get from the kernel too.
    #[test]
    fn attack_a_lookup_that_lacks_resources_proves_nothing() {
        for errno in [Errno::MFILE, Errno::NFILE, Errno::NOMEM, Errno::IO] {
            assert_eq!(LookupError::from(errno), LookupError::Unknown(errno));
        }
        assert_eq!(
            LookupError::from(Errno::NOENT),
            LookupError::Missing(Errno::NOENT)
        );
    }
}
