//! Resolves a path link by link, even if its last names don't exist.

#[cfg(target_os = "linux")]
mod open_directories;

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fs::Metadata;
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;

use crate::path_facts::is_absence;

/// Inspects paths on the disk, each of them once. Lives for one verdict at most: links change between requests.
#[derive(Debug, Default)]
pub(crate) struct PathLookups {
    entries: RefCell<HashMap<OsString, PathEntry>>,
    #[cfg(target_os = "linux")]
    directories: RefCell<open_directories::OpenDirectories>,
}

/// The entry at a path, with links not followed.
#[derive(Debug, Clone)]
enum PathEntry {
    Link(Rc<SymbolicLink>),
    Other(Rc<Metadata>),
    Absent,
    Unreadable,
}

#[derive(Debug)]
struct SymbolicLink {
    metadata: Rc<Metadata>,
    /// The path in it; `None` if that can't be read.
    target: Option<PathBuf>,
}

/// A path with its links followed.
#[derive(Debug)]
pub(crate) struct FollowedPath {
    /// The path without links and `..`, as far as it exists, and the rest as it is.
    pub(crate) path: PathBuf,
    /// The links on the way, each by its real path.
    pub(crate) links: Vec<PathBuf>,
    /// The metadata of the file there; `None` if nothing is there.
    pub(crate) metadata: Option<Rc<Metadata>>,
    /// Whether every step could be inspected.
    pub(crate) is_known: bool,
}

impl PathLookups {
    /// Resolves an absolute path.
    pub(crate) fn resolve(&self, path: &Path) -> FollowedPath {
        self.resolve_below(Path::new("/"), path)
    }

    /// Resolves a path below a directory that has no links itself.
    pub(crate) fn resolve_below(&self, directory: &Path, path: &Path) -> FollowedPath {
        let mut whole = PathBuf::with_capacity(length_of(directory) + length_of(path) + 1);
        whole.push(directory);
        let mut found = FollowedPath {
            path: whole,
            links: Vec::new(),
            metadata: None,
            is_known: true,
        };
        let mut left = Vec::new();
        found.push(&mut left, path, Cow::Borrowed);
        let mut is_missing = false;
        while let Some(name) = left.pop() {
            if *name == *".." {
                found.path.pop();
                found.metadata = None;
                continue;
            }
            found.path.push(name);
            if is_missing {
                continue;
            }
            match self.entry(&found.path) {
                PathEntry::Link(link) => found.follow(link.target.as_deref(), &mut left),
                PathEntry::Other(metadata) => found.metadata = Some(metadata),
                entry => {
                    is_missing = true;
                    found.is_known &= matches!(entry, PathEntry::Absent);
                    found.metadata = None;
                }
            }
        }
        if found.metadata.is_none() && !is_missing {
            found.metadata = match self.entry(&found.path) {
                PathEntry::Link(link) => Some(Rc::clone(&link.metadata)),
                PathEntry::Other(metadata) => Some(metadata),
                PathEntry::Absent | PathEntry::Unreadable => None,
            };
        }
        found
    }

    /// Whether something is at an absolute path, even a link that leads nowhere.
    pub(crate) fn has_entry(&self, path: &Path) -> bool {
        matches!(self.entry(path), PathEntry::Link(_) | PathEntry::Other(_))
    }

    fn entry(&self, path: &Path) -> PathEntry {
        if let Some(entry) = self.entries.borrow().get(path.as_os_str()) {
            return entry.clone();
        }
        let entry = match self.is_missing_in_open_directory(path) {
            true => PathEntry::Absent,
            false => PathEntry::at(path),
        };
        let mut entries = self.entries.borrow_mut();
        if entries.is_empty() {
            entries.reserve(USUAL_ENTRIES);
        }
        entries.insert(path.as_os_str().to_owned(), entry.clone());
        entry
    }

    #[cfg(target_os = "linux")]
    fn is_missing_in_open_directory(&self, path: &Path) -> bool {
        self.directories.borrow_mut().lack(path)
    }

    #[cfg(not(target_os = "linux"))]
    fn is_missing_in_open_directory(&self, _: &Path) -> bool {
        false
    }
}

impl PathEntry {
    fn at(path: &Path) -> PathEntry {
        match path.symlink_metadata() {
            Ok(metadata) if metadata.is_symlink() => PathEntry::Link(Rc::new(SymbolicLink {
                metadata: Rc::new(metadata),
                target: path.read_link().ok(),
            })),
            Ok(metadata) => PathEntry::Other(Rc::new(metadata)),
            Err(error) if is_absence(&error) => PathEntry::Absent,
            Err(_) => PathEntry::Unreadable,
        }
    }
}

impl FollowedPath {
    /// Follows the link that the path ends with.
    fn follow(&mut self, target: Option<&Path>, left: &mut Vec<Cow<'_, OsStr>>) {
        let link = self.path.clone();
        // Every process sees something else there.
        self.is_known &= !link.starts_with("/proc");
        match target {
            Some(target) if self.links.len() < MAX_LINKS => {
                self.path.pop();
                self.metadata = None;
                self.push(left, target, |name| Cow::Owned(name.to_owned()));
            }
            _ => {
                self.is_known = false;
                self.metadata = None;
                left.clear();
            }
        }
        self.links.push(link);
    }

    /// Adds the names of a path that are to be followed next.
    fn push<'p, 'n>(
        &mut self,
        left: &mut Vec<Cow<'n, OsStr>>,
        path: &'p Path,
        name_of: impl Fn(&'p OsStr) -> Cow<'n, OsStr>,
    ) {
        let start = left.len();
        for component in path.components() {
            match component {
                Component::Prefix(_) | Component::RootDir => self.path.push(component),
                Component::CurDir => {}
                Component::ParentDir | Component::Normal(_) => {
                    left.push(name_of(component.as_os_str()));
                }
            }
        }
        left[start..].reverse();
    }
}

fn length_of(path: &Path) -> usize {
    path.as_os_str().len()
}

/// A command of a few words needs this many; growing step by step costs more than the lookups.
const USUAL_ENTRIES: usize = 56;
/// As many links as operating systems follow.
const MAX_LINKS: usize = 40;
