//! Resolves a path from a root to its end, one name at a time, each looked up in the open directory before it. Links,
//! including absolute ones, are followed as long as they stay beneath a root.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use super::platform::{Dir, LookupResult};
use super::{Root, Roots, check_path_syntax, ends_as_directory, names};
use crate::files::FileError;

/// A resolved path. Every directory on the way is kept open.
#[derive(Debug)]
pub(crate) struct ResolvedPath<'r> {
    pub(crate) root: &'r Root,
    entered: Vec<(OsString, Dir)>,
    /// The names of the links that were followed.
    pub(crate) links: Vec<OsString>,
    pub(crate) end: PathEnd,
}

/// What a path leads to.
#[derive(Debug)]
pub(crate) enum PathEnd {
    /// The last directory that was entered.
    Directory,
    /// A regular file in it.
    File(OsString),
    /// An entry that is neither a directory nor a link nor a regular file.
    Special(OsString),
    /// Nothing: these names are still to be created, the last one is the file's.
    Missing(Vec<OsString>),
}

impl ResolvedPath<'_> {
    /// The last directory that was entered.
    pub(crate) fn directory(&self) -> &Dir {
        self.entered.last().map_or(&self.root.dir, |(_, dir)| dir)
    }

    /// The directories from the root to the last one.
    pub(crate) fn directories(&self) -> impl Iterator<Item = &Dir> {
        let entered = self.entered.iter().map(|(_, dir)| dir);
        std::iter::once(&self.root.dir).chain(entered)
    }

    /// The directories from the root to the last one, each with the next name on the way.
    pub(crate) fn steps(&self) -> impl Iterator<Item = (&Dir, &OsStr)> {
        self.directories().zip(self.names())
    }

    /// The names from the root to the end, with links resolved.
    pub(crate) fn names(&self) -> impl Iterator<Item = &OsStr> {
        let entered = self.entered.iter().map(|(name, _)| name.as_os_str());
        entered.chain(self.names_below().iter().map(OsString::as_os_str))
    }

    /// The names below the last directory that was entered.
    pub(crate) fn names_below(&self) -> &[OsString] {
        match &self.end {
            PathEnd::Directory => &[],
            PathEnd::File(name) | PathEnd::Special(name) => std::slice::from_ref(name),
            PathEnd::Missing(names) => names.as_slice(),
        }
    }

    /// The path with links resolved, starting with the root as given.
    pub(crate) fn path(&self) -> PathBuf {
        let mut path = self.root.given.clone();
        path.extend(self.names());
        path
    }

    /// Appends a name to the directory where the path ended.
    pub(super) fn named(self, name: &OsStr) -> Self {
        let end = PathEnd::File(name.to_owned());
        ResolvedPath { end, ..self }
    }

    /// The path without links.
    pub(crate) fn real_path(&self) -> PathBuf {
        let mut path = self.root.real.clone();
        path.extend(self.names());
        path
    }
}

/// A path resolution in progress.
pub(super) struct PathWalk<'r> {
    roots: &'r Roots,
    requested: &'r Path,
    root: &'r Root,
    entered: Vec<(OsString, Dir)>,
    /// The names still to follow, the next one last.
    ahead: Vec<OsString>,
    /// How many of the names ahead the caller wrote; the others come from links.
    asked_ahead: usize,
    links: Vec<OsString>,
}

impl<'r> PathWalk<'r> {
    pub(super) fn start(roots: &'r Roots, requested: &'r Path) -> Result<PathWalk<'r>, FileError> {
        check_path_syntax(requested)?;
        let (root, below) = roots.locate(requested, requested)?;
        let ahead: Vec<OsString> = names(below).rev().map(OsString::from).collect();
        Ok(PathWalk {
            roots,
            requested,
            root,
            entered: Vec::new(),
            asked_ahead: ahead.len(),
            ahead,
            links: Vec::new(),
        })
    }

    pub(super) fn finish(mut self) -> Result<ResolvedPath<'r>, FileError> {
        while let Some(name) = self.ahead.pop() {
            if name == ".." {
                self.go_up()?;
            } else if name != "."
                && let Some(end) = self.enter(name)?
            {
                return Ok(self.into_resolved(end));
            }
        }
        Ok(self.into_resolved(PathEnd::Directory))
    }

    fn enter(&mut self, name: OsString) -> Result<Option<PathEnd>, FileError> {
        let dir = self.entered.last().map_or(&self.root.dir, |(_, dir)| dir);
        match dir.lookup(&name) {
            Ok(LookupResult::Directory(dir)) => self.entered.push((name, dir)),
            Ok(LookupResult::Link(target)) => self.follow(name, &target)?,
            Ok(LookupResult::File | LookupResult::Special) if !self.ahead.is_empty() => {
                return Err(self.not_found());
            }
            Ok(LookupResult::File) => return Ok(Some(PathEnd::File(name))),
            Ok(LookupResult::Special) => return Ok(Some(PathEnd::Special(name))),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return self.missing(name).map(Some);
            }
            Err(error) => return Err(FileError::of_system(self.requested, "open", error)),
        }
        Ok(None)
    }

    fn follow(&mut self, name: OsString, target: &Path) -> Result<(), FileError> {
        self.links.push(name);
        if self.links.len() > MOST_LINKS {
            return Err(FileError::Links {
                path: self.requested.to_owned(),
            });
        }
        self.asked_ahead = self.asked_ahead.min(self.ahead.len());
        if ends_as_directory(target) {
            self.ahead.push(".".into());
        }
        if target.is_absolute() {
            return self.restart_at(target);
        }
        self.ahead.extend(names(target).rev().map(OsString::from));
        Ok(())
    }

    /// Continues at the root that an absolute path names.
    fn restart_at(&mut self, target: &Path) -> Result<(), FileError> {
        let (root, below) = self.roots.locate(target, self.requested)?;
        self.root = root;
        self.entered.clear();
        self.ahead.extend(names(below).rev().map(OsString::from));
        Ok(())
    }

    /// Returns to the directory above. Above a root, the path must name a root again, as from one root to its sibling.
    fn go_up(&mut self) -> Result<(), FileError> {
        if self.entered.pop().is_some() {
            return Ok(());
        }
        let Some(mut target) = self.root.real.parent().map(Path::to_owned) else {
            return Ok(());
        };
        while self.ahead.pop_if(|name| name == "..").is_some() {
            target.pop();
        }
        target.extend(self.ahead.drain(..).rev());
        self.restart_at(&target)?;
        self.asked_ahead = self.asked_ahead.min(self.ahead.len());
        Ok(())
    }

    fn missing(&mut self, name: OsString) -> Result<PathEnd, FileError> {
        if self.ahead.len() >= self.asked_ahead {
            return Err(FileError::Dangling {
                path: self.requested.to_owned(),
            });
        }
        if self.ahead.iter().any(|name| name == "..") {
            return Err(self.not_found());
        }
        let mut names = vec![name];
        names.extend(self.ahead.drain(..).rev());
        Ok(PathEnd::Missing(names))
    }

    fn not_found(&self) -> FileError {
        FileError::NotFound {
            path: self.requested.to_owned(),
        }
    }

    fn into_resolved(self, end: PathEnd) -> ResolvedPath<'r> {
        ResolvedPath {
            root: self.root,
            entered: self.entered,
            links: self.links,
            end,
        }
    }
}

/// The limit of Linux.
const MOST_LINKS: usize = 40;
