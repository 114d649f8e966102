//! The directories that an agent may touch in one session, and the way from a path to what lies beneath them. Paths
//! are never compared as strings: a root is an open directory, and every step below it starts from there.

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

/// The directories that an agent may touch in one session: its working directory and those added to it. Each is opened
/// once, so that nobody can put another in its place. Clones are the same roots.
///
/// Each access also asks whether the root's name still leads to the directory that was opened. If it was moved,
/// replaced, removed or mounted over, nothing below it is touched any more, and the error says so.
#[derive(Debug, Clone)]
pub struct Roots {
    all: Arc<Vec<Root>>,
    denial: Arc<PathRuleMatches>,
    /// What a policy asks about, in the same way.
    asking: Arc<PathRuleMatches>,
    approved: Option<AskRuleAlias>,
}

/// What a policy denies inside the roots and elsewhere. It is looked for when it is first needed.
#[derive(Debug, Default)]
struct PathRuleMatches {
    rules: PathRules,
    found: OnceLock<DeniedPaths>,
}

impl Roots {
    /// Opens the directories. The first is the working directory. They may be nested or named twice.
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

    /// As [`open`](Self::open), and the whole file system may be among them. Only for a caller whose person has agreed
    /// to that in so many words.
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

    /// The same roots, in which nothing is touched that these rules deny: files are judged when they are open, commands are
    /// kept from them by the kernel.
    #[must_use]
    pub fn deny(self, rules: PathRules) -> Roots {
        let found = OnceLock::new();
        Roots {
            denial: Arc::new(PathRuleMatches { rules, found }),
            ..self
        }
    }

    /// What is denied, as it was found when this was first asked for. The first call looks at the disk, for a few seconds at
    /// most.
    pub fn denied(&self) -> &DeniedPaths {
        let PathRuleMatches { rules, found } = &*self.denial;
        found.get_or_init(|| {
            let paths: Vec<PathBuf> = self.all.iter().map(|root| root.real.clone()).collect();
            DeniedPaths::find(rules, &paths)
        })
    }

    /// The same roots, in which no file is read by a name that hides it from these rules, which ask.
    #[must_use]
    pub fn ask(self, rules: PathRules) -> Roots {
        let found = OnceLock::new();
        Roots {
            asking: Arc::new(PathRuleMatches { rules, found }),
            ..self
        }
    }

    /// The same roots, after the user was asked about this file by both of its names.
    pub(crate) fn with_approved_alias(self, approved: Option<AskRuleAlias>) -> Roots {
        Roots { approved, ..self }
    }

    /// Whether there is nothing to ask about by other names.
    pub(crate) fn has_no_ask_rules(&self) -> bool {
        self.asking.rules.is_empty()
    }

    /// Another name of an open file that a rule asks about, unless the user was asked.
    pub(crate) fn ask_rule_alias(
        &self,
        file: &File,
        resolved: &ResolvedPath<'_>,
    ) -> Option<AskRuleAlias> {
        let PathRuleMatches { rules, found } = &*self.asking;
        if rules.is_empty() {
            return None;
        }
        let asked = found.get_or_init(|| {
            let paths: Vec<PathBuf> = self.all.iter().map(|root| root.real.clone()).collect();
            DeniedPaths::find(rules, &paths)
        });
        let alias = asked.ask_rule_alias(file, &resolved.real_path())?;
        (self.approved.as_ref() != Some(&alias)).then_some(alias)
    }

    /// Begins to look for what is denied, on another thread where there is one.
    pub(crate) fn start_denied_search(&self) {
        let roots = self.clone();
        if let (false, Ok(runtime)) = (
            self.denial.rules.is_empty(),
            tokio::runtime::Handle::try_current(),
        ) {
            runtime.spawn_blocking(move || roots.denied().is_empty());
        }
    }

    /// The working directory, as it was given.
    pub fn cwd(&self) -> &Path {
        self.all.first().map_or(Path::new("/"), |root| &root.given)
    }

    /// All of them as they were given, the working directory first.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.all.iter().map(|root| root.given.as_path())
    }

    /// Where a path leads when its links are followed, below the name that the root was given; `None` where it leads to
    /// itself, or nowhere.
    pub fn resolve_links(&self, path: &Path) -> Option<PathBuf> {
        let resolved = self.resolve(path).ok()?.path();
        (resolved != path).then_some(resolved)
    }

    /// Where they really are.
    pub(crate) fn real_paths(&self) -> impl Iterator<Item = &Path> {
        self.all.iter().map(|root| root.real.as_path())
    }

    /// The directories that were opened, whatever has become of their names: a command may have put a link in the place of
    /// a root inside another root.
    #[cfg(target_os = "linux")]
    pub(crate) fn descriptors(&self) -> io::Result<Vec<Arc<std::os::fd::OwnedFd>>> {
        self.all.iter().map(|root| root.dir.descriptor()).collect()
    }

    /// Opens a directory beneath the roots for a command to start in, or the working directory itself. Whatever happens to
    /// its name afterwards, the command starts in what was opened.
    ///
    /// # Errors
    ///
    /// When the path leaves the roots, or is not a directory that exists; or a root is not what it was.
    pub(crate) fn start_directory(&self, path: Option<&Path>) -> Result<StartDirectory, FileError> {
        let asked = path;
        let path = asked.unwrap_or(self.cwd());
        let resolved = self.resolve_existing_directory(path)?;
        self.check_policy(&resolved, path, Access::Read)?;
        Ok(StartDirectory {
            path: match asked {
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

    /// Refuses a place that a rule of the policy denies.
    pub(crate) fn check_policy(
        &self,
        resolved: &ResolvedPath<'_>,
        asked: &Path,
        access: Access,
    ) -> Result<(), FileError> {
        let judged = self.denied().check_policy(resolved, asked, access);
        judged.map_err(|denied| FileError::denied(asked, denied))
    }

    /// Where a directory beneath the roots really is: a path without links, for a command to start in.
    ///
    /// # Errors
    ///
    /// When the path leaves the roots, or is not a directory that exists.
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

    /// Follows a path beneath the roots, link by link.
    pub(crate) fn resolve<'r>(&'r self, path: &'r Path) -> Result<ResolvedPath<'r>, FileError> {
        path_walk::PathWalk::start(self, path)?.finish()
    }

    /// Follows all but the last name of a path, and looks at what has that name without following it: what is removed or
    /// moved is a link itself, not what it leads to.
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
        let seen = match resolved.end {
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
            false => Ok((resolved, seen)),
        }
    }

    /// Opens a file for reading in one step, where the system can resolve a path beneath a directory and nothing on
    /// it needs a closer look. `closed` are directories that do.
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

    /// The innermost root that a path names, and the rest of the path. `asked` is the path to complain about.
    fn locate<'p>(&self, path: &'p Path, asked: &Path) -> Result<(&Root, &'p Path), FileError> {
        let named = self.all.iter().flat_map(|root| {
            let names = [&root.given, &root.real];
            names.map(|name| (root, name, path.strip_prefix(name)))
        });
        let inside = named.filter_map(|(root, name, rest)| Some((root, name, rest.ok()?)));
        let innermost = inside.max_by_key(|(_, name, _)| name.components().count());
        let (root, _, rest) = innermost.ok_or_else(|| FileError::Outside {
            path: asked.to_owned(),
        })?;
        root.check()?;
        Ok((root, rest))
    }
}

/// A directory that a command starts in.
#[derive(Debug)]
pub(crate) struct StartDirectory {
    /// Where it is, for messages and for `PWD`.
    pub(crate) path: PathBuf,
    /// The directory itself.
    #[cfg(target_os = "linux")]
    pub(crate) open: Arc<std::os::fd::OwnedFd>,
}

/// One of the directories. It has two names: the one it was given, and the one without links. Agents may use either.
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

    /// The directory stays open whatever happens to its name; but an agent that writes `/project/x` means what people
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

/// Which file it is, whatever its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DirectoryIdentity {
    pub(crate) device: u64,
    pub(crate) inode: u64,
}

/// Refuses what cannot be a path from the top.
fn check_path_syntax(path: &Path) -> Result<(), FileError> {
    let text = path.as_os_str().as_encoded_bytes();
    let why = match text {
        [] => "it is empty",
        _ if text.contains(&0) => "it holds a zero byte",
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

/// Whether a path ends in a slash: it names a directory then, though the slash is easily lost.
pub(crate) fn ends_as_directory(path: &Path) -> bool {
    let text = path.to_string_lossy();
    let text = text.strip_suffix('.').unwrap_or(&text);
    text.ends_with(std::path::is_separator)
}

/// The names on a path; `..` is one of them.
fn names(path: &Path) -> impl DoubleEndedIterator<Item = &OsStr> {
    path.components().filter_map(|component| match component {
        Component::Normal(name) => Some(name),
        Component::ParentDir => Some(OsStr::new("..")),
        Component::CurDir | Component::RootDir | Component::Prefix(_) => None,
    })
}

/// What Linux takes; other systems take less and say so themselves.
const LONGEST_PATH: usize = 4095;
