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

use super::watch_setup::{receive_tagged, send_tagged};

/// The user namespaces of a tree, and the formats in them.
#[derive(Default)]
pub(super) struct NamespaceFormats {
    /// The first program's, in which nobody of the tree has the right to register anything.
    first: Option<(NamespaceId, OwnedFd)>,
    namespaces: Vec<UserNamespace>,
}

type NamespaceId = (u64, u64);

struct UserNamespace {
    id: NamespaceId,
    /// Open, so that its number is not used again.
    _namespace: OwnedFd,
    /// The file system with the formats; none if nothing can be registered.
    list: Option<OwnedFd>,
}

impl NamespaceFormats {
    /// Notes the namespace of the first program.
    pub(super) fn start_with(&mut self, thread: i32) {
        self.first = open_namespace(thread).ok();
    }

    /// Whether a process may have formats of its own. It counts as having some if they cannot be listed.
    pub(super) fn may_apply_to(&mut self, thread: i32) -> bool {
        let Ok(stat) = rustix::fs::stat(namespace_path(thread)) else {
            return true;
        };
        let id = (stat.st_dev, stat.st_ino);
        if self.first.as_ref().is_some_and(|(first, _)| *first == id) {
            return false;
        }
        if !self.namespaces.iter().any(|known| known.id == id) {
            let Ok(known) = UserNamespace::of(thread) else {
                return true;
            };
            self.namespaces.truncate(MOST_NAMESPACES - 1);
            self.namespaces.insert(0, known);
        }
        let mut known = self.namespaces.iter().filter(|known| known.id == id);
        known.next().is_none_or(UserNamespace::has_formats)
    }
}

impl UserNamespace {
    fn of(thread: i32) -> Result<UserNamespace, Errno> {
        let (id, namespace) = open_namespace(thread)?;
        let list = list_formats(namespace.as_fd())?;
        Ok(UserNamespace {
            id,
            _namespace: namespace,
            list,
        })
    }

    fn has_formats(&self) -> bool {
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

fn open_namespace(thread: i32) -> Result<(NamespaceId, OwnedFd), Errno> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC;
    let namespace = rustix::fs::open(namespace_path(thread), flags, Mode::empty())?;
    let stat = rustix::fs::fstat(&namespace)?;
    Ok(((stat.st_dev, stat.st_ino), namespace))
}

fn namespace_path(thread: i32) -> String {
    format!("/proc/{thread}/ns/user")
}

/// The file system in which a namespace lists its formats. The namespace has a list of its own from then on.
fn list_formats(namespace: BorrowedFd<'_>) -> Result<Option<OwnedFd>, Errno> {
    let (ours, theirs) = UnixStream::pair().map_err(|_| Errno::MFILE)?;
    // SAFETY: the child makes system calls and ends.
    let child = match unsafe { libc::fork() } {
        0 => {
            let (tag, list) = match mount_formats(namespace) {
                Ok(list) => (LISTED, Some(list)),
                Err(MountError::Missing) => (MISSING, None),
                Err(MountError::Failed) => (FAILED, None),
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
enum MountError {
    /// There are no formats in such namespaces, as on older kernels.
    Missing,
    Failed,
}

/// Runs in a child that is a copy of this process.
fn mount_formats(namespace: BorrowedFd<'_>) -> Result<OwnedFd, MountError> {
    let failed = |_| MountError::Failed;
    move_into_link_name_space(namespace, Some(LinkNameSpaceType::User)).map_err(failed)?;
    // SAFETY: no memory or file is shared with anybody.
    unsafe { unshare_unsafe(UnshareFlags::NEWNS) }.map_err(failed)?;
    let context = fsopen(c"binfmt_misc", FsOpenFlags::FSOPEN_CLOEXEC);
    let context = context.map_err(|errno| match errno {
        Errno::NODEV => MountError::Missing,
        _ => MountError::Failed,
    })?;
    fsconfig_create(context.as_fd()).map_err(|errno| match errno {
        Errno::PERM => MountError::Missing,
        _ => MountError::Failed,
    })?;
    let flags = FsMountFlags::FSMOUNT_CLOEXEC;
    fsmount(context.as_fd(), flags, MountAttrFlags::empty()).map_err(failed)
}

const MOST_NAMESPACES: usize = 32;
const LISTED: u8 = b'l';
const MISSING: u8 = b'm';
const FAILED: u8 = b'f';
