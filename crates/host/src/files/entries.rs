//! Directory entries: listing, removing and moving them inside the roots, and resolving a path before it is used.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::write::make_parents;
use super::{FileError, Files, UnexpectedKind, wrong_kind};
use crate::Roots;
use crate::denied::Access;
use crate::roots::{LookupResult, PathEnd};

/// An entry of a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DirectoryEntry {
    /// The name of the entry.
    pub name: OsString,
    /// The kind of the entry.
    pub kind: EntryKind,
}

/// The kind of a directory entry.
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
    /// A symbolic link, wherever it leads.
    Link,
    /// A pipe, socket or device.
    Special,
}

/// The entries of a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listing {
    /// The entries, sorted by name.
    pub entries: Vec<DirectoryEntry>,
    /// Whether the directory has more entries than were listed.
    pub is_cut: bool,
}

impl Files {
    /// Lists a directory, up to 100,000 entries.
    ///
    /// # Errors
    ///
    /// When the path leads out of the roots, or does not lead to a readable directory.
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

    /// Resolves the links of a path that will be read. The result starts with the root as it was given. The target need
    /// not exist.
    ///
    /// # Errors
    ///
    /// When the path leads out of the roots, or reading it is not allowed.
    pub fn resolve_read(&self, roots: &Roots, path: &Path) -> Result<PathBuf, FileError> {
        let resolved = roots.resolve(path).map_err(super::dangling_as_missing)?;
        self.protected.check_read(&resolved, path)?;
        roots.check_policy(&resolved, path, Access::Read)?;
        match self.ask_rule_alias(roots, path) {
            Some(alias) => Err(FileError::covered_by_ask_rule(path, alias)),
            None => Ok(resolved.path()),
        }
    }

    /// Resolves the links of a path that will be written, like [`resolve_read`](Self::resolve_read).
    ///
    /// # Errors
    ///
    /// When the path leads out of the roots, or is protected.
    pub fn resolve_write(&self, roots: &Roots, path: &Path) -> Result<PathBuf, FileError> {
        let resolved = roots.resolve(path)?;
        self.protected.check_write(&resolved, path)?;
        roots.check_policy(&resolved, path, Access::Change)?;
        Ok(resolved.path())
    }

    /// Resolves the path of an entry that will be removed or moved. The last name is not followed if it is a link.
    ///
    /// # Errors
    ///
    /// When the path leads out of the roots, is protected or a root, or does not exist.
    pub fn resolve_removal(
        &self,
        roots: &Roots,
        path: &Path,
    ) -> Result<(PathBuf, EntryKind), FileError> {
        let (resolved, entry) = roots.resolve_parent(path)?;
        self.protected.check_write(&resolved, path)?;
        roots.check_policy(&resolved, path, Access::Change)?;
        let what = match entry {
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
    /// When the path leads out of the roots, is protected or a root, or does not exist, or the directory is not empty.
    pub fn remove(&self, roots: &Roots, path: &Path) -> Result<(), FileError> {
        let (resolved, entry) = roots.resolve_parent(path)?;
        self.protected.check_write(&resolved, path)?;
        roots.check_policy(&resolved, path, Access::Change)?;
        let name = super::file_name(&resolved, path)?;
        let dir = resolved.directory();
        let removed = match entry {
            LookupResult::Directory(_) => dir.remove_directory(name),
            LookupResult::Link(_) | LookupResult::File | LookupResult::Special => dir.remove(name),
        };
        let synced = removed.and_then(|()| dir.sync());
        synced.map_err(|error| FileError::of_system(path, "remove", error))
    }

    /// Moves or renames a file, link or directory, also to another root. Missing directories are created. An existing
    /// target is not replaced.
    ///
    /// # Errors
    ///
    /// When a path leads out of the roots or is protected, the source does not exist, or the target exists.
    pub fn rename(&self, roots: &Roots, from: &Path, to: &Path) -> Result<(), FileError> {
        let (old, entry) = roots.resolve_parent(from)?;
        self.protected.check_write(&old, from)?;
        roots.check_policy(&old, from, Access::Change)?;
        let new = roots.resolve(to)?;
        self.protected.check_write(&new, to)?;
        roots.check_policy(&new, to, Access::Change)?;
        if let LookupResult::Directory(moved) = &entry {
            self.protected.check_tree(&old, from)?;
            // A denied file in it would move out of the rule's reach.
            let judged = roots.denied().check_tree(moved);
            judged.map_err(|denied| FileError::denied(from, denied))?;
            self.protected.check_tree(&new, to)?;
            self.protected.check_moved(moved, &new, from)?;
        }
        let PathEnd::Missing(names) = &new.end else {
            let path = to.to_owned();
            return Err(FileError::Exists { path });
        };
        if matches!(entry, LookupResult::Directory(_))
            && new.real_path().starts_with(old.real_path())
        {
            return Err(FileError::BadPath {
                path: to.to_owned(),
                why: "it is inside the directory that is being moved",
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
