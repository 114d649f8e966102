//! Follows a path from a root to its end, one name at a time, each looked up in the open directory before it. Links
//! are followed as long as they stay beneath a root, absolute ones included.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use super::platform::{Dir, Seen};
use super::{Root, Roots, check_shape, ends_as_directory, names};
use crate::files::Error;

/// Where a path leads, with every directory on the way held open.
#[derive(Debug)]
pub(crate) struct Place<'r> {
    pub(crate) root: &'r Root,
    entered: Vec<(OsString, Dir)>,
    /// The names of the links that were followed.
    pub(crate) links: Vec<OsString>,
    pub(crate) end: End,
}

/// What was found where the path leads.
#[derive(Debug)]
pub(crate) enum End {
    /// The last directory that was entered.
    Directory,
    /// A regular file in it.
    File(OsString),
    /// Something in it that is neither a directory, nor a link, nor a regular file.
    Special(OsString),
    /// Nothing. These names are still to be made, the last is the file's.
    Missing(Vec<OsString>),
}

impl Place<'_> {
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

    /// The names from the root to the end, without links.
    pub(crate) fn names(&self) -> impl Iterator<Item = &OsStr> {
        let entered = self.entered.iter().map(|(name, _)| name.as_os_str());
        entered.chain(self.names_below().iter().map(OsString::as_os_str))
    }

    /// The names below the last directory that was entered.
    pub(crate) fn names_below(&self) -> &[OsString] {
        match &self.end {
            End::Directory => &[],
            End::File(name) | End::Special(name) => std::slice::from_ref(name),
            End::Missing(names) => names.as_slice(),
        }
    }

    /// The whole path, without links, below the name that the root was given.
    pub(crate) fn path(&self) -> PathBuf {
        let mut path = self.root.given.clone();
        path.extend(self.names());
        path
    }

    /// The place of a name in the directory where the way ended.
    pub(super) fn named(self, name: &OsStr) -> Self {
        let end = End::File(name.to_owned());
        Place { end, ..self }
    }

    /// The whole path, without links.
    pub(crate) fn real_path(&self) -> PathBuf {
        let mut path = self.root.real.clone();
        path.extend(self.names());
        path
    }
}

/// A walk on its way.
pub(super) struct Walk<'r> {
    roots: &'r Roots,
    asked: &'r Path,
    root: &'r Root,
    entered: Vec<(OsString, Dir)>,
    /// The names still to follow, the next one last.
    ahead: Vec<OsString>,
    /// How many of them the caller wrote; what lies above them comes from links.
    asked_ahead: usize,
    links: Vec<OsString>,
}

impl<'r> Walk<'r> {
    pub(super) fn start(roots: &'r Roots, asked: &'r Path) -> Result<Walk<'r>, Error> {
        check_shape(asked)?;
        let (root, below) = roots.locate(asked, asked)?;
        let ahead: Vec<OsString> = names(below).rev().map(OsString::from).collect();
        Ok(Walk {
            roots,
            asked,
            root,
            entered: Vec::new(),
            asked_ahead: ahead.len(),
            ahead,
            links: Vec::new(),
        })
    }

    pub(super) fn finish(mut self) -> Result<Place<'r>, Error> {
        while let Some(name) = self.ahead.pop() {
            if name == ".." {
                self.leave()?;
            } else if name != "."
                && let Some(end) = self.enter(name)?
            {
                return Ok(self.place(end));
            }
        }
        Ok(self.place(End::Directory))
    }

    fn enter(&mut self, name: OsString) -> Result<Option<End>, Error> {
        let dir = self.entered.last().map_or(&self.root.dir, |(_, dir)| dir);
        match dir.look(&name) {
            Ok(Seen::Directory(dir)) => self.entered.push((name, dir)),
            Ok(Seen::Link(target)) => self.follow(name, &target)?,
            Ok(Seen::File | Seen::Special) if !self.ahead.is_empty() => {
                return Err(self.not_found());
            }
            Ok(Seen::File) => return Ok(Some(End::File(name))),
            Ok(Seen::Special) => return Ok(Some(End::Special(name))),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return self.missing(name).map(Some);
            }
            Err(error) => return Err(Error::of_system(self.asked, "open", error)),
        }
        Ok(None)
    }

    fn follow(&mut self, name: OsString, target: &Path) -> Result<(), Error> {
        self.links.push(name);
        if self.links.len() > MOST_LINKS {
            return Err(Error::Links {
                path: self.asked.to_owned(),
            });
        }
        self.asked_ahead = self.asked_ahead.min(self.ahead.len());
        if ends_as_directory(target) {
            self.ahead.push(".".into());
        }
        if target.is_absolute() {
            return self.jump(target);
        }
        self.ahead.extend(names(target).rev().map(OsString::from));
        Ok(())
    }

    /// Starts again at the root that an absolute path names.
    fn jump(&mut self, target: &Path) -> Result<(), Error> {
        let (root, below) = self.roots.locate(target, self.asked)?;
        self.root = root;
        self.entered.clear();
        self.ahead.extend(names(below).rev().map(OsString::from));
        Ok(())
    }

    /// Back to the directory that we came from. Above a root the way goes on only if it names a root again, as from
    /// one root to its neighbour.
    fn leave(&mut self) -> Result<(), Error> {
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
        self.jump(&target)?;
        self.asked_ahead = self.asked_ahead.min(self.ahead.len());
        Ok(())
    }

    fn missing(&mut self, name: OsString) -> Result<End, Error> {
        if self.ahead.len() >= self.asked_ahead {
            return Err(Error::Dangling {
                path: self.asked.to_owned(),
            });
        }
        if self.ahead.iter().any(|name| name == "..") {
            return Err(self.not_found());
        }
        let mut names = vec![name];
        names.extend(self.ahead.drain(..).rev());
        Ok(End::Missing(names))
    }

    fn not_found(&self) -> Error {
        Error::NotFound {
            path: self.asked.to_owned(),
        }
    }

    fn place(self, end: End) -> Place<'r> {
        Place {
            root: self.root,
            entered: self.entered,
            links: self.links,
            end,
        }
    }
}

/// As many as Linux follows.
const MOST_LINKS: usize = 40;
