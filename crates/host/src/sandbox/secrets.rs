//! Finds secrets on the disk: the content of secret paths, the targets of links in them, and names that do not exist
//! yet.

use std::collections::VecDeque;
use std::path::{Component, Path, PathBuf};

/// A configured path that commands must not read.
#[derive(Debug, Clone)]
pub(super) struct SecretPlace {
    pub(super) path: PathBuf,
    /// Names in the directory that stay readable; an `*` at the front matches any prefix.
    pub(super) except: &'static [&'static str],
    pub(super) origin: SecretOrigin,
}

/// Why a path is secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SecretOrigin {
    /// It is on the list of secrets in the home directory. It is secret whether it exists or not.
    Known,
    /// A variable or the user names it, or a link leads to it. It may be any file, even one in a project.
    Named,
}

/// A file or directory with secrets, with links resolved. It may not exist yet.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct SecretPath {
    pub(super) path: PathBuf,
    pub(super) is_known: bool,
}

impl SecretPath {
    /// Whether Landlock keeps the secret unreadable although commands can write beside it. Files that commands create
    /// beside it are then unreadable for them, which is not acceptable in a project: there the secret is only covered.
    pub(super) fn stays_closed(&self, others: &[SecretPath], is_covered: bool) -> bool {
        let is_beside = |above: &Path| {
            let mut known = others.iter().filter(|other| other.is_known);
            known.any(|other| other.path.starts_with(above))
        };
        let costs_nothing = || self.path.parent().is_some_and(is_beside);
        self.is_known || (!is_covered && self.path.exists()) || costs_nothing()
    }
}

impl SecretPlace {
    pub(super) fn named(path: PathBuf) -> SecretPlace {
        SecretPlace {
            path,
            except: &[],
            origin: SecretOrigin::Named,
        }
    }

    /// A path that is secret whether it exists or not.
    pub(super) fn known(path: PathBuf) -> SecretPlace {
        SecretPlace {
            path,
            except: &[],
            origin: SecretOrigin::Known,
        }
    }

    /// The secrets at the path now, and the targets of links in it.
    pub(super) fn find(&self) -> Vec<SecretPath> {
        let all = expand_wildcards(&self.path).into_iter();
        all.flat_map(|path| self.find_at(&path)).collect()
    }

    fn find_at(&self, path: &Path) -> Vec<SecretPath> {
        let Some(path) = resolve_links(path, MOST_LINKS) else {
            return Vec::new();
        };
        let mut targets = Vec::new();
        // A variable set to `/dev/null` switches a feature off.
        let (is_dir, is_secret) = match path.metadata() {
            Ok(found) => (found.is_dir(), found.is_dir() || found.is_file()),
            Err(_) => (false, true),
        };
        let mut found = match std::fs::read_dir(&path) {
            _ if !is_secret => Vec::new(),
            Ok(entries) if is_dir && !self.except.is_empty() => {
                let entries = entries.flatten();
                let closed = entries.filter(|entry| !self.is_open(&entry.file_name()));
                closed.map(|entry| entry.path()).collect()
            }
            _ => vec![path],
        };
        for place in &found {
            add_link_targets(place, &mut targets);
        }
        let is_link = |path: &PathBuf| path.is_symlink();
        found.retain(|path| !is_link(path));
        let of = |is_known: bool| move |path: PathBuf| SecretPath { path, is_known };
        let is_known = self.origin == SecretOrigin::Known;
        let targets = targets.into_iter().map(of(false));
        found.into_iter().map(of(is_known)).chain(targets).collect()
    }

    fn is_open(&self, name: &std::ffi::OsStr) -> bool {
        let name = name.to_string_lossy();
        self.except.iter().any(|open| match open.strip_prefix('*') {
            Some(end) => name.ends_with(end),
            None => name == *open,
        })
    }
}

/// The paths that match a path with `*` components now.
fn expand_wildcards(path: &Path) -> Vec<PathBuf> {
    let mut all = vec![PathBuf::new()];
    for part in path.components() {
        all = match part.as_os_str() == "*" {
            true => {
                let found = all.iter().flat_map(|path| std::fs::read_dir(path).ok());
                let names = found.flat_map(|entries| entries.flatten().take(MOST_ENTRIES));
                names.map(|entry| entry.path()).collect()
            }
            false => all.into_iter().map(|path| path.join(part)).collect(),
        };
    }
    all
}

/// Adds the targets of links at or below a path. Programs are skipped, and directories that contain the path: tool
/// environments link to interpreters.
fn add_link_targets(place: &Path, targets: &mut Vec<PathBuf>) {
    let mut waiting = VecDeque::from([place.to_owned()]);
    let mut room = MOST_ENTRIES;
    while let Some(path) = waiting.pop_front() {
        let Ok(found) = path.symlink_metadata() else {
            continue;
        };
        if found.is_symlink() {
            let target = resolve_links(&path, MOST_LINKS);
            targets.extend(
                target.filter(|target| !place.starts_with(target) && may_contain_secret(target)),
            );
        } else if found.is_dir() {
            let entries = std::fs::read_dir(&path).into_iter().flatten().flatten();
            let entries: Vec<PathBuf> = entries.take(room).map(|entry| entry.path()).collect();
            room -= entries.len();
            waiting.extend(entries);
        }
    }
}

/// Whether a link target can contain a secret: not a program, device or socket, and not a public system file.
fn may_contain_secret(target: &Path) -> bool {
    let Ok(found) = target.metadata() else {
        return true;
    };
    let is_system = SYSTEM.iter().any(|place| target.starts_with(place));
    !is_system && (found.is_dir() || (found.is_file() && !is_executable(&found)))
}

#[cfg(unix)]
fn is_executable(metadata: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    metadata.mode() & 0o111 != 0
}

#[cfg(not(unix))]
fn is_executable(_: &std::fs::Metadata) -> bool {
    false
}

/// Resolves the links of a path whose last components may not exist.
fn resolve_links(path: &Path, links: usize) -> Option<PathBuf> {
    if let Ok(found) = std::fs::canonicalize(path) {
        return Some(found);
    }
    let links = links.checked_sub(1)?;
    let Some(Component::Normal(name)) = path.components().next_back() else {
        return None;
    };
    let place = resolve_links(path.parent()?, links)?.join(name);
    match std::fs::read_link(&place) {
        Ok(target) => resolve_links(&place.parent()?.join(target), links),
        Err(_) => Some(place),
    }
}

/// The maximum number of components followed: missing names, and links that lead to them.
const MOST_LINKS: usize = 64;
/// The maximum number of entries searched for links, at each start of a command.
const MOST_ENTRIES: usize = 1024;
const SYSTEM: [&str; 8] = [
    "/usr", "/bin", "/sbin", "/lib", "/lib64", "/opt", "/nix", "/snap",
];
