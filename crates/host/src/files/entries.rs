//! Names in directories: listed, removed and moved inside the roots, and where a path leads before it is used.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::write::make_parents;
use super::{FileError, Files, UnexpectedKind, wrong_kind};
use crate::Roots;
use crate::denied::Access;
use crate::roots::{LookupResult, PathEnd};

/// A name in a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DirectoryEntry {
    /// The name.
    pub name: OsString,
    /// What has it.
    pub kind: EntryKind,
}

/// What has a name in a directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum EntryKind {
    /// A directory.
    Directory,
    /// A regular file.
    File {
        /// Its size in bytes.
        size: u64,
    },
    /// A link, wherever it leads.
    Link,
    /// A pipe, socket or device.
    Special,
}

/// What is in a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listing {
    /// The names, in order.
    pub entries: Vec<DirectoryEntry>,
    /// Whether there are more than were looked at.
    pub is_cut: bool,
}

impl Files {
    /// What is in a directory, up to 100,000 names.
    ///
    /// # Errors
    ///
    /// When the path leaves the roots, or is no directory that can be read.
    pub fn list(&self, roots: &Roots, path: &Path) -> Result<Listing, FileError> {
        let resolved = roots.resolve(path)?;
        self.protected.check_read(&resolved, path)?;
        roots.check_policy(&resolved, path, Access::Read)?;
        match resolved.end {
            PathEnd::Directory => {}
            PathEnd::File(_) | PathEnd::Special(_) => {
                return Err(wrong_kind(path, UnexpectedKind::File));
            }
            PathEnd::Missing(_) => return Err(not_found(path)),
        }
        let listed = resolved.directory().entries(MOST_ENTRIES);
        let (mut entries, is_cut) =
            listed.map_err(|error| FileError::of_system(path, "list", error))?;
        entries.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(Listing { entries, is_cut })
    }

    /// Where a path leads that is to be read, links followed, below the name that its root was given. Nothing need be
    /// there.
    ///
    /// # Errors
    ///
    /// When the path leaves the roots, or may not be read.
    pub fn resolve_read(&self, roots: &Roots, path: &Path) -> Result<PathBuf, FileError> {
        let resolved = roots.resolve(path).map_err(super::dangling_is_missing)?;
        self.protected.check_read(&resolved, path)?;
        roots.check_policy(&resolved, path, Access::Read)?;
        match self.ask_rule_alias(roots, path) {
            Some(alias) => Err(FileError::asked(path, alias)),
            None => Ok(resolved.path()),
        }
    }

    /// Where a path leads that is to be written, as [`resolve_read`](Self::resolve_read) does.
    ///
    /// # Errors
    ///
    /// When the path leaves the roots, or is protected.
    pub fn resolve_write(&self, roots: &Roots, path: &Path) -> Result<PathBuf, FileError> {
        let resolved = roots.resolve(path)?;
        self.protected.check_write(&resolved, path)?;
        roots.check_policy(&resolved, path, Access::Change)?;
        Ok(resolved.path())
    }

    /// What would be removed or moved: the name itself, also if it is a link, below directories without links.
    ///
    /// # Errors
    ///
    /// When the path leaves the roots, is protected or a root, or nothing is there.
    pub fn resolve_removal(
        &self,
        roots: &Roots,
        path: &Path,
    ) -> Result<(PathBuf, EntryKind), FileError> {
        let (resolved, seen) = roots.resolve_parent(path)?;
        self.protected.check_write(&resolved, path)?;
        roots.check_policy(&resolved, path, Access::Change)?;
        let what = match seen {
            LookupResult::Directory(_) => EntryKind::Directory,
            LookupResult::Link(_) => EntryKind::Link,
            LookupResult::Special => EntryKind::Special,
            LookupResult::File => {
                let name = super::file_name(&resolved, path)?;
                let file = resolved.directory().read(name);
                let size = file.and_then(|file| file.metadata());
                EntryKind::File {
                    size: size.map_or(0, |metadata| metadata.len()),
                }
            }
        };
        Ok((resolved.path(), what))
    }

    /// Removes a file, a link or an empty directory.
    ///
    /// # Errors
    ///
    /// When the path leaves the roots, is protected or a root, nothing is there, or the directory is not empty.
    pub fn remove(&self, roots: &Roots, path: &Path) -> Result<(), FileError> {
        let (resolved, seen) = roots.resolve_parent(path)?;
        self.protected.check_write(&resolved, path)?;
        roots.check_policy(&resolved, path, Access::Change)?;
        let name = super::file_name(&resolved, path)?;
        let dir = resolved.directory();
        let removed = match seen {
            LookupResult::Directory(_) => dir.remove_directory(name),
            LookupResult::Link(_) | LookupResult::File | LookupResult::Special => dir.remove(name),
        };
        let synced = removed.and_then(|()| dir.sync());
        synced.map_err(|error| FileError::of_system(path, "remove", error))
    }

    /// Gives a file, link or directory another name, also in another root. Missing directories are made, nothing is
    /// replaced.
    ///
    /// # Errors
    ///
    /// When a path leaves the roots or is protected, nothing is there to be moved, or something is where it would go.
    pub fn rename(&self, roots: &Roots, from: &Path, to: &Path) -> Result<(), FileError> {
        let (old, seen) = roots.resolve_parent(from)?;
        self.protected.check_write(&old, from)?;
        roots.check_policy(&old, from, Access::Change)?;
        let new = roots.resolve(to)?;
        self.protected.check_write(&new, to)?;
        roots.check_policy(&new, to, Access::Change)?;
        if let LookupResult::Directory(moved) = &seen {
            self.protected.check_tree(&old, from)?;
            // What is denied in it would be out of the rule's reach.
            let judged = roots.denied().check_tree(moved);
            judged.map_err(|denied| FileError::denied(from, denied))?;
            self.protected.check_tree(&new, to)?;
            self.protected.check_moved(moved, &new, from)?;
        }
        let PathEnd::Missing(names) = &new.end else {
            let path = to.to_owned();
            return Err(FileError::Exists { path });
        };
        if matches!(seen, LookupResult::Directory(_))
            && new.real_path().starts_with(old.real_path())
        {
            return Err(FileError::BadPath {
                path: to.to_owned(),
                why: "it lies in the directory that would be moved there",
            });
        }
        let name = super::file_name(&old, from)?;
        let (last, made) = make_parents(roots, new.directory(), names, to)?;
        let dir = made.as_ref().unwrap_or(new.directory());
        let moved = old.directory().move_to(name, dir, last);
        let synced = moved
            .and_then(|()| dir.sync())
            .and_then(|()| old.directory().sync());
        synced.map_err(|error| FileError::of_system(to, "move to", error))
    }
}

fn not_found(path: &Path) -> FileError {
    FileError::NotFound {
        path: path.to_owned(),
    }
}

const MOST_ENTRIES: usize = 100_000;
