//! The directories that an agent may access in a session, and path resolution beneath them. Paths are never compared as
//! strings: a root is an open directory, and every lookup starts from there.

mod path_walk;

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "linux")]
use linux as platform;

#[cfg(not(target_os = "linux"))]
mod other;
#[cfg(not(target_os = "linux"))]
use other as platform;

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, OnceLock};

pub(crate) use path_walk::{PathEnd, ResolvedPath};
pub(crate) use platform::{Dir, FileFacts, LookupResult, file_facts, keep_owner_and_mode};

use crate::denied::{Access, AskRuleAlias, DeniedPaths};
use crate::files::{FileError, UnexpectedKind};
use crate::permissions::PathRules;

/// The directories that an agent may access in a session: the working directory and additional ones. Each is opened
/// once, so that nobody can replace it. Clones share the same roots.
///
/// Each access checks that the root's path still leads to the opened directory. If the directory was moved, replaced,
/// removed or mounted over, every access fails with an error that says so.
#[derive(Debug, Clone)]
pub struct Roots {
    all: Arc<Vec<Root>>,
    denial: Arc<PathRuleMatches>,
    /// The paths that ask rules cover.
    asking: Arc<PathRuleMatches>,
    approved: Option<AskRuleAlias>,
}

/// Path rules of a policy, and the paths on disk that they cover. The search runs on first use.
#[derive(Debug, Default)]
struct PathRuleMatches {
    rules: PathRules,
    found: OnceLock<DeniedPaths>,
}

impl Roots {
    /// Opens the directories. The first one is the working directory. Directories may be nested or repeated.
    ///
    /// # Errors
    ///
    /// When a path is not absolute, not a directory that can be opened, or the whole file system.
    pub fn open(cwd: &Path, additional: &[PathBuf]) -> Result<Roots, FileError> {
        let roots = Roots::open_unbounded(cwd, additional)?;
        let mut whole = roots.all.iter().filter(|root| root.is_whole_system());
        match whole.next() {
            Some(root) => Err(FileError::WholeSystem {
                path: root.given.clone(),
            }),
            None => Ok(roots),
        }
    }

    /// Like [`open`](Self::open), but accepts the root of the file system. Only for callers whose user has explicitly
    /// agreed to that.
    ///
    /// # Errors
    ///
    /// When a path is not absolute, or not a directory that can be opened.
    pub fn open_unbounded(cwd: &Path, additional: &[PathBuf]) -> Result<Roots, FileError> {
        let mut roots = vec![Root::open(cwd)?];
        for path in additional {
            roots.push(Root::open(path)?);
        }
        Ok(Roots {
            all: Arc::new(roots),
            denial: Arc::default(),
            asking: Arc::default(),
            approved: None,
        })
    }

    /// Sets the deny rules. Opened files are checked against the rules, and the kernel keeps commands from denied
    /// paths.
    #[must_use]
    pub fn deny(self, rules: PathRules) -> Roots {
        let found = OnceLock::new();
        Roots {
            denial: Arc::new(PathRuleMatches { rules, found }),
            ..self
        }
    }

    /// The denied paths. The first call searches the disk, which takes a few seconds at most.
    pub fn denied(&self) -> &DeniedPaths {
        let PathRuleMatches { rules, found } = &*self.denial;
        found.get_or_init(|| {
            let paths: Vec<PathBuf> = self.all.iter().map(|root| root.real.clone()).collect();
            DeniedPaths::find(rules, &paths)
        })
    }

    /// Sets the ask rules. A file is not read by a name that hides it from these rules.
    #[must_use]
    pub fn ask(self, rules: PathRules) -> Roots {
        let found = OnceLock::new();
        Roots {
            asking: Arc::new(PathRuleMatches { rules, found }),
            ..self
        }
    }

    /// Records that the user was asked about this file by both of its names.
    pub(crate) fn with_approved_alias(self, approved: Option<AskRuleAlias>) -> Roots {
        Roots { approved, ..self }
    }

    /// Whether there are no ask rules about paths.
    pub(crate) fn has_no_ask_rules(&self) -> bool {
        self.asking.rules.is_empty()
    }

    /// The other name of an open file that an ask rule covers, unless the user was asked about it.
    pub(crate) fn ask_rule_alias(
        &self,
        file: &File,
        resolved: &ResolvedPath<'_>,
    ) -> Option<AskRuleAlias> {
        let PathRuleMatches { rules, found } = &*self.asking;
        if rules.is_empty() {
            return None;
        }
        let requested = found.get_or_init(|| {
            let paths: Vec<PathBuf> = self.all.iter().map(|root| root.real.clone()).collect();
            DeniedPaths::find(rules, &paths)
        });
        let alias = requested.ask_rule_alias(file, &resolved.real_path())?;
        (self.approved.as_ref() != Some(&alias)).then_some(alias)
    }

    /// Starts the search for denied paths in the background, if there is a runtime.
    pub(crate) fn start_denied_search(&self) {
        let roots = self.clone();
        if let (false, Ok(runtime)) = (
            self.denial.rules.is_empty(),
            tokio::runtime::Handle::try_current(),
        ) {
            runtime.spawn_blocking(move || roots.denied().is_empty());
        }
    }

    /// The working directory, as given.
    pub fn cwd(&self) -> &Path {
        self.all.first().map_or(Path::new("/"), |root| &root.given)
    }

    /// All roots as given, the working directory first.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.all.iter().map(|root| root.given.as_path())
    }

    /// Resolves the links of a path. The result starts with the root as given. Returns `None` if the path has no links
    /// or leads nowhere.
    pub fn resolve_links(&self, path: &Path) -> Option<PathBuf> {
        let resolved = self.resolve(path).ok()?.path();
        (resolved != path).then_some(resolved)
    }

    /// The paths of the roots with links resolved.
    pub(crate) fn real_paths(&self) -> impl Iterator<Item = &Path> {
        self.all.iter().map(|root| root.real.as_path())
    }

    /// The open directories. Their paths may have changed: a command may have replaced a root inside another root by a
    /// link.
    #[cfg(target_os = "linux")]
    pub(crate) fn descriptors(&self) -> io::Result<Vec<Arc<std::os::fd::OwnedFd>>> {
        self.all.iter().map(|root| root.dir.descriptor()).collect()
    }

    /// Opens a directory beneath the roots for a command to start in; `None` is the working directory. The command
    /// starts in the opened directory, whatever happens to its path afterwards.
    ///
    /// # Errors
    ///
    /// When the path leads out of the roots or is not an existing directory, or a root was replaced.
    pub(crate) fn start_directory(&self, path: Option<&Path>) -> Result<StartDirectory, FileError> {
        let requested = path;
        let path = requested.unwrap_or(self.cwd());
        let resolved = self.resolve_existing_directory(path)?;
        self.check_policy(&resolved, path, Access::Read)?;
        Ok(StartDirectory {
            path: match requested {
                Some(_) => resolved.real_path(),
                None => path.to_owned(),
            },
            #[cfg(target_os = "linux")]
            open: resolved
                .directory()
                .descriptor()
                .map_err(|error| FileError::of_system(path, "open", error))?,
        })
    }

    /// Refuses a path that a policy rule denies.
    pub(crate) fn check_policy(
        &self,
        resolved: &ResolvedPath<'_>,
        requested: &Path,
        access: Access,
    ) -> Result<(), FileError> {
        let judged = self.denied().check_policy(resolved, requested, access);
        judged.map_err(|denied| FileError::denied(requested, denied))
    }

    /// Resolves a directory beneath the roots to a path without links, for a command to start in.
    ///
    /// # Errors
    ///
    /// When the path leads out of the roots, or is not an existing directory.
    pub fn resolve_directory(&self, path: &Path) -> Result<PathBuf, FileError> {
        Ok(self.resolve_existing_directory(path)?.real_path())
    }

    fn resolve_existing_directory<'r>(
        &'r self,
        path: &'r Path,
    ) -> Result<ResolvedPath<'r>, FileError> {
        let resolved = self.resolve(path)?;
        let path = path.to_owned();
        match resolved.end {
            PathEnd::Directory => Ok(resolved),
            PathEnd::File(_) | PathEnd::Special(_) => Err(FileError::WrongKind {
                path,
                found: UnexpectedKind::File,
            }),
            PathEnd::Missing(_) => Err(FileError::NotFound { path }),
        }
    }

    /// Resolves a path beneath the roots, link by link.
    pub(crate) fn resolve<'r>(&'r self, path: &'r Path) -> Result<ResolvedPath<'r>, FileError> {
        path_walk::PathWalk::start(self, path)?.finish()
    }

    /// Resolves all but the last name of a path, and looks that name up without following it: removing or moving a link
    /// concerns the link itself.
    pub(crate) fn resolve_parent<'r>(
        &'r self,
        path: &'r Path,
    ) -> Result<(ResolvedPath<'r>, LookupResult), FileError> {
        check_path_syntax(path)?;
        let (Some(above), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(FileError::BadPath {
                path: path.to_owned(),
                why: "it does not end in a name",
            });
        };
        if self.locate(path, path)?.1.as_os_str().is_empty() {
            return Err(FileError::IsRoot {
                path: path.to_owned(),
            });
        }
        let resolved = self.resolve(above)?;
        let failed = |error| FileError::of_system(path, "look at", error);
        let entry = match resolved.end {
            PathEnd::Directory => resolved.directory().lookup(name).map_err(failed)?,
            PathEnd::File(_) | PathEnd::Special(_) | PathEnd::Missing(_) => {
                return Err(FileError::NotFound {
                    path: path.to_owned(),
                });
            }
        };
        let resolved = resolved.named(name);
        let real = resolved.real_path();
        match self.all.iter().any(|root| root.real.starts_with(&real)) {
            true => Err(FileError::IsRoot {
                path: path.to_owned(),
            }),
            false => Ok((resolved, entry)),
        }
    }

    /// Opens a file for reading with one system call, if the system can resolve paths beneath a directory. Returns
    /// `None` if the path needs a walk, as beneath one of the `closed` directories.
    pub(crate) fn open_in_one_step(
        &self,
        path: &Path,
        closed: &[PathBuf],
    ) -> Result<Option<io::Result<File>>, FileError> {
        check_path_syntax(path)?;
        let (root, below) = self.locate(path, path)?;
        let is_near =
            |closed: &PathBuf| closed.starts_with(&root.real) || root.real.starts_with(closed);
        if closed.iter().any(is_near) {
            return Ok(None);
        }
        Ok(root.dir.open_beneath(below))
    }

    /// Finds the innermost root that contains a path, and the rest of the path. `asked` is the path for errors.
    fn locate<'p>(&self, path: &'p Path, requested: &Path) -> Result<(&Root, &'p Path), FileError> {
        let named = self.all.iter().flat_map(|root| {
            let names = [&root.given, &root.real];
            names.map(|name| (root, name, path.strip_prefix(name)))
        });
        let inside = named.filter_map(|(root, name, rest)| Some((root, name, rest.ok()?)));
        let innermost = inside.max_by_key(|(_, name, _)| name.components().count());
        let (root, _, rest) = innermost.ok_or_else(|| FileError::Outside {
            path: requested.to_owned(),
        })?;
        root.check()?;
        Ok((root, rest))
    }
}

/// An open directory that a command starts in.
#[derive(Debug)]
pub(crate) struct StartDirectory {
    /// The path, for messages and for `PWD`.
    pub(crate) path: PathBuf,
    /// The open directory.
    #[cfg(target_os = "linux")]
    pub(crate) open: Arc<std::os::fd::OwnedFd>,
}

/// One root. It has two paths: the one given, and the one without links. Agents may use either.
#[derive(Debug)]
pub(crate) struct Root {
    given: PathBuf,
    pub(crate) real: PathBuf,
    pub(crate) dir: Dir,
    identity: DirectoryIdentity,
}

impl Root {
    fn open(path: &Path) -> Result<Root, FileError> {
        check_path_syntax(path)?;
        let open = || {
            let dir = Dir::open(path)?;
            Ok(Root {
                given: path.to_owned(),
                real: dir.real_path(path)?,
                identity: dir.identity()?,
                dir,
            })
        };
        open().map_err(|source| FileError::Root {
            path: path.to_owned(),
            source,
        })
    }

    fn is_whole_system(&self) -> bool {
        self.real.parent().is_none()
            || DirectoryIdentity::of(Path::new("/")).ok() == Some(self.identity)
    }

    /// The directory stays open whatever happens to its path, but an agent that writes `/project/x` means what users
    /// see there now.
    fn check(&self) -> Result<(), FileError> {
        let is_same = |name| DirectoryIdentity::of(name).ok() == Some(self.identity);
        if is_same(&self.given) && (self.real == self.given || is_same(&self.real)) {
            return Ok(());
        }
        Err(FileError::RootGone {
            root: self.given.clone(),
        })
    }
}

/// The identity of a directory, whatever its path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DirectoryIdentity {
    pub(crate) device: u64,
    pub(crate) inode: u64,
}

/// Refuses text that is not a valid absolute path.
fn check_path_syntax(path: &Path) -> Result<(), FileError> {
    let text = path.as_os_str().as_encoded_bytes();
    let why = match text {
        [] => "it is empty",
        _ if text.contains(&0) => "it contains a NUL byte",
        _ if text.len() > LONGEST_PATH => "it is too long",
        _ if path.to_str().is_none() => "it is not UTF-8",
        _ if !path.is_absolute() => {
            return Err(FileError::Relative {
                path: path.to_owned(),
            });
        }
        _ => return Ok(()),
    };
    Err(FileError::BadPath {
        path: path.to_owned(),
        why,
    })
}

/// Whether a path ends in a slash and so names a directory. Parsing a path loses the slash.
pub(crate) fn ends_as_directory(path: &Path) -> bool {
    let text = path.to_string_lossy();
    let text = text.strip_suffix('.').unwrap_or(&text);
    text.ends_with(std::path::is_separator)
}

/// The names on a path, including `..`.
fn names(path: &Path) -> impl DoubleEndedIterator<Item = &OsStr> {
    path.components().filter_map(|component| match component {
        Component::Normal(name) => Some(name),
        Component::ParentDir => Some(OsStr::new("..")),
        Component::CurDir | Component::RootDir | Component::Prefix(_) => None,
    })
}

/// The limit of Linux. Other systems have a lower one and report it themselves.
const LONGEST_PATH: usize = 4095;
