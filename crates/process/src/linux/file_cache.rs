//! What is known of files that were executed before, where looking again would cost more than making sure.
//!
//! - *Where a file is.* A path is believed if it leads to the same file on the same mount now, through no link, and the
//!   file has no other name, or was found under that very path.
//! - *What the kernel makes of it.* Believed for files that belong to root and that nobody else can write, as long as they
//!   have not changed: the watched program cannot change them, unless it is root's.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::hash::Hash;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, Mode, ResolveFlags, Statx, StatxFlags, makedev, openat2, statx};
use rustix::io::Errno;

use super::image::{self, Image};
use super::own_mounts::OwnMounts;
use super::registered::RegisteredFormats;
use super::view::HANDLE;

/// An open file and what the kernel says of it.
pub(super) struct OpenFile {
    pub(super) file: OwnedFd,
    pub(super) stat: Statx,
    /// Whether no link was on the way to it.
    pub(super) has_no_links: bool,
}

impl OpenFile {
    pub(super) fn of(file: OwnedFd) -> Result<OpenFile, Errno> {
        let wanted = StatxFlags::BASIC_STATS | StatxFlags::MNT_ID;
        let stat = statx(&file, "", AtFlags::EMPTY_PATH, wanted)?;
        Ok(OpenFile {
            file,
            stat,
            has_no_links: false,
        })
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

    /// The mount that it was reached through; none on kernels before 5.8, which do not tell.
    pub(super) fn mount(&self) -> Option<u64> {
        let is_told = self.stat.stx_mask & StatxFlags::MNT_ID.bits() != 0;
        is_told.then_some(self.stat.stx_mnt_id)
    }

    /// Whether only root can have changed it.
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

/// When a file was changed, and its size.
type FileStamp = (i64, u32, u64);

pub(super) struct FileCache {
    formats: RegisteredFormats,
    paths: RefCell<HashMap<OsString, PathBuf>>,
    images: RefCell<HashMap<FileId, (FileStamp, Image)>>,
    pub(super) mounts: OwnMounts,
}

impl FileCache {
    pub(super) fn new() -> FileCache {
        FileCache {
            formats: RegisteredFormats::read_system(),
            paths: RefCell::default(),
            images: RefCell::default(),
            mounts: OwnMounts::default(),
        }
    }

    /// Where a file was found under an absolute path before, if it is there now, as we see it.
    pub(super) fn known_path(&self, given: &OsStr, found: &OpenFile) -> Option<PathBuf> {
        let paths = self.paths.borrow();
        let path = paths.get(given)?;
        is_the_path_of(found, given, path).then(|| path.clone())
    }

    /// Whether an absolute path was seen to lead to its file without links.
    pub(super) fn has_no_links(&self, given: &OsStr) -> bool {
        let paths = self.paths.borrow();
        paths
            .get(given)
            .is_some_and(|path| path.as_os_str() == given)
    }

    /// Notes where a file was found under an absolute path.
    pub(super) fn note_path(&self, given: &OsStr, path: &Path) {
        insert_bounded(&self.paths, given.to_owned(), path.to_owned());
    }

    /// What the kernel makes of a file that it executes under this name. It fails if that cannot be told.
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

/// Whether a path without links leads to this file, which was found under the path that was given, and is its only one.
/// The path that a file was found under without links is where it is, whatever other paths it has.
fn is_the_path_of(found: &OpenFile, given: &OsStr, path: &Path) -> bool {
    if found.has_no_links && path.as_os_str() == given {
        return found.mount().is_some();
    }
    if found.stat.stx_nlink != 1 || found.mount().is_none() {
        return false;
    }
    let strict = ResolveFlags::NO_SYMLINKS;
    let again = openat2(CWD, path, HANDLE, Mode::empty(), strict).and_then(OpenFile::of);
    again.is_ok_and(|again| (again.id(), again.mount()) == (found.id(), found.mount()))
}

fn insert_bounded<K: Eq + Hash, V>(all: &RefCell<HashMap<K, V>>, key: K, value: V) {
    let mut all = all.borrow_mut();
    if all.len() >= MOST_ENTRIES {
        all.clear();
    }
    all.insert(key, value);
}

const MOST_ENTRIES: usize = 512;
