//! A user and mount namespace in which some files and directories are covered, for a program that must not see or change
//! them. Needs no privileges. The program has no capabilities in the namespace, so it cannot remove a cover. A filter refuses
//! all mounts, so it cannot do so in a nested namespace either.
//!
//! `unsafe` is used for four system calls without a safe wrapper. Code between fork and exec only makes system calls: it
//! must not allocate, lock or panic.
#![allow(unsafe_code)]

mod cover_monitor;
mod mounts;
mod probe;

use std::ffi::{CStr, CString};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;

use rustix::fs::{CWD, Mode, OFlags, fstat, mkdirat, open, openat};
use rustix::io::Errno;
use rustix::mount::{
    MountFlags, MountPropagationFlags, MoveMountFlags, OpenTreeFlags, UnmountFlags, mount,
    mount_change, mount_remount, move_mount, open_tree, unmount,
};
use rustix::process::{getegid, geteuid};
use rustix::thread::{
    CapabilitiesSecureBits as SecureBits, CapabilitySet, CapabilitySets, UnshareFlags,
};

use super::seccomp_filter::{self, RefusedCalls};
use crate::{Confinement, Cover, CoverKind, NestedMounts, Network};

pub(super) use cover_monitor::{CoverMonitor, report_socket};
pub(super) use probe::{run_probe, support};

/// A prepared namespace, which a child enters between fork and exec.
pub(super) struct Namespace {
    users: Vec<u8>,
    groups: Vec<u8>,
    network: Network,
    /// `None` for a namespace that isolates the network only.
    plan: Option<CoverPlan>,
    /// The socket for descriptors of the namespace, which the cover monitor receives.
    report: Option<OwnedFd>,
}

/// The covers, and the directories that must not be renamed.
struct CoverPlan {
    covers: Vec<CoverTarget>,
    /// Directories above covered files, which the program must not rename: it could create others with the same path.
    pins: Vec<CString>,
}

/// What to do if a file to cover has been replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OnChange {
    Fail,
    Skip,
}

struct CoverTarget {
    path: CString,
    device: u64,
    inode: u64,
    kind: CoverKind,
}

impl Namespace {
    /// Prepares the namespace that a confinement needs, if any. Reads the mounts of this process.
    pub(super) fn of(confinement: &Confinement) -> io::Result<Option<Namespace>> {
        if !confinement.needs_namespace() {
            return Ok(None);
        }
        let (user, group) = (geteuid().as_raw(), getegid().as_raw());
        let plan = match confinement.has_covers() {
            true => Some(CoverPlan::of(
                &confinement.covers,
                confinement.nested_mounts,
            )?),
            false => None,
        };
        Ok(Some(Namespace {
            users: format!("{user} {user} 1").into_bytes(),
            groups: format!("{group} {group} 1").into_bytes(),
            network: confinement.network,
            plan,
            report: None,
        }))
    }

    /// Enters the namespace. The working directory must already be set: a descriptor from before would bypass the covers.
    pub(super) fn enter(&self) -> io::Result<()> {
        self.unshare()?;
        self.set_up()
    }

    fn unshare(&self) -> io::Result<()> {
        let mut flags = UnshareFlags::NEWUSER | UnshareFlags::NEWNS;
        if self.network == Network::Loopback {
            flags |= UnshareFlags::NEWNET;
        }
        // SAFETY: the process has one thread, and its descriptors stay as they are.
        unsafe { rustix::thread::unshare_unsafe(flags)? };
        Ok(())
    }

    fn set_up(&self) -> io::Result<()> {
        write(c"/proc/self/setgroups", b"deny")?;
        write(c"/proc/self/uid_map", &self.users)?;
        write(c"/proc/self/gid_map", &self.groups)?;
        if let Some(plan) = &self.plan {
            // Later mounts outside could otherwise show covered files again.
            let private = MountPropagationFlags::PRIVATE | MountPropagationFlags::REC;
            mount_change(c"/", private)?;
            plan.put(OnChange::Fail)?;
            reenter_working_directory()?;
        }
        if let Some(report) = &self.report {
            cover_monitor::send_namespace(report)?;
        }
        if self.network == Network::Loopback {
            loopback_up()?;
        }
        drop_capabilities()
    }
}

/// Enters the working directory again, by its path. Otherwise the process would stay below a cover that was put over that
/// directory or one above it, and bypass the cover.
fn reenter_working_directory() -> io::Result<()> {
    let mut room = [0_u8; MOST_PATH];
    // SAFETY: the kernel writes no more bytes than there is room for, the last one a null.
    let length = unsafe { libc::syscall(libc::SYS_getcwd, room.as_mut_ptr(), room.len()) };
    if length < 0 {
        return Err(io::Error::last_os_error());
    }
    let path = CStr::from_bytes_until_nul(&room).map_err(|_| Errno::NAMETOOLONG)?;
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let on_top = open(path, flags, Mode::empty()).map_err(|_| Errno::STALE)?;
    let (now, before) = (fstat(&on_top)?, rustix::fs::stat(c".")?);
    if (now.st_dev, now.st_ino) != (before.st_dev, before.st_ino) {
        return Err(Errno::STALE.into());
    }
    Ok(rustix::process::fchdir(&on_top)?)
}

impl CoverPlan {
    fn of(covers: &[Cover], nesting: NestedMounts) -> io::Result<CoverPlan> {
        let all = mounts::all_views(covers)?;
        let pins = match nesting {
            NestedMounts::Refused => mounts::above(&all),
            // These would keep the program from mounting its own `/proc`.
            NestedMounts::Allowed => Vec::new(),
        };
        let targets: io::Result<Vec<_>> = outermost(&all).map(CoverTarget::of).collect();
        let targets = targets?;
        if targets.len() + 2 * pins.len() > MOST_MOUNTS {
            return Err(Errno::TOOBIG.into());
        }
        let pins: Result<_, _> = pins
            .into_iter()
            .map(|path| CString::new(path.into_os_string().into_encoded_bytes()))
            .collect();
        Ok(CoverPlan {
            covers: targets,
            pins: pins?,
        })
    }

    fn put(&self, on_change: OnChange) -> io::Result<()> {
        let mut empty_mounts = EmptyMounts::make()?;
        for pin in &self.pins {
            empty_mounts.directory.pin(pin, on_change)?;
        }
        for target in &self.covers {
            let place = match (target.open(), on_change) {
                (Err(_), OnChange::Skip) => continue,
                (place, _) => place?,
            };
            match target.kind {
                CoverKind::ReadOnly if on_change == OnChange::Skip && is_read_only(&place) => {}
                CoverKind::ReadOnly => make_read_only(&place)?,
                CoverKind::HiddenDirectory => empty_mounts.directory.put(&place)?,
                CoverKind::HiddenFile => empty_mounts.file.put(&place)?,
            }
        }
        Ok(())
    }
}

impl CoverTarget {
    fn of(cover: &Cover) -> io::Result<CoverTarget> {
        Ok(CoverTarget {
            path: CString::new(cover.path.as_os_str().as_bytes())?,
            device: cover.device,
            inode: cover.inode,
            kind: cover.kind,
        })
    }

    /// Opens the file, if it is still the one that was to be covered.
    fn open(&self) -> io::Result<OwnedFd> {
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let place = match open(self.path.as_c_str(), flags, Mode::empty()) {
            Err(Errno::NOENT | Errno::NOTDIR) => return Err(Errno::STALE.into()),
            place => place?,
        };
        let found = fstat(&place)?;
        match (found.st_dev, found.st_ino) == (self.device, self.inode) {
            true => Ok(place),
            false => Err(Errno::STALE.into()),
        }
    }
}

/// An empty directory and an empty file that cannot be opened, to be mounted over others. No other path leads to them.
struct EmptyMounts {
    directory: EmptyMount,
    file: EmptyMount,
}

/// A mount that is detached at first, and later at the path where it was put last.
struct EmptyMount {
    mount: OwnedFd,
    is_placed: bool,
}

impl EmptyMounts {
    fn make() -> io::Result<EmptyMounts> {
        let base = unused_directory()?;
        let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
        mount(c"tmpfs", base, c"tmpfs", flags, c"mode=0700,size=16k")?;
        let stage = open(base, OFlags::PATH | OFlags::CLOEXEC, Mode::empty())?;
        mkdirat(&stage, c"directory", Mode::empty())?;
        let create = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::CLOEXEC;
        openat(&stage, c"file", create, Mode::empty())?;
        mount_remount(base, flags | MountFlags::RDONLY, c"")?;
        let empty_mounts = EmptyMounts {
            directory: EmptyMount::clone_of(&stage, c"directory", OpenTreeFlags::empty())?,
            file: EmptyMount::clone_of(&stage, c"file", OpenTreeFlags::empty())?,
        };
        unmount(base, UnmountFlags::DETACH)?;
        Ok(empty_mounts)
    }
}

impl EmptyMount {
    fn clone_of(from: impl AsFd, name: &CStr, flags: OpenTreeFlags) -> io::Result<EmptyMount> {
        let flags = flags | OpenTreeFlags::OPEN_TREE_CLONE | OpenTreeFlags::OPEN_TREE_CLOEXEC;
        Ok(EmptyMount {
            mount: open_tree(from.as_fd(), name, flags)?,
            is_placed: false,
        })
    }

    /// Mounts it over a file or directory.
    fn put(&mut self, place: &OwnedFd) -> io::Result<()> {
        if self.is_placed {
            *self = EmptyMount::clone_of(&self.mount, c"", OpenTreeFlags::AT_EMPTY_PATH)?;
        }
        put(&self.mount, place)?;
        self.is_placed = true;
        Ok(())
    }
}

impl EmptyMount {
    /// Keeps a directory from being renamed, by mounting something on it in a copy at an unused path. The kernel only checks
    /// whether a directory is a mount point anywhere.
    fn pin(&mut self, directory: &CStr, on_change: OnChange) -> io::Result<()> {
        let copied = OpenTreeFlags::OPEN_TREE_CLONE
            | OpenTreeFlags::OPEN_TREE_CLOEXEC
            | OpenTreeFlags::AT_SYMLINK_NOFOLLOW
            | OpenTreeFlags::AT_RECURSIVE;
        let copy = match (open_tree(CWD, directory, copied), on_change) {
            (Err(_), OnChange::Skip) => return Ok(()),
            (Err(Errno::NOENT | Errno::NOTDIR), _) => return Err(Errno::STALE.into()),
            (copy, _) => copy?,
        };
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        put(&copy, &open(unused_directory()?, flags, Mode::empty())?)?;
        self.put(&copy)
    }
}

fn unused_directory() -> io::Result<&'static CStr> {
    let mut places = UNUSED_DIRECTORIES.into_iter();
    let found = places.find(|place| rustix::fs::stat(*place).is_ok());
    Ok(found.ok_or(Errno::NOENT)?)
}

fn put(mount: &OwnedFd, place: &OwnedFd) -> io::Result<()> {
    let flags = MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH | MoveMountFlags::MOVE_MOUNT_T_EMPTY_PATH;
    Ok(move_mount(mount, c"", place, c"", flags)?)
}

fn is_read_only(place: &OwnedFd) -> bool {
    rustix::fs::fstatvfs(place)
        .is_ok_and(|it| it.f_flag.contains(rustix::fs::StatVfsMountFlags::RDONLY))
}

/// Mounts a read-only copy of a file or directory, with everything mounted below, over itself.
fn make_read_only(place: &OwnedFd) -> io::Result<()> {
    let flags = OpenTreeFlags::OPEN_TREE_CLONE
        | OpenTreeFlags::OPEN_TREE_CLOEXEC
        | OpenTreeFlags::AT_EMPTY_PATH
        | OpenTreeFlags::AT_RECURSIVE;
    let copy = open_tree(place, c"", flags)?;
    let attributes = libc::mount_attr {
        attr_set: libc::MOUNT_ATTR_RDONLY,
        attr_clr: 0,
        propagation: 0,
        userns_fd: 0,
    };
    // SAFETY: the descriptor is open, and the structure lives as long as the call.
    let set = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            copy.as_raw_fd(),
            c"".as_ptr(),
            libc::AT_EMPTY_PATH | libc::AT_RECURSIVE,
            &raw const attributes,
            size_of::<libc::mount_attr>(),
        )
    };
    if set != 0 {
        return Err(io::Error::last_os_error());
    }
    put(&copy, place)
}

/// Drops all capabilities permanently: with them the program could remove the covers.
fn drop_capabilities() -> io::Result<()> {
    for capability in 0..64 {
        let capability = CapabilitySet::from_bits_retain(1 << capability);
        match rustix::thread::remove_capability_from_bounding_set(capability) {
            // Past the last capability that this kernel knows.
            Err(Errno::INVAL) => break,
            dropped => dropped?,
        }
    }
    rustix::thread::set_capabilities_secure_bits(
        SecureBits::NO_ROOT
            | SecureBits::NO_ROOT_LOCKED
            | SecureBits::NO_SETUID_FIXUP
            | SecureBits::NO_SETUID_FIXUP_LOCKED
            | SecureBits::KEEP_CAPS_LOCKED
            | SecureBits::NO_CAP_AMBIENT_RAISE
            | SecureBits::NO_CAP_AMBIENT_RAISE_LOCKED,
    )?;
    rustix::thread::clear_ambient_capability_set()?;
    let none = CapabilitySets {
        effective: CapabilitySet::empty(),
        permitted: CapabilitySet::empty(),
        inheritable: CapabilitySet::empty(),
    };
    Ok(rustix::thread::set_capabilities(None, none)?)
}

/// Enables the loopback device, which is down in a new network namespace.
fn loopback_up() -> io::Result<()> {
    use rustix::net::{AddressFamily, SocketFlags, SocketType, socket_with};
    let socket = socket_with(
        AddressFamily::INET,
        SocketType::DGRAM,
        SocketFlags::CLOEXEC,
        None,
    )?;
    // SAFETY: all zeros are a request without a name, and the union's field is plain data.
    let mut request = unsafe { MaybeUninit::<libc::ifreq>::zeroed().assume_init() };
    for (to, from) in request.ifr_name.iter_mut().zip(b"lo") {
        *to = (*from).cast_signed();
    }
    request.ifr_ifru.ifru_flags = i16::try_from(libc::IFF_UP | libc::IFF_RUNNING).unwrap_or(1);
    // SAFETY: the descriptor is open, and the structure lives as long as the call.
    let up = unsafe { libc::ioctl(socket.as_raw_fd(), libc::SIOCSIFFLAGS, &raw const request) };
    match up {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

fn write(path: &CStr, bytes: &[u8]) -> io::Result<()> {
    let flags = OFlags::WRONLY | OFlags::CLOEXEC;
    let file = openat(CWD, path, flags, Mode::empty())?;
    rustix::io::write(&file, bytes)?;
    Ok(())
}

/// The covers that are not inside a hidden directory, where they could not be reached. Read-only covers come first, so that
/// they do not expose files hidden below them.
fn outermost(covers: &[Cover]) -> impl Iterator<Item = &Cover> {
    let is_above = |above: &Cover, cover: &Cover| {
        above.kind == CoverKind::HiddenDirectory
            && above.path != cover.path
            && cover.path.starts_with(&above.path)
    };
    let is_reached = move |cover: &&Cover| !covers.iter().any(|above| is_above(above, cover));
    let of_sort = move |is_first: bool| {
        covers
            .iter()
            .filter(move |cover| (cover.kind == CoverKind::ReadOnly) == is_first)
    };
    of_sort(true).chain(of_sort(false)).filter(is_reached)
}

/// The filter of system calls that a confined program may not make, or `None` on unsupported machines.
pub(super) fn refused_calls(
    confinement: &Confinement,
    has_landlock: bool,
) -> Option<Vec<libc::sock_filter>> {
    seccomp_filter::of_this_machine()?.refusing(RefusedCalls {
        mounts: confinement.has_covers() && confinement.nested_mounts == NestedMounts::Refused,
        limits_of_others: has_landlock,
        keyrings: has_landlock,
    })
}

/// Unused directories, in which empty mounts are made and copies that pin directories are mounted.
const UNUSED_DIRECTORIES: [&CStr; 3] = [c"/proc/tty/driver", c"/proc/tty", c"/proc/fs"];
/// Each takes some microseconds at every start.
const MOST_MOUNTS: usize = 2048;
const MOST_PATH: usize = 4096;
