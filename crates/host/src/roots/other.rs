//! Directories on systems other than Linux, through cap-std, which keeps every access beneath the directory.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use cap_fs_ext::{FollowSymlinks, MetadataExt, OpenOptionsFollowExt, OpenOptionsSyncExt};
use cap_std::ambient_authority;
use cap_std::fs::{Metadata, OpenOptions};

use super::DirectoryIdentity;
use crate::files::{DirectoryEntry, EntryKind};

/// An open directory.
#[derive(Debug)]
pub(crate) struct Dir(cap_std::fs::Dir);

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
        let dir = cap_std::fs::Dir::open_ambient_dir(path, ambient_authority())?;
        Ok(Dir(dir))
    }

    pub(crate) fn identity(&self) -> io::Result<DirectoryIdentity> {
        Ok(identity_of(&self.0.dir_metadata()?))
    }

    /// The directories above this one: cap-std does not report them.
    pub(crate) fn ancestors(&self) -> io::Result<Vec<DirectoryIdentity>> {
        Ok(Vec::new())
    }

    /// The current path of the directory: unknown on these systems.
    pub(crate) fn current_path(&self) -> Option<PathBuf> {
        None
    }

    /// The metadata of an entry, without following links.
    pub(crate) fn metadata(&self, name: &OsStr) -> io::Result<std::fs::Metadata> {
        self.read(name)?.metadata()
    }

    /// The path of the directory, without links.
    pub(super) fn real_path(&self, given: &Path) -> io::Result<PathBuf> {
        let real = std::fs::canonicalize(given)?;
        match DirectoryIdentity::of(&real)? == self.identity()? {
            true => Ok(real),
            false => Err(io::Error::other("the directory was moved or removed")),
        }
    }

    /// The path as given: nothing is confined on these systems.
    pub(super) fn descriptor_path(&self, given: &Path) -> PathBuf {
        given.to_owned()
    }

    pub(crate) fn lookup(&self, name: &OsStr) -> io::Result<LookupResult> {
        let metadata = self.0.symlink_metadata(name)?;
        if metadata.is_symlink() {
            Ok(LookupResult::Link(self.0.read_link_contents(name)?))
        } else if metadata.is_dir() {
            Ok(LookupResult::Directory(Dir(self.0.open_dir(name)?)))
        } else if metadata.is_file() {
            Ok(LookupResult::File)
        } else {
            Ok(LookupResult::Special)
        }
    }

    /// Paths are not resolved in one step on these systems; the walk does it.
    pub(super) fn open_beneath(&self, _path: &Path) -> Option<io::Result<File>> {
        None
    }

    /// Opens a file for reading, without following links and without waiting.
    pub(crate) fn read(&self, name: &OsStr) -> io::Result<File> {
        self.open_file(name, OpenOptions::new().read(true))
    }

    /// Opens a file to check that it can be written. Does not follow links, wait or change anything.
    pub(crate) fn open_writable(&self, name: &OsStr) -> io::Result<File> {
        self.open_file(name, OpenOptions::new().write(true))
    }

    /// Creates a file that only its owner can access.
    pub(crate) fn create_private(&self, name: &OsStr) -> io::Result<File> {
        let mut options = OpenOptions::new();
        system::only_for_the_owner(&mut options);
        self.open_file(name, options.write(true).create_new(true))
    }

    /// Creates a file with the user's umask.
    pub(crate) fn create_shared(&self, name: &OsStr) -> io::Result<File> {
        self.open_file(name, OpenOptions::new().write(true).create_new(true))
    }

    fn open_file(&self, name: &OsStr, options: &mut OpenOptions) -> io::Result<File> {
        let options = options.follow(FollowSymlinks::No).nonblock(true);
        Ok(self.0.open_with(name, options)?.into_std())
    }

    /// Creates a directory, or opens the existing one.
    pub(crate) fn make_directory(&self, name: &OsStr) -> io::Result<Dir> {
        match self.0.create_dir(name) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
            _ => Ok(Dir(self.0.open_dir(name)?)),
        }
    }

    pub(crate) fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        self.0.rename(from, &self.0, to)
    }

    pub(crate) fn remove(&self, name: &OsStr) -> io::Result<()> {
        self.0.remove_file(name)
    }

    /// Moves an entry to another directory without replacing anything, unless the target appears at this very moment.
    pub(crate) fn move_to(&self, from: &OsStr, dir: &Dir, to: &OsStr) -> io::Result<()> {
        match dir.0.symlink_metadata(to) {
            Ok(_) => Err(io::ErrorKind::AlreadyExists.into()),
            Err(_) => self.0.rename(from, &dir.0, to),
        }
    }

    pub(crate) fn remove_directory(&self, name: &OsStr) -> io::Result<()> {
        self.0.remove_dir(name)
    }

    /// The entries in no particular order, and whether there are more than `most`.
    pub(crate) fn entries(&self, most: usize) -> io::Result<(Vec<DirectoryEntry>, bool)> {
        let mut found = Vec::new();
        for entry in self.0.entries()? {
            let entry = entry?;
            if found.len() == most {
                return Ok((found, true));
            }
            let metadata = match self.0.symlink_metadata(entry.file_name()) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                metadata => metadata?,
            };
            let what = match metadata {
                _ if metadata.is_symlink() => EntryKind::Link,
                _ if metadata.is_dir() => EntryKind::Directory,
                _ if metadata.is_file() => EntryKind::File {
                    size: metadata.len(),
                },
                _ => EntryKind::Special,
            };
            let name = entry.file_name();
            found.push(DirectoryEntry { name, kind: what });
        }
        Ok((found, false))
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.symlink_metadata(name).is_ok()
    }

    /// Flushes the directory, so that its entries survive a crash, where the system supports it.
    pub(crate) fn sync(&self) -> io::Result<()> {
        system::sync_directory(&self.0)
    }

    /// The files with this prefix, and when each was last written.
    pub(crate) fn files_beginning(&self, prefix: &str) -> io::Result<Vec<(OsString, SystemTime)>> {
        let mut found = Vec::new();
        for entry in self.0.entries()? {
            let entry = entry?;
            let name = entry.file_name();
            if name.as_encoded_bytes().starts_with(prefix.as_bytes()) {
                found.push((name, entry.metadata()?.modified()?.into_std()));
            }
        }
        Ok(found)
    }
}

impl DirectoryIdentity {
    /// The identity of the directory that a path leads to, following links.
    pub(crate) fn of(path: &Path) -> io::Result<DirectoryIdentity> {
        let dir = cap_std::fs::Dir::open_ambient_dir(path, ambient_authority())?;
        Ok(identity_of(&dir.dir_metadata()?))
    }
}

/// The facts about an open file that decide whether it may be accessed.
#[derive(Debug)]
pub(crate) struct FileFacts {
    pub(crate) is_directory: bool,
    pub(crate) is_regular: bool,
    pub(crate) size: u64,
    pub(crate) links: u64,
    /// Whether anybody may write the file.
    pub(crate) is_writable: bool,
    pub(crate) written: Option<SystemTime>,
}

pub(crate) fn file_facts(file: &File) -> io::Result<FileFacts> {
    let metadata = Metadata::from_file(file)?;
    Ok(FileFacts {
        is_directory: metadata.is_dir(),
        is_regular: metadata.is_file(),
        size: metadata.len(),
        links: metadata.nlink(),
        is_writable: !metadata.permissions().readonly(),
        written: metadata.modified().ok().map(|time| time.into_std()),
    })
}

/// Copies the owner and the mode of the old file, without setuid, setgid and world-writable bits.
pub(crate) fn keep_owner_and_mode(new: &File, old: &File) -> io::Result<()> {
    system::keep_owner_and_mode(new, old)
}

fn identity_of(metadata: &Metadata) -> DirectoryIdentity {
    DirectoryIdentity {
        device: metadata.dev(),
        inode: metadata.ino(),
    }
}

#[cfg(unix)]
mod system {
    use std::fs::{File, Permissions};
    use std::io;
    use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};

    use cap_std::fs::{OpenOptions, OpenOptionsExt};

    pub(super) fn only_for_the_owner(options: &mut OpenOptions) {
        options.mode(0o600);
    }

    pub(super) fn sync_directory(dir: &cap_std::fs::Dir) -> io::Result<()> {
        dir.try_clone()?.into_std_file().sync_all()
    }

    pub(super) fn keep_owner_and_mode(new: &File, old: &File) -> io::Result<()> {
        let old = old.metadata()?;
        let is_kept = fchown(new, Some(old.uid()), Some(old.gid()))
            .or_else(|_| fchown(new, None, Some(old.gid())))
            .is_ok();
        let mut mode = old.mode() & 0o775;
        if !is_kept {
            // The rights of the old group are not meant for our group, unless everybody had them.
            mode &= 0o705 | (mode & 0o005) << 3;
        }
        new.set_permissions(Permissions::from_mode(mode))
    }
}

#[cfg(not(unix))]
mod system {
    use std::fs::File;
    use std::io;

    use cap_std::fs::OpenOptions;

    pub(super) fn only_for_the_owner(_options: &mut OpenOptions) {}

    pub(super) fn sync_directory(_dir: &cap_std::fs::Dir) -> io::Result<()> {
        Ok(())
    }

    pub(super) fn keep_owner_and_mode(new: &File, old: &File) -> io::Result<()> {
        new.set_permissions(old.metadata()?.permissions())
    }
}
