//! Directories on Linux: descriptors, beneath which the kernel itself resolves paths.

use std::ffi::{CString, OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use rustix::buffer::spare_capacity;
use rustix::fs::{
    self, AtFlags, CWD, FileType, Mode, OFlags, RawMode, RenameFlags, ResolveFlags, XattrFlags,
};
use rustix::io::Errno;

use super::DirectoryIdentity;
use crate::files::{DirectoryEntry, EntryKind};

/// An open directory.
#[derive(Debug)]
pub(crate) struct Dir(OwnedFd);

/// What a name in a directory refers to.
pub(crate) enum LookupResult {
    Directory(Dir),
    Link(PathBuf),
    File,
    /// A pipe, socket or device.
    Special,
}

impl Dir {
    /// Opens a directory, following links.
    pub(crate) fn open(path: &Path) -> io::Result<Dir> {
        Ok(Dir(fs::openat(CWD, path, DIRECTORY, Mode::empty())?))
    }

    pub(crate) fn identity(&self) -> io::Result<DirectoryIdentity> {
        Ok(identity_of(&fs::fstat(&self.0)?))
    }

    /// The directories above this one, nearest first, found through `..` so that renamed paths do not matter.
    pub(crate) fn ancestors(&self) -> io::Result<Vec<DirectoryIdentity>> {
        let mut found = Vec::new();
        let (mut below, mut above) = (self.identity()?, self.parent()?);
        while above.identity()? != below {
            below = above.identity()?;
            found.push(below);
            if found.len() > MOST_ABOVE {
                return Err(Errno::NAMETOOLONG.into());
            }
            above = above.parent()?;
        }
        Ok(found)
    }

    fn parent(&self) -> io::Result<Dir> {
        Ok(Dir(fs::openat(&self.0, "..", DIRECTORY, Mode::empty())?))
    }

    /// The current path of the directory.
    pub(crate) fn current_path(&self) -> Option<PathBuf> {
        std::fs::read_link(self.descriptor_path(Path::new(""))).ok()
    }

    /// The metadata of an entry, without following links.
    pub(crate) fn metadata(&self, name: &OsStr) -> io::Result<std::fs::Metadata> {
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let found = fs::openat(&self.0, name, flags, Mode::empty())?;
        File::from(found).metadata()
    }

    /// The path of the directory, without links.
    pub(super) fn real_path(&self, given: &Path) -> io::Result<PathBuf> {
        let real = std::fs::read_link(self.descriptor_path(given))
            .or_else(|_| std::fs::canonicalize(given))?;
        match DirectoryIdentity::of(&real)? == self.identity()? {
            true => Ok(real),
            false => Err(io::Error::other("the directory was moved or removed")),
        }
    }

    /// A path that leads to the directory whatever its name is now, valid in this process while the directory is open.
    pub(super) fn descriptor_path(&self, _given: &Path) -> PathBuf {
        PathBuf::from(format!("/proc/self/fd/{}", self.0.as_raw_fd()))
    }

    /// Duplicates the descriptor.
    pub(super) fn descriptor(&self) -> io::Result<Arc<OwnedFd>> {
        Ok(Arc::new(self.0.try_clone()?))
    }

    pub(crate) fn lookup(&self, name: &OsStr) -> io::Result<LookupResult> {
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let found = fs::openat(&self.0, name, flags, Mode::empty())?;
        match FileType::from_raw_mode(fs::fstat(&found)?.st_mode) {
            FileType::Directory => Ok(LookupResult::Directory(Dir(found))),
            FileType::Symlink => Ok(LookupResult::Link(text_of_link(&found)?)),
            FileType::RegularFile => Ok(LookupResult::File),
            _ => Ok(LookupResult::Special),
        }
    }

    /// Opens a file for reading with one system call, without leaving this directory and without waiting. Returns
    /// `None` if the path needs a walk: the kernel has no such call, or the path contains an absolute link.
    pub(super) fn open_beneath(&self, path: &Path) -> Option<io::Result<File>> {
        let path = if path.as_os_str().is_empty() {
            Path::new(".")
        } else {
            path
        };
        let beneath = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
        for _ in 0..MOST_TRIES {
            match fs::openat2(&self.0, path, READ, Mode::empty(), beneath) {
                // The kernel could not verify that `..` stayed inside because something was moved meanwhile.
                Err(Errno::AGAIN) => {}
                // Old sandboxes return EPERM for calls they do not know; a socket has no address.
                Err(Errno::XDEV | Errno::LOOP | Errno::NOSYS | Errno::PERM | Errno::NXIO) => {
                    return None;
                }
                found => return Some(found.map(File::from).map_err(io::Error::from)),
            }
        }
        None
    }

    /// Opens a file for reading, without following links and without waiting.
    pub(crate) fn read(&self, name: &OsStr) -> io::Result<File> {
        Ok(self.open_name(name, READ)?.into())
    }

    /// Opens a file to check that it can be written. Does not follow links, wait or change anything.
    pub(crate) fn open_writable(&self, name: &OsStr) -> io::Result<File> {
        Ok(self.open_name(name, READ | OFlags::WRONLY)?.into())
    }

    fn open_name(&self, name: &OsStr, flags: OFlags) -> io::Result<OwnedFd> {
        match fs::openat(&self.0, name, flags | OFlags::NOFOLLOW, Mode::empty()) {
            // The name was not a link a moment ago.
            Err(Errno::LOOP) => Err(io::ErrorKind::WouldBlock.into()),
            found => Ok(found?),
        }
    }

    /// Creates a file that only its owner can access.
    pub(crate) fn create_private(&self, name: &OsStr) -> io::Result<File> {
        self.create(name, Mode::RUSR | Mode::WUSR)
    }

    /// Creates a file with the user's umask, never world-writable.
    pub(crate) fn create_shared(&self, name: &OsStr) -> io::Result<File> {
        self.create(name, Mode::from_raw_mode(0o664))
    }

    fn create(&self, name: &OsStr, mode: Mode) -> io::Result<File> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW;
        Ok(fs::openat(&self.0, name, flags | OFlags::CLOEXEC, mode)?.into())
    }

    /// Creates a directory, or opens the existing one.
    pub(crate) fn make_directory(&self, name: &OsStr) -> io::Result<Dir> {
        match fs::mkdirat(&self.0, name, Mode::from_raw_mode(0o775)) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(error) => return Err(error.into()),
        }
        Ok(Dir(self.open_name(name, DIRECTORY)?))
    }

    pub(crate) fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        Ok(fs::renameat(&self.0, from, &self.0, to)?)
    }

    pub(crate) fn remove(&self, name: &OsStr) -> io::Result<()> {
        Ok(fs::unlinkat(&self.0, name, AtFlags::empty())?)
    }

    /// Moves an entry to another directory without replacing anything.
    pub(crate) fn move_to(&self, from: &OsStr, dir: &Dir, to: &OsStr) -> io::Result<()> {
        match fs::renameat_with(&self.0, from, &dir.0, to, RenameFlags::NOREPLACE) {
            // Some file systems do not support RENAME_NOREPLACE.
            Err(Errno::INVAL | Errno::NOSYS) if !dir.has_name(to) => {
                Ok(fs::renameat(&self.0, from, &dir.0, to)?)
            }
            moved => Ok(moved?),
        }
    }

    pub(crate) fn remove_directory(&self, name: &OsStr) -> io::Result<()> {
        Ok(fs::unlinkat(&self.0, name, AtFlags::REMOVEDIR)?)
    }

    /// The entries in no particular order, and whether there are more than `most`.
    pub(crate) fn entries(&self, most: usize) -> io::Result<(Vec<DirectoryEntry>, bool)> {
        let mut found = Vec::new();
        for entry in fs::Dir::new(self.readable()?)? {
            let entry = entry?;
            let name = entry.file_name();
            if matches!(name.to_bytes(), b"." | b"..") {
                continue;
            }
            if found.len() == most {
                return Ok((found, true));
            }
            let stat = match fs::statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW) {
                Err(Errno::NOENT) => continue,
                stat => stat?,
            };
            let what = match FileType::from_raw_mode(stat.st_mode) {
                FileType::Directory => EntryKind::Directory,
                FileType::Symlink => EntryKind::Link,
                FileType::RegularFile => EntryKind::File {
                    size: u64::try_from(stat.st_size).unwrap_or(0),
                },
                _ => EntryKind::Special,
            };
            let name = OsString::from_vec(name.to_bytes().to_owned());
            found.push(DirectoryEntry { name, kind: what });
        }
        Ok((found, false))
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.has_name(OsStr::new(name))
    }

    fn has_name(&self, name: &OsStr) -> bool {
        fs::statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW).is_ok()
    }

    /// Flushes the directory, so that its entries survive a crash. Does nothing if the directory is not readable.
    pub(crate) fn sync(&self) -> io::Result<()> {
        match self.readable() {
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(()),
            directory => Ok(fs::fsync(directory?)?),
        }
    }

    /// The files with this prefix, and when each was last written.
    pub(crate) fn files_beginning(&self, prefix: &str) -> io::Result<Vec<(OsString, SystemTime)>> {
        let mut found = Vec::new();
        for entry in fs::Dir::new(self.readable()?)? {
            let name = entry?.file_name().to_bytes().to_owned();
            if name.starts_with(prefix.as_bytes()) {
                let name = OsString::from_vec(name);
                let written = self.read(&name)?.metadata()?.modified()?;
                found.push((name, written));
            }
        }
        Ok(found)
    }

    fn readable(&self) -> io::Result<OwnedFd> {
        let flags = OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(fs::openat(&self.0, ".", flags, Mode::empty())?)
    }
}

impl DirectoryIdentity {
    /// The identity of the directory that a path leads to, following links.
    pub(crate) fn of(path: &Path) -> io::Result<DirectoryIdentity> {
        Ok(identity_of(&fs::stat(path)?))
    }
}

/// The facts about an open file that decide whether it may be accessed.
#[derive(Debug)]
pub(crate) struct FileFacts {
    pub(crate) is_directory: bool,
    /// Whether this is a regular file that is not generated by the kernel.
    pub(crate) is_regular: bool,
    pub(crate) size: u64,
    pub(crate) links: u64,
    /// Whether anybody may write the file.
    pub(crate) is_writable: bool,
    pub(crate) written: Option<SystemTime>,
}

pub(crate) fn file_facts(file: &File) -> io::Result<FileFacts> {
    let metadata = file.metadata()?;
    let system = fs::fstatfs(file)?.f_type;
    Ok(FileFacts {
        is_directory: metadata.is_dir(),
        is_regular: metadata.is_file() && !KERNEL_MADE.contains(&system),
        size: metadata.len(),
        links: metadata.nlink(),
        is_writable: metadata.mode() & 0o222 != 0,
        written: metadata.modified().ok(),
    })
}

/// Copies the owner, the mode and the access list of the old file, without setuid, setgid and world-writable bits.
pub(crate) fn keep_owner_and_mode(new: &File, old: &File) -> io::Result<()> {
    let facts = fs::fstat(old)?;
    let mut mode: RawMode = facts.st_mode & 0o775;
    if !keep_group(new, &facts)? || !keep_access_list(new, old)? {
        // The rights of the old group are not meant for our group, unless everybody had them.
        mode &= 0o705 | (mode & 0o005) << 3;
    }
    Ok(fs::fchmod(new, Mode::from_raw_mode(mode))?)
}

/// Copies the owner and group, or at least the group, if we may.
fn keep_group(new: &File, old: &fs::Stat) -> io::Result<bool> {
    let made = fs::fstat(new)?;
    if (made.st_uid, made.st_gid) == (old.st_uid, old.st_gid) {
        return Ok(true);
    }
    let (owner, group) = (fs::Uid::from_raw(old.st_uid), fs::Gid::from_raw(old.st_gid));
    let is_owner_kept = fs::fchown(new, Some(owner), Some(group)).is_ok();
    Ok(is_owner_kept || fs::fchown(new, None, Some(group)).is_ok())
}

/// With an access list, the group bits of the mode are an upper bound for others; without it they would apply to the
/// group.
fn keep_access_list(new: &File, old: &File) -> io::Result<bool> {
    let mut list = Vec::with_capacity(LARGEST_ACCESS_LIST);
    match fs::fgetxattr(old, ACCESS_LIST, spare_capacity(&mut list)) {
        Ok(_) => Ok(fs::fsetxattr(new, ACCESS_LIST, &list, XattrFlags::empty()).is_ok()),
        Err(Errno::OPNOTSUPP) => Ok(true),
        // The new file may have inherited one from its directory.
        Err(Errno::NODATA) => match fs::fremovexattr(new, ACCESS_LIST) {
            Ok(()) | Err(Errno::NODATA) => Ok(true),
            Err(error) => Err(error.into()),
        },
        Err(error) => Err(error.into()),
    }
}

fn text_of_link(link: &OwnedFd) -> io::Result<PathBuf> {
    let text: CString = fs::readlinkat(link, "", Vec::new())?;
    Ok(PathBuf::from(OsStr::from_bytes(text.as_bytes())))
}

fn identity_of(stat: &fs::Stat) -> DirectoryIdentity {
    DirectoryIdentity {
        device: stat.st_dev,
        inode: stat.st_ino,
    }
}

const DIRECTORY: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

const READ: OFlags = OFlags::NONBLOCK
    .union(OFlags::NOCTTY)
    .union(OFlags::CLOEXEC);

const MOST_TRIES: usize = 32;

/// No path that the kernel accepts has more names.
const MOST_ABOVE: usize = 2048;

const ACCESS_LIST: &str = "system.posix_acl_access";

/// The maximum size of an attribute.
const LARGEST_ACCESS_LIST: usize = 64 * 1024;

/// proc, sysfs, debugfs, tracefs, securityfs, both cgroup versions and configfs: reading and writing there can be a
/// command to the kernel.
const KERNEL_MADE: [fs::FsWord; 8] = [
    0x9fa0,
    0x6265_6572,
    0x6462_6720,
    0x7472_6163,
    0x7363_6673,
    0x0027_e0eb,
    0x6367_7270,
    0x6265_6570,
];
