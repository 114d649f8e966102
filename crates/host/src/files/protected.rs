//! Paths that agents may not write: files that can run commands later, and attache's own directories. Names are
//! compared as the most lenient file system would compare them, and count even where nothing exists yet.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Component, Path, PathBuf};

use super::{EntryKind, FileError};
use crate::path_facts::real_path;
use crate::protected_names::{GIT, HOME, fold, is_closed_name};
use crate::roots::{Dir, DirectoryIdentity, LookupResult, ResolvedPath};

/// The protected paths beside the names that are protected in every directory.
#[derive(Debug)]
pub(super) struct ProtectedPaths {
    state: Vec<PathBuf>,
    home: Option<PathBuf>,
}

impl ProtectedPaths {
    pub(super) fn new(state: &[PathBuf]) -> ProtectedPaths {
        ProtectedPaths {
            state: state.iter().map(|path| real_path(path)).collect(),
            home: std::env::home_dir().as_deref().map(real_path),
        }
    }

    pub(super) fn with_home(&self, home: &Path) -> ProtectedPaths {
        ProtectedPaths {
            state: self.state.clone(),
            home: Some(real_path(home)),
        }
    }

    /// Attache's own directories, with links resolved.
    pub(super) fn state(&self) -> &[PathBuf] {
        &self.state
    }

    pub(super) fn check_read(
        &self,
        resolved: &ResolvedPath<'_>,
        requested: &Path,
    ) -> Result<(), FileError> {
        match self.is_own_state(resolved) {
            true => Err(FileError::OwnState {
                path: requested.to_owned(),
            }),
            false => Ok(()),
        }
    }

    pub(super) fn check_write(
        &self,
        resolved: &ResolvedPath<'_>,
        requested: &Path,
    ) -> Result<(), FileError> {
        self.check_read(resolved, requested)?;
        let real = resolved.real_path();
        // Accessing a protected link accesses its target.
        let links = resolved.links.iter().map(OsString::as_os_str);
        let is_closed = resolved.names().chain(links).any(is_closed_name)
            || folded(&resolved.root.real).any(|name| name == GIT)
            || self.is_in_closed_part_of_home(&real)
            || resolved.steps().any(|(dir, name)| is_repository(dir, name));
        match is_closed {
            true => Err(FileError::Protected {
                path: requested.to_owned(),
            }),
            false => Ok(()),
        }
    }

    /// Refuses to move a directory that contains protected paths or that would become one.
    pub(super) fn check_tree(
        &self,
        resolved: &ResolvedPath<'_>,
        requested: &Path,
    ) -> Result<(), FileError> {
        let real = resolved.real_path();
        let home = self.home.iter();
        let of_home = home.flat_map(|home| HOME.iter().map(|closed| home.join(closed)));
        let mut closed = of_home.chain(self.state.iter().cloned());
        match closed.any(|closed| below(&real, &closed).is_some()) {
            true => Err(FileError::Protected {
                path: requested.to_owned(),
            }),
            false => Ok(()),
        }
    }

    /// Refuses to move a directory that contains protected names, or whose content would become protected. A directory
    /// too large to search is refused too.
    pub(super) fn check_moved(
        &self,
        moved: &Dir,
        new: &ResolvedPath<'_>,
        requested: &Path,
    ) -> Result<(), FileError> {
        let is_closed = self.is_closed_below(moved, &new.real_path(), &mut { MOST_MOVED });
        match is_closed.unwrap_or(true) {
            true => Err(FileError::Protected {
                path: requested.to_owned(),
            }),
            false => Ok(()),
        }
    }

    /// `path` is the future path of the directory.
    fn is_closed_below(&self, dir: &Dir, path: &Path, room: &mut usize) -> io::Result<bool> {
        let (entries, is_cut) = dir.entries(*room)?;
        *room = room.saturating_sub(entries.len());
        if is_cut || REPOSITORY.iter().all(|part| dir.has(part)) {
            return Ok(true);
        }
        for entry in entries {
            let path = path.join(&entry.name);
            if is_closed_name(&entry.name) || self.is_in_closed_part_of_home(&path) {
                return Ok(true);
            }
            if entry.kind != EntryKind::Directory {
                continue;
            }
            if path.components().count() > DEEPEST {
                return Ok(true);
            }
            if let LookupResult::Directory(inner) = dir.lookup(&entry.name)?
                && self.is_closed_below(&inner, &path, room)?
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Compares by name, and by identity for directories that have another name as well.
    fn is_own_state(&self, resolved: &ResolvedPath<'_>) -> bool {
        if self.state.is_empty() {
            return false;
        }
        let real = resolved.real_path();
        self.state.iter().any(|state| {
            let identity = DirectoryIdentity::of(state).ok();
            let is_it = |dir: &Dir| identity.is_some() && dir.identity().ok() == identity;
            below(state, &real).is_some() || resolved.directories().any(is_it)
        })
    }

    fn is_in_closed_part_of_home(&self, real: &Path) -> bool {
        let Some(home) = &self.home else {
            return false;
        };
        let Some(names) = below(home, real) else {
            return false;
        };
        HOME.iter().any(|closed| {
            let mut names = names.iter();
            closed
                .split('/')
                .all(|part| names.next().is_some_and(|name| name == part))
        })
    }
}

/// Whether the directory is a bare Git repository, or would become one with this name. Git runs commands from the
/// `config` of a repository for anyone who enters its directory.
fn is_repository(dir: &Dir, name: &OsStr) -> bool {
    let name = fold(name);
    REPOSITORY
        .iter()
        .all(|part| dir.has(part) || fold(OsStr::new(part)) == name)
}

/// The folded names of `path` below `above`; `None` if the path is elsewhere.
fn below(above: &Path, path: &Path) -> Option<Vec<String>> {
    let mut names = folded(path);
    for name in folded(above) {
        if names.next()? != name {
            return None;
        }
    }
    Some(names.collect())
}

fn folded(path: &Path) -> impl Iterator<Item = String> {
    path.components().filter_map(|component| match component {
        Component::Normal(name) => Some(fold(name)),
        Component::Prefix(prefix) => Some(fold(prefix.as_os_str())),
        Component::RootDir | Component::CurDir | Component::ParentDir => None,
    })
}

/// The names that make a directory a Git repository.
const REPOSITORY: [&str; 3] = ["HEAD", "objects", "refs"];
/// The number of entries inspected below a directory that is moved.
const MOST_MOVED: usize = 100_000;
/// Each directory on the way down is kept open.
const DEEPEST: usize = 256;
