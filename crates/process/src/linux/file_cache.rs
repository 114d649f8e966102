//! Caches facts about files that were executed before, where verifying a fact is cheaper than finding it out again.
//!
//! - *The path of a file.* A cached path is used if the kernel reports it for the open file now. If that path may belong to
//!   another namespace, it must lead to the same file on the same mount without links, and the file must have no other name.
//! - *The interpreters of a file.* Cached for files that belong to root and that nobody else can write, until they change. The
//!   watched program cannot change such files unless it runs as root.
//!
//! [`OwnMounts`] are the mounts of this process's namespace, with which the files of a watched process are compared. Device
//! and inode identify a file, except on an overlay file system in another namespace, which assigns its own.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::hash::Hash;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{
    AtFlags, CWD, Mode, ResolveFlags, Statx, StatxFlags, fstatfs, makedev, openat2, statx,
};
use rustix::io::Errno;

use super::binfmt::RegisteredFormats;
use super::image::{self, Image};
use super::lookup::HANDLE;

/// An open file with its metadata.
pub(super) struct OpenFile {
    pub(super) file: OwnedFd,
    pub(super) stat: Statx,
    pub(super) route: Route,
}

/// How a file was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Route {
    /// With one call, through no link.
    Direct,
    /// With one call, through ordinary symbolic links only. The path that the kernel reports leads to the file.
    Links,
    /// Step by step, as the watched process would open it.
    Steps,
}

impl OpenFile {
    pub(super) fn of(file: OwnedFd, route: Route) -> Result<OpenFile, Errno> {
        let wanted = StatxFlags::BASIC_STATS | StatxFlags::MNT_ID;
        let stat = statx(&file, "", AtFlags::EMPTY_PATH, wanted)?;
        Ok(OpenFile { file, stat, route })
    }

    pub(super) fn device(&self) -> u64 {
        makedev(self.stat.stx_dev_major, self.stat.stx_dev_minor)
    }

    pub(super) fn id(&self) -> FileId {
        (self.device(), self.stat.stx_ino)
    }

    pub(super) fn mode(&self) -> u32 {
        u32::from(self.stat.stx_mode)
    }

    /// The mount through which the file was opened, or `None` on kernels before 5.8, which do not report it.
    pub(super) fn mount(&self) -> Option<u64> {
        let is_told = self.stat.stx_mask & StatxFlags::MNT_ID.bits() != 0;
        is_told.then_some(self.stat.stx_mnt_id)
    }

    /// Whether only root can have changed the file.
    fn is_system_file(&self) -> bool {
        self.stat.stx_uid == 0 && self.mode() & 0o022 == 0
    }

    fn stamp(&self) -> FileStamp {
        let changed = self.stat.stx_ctime;
        (changed.tv_sec, changed.tv_nsec, self.stat.stx_size)
    }
}

/// Device and inode.
pub(super) type FileId = (u64, u64);

/// The change time and the size of a file.
type FileStamp = (i64, u32, u64);

pub(super) struct FileCache {
    formats: RegisteredFormats,
    paths: RefCell<HashMap<OsString, PathBuf>>,
    images: RefCell<HashMap<FileId, (FileStamp, Image)>>,
    /// The directory `/proc/self/fd`, whose entries name open files.
    descriptors: Option<OwnedFd>,
    pub(super) mounts: OwnMounts,
}

impl FileCache {
    pub(super) fn new() -> FileCache {
        FileCache {
            formats: RegisteredFormats::read_system(),
            paths: RefCell::default(),
            images: RefCell::default(),
            descriptors: rustix::fs::open("/proc/self/fd", HANDLE, Mode::empty()).ok(),
            mounts: OwnMounts::default(),
        }
    }

    /// The cached real path of a file that was opened by an absolute path, if the file is still there.
    pub(super) fn known_path(&self, given: &OsStr, found: &OpenFile) -> Option<PathBuf> {
        let paths = self.paths.borrow();
        let path = paths.get(given)?;
        let is_there = found.mount().is_some()
            && match found.route {
                Route::Direct if path.as_os_str() == given => true,
                Route::Links => self.is_open_at(found, path),
                Route::Direct | Route::Steps => is_only_path_of(found, path),
            };
        is_there.then(|| path.clone())
    }

    /// Whether the kernel names an open file by this path.
    fn is_open_at(&self, found: &OpenFile, path: &Path) -> bool {
        let Some(descriptors) = &self.descriptors else {
            return is_only_path_of(found, path);
        };
        let number = found.file.as_raw_fd().to_string();
        let name = rustix::fs::readlinkat(descriptors, number, Vec::new());
        name.is_ok_and(|name| name.as_bytes() == path.as_os_str().as_bytes())
    }

    /// Whether an absolute path was seen to lead to its file without links.
    pub(super) fn has_no_links(&self, given: &OsStr) -> bool {
        let paths = self.paths.borrow();
        paths
            .get(given)
            .is_some_and(|path| path.as_os_str() == given)
    }

    /// Caches the real path of a file that was opened by an absolute path.
    pub(super) fn note_path(&self, given: &OsStr, path: &Path) {
        insert_bounded(&self.paths, given.to_owned(), path.to_owned());
    }

    /// The interpreters that the kernel runs for a file executed under this name. Fails if they cannot be determined.
    pub(super) fn image(&self, found: &OpenFile, given: &OsStr) -> Result<Image, Errno> {
        if !self.formats.is_empty() {
            let head = image::beginning(&found.file)?;
            return match self.formats.interpreters(given, &head).as_slice() {
                [] => image::of(&found.file),
                [only] => Ok(Image::Script(vec![only.clone()])),
                _ => Err(Errno::NOEXEC),
            };
        }
        if !found.is_system_file() {
            return image::of(&found.file);
        }
        let (id, version) = (found.id(), found.stamp());
        if let Some((then, image)) = self.images.borrow().get(&id)
            && *then == version
        {
            return Ok(image.clone());
        }
        let image = image::of(&found.file)?;
        insert_bounded(&self.images, id, (version, image.clone()));
        Ok(image)
    }
}

/// Whether a path leads to this file on the same mount without links, and the file has no other name.
fn is_only_path_of(found: &OpenFile, path: &Path) -> bool {
    if found.stat.stx_nlink != 1 {
        return false;
    }
    let strict = ResolveFlags::NO_SYMLINKS;
    let again = openat2(CWD, path, HANDLE, Mode::empty(), strict)
        .and_then(|file| OpenFile::of(file, Route::Direct));
    again.is_ok_and(|again| (again.id(), again.mount()) == (found.id(), found.mount()))
}

fn insert_bounded<K: Eq + Hash, V>(all: &RefCell<HashMap<K, V>>, key: K, value: V) {
    let mut all = all.borrow_mut();
    if all.len() >= MOST_ENTRIES {
        all.clear();
    }
    all.insert(key, value);
}

/// The mounts of this process, read when they are first needed and again when a mount is not among them.
#[derive(Debug, Default)]
pub(super) struct OwnMounts(RefCell<HashSet<OwnMount>>);

/// A mount by its id, and the device of its file system.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct OwnMount {
    id: u64,
    device: u64,
}

impl OwnMounts {
    /// Whether the id of a thread's file can be compared with the ids of files visible here.
    pub(super) fn can_compare(&self, found: &OpenFile, thread: i32) -> bool {
        match fstatfs(&found.file) {
            Ok(system) if system.f_type != OVERLAY => true,
            Ok(_) => self.is_ours(found, thread),
            Err(_) => false,
        }
    }

    /// Whether a file is on a file system that is also mounted here.
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
        // In another namespace, the same file system has another mount.
        let theirs = mounts(&format!("/proc/{thread}/mountinfo"));
        let theirs = theirs.into_iter().flatten().find(|mount| mount.id == id);
        theirs.is_some_and(|theirs| own.iter().any(|mount| mount.device == theirs.device))
    }

    /// Whether a path leads to a process's file here too. Files that exist only in a private memory file system of the process
    /// are visible under no path.
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

/// Parses the kernel's list of mounts.
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

const MOST_ENTRIES: usize = 512;
const OVERLAY: libc::__fsword_t = 0x794c_7630;
const TMPFS: libc::__fsword_t = libc::TMPFS_MAGIC;
