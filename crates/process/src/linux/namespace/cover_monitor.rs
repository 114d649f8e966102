//! Keeps the covers of a running program up to date: a file that replaces a covered one, or appears at a covered path, is
//! covered as soon as the kernel reports it. Runs in the keeper, outside the namespace.
#![allow(unsafe_code)]

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ffi::{CString, OsStr, OsString};
use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rustix::event::{PollFd, PollFlags};
use rustix::fs::inotify::{self, CreateFlags, ReadFlags, WatchFlags};
use rustix::fs::{Mode, OFlags, open};
use rustix::io::Errno;
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recvmsg, sendmsg,
};
use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};

use super::{CoverPlan, Namespace, OnChange};
use crate::{Confinement, Cover, CoverAccess, CoverKind, CoveredPath, NestedMounts};

/// Keeps the covers of one program up to date.
pub(in super::super) struct CoverMonitor {
    kept: Vec<CoveredPath>,
    nesting: NestedMounts,
    /// The current covers.
    covered: Vec<Cover>,
    pinned: HashSet<PinnedDirectory>,
    namespaces: Namespaces,
    /// `None` if the system has no more watches; then changes are polled.
    watches: Option<Watches>,
}

type PinnedDirectory = (CString, u64, u64);

/// The user and the mount namespace in which the program was started.
struct Namespaces {
    user: OwnedFd,
    mount: OwnedFd,
}

/// The socket for the descriptors of a namespace that the child will create. `None` if nothing is covered.
pub(in super::super) fn report_socket(namespace: &mut Namespace) -> io::Result<Option<UnixStream>> {
    if namespace.plan.is_none() {
        return Ok(None);
    }
    let (ours, theirs) = UnixStream::pair()?;
    namespace.report = Some(theirs.into());
    Ok(Some(ours))
}

impl CoverMonitor {
    /// Starts monitoring, after the program has started.
    pub(in super::super) fn begin(
        confinement: &Confinement,
        report: &UnixStream,
    ) -> io::Result<CoverMonitor> {
        let own = confinement.covers.iter().map(|cover| CoveredPath {
            path: cover.path.clone(),
            access: match cover.kind {
                CoverKind::ReadOnly => CoverAccess::ReadOnly,
                CoverKind::HiddenDirectory | CoverKind::HiddenFile => CoverAccess::Hidden,
            },
        });
        let mut kept = confinement.kept.clone();
        for path in own {
            if !kept.contains(&path) {
                kept.push(path);
            }
        }
        let nesting = confinement.nested_mounts;
        let first = CoverPlan::of(&confinement.covers, nesting)?;
        let mut monitor = CoverMonitor {
            watches: Watches::of(&kept).ok(),
            kept,
            nesting,
            covered: confinement.covers.clone(),
            pinned: first.pins.into_iter().filter_map(identified).collect(),
            namespaces: Namespaces::receive(report)?,
        };
        // Files may have changed since the covers were requested.
        if monitor.has_changed() {
            monitor.cover()?;
        }
        Ok(monitor)
    }

    /// Covers files that have changed, without waiting.
    pub(in super::super) fn refresh(&mut self) {
        let has_changes = match &self.watches {
            Some(watches) => watches.have_changes(),
            None => self.has_changed(),
        };
        if has_changes {
            // Fails if a directory has been removed meanwhile, which another event reports.
            self.cover().ok();
        }
    }

    fn has_changed(&self) -> bool {
        self.find_covers()
            .iter()
            .any(|it| !self.covered.contains(it))
    }

    /// The descriptor that is readable when something has changed.
    pub(in super::super) fn poll(&self) -> Option<PollFd<'_>> {
        let watches = self.watches.as_ref()?;
        Some(PollFd::new(&watches.events, PollFlags::IN))
    }

    /// Whether changes have to be polled.
    pub(in super::super) fn must_poll(&self) -> bool {
        self.watches.is_none()
    }

    fn cover(&mut self) -> io::Result<()> {
        // Watch first, so that no change is missed.
        self.watches = Watches::of(&self.kept).ok();
        let found = self.find_covers();
        let mut plan = CoverPlan::of(&found, self.nesting)?;
        let pins = std::mem::take(&mut plan.pins).into_iter();
        let new = pins
            .filter_map(identified)
            .filter(|pin| !self.pinned.contains(pin));
        let new: Vec<PinnedDirectory> = new.collect();
        plan.pins = new.iter().map(|(path, ..)| path.clone()).collect();
        self.namespaces.put(plan)?;
        self.pinned.extend(new);
        self.covered = found;
        Ok(())
    }

    /// Covers for the files that are at the covered paths now.
    fn find_covers(&self) -> Vec<Cover> {
        let found = self.kept.iter().filter_map(|kept| {
            let path = std::fs::canonicalize(&kept.path).ok()?;
            let metadata = std::fs::symlink_metadata(&path).ok()?;
            path.parent()?;
            let kind = match (kept.access, metadata.is_dir()) {
                (CoverAccess::ReadOnly, _) => CoverKind::ReadOnly,
                (CoverAccess::Hidden, true) => CoverKind::HiddenDirectory,
                (CoverAccess::Hidden, false) => CoverKind::HiddenFile,
            };
            Some(Cover {
                path,
                device: metadata.dev(),
                inode: metadata.ino(),
                kind,
            })
        });
        found.collect()
    }
}

fn identified(path: CString) -> Option<PinnedDirectory> {
    let found = rustix::fs::lstat(&path).ok()?;
    Some((path, found.st_dev, found.st_ino))
}

impl Namespaces {
    fn receive(report: &UnixStream) -> io::Result<Namespaces> {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(2))];
        let mut ancillary = RecvAncillaryBuffer::new(&mut space);
        let mut byte = [0];
        let mut carrier = [IoSliceMut::new(&mut byte)];
        let flags = RecvFlags::CMSG_CLOEXEC | RecvFlags::DONTWAIT;
        recvmsg(report, &mut carrier, &mut ancillary, flags)?;
        let mut files = ancillary.drain().filter_map(|message| match message {
            RecvAncillaryMessage::ScmRights(rights) => Some(rights),
            _ => None,
        });
        let mut files = files.next().into_iter().flatten();
        match (files.next(), files.next()) {
            (Some(user), Some(mount)) => Ok(Namespaces { user, mount }),
            _ => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }

    /// Puts covers in the namespaces. A copy of this process enters them and never executes a program: its hook always
    /// fails.
    fn put(&self, plan: CoverPlan) -> io::Result<()> {
        let (user, mount) = (self.user.try_clone()?, self.mount.try_clone()?);
        let mut command = Command::new("/proc/self/exe");
        command.stdin(Stdio::null());
        let hook = move || {
            move_into_link_name_space(user.as_fd(), Some(LinkNameSpaceType::User))?;
            move_into_link_name_space(mount.as_fd(), Some(LinkNameSpaceType::Mount))?;
            plan.put(OnChange::Skip)?;
            Err(io::Error::from_raw_os_error(COVERED))
        };
        // SAFETY: the hook makes system calls and nothing else.
        unsafe { command.pre_exec(hook) };
        match command.spawn() {
            Err(error) if error.raw_os_error() == Some(COVERED) => Ok(()),
            Err(error) => Err(error),
            Ok(mut child) => child.kill().and_then(|()| child.wait()).map(drop),
        }
    }
}

/// Sends descriptors of the calling process's namespaces. Runs between fork and exec.
pub(super) fn send_namespace(report: &OwnedFd) -> io::Result<()> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC;
    let user = open(c"/proc/self/ns/user", flags, Mode::empty())?;
    let mount = open(c"/proc/self/ns/mnt", flags, Mode::empty())?;
    let files = [user.as_fd(), mount.as_fd()];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(2))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    if !ancillary.push(SendAncillaryMessage::ScmRights(&files)) {
        return Err(Errno::NOBUFS.into());
    }
    sendmsg(
        report,
        &[IoSlice::new(b"n")],
        &mut ancillary,
        SendFlags::NOSIGNAL,
    )?;
    Ok(())
}

/// Watches on the directories that lead to covered paths, and the relevant names in them.
struct Watches {
    events: OwnedFd,
    names: BTreeMap<i32, HashSet<OsString>>,
}

impl Watches {
    fn of(kept: &[CoveredPath]) -> io::Result<Watches> {
        let mut watches = Watches {
            events: inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK)?,
            names: BTreeMap::new(),
        };
        watches.follow(kept, watched_names(kept))?;
        Ok(watches)
    }

    /// Watches the directories that lead to covered paths.
    fn follow(&mut self, kept: &[CoveredPath], seen: WatchedNames) -> io::Result<()> {
        let mut steps = seen;
        for _ in 0..MOST_ROUNDS {
            self.add(&steps)?;
            // No event reports a directory that appeared before its parent was watched.
            let now = watched_names(kept);
            if now == steps {
                break;
            }
            steps = now;
        }
        Ok(())
    }

    fn add(&mut self, steps: &WatchedNames) -> io::Result<()> {
        let changes = WatchFlags::CREATE
            | WatchFlags::DELETE
            | WatchFlags::MOVED_FROM
            | WatchFlags::MOVED_TO
            | WatchFlags::ONLYDIR;
        for (directory, names) in steps.iter().take(MOST_WATCHES) {
            match inotify::add_watch(&self.events, directory.as_path(), changes) {
                Ok(watch) => {
                    let known = self.names.entry(watch).or_default();
                    known.extend(names.iter().cloned());
                }
                // The directory has been removed, or belongs to another user.
                Err(Errno::NOENT | Errno::NOTDIR | Errno::ACCESS | Errno::PERM) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Reads all events. Returns whether one of the names has changed.
    fn have_changes(&self) -> bool {
        let mut room = [MaybeUninit::uninit(); ROOM];
        let mut reader = inotify::Reader::new(&self.events, &mut room);
        let mut have_changes = false;
        while let Ok(event) = reader.next() {
            let names = self.names.get(&event.wd());
            have_changes |= match (names, event.file_name()) {
                (Some(names), Some(name)) => names.contains(OsStr::from_bytes(name.to_bytes())),
                // Events were lost, or a watched directory has been removed.
                _ => event
                    .events()
                    .intersects(ReadFlags::QUEUE_OVERFLOW | ReadFlags::IGNORED),
            };
        }
        have_changes
    }
}

/// Directories, parents first, with the names in them that lead to a covered path.
type WatchedNames = BTreeMap<PathBuf, HashSet<OsString>>;

/// The existing directories that lead to covered paths.
fn watched_names(kept: &[CoveredPath]) -> WatchedNames {
    let mut steps = WatchedNames::new();
    let written: BTreeSet<&Path> = kept.iter().map(|kept| kept.path.as_path()).collect();
    for path in written {
        // The path as written, with its links, and the path on disk.
        let real = std::fs::canonicalize(path).ok();
        for path in [Some(path), real.as_deref()].into_iter().flatten() {
            for step in path.ancestors() {
                let directory = step.parent().and_then(|it| it.canonicalize().ok());
                if let (Some(directory), Some(name)) = (directory, step.file_name()) {
                    steps.entry(directory).or_default().insert(name.to_owned());
                }
            }
        }
    }
    steps
}

/// Maximum number of retries when directories change while they are read; later changes are reported by events.
const MOST_ROUNDS: usize = 8;
/// Far more than the number of directories in the paths of a policy.
const MOST_WATCHES: usize = 4096;
const ROOM: usize = 8192;
/// The error with which the copy of this process reports that all covers are in place.
const COVERED: i32 = libc::ECANCELED;

#[cfg(test)]
mod tests {
    use super::{BTreeMap, CoverAccess, CoveredPath, CreateFlags, Watches, inotify, watched_names};

    #[test]
    fn attack_a_directory_that_appears_before_its_parent_is_watched() {
        let base =
            std::env::temp_dir().join(format!("attache-cover-monitor-{}", std::process::id()));
        std::fs::create_dir_all(&base).unwrap();
        let kept = [CoveredPath {
            path: base.join("later/deep/key"),
            access: CoverAccess::Hidden,
        }];
        let mut watches = Watches {
            events: inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK).unwrap(),
            names: BTreeMap::new(),
        };
        let seen = watched_names(&kept);
        std::fs::create_dir(base.join("later")).unwrap();
        watches.follow(&kept, seen).unwrap();
        assert!(!watches.have_changes());
        std::fs::create_dir(base.join("later/deep")).unwrap();
        assert!(watches.have_changes());
        std::fs::remove_dir_all(base).unwrap();
    }
}
