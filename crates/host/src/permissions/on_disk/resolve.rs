//! Where a path leads, link by link, also where the last of it does not exist.

use std::ffi::OsString;
use std::fs::Metadata;
use std::io;
use std::path::{Component, Path, PathBuf};

/// Where a path leads.
#[derive(Debug)]
pub(crate) struct Resolved {
    /// The path without links and `..`, as far as it exists, and the rest as it is.
    pub(crate) path: PathBuf,
    /// The links on the way, each by where it really is.
    pub(crate) links: Vec<PathBuf>,
    /// What is there; `None` if nothing is.
    pub(crate) metadata: Option<Metadata>,
    /// Whether the whole way could be seen.
    pub(crate) is_known: bool,
}

/// Follows a whole path.
pub(crate) fn resolve(path: &Path) -> Resolved {
    resolve_below(Path::new("/"), path)
}

/// Follows a path from a directory on, which is without links itself.
pub(crate) fn resolve_below(directory: &Path, path: &Path) -> Resolved {
    let mut found = Resolved {
        path: directory.to_owned(),
        links: Vec::new(),
        metadata: None,
        is_known: true,
    };
    let mut left = Vec::new();
    found.push(&mut left, path);
    let mut is_missing = false;
    while let Some(name) = left.pop() {
        if name == ".." {
            found.path.pop();
            found.metadata = None;
            continue;
        }
        let next = found.path.join(&name);
        if is_missing {
            found.path = next;
            continue;
        }
        match next.symlink_metadata() {
            Ok(metadata) if metadata.is_symlink() => found.follow(next, &mut left),
            Ok(metadata) => {
                found.path = next;
                found.metadata = Some(metadata);
            }
            Err(error) => {
                is_missing = true;
                found.is_known &= is_absence(&error);
                found.metadata = None;
                found.path = next;
            }
        }
    }
    if found.metadata.is_none() && !is_missing {
        found.metadata = found.path.symlink_metadata().ok();
    }
    found
}

impl Resolved {
    fn follow(&mut self, link: PathBuf, left: &mut Vec<OsString>) {
        // What stands there is another thing for each process.
        self.is_known &= !link.starts_with("/proc");
        match link.read_link() {
            Ok(target) if self.links.len() < MAX_LINKS => self.push(left, &target),
            _ => {
                self.is_known = false;
                self.path.clone_from(&link);
                left.clear();
            }
        }
        self.links.push(link);
    }

    /// Takes the names of a path that are to be followed next.
    fn push(&mut self, left: &mut Vec<OsString>, path: &Path) {
        let mut names = Vec::new();
        for component in path.components() {
            match component {
                Component::Prefix(_) | Component::RootDir => self.path.push(component),
                Component::CurDir => {}
                Component::ParentDir => names.push(OsString::from("..")),
                Component::Normal(name) => names.push(name.to_owned()),
            }
        }
        left.extend(names.into_iter().rev());
    }
}

fn is_absence(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

/// As many as systems follow.
const MAX_LINKS: usize = 40;
