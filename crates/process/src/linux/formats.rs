//! Formats that a process has registered in a user namespace of its own (`binfmt_misc`, since Linux 6.7): for a file of such
//! a format the kernel runs another program. Where some are registered, no file tells what will run.
//!
//! Only a process in the namespace can see them, so a copy of this process enters it and sends the list back. `unsafe` is
//! needed to make that copy, which then makes system calls and nothing else.
#![allow(unsafe_code)]

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;

use rustix::fs::{Dir, Mode, OFlags};
use rustix::io::Errno;
use rustix::mount::{FsMountFlags, FsOpenFlags, MountAttrFlags};
use rustix::mount::{fsconfig_create, fsmount, fsopen};
use rustix::thread::{LinkNameSpaceType, UnshareFlags, move_into_link_name_space, unshare_unsafe};

use super::handover::{receive_tagged, send_tagged};

/// The user namespaces of a tree, and the formats in them.
#[derive(Default)]
pub(super) struct Formats {
    /// The first program's, in which nobody of the tree has the right to register anything.
    home: Option<(Id, OwnedFd)>,
    known: Vec<Known>,
}

type Id = (u64, u64);

struct Known {
    id: Id,
    /// Open, so that its number is not used again.
    _namespace: OwnedFd,
    /// The file system with the formats; none if nothing can be registered.
    list: Option<OwnedFd>,
}

impl Formats {
    /// Notes the namespace of the first program.
    pub(super) fn start_with(&mut self, thread: i32) {
        self.home = open(thread).ok();
    }

    /// Whether a process may have formats of its own. It counts as having some if they cannot be listed.
    pub(super) fn may_apply_to(&mut self, thread: i32) -> bool {
        let Ok(stat) = rustix::fs::stat(path(thread)) else {
            return true;
        };
        let id = (stat.st_dev, stat.st_ino);
        if self.home.as_ref().is_some_and(|(home, _)| *home == id) {
            return false;
        }
        if !self.known.iter().any(|known| known.id == id) {
            let Ok(known) = Known::of(thread) else {
                return true;
            };
            self.known.truncate(MOST - 1);
            self.known.insert(0, known);
        }
        let mut known = self.known.iter().filter(|known| known.id == id);
        known.next().is_none_or(Known::has_some)
    }
}

impl Known {
    fn of(thread: i32) -> Result<Known, Errno> {
        let (id, namespace) = open(thread)?;
        let list = list(namespace.as_fd())?;
        Ok(Known {
            id,
            _namespace: namespace,
            list,
        })
    }

    fn has_some(&self) -> bool {
        let Some(list) = &self.list else {
            return false;
        };
        let own: [&[u8]; 4] = [b".", b"..", b"register", b"status"];
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let opened = rustix::fs::openat(list, ".", flags, Mode::empty());
        let Ok(mut entries) = opened.and_then(Dir::new) else {
            return true;
        };
        entries
            .any(|entry| entry.map_or(true, |entry| !own.contains(&entry.file_name().to_bytes())))
    }
}

fn open(thread: i32) -> Result<(Id, OwnedFd), Errno> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC;
    let namespace = rustix::fs::open(path(thread), flags, Mode::empty())?;
    let stat = rustix::fs::fstat(&namespace)?;
    Ok(((stat.st_dev, stat.st_ino), namespace))
}

fn path(thread: i32) -> String {
    format!("/proc/{thread}/ns/user")
}

/// The file system in which a namespace lists its formats. The namespace has a list of its own from then on.
fn list(namespace: BorrowedFd<'_>) -> Result<Option<OwnedFd>, Errno> {
    let (ours, theirs) = UnixStream::pair().map_err(|_| Errno::MFILE)?;
    // SAFETY: the child makes system calls and ends.
    let child = match unsafe { libc::fork() } {
        0 => {
            let (tag, list) = match mounted(namespace) {
                Ok(list) => (LISTED, Some(list)),
                Err(Stage::Missing) => (MISSING, None),
                Err(Stage::Failed) => (FAILED, None),
            };
            // The owner learns from the end of the connection that it failed.
            send_tagged(theirs.as_fd(), tag, list.as_ref()).ok();
            // SAFETY: it ends the child without anything that its parent has prepared for its own end.
            unsafe { libc::_exit(0) }
        }
        child => child,
    };
    drop(theirs);
    if child < 0 {
        return Err(Errno::AGAIN);
    }
    let received = receive_tagged(&ours);
    // SAFETY: nothing is written. Somebody else of this process may have waited for it already.
    unsafe { libc::waitpid(child, std::ptr::null_mut(), 0) };
    match received {
        Ok((LISTED, Some(list))) => Ok(Some(list)),
        Ok((MISSING, _)) => Ok(None),
        _ => Err(Errno::ACCESS),
    }
}

/// What kept the child from the list.
enum Stage {
    /// There are no formats in such namespaces, as on older kernels.
    Missing,
    Failed,
}

/// Runs in a child that is a copy of this process.
fn mounted(namespace: BorrowedFd<'_>) -> Result<OwnedFd, Stage> {
    let failed = |_| Stage::Failed;
    move_into_link_name_space(namespace, Some(LinkNameSpaceType::User)).map_err(failed)?;
    // SAFETY: no memory or file is shared with anybody.
    unsafe { unshare_unsafe(UnshareFlags::NEWNS) }.map_err(failed)?;
    let context = fsopen(c"binfmt_misc", FsOpenFlags::FSOPEN_CLOEXEC);
    let context = context.map_err(|errno| match errno {
        Errno::NODEV => Stage::Missing,
        _ => Stage::Failed,
    })?;
    fsconfig_create(context.as_fd()).map_err(|errno| match errno {
        Errno::PERM => Stage::Missing,
        _ => Stage::Failed,
    })?;
    let flags = FsMountFlags::FSMOUNT_CLOEXEC;
    fsmount(context.as_fd(), flags, MountAttrFlags::empty()).map_err(failed)
}

const MOST: usize = 32;
const LISTED: u8 = b'l';
const MISSING: u8 = b'm';
const FAILED: u8 = b'f';
