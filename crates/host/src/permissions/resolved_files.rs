//! The files of an action as they are on the disk now: where links lead, whether a file has other names, and whether a
//! change reaches something protected. Everything here looks at the disk.

mod command_changes;
mod path_lookups;

use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use attache_schema::v1;

pub(crate) use path_lookups::{FollowedPath, PathLookups};

use super::command::line::ShellLine;
use super::{Action, paths};
use crate::exec::CommandFiles;
use crate::path_facts::link_count;
use crate::protected_names::{fold_name, is_protected};
use crate::{FieldHasher, protected_files};
use attache_disk::private::identity;

/// The files of an action as they are on the disk at one moment.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ResolvedFiles {
    /// One for each path of the action, in order.
    files: Vec<ResolvedFile>,
    /// Whether there were too many to inspect.
    is_cut: bool,
    /// Whether the action may change them.
    is_change: bool,
    /// The programs and scripts of its command, if the user is shown it.
    run: CommandFiles,
    /// Why the user is asked about the command each time: the protected files that its words and redirections change.
    command: Vec<Protection>,
}

/// A path as the file system resolves it.
#[derive(Debug, Clone, PartialEq)]
pub struct ResolvedFile {
    /// The target of the path, if links on it lead elsewhere.
    pub leads_to: Option<PathBuf>,
    /// Whether the target is inside the session's directories.
    pub is_inside: bool,
    /// Why the user is asked about each change to it.
    pub protection: Option<Protection>,
    /// The target relative to the workspace; `None` if it is outside.
    pub(super) inside: Option<PathBuf>,
    /// The identity of the file, whatever its name.
    pub(super) identity: Option<(u64, u64, Option<u64>)>,
}

/// Why the user is asked about a change each time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Protection {
    /// The file is protected, by this name or by the one that it leads to.
    File,
    /// The directory contains something protected, or the change would put something in a protected place.
    Directory,
    /// The file has other names, any of which may be protected.
    HardLink,
    /// The path's target, or the content below it, is unknown.
    Unknown,
}

impl Action {
    /// The action with its files as they are on the disk now, for the user to see. Remembered decisions are bound to
    /// them. `also` are directories that count as inside, in addition to the workspace. Looks at the disk.
    #[must_use]
    pub fn with_disk(mut self, also: &[PathBuf]) -> Action {
        let directory = self.directory.as_deref().unwrap_or(Path::new(""));
        let run = self.command.as_deref();
        let run =
            run.map(|command| CommandFiles::inspect(command, &self.workspace.join(directory)));
        self.on_disk = Some(Arc::new(ResolvedFiles {
            run: run.unwrap_or_default(),
            ..ResolvedFiles::now(&self, also)
        }));
        self
    }

    /// Where a path of this action leads and what is known about it, if the disk was inspected.
    pub fn resolved_file(&self, path: &Path) -> Option<&ResolvedFile> {
        let at = self.paths.iter().position(|it| it == path)?;
        self.on_disk.as_ref()?.files.get(at)
    }

    /// Whether the user is asked each time: the action reaches something protected, or its input can be read in two
    /// ways. Looks at the disk unless that was done before.
    pub fn is_asked_each_time(&self) -> bool {
        self.is_ambiguous || self.is_protected()
    }

    /// Whether the action would change a file that grants power later. Looks at the disk unless that was done before.
    pub fn is_protected(&self) -> bool {
        self.disk().is_protected()
    }

    /// The files as they were shown to the user, or as they are now.
    pub(super) fn disk(&self) -> Arc<ResolvedFiles> {
        let shown = self.on_disk.clone();
        shown.unwrap_or_else(|| Arc::new(ResolvedFiles::now(self, &[])))
    }
}

impl ResolvedFiles {
    fn now(action: &Action, also: &[PathBuf]) -> ResolvedFiles {
        let line = action.line();
        ResolvedFiles::of(action, line.as_ref(), also, &PathLookups::default())
    }

    /// The files of an action that runs this line.
    pub(super) fn of(
        action: &Action,
        line: Option<&ShellLine>,
        also: &[PathBuf],
        lookups: &PathLookups,
    ) -> ResolvedFiles {
        let changes = |line| command_changes::protections(action, line, also, lookups);
        let command = line.map(changes).unwrap_or_default();
        if action.paths.is_empty() {
            return ResolvedFiles {
                command,
                ..ResolvedFiles::default()
            };
        }
        let look = FileInspection::new(action, also, lookups);
        let files = action.paths.iter().take(MAX_FILES);
        ResolvedFiles {
            files: files.map(|path| look.file(path)).collect(),
            is_cut: action.paths.len() > MAX_FILES,
            is_change: look.is_change,
            run: CommandFiles::default(),
            command,
        }
    }

    /// Whether every file leads inside.
    pub(super) fn is_inside(&self) -> bool {
        !self.is_cut && self.files.iter().all(|file| file.is_inside)
    }

    /// Whether the user is shown the same for both: where files lead, and why they are protected.
    pub fn is_shown_as(&self, other: &ResolvedFiles) -> bool {
        let shown = |files: &ResolvedFiles| {
            let files = files.files.iter();
            let shown = files.map(|it| (it.leads_to.clone(), it.is_inside, it.protection));
            shown.collect::<Vec<_>>()
        };
        self.is_cut == other.is_cut && self.command == other.command && shown(self) == shown(other)
    }

    /// Whether the command would run the same files: its programs, and the scripts that its words name.
    pub fn runs_same_files(&self, other: &ResolvedFiles) -> bool {
        self.run.are_unchanged_in(&other.run)
    }

    /// The files that the command would run and that are not what they were.
    pub fn changed_run_files(&self, now: &ResolvedFiles) -> Vec<PathBuf> {
        self.run.changed_in(&now.run)
    }

    /// Why the user is asked each time; empty if nothing is protected.
    pub fn protections(&self) -> impl Iterator<Item = Protection> {
        let files = self.files.iter().filter_map(|file| file.protection);
        files.chain(self.command.iter().copied())
    }

    /// Whether a file that it names, or that its command changes, is protected.
    pub(super) fn is_protected(&self) -> bool {
        self.has_protected_files() || self.changes_protected_by_command()
    }

    /// Whether the user is asked each time only because it is unknown where a path leads.
    pub(super) fn is_only_unknown(&self) -> bool {
        let mut all = self.protections().peekable();
        all.peek().is_some() && all.all(|it| it == Protection::Unknown) && !self.is_cut
    }

    /// Whether its command would change a protected file.
    pub(super) fn changes_protected_by_command(&self) -> bool {
        !self.command.is_empty()
    }

    /// Whether a file that it names is protected.
    pub(super) fn has_protected_files(&self) -> bool {
        let is_in_doubt = self.is_cut && self.is_change;
        is_in_doubt || self.files.iter().any(|file| file.protection.is_some())
    }

    /// Whether everything protected is a file, so that a rule can spell it out.
    pub(super) fn can_be_spelled_out(&self) -> bool {
        let is_file = |file: &ResolvedFile| {
            matches!(
                file.protection,
                None | Some(Protection::File | Protection::HardLink)
            )
        };
        !self.is_cut && self.files.iter().all(is_file)
    }

    pub(super) fn files(&self) -> &[ResolvedFile] {
        &self.files
    }

    /// The digest that a decision is bound to: the subject, and where links lead if some lead elsewhere.
    pub(super) fn bind(&self, subject: &str) -> String {
        if self.files.iter().all(|file| file.leads_to.is_none()) {
            return subject.to_owned();
        }
        let mut hasher = FieldHasher::new("attache permissions subject behind links");
        hasher.text(subject);
        hasher.length(self.files.len());
        for file in &self.files {
            let leads_to = file.leads_to.as_ref();
            hasher.text(
                &leads_to
                    .map(|path| path.to_string_lossy())
                    .unwrap_or_default(),
            );
        }
        blake3::Hash::from_bytes(hasher.end()).to_hex().to_string()
    }
}

/// The inspection of one action's files.
struct FileInspection<'a> {
    action: &'a Action,
    lookups: &'a PathLookups,
    /// The session's directories, each by its name and by its real path.
    directories: Vec<(PathBuf, PathBuf)>,
    is_change: bool,
    moves: bool,
    /// For directories that were inspected, the first part of a Git repository that is not there.
    first_missing: RefCell<HashMap<OsString, Option<&'static str>>>,
}

impl<'a> FileInspection<'a> {
    fn new(action: &'a Action, also: &[PathBuf], lookups: &'a PathLookups) -> FileInspection<'a> {
        let directories = std::iter::once(&action.workspace).chain(also);
        let directories = directories.map(|directory| {
            let given = paths::normal(Path::new("/"), directory);
            let real = lookups.resolve(&given).path;
            (given, real)
        });
        FileInspection {
            action,
            lookups,
            directories: directories.collect(),
            is_change: !action.only_reads(),
            moves: action.moves_directories(),
            first_missing: RefCell::default(),
        }
    }

    fn file(&self, path: &Path) -> ResolvedFile {
        let resolved = match path.is_absolute() {
            true => self.resolve(path),
            false => self.resolve(&paths::joined(&self.action.workspace, path)),
        };
        // A tool may remove `..` from a path before it follows links.
        let normal = paths::normal_or_same(&self.action.workspace, path);
        let straight = (!paths::is_straight(path)).then(|| self.resolve(&normal));
        let is_inside = |found: &FollowedPath| {
            let mut directories = self.directories.iter();
            let is_in = |real: &Path| paths::rest_below(&found.path, real).is_some();
            found.is_known && directories.any(|(_, real)| is_in(real))
        };
        let leads_elsewhere = !paths::are_same(&resolved.path, &self.expected(&normal));
        let leads_to = leads_elsewhere.then(|| resolved.path.clone());
        let protection = match self.is_change {
            true => {
                let mut found = std::iter::once(&resolved).chain(&straight);
                found.find_map(|found| self.protection(path, &normal, found))
            }
            false => None,
        };
        let metadata = resolved.metadata.as_ref();
        ResolvedFile {
            is_inside: is_inside(&resolved) && straight.as_ref().is_none_or(is_inside),
            protection,
            inside: self.below_workspace(&resolved.path).map(Path::to_owned),
            identity: metadata.map(|metadata| {
                let (device, inode) = identity(metadata);
                let born = metadata.created().ok();
                let born = born.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
                let born = born.and_then(|time| u64::try_from(time.as_nanos()).ok());
                (device, inode, born)
            }),
            leads_to,
        }
    }

    /// Resolves a path. Inside one of the session's directories only the rest is looked up.
    fn resolve(&self, path: &Path) -> FollowedPath {
        let mut directories = self.directories.iter();
        let inside = directories.find_map(|(given, real)| {
            let rest = paths::rest_below(path, given)?;
            Some((real, rest))
        });
        match inside {
            Some((real, rest)) => self.lookups.resolve_below(real, rest),
            None => self.lookups.resolve(path),
        }
    }

    /// Where a path leads if no link below the session's directories leads elsewhere.
    fn expected(&self, normal: &Path) -> PathBuf {
        let mut directories = self.directories.iter();
        let inside = directories.find_map(|(given, real)| {
            let rest = paths::rest_below(normal, given)?;
            Some(paths::joined(real, rest))
        });
        inside.unwrap_or_else(|| normal.to_owned())
    }

    fn below_workspace<'p>(&self, path: &'p Path) -> Option<&'p Path> {
        let (_, workspace) = self.directories.first()?;
        paths::rest_below(path, workspace)
    }

    /// The path relative to the workspace: the names of directories above it don't count.
    fn workspace_relative<'p>(&self, path: &'p Path) -> &'p Path {
        self.below_workspace(path).unwrap_or(path)
    }

    fn protection(&self, path: &Path, normal: &Path, found: &FollowedPath) -> Option<Protection> {
        let given = self.action.workspace_relative(path);
        let is_listed = |path: &Path| {
            protected_files::is_protected(path)
                || (self.moves && protected_files::is_around_protected(path))
        };
        let mut real = std::iter::once(&found.path).chain(&found.links);
        if is_protected(&given)
            || is_listed(normal)
            || real.any(|path| {
                let real = self.workspace_relative(path);
                let has_other_name = real.as_os_str() != given.as_os_str();
                (has_other_name && is_protected(real)) || self.is_in_repository(path)
            })
            || (!found.links.is_empty() && is_listed(&found.path))
        {
            return Some(Protection::File);
        }
        if !found.is_known {
            return Some(Protection::Unknown);
        }
        let metadata = found.metadata.as_deref();
        match metadata {
            Some(metadata) if metadata.is_file() && link_count(metadata) > 1 => {
                return Some(Protection::HardLink);
            }
            _ if !self.moves => return None,
            _ => {}
        }
        let is_directory = metadata.is_some_and(std::fs::Metadata::is_dir);
        self.moved(&found.path, is_directory)
    }

    /// Whether a path is in a Git repository without a working tree, or would make a directory one. Git runs commands
    /// from its `config` for anyone who enters the directory.
    fn is_in_repository(&self, path: &Path) -> bool {
        let top = self.directories.iter().map(|(_, real)| real.as_path());
        let top = top.filter(|real| paths::rest_below(path, real).is_some());
        let top = top.min_by_key(|real| real.as_os_str().len());
        let mut below = path;
        while let (Some(directory), Some(name)) = (below.parent(), below.file_name())
            && top.is_none_or(|top| paths::rest_below(directory, top).is_some())
        {
            if self.makes_repository(directory, name) {
                return true;
            }
            below = directory;
        }
        false
    }

    /// Whether a directory is a repository, or would be one with a name.
    fn makes_repository(&self, directory: &Path, name: &OsStr) -> bool {
        let name = fold_name(name);
        let is_missing = |part: &&&str| {
            let place = paths::joined(directory, part.as_ref());
            !self.lookups.has_entry(&place)
        };
        let mut first_missing = self.first_missing.borrow_mut();
        let missing = match first_missing.get(directory.as_os_str()) {
            Some(part) => *part,
            None => {
                let part = REPOSITORY.iter().find(is_missing).copied();
                first_missing.insert(directory.as_os_str().to_owned(), part);
                part
            }
        };
        let Some(missing) = missing else {
            return true;
        };
        // Only the name can take the place of the part that is missing.
        let is_name = |part: &str| fold_name(part.as_ref()) == name;
        is_name(missing)
            && REPOSITORY
                .iter()
                .all(|part| is_name(part) || !is_missing(&part))
    }

    /// The protection of anything that would be moved or deleted with a directory, here and where it would go.
    fn moved(&self, path: &Path, is_directory: bool) -> Option<Protection> {
        let own = self.workspace_relative(path).to_owned();
        let others = self.action.paths.iter().take(MAX_ENDS);
        let others = others.map(|other| self.resolve(&self.action.workspace.join(other)));
        let mut ends: Vec<PathBuf> = Vec::new();
        for other in others.filter(|other| other.path != path) {
            let end = self.workspace_relative(&other.path).to_owned();
            // Something moved to an existing directory keeps its name in it.
            if other.metadata.is_some_and(|it| it.is_dir()) {
                ends.extend(path.file_name().map(|name| end.join(name)));
            }
            ends.push(end);
        }
        if ends.iter().any(|end| is_protected(end)) {
            return Some(Protection::Directory);
        }
        ends.push(own);
        is_directory.then(|| below(path, &ends)).flatten()
    }
}

/// Whether something protected lies below a directory, or would after the directory is moved.
fn below(directory: &Path, ends: &[PathBuf]) -> Option<Protection> {
    let mut left = vec![PathBuf::new()];
    let mut room = MAX_ENTRIES;
    while let Some(inner) = left.pop() {
        let Ok(entries) = directory.join(&inner).read_dir() else {
            return Some(Protection::Unknown);
        };
        let mut parts = 0;
        for entry in entries {
            let (Ok(entry), Some(less)) = (entry, room.checked_sub(1)) else {
                return Some(Protection::Unknown);
            };
            room = less;
            let path = inner.join(entry.file_name());
            parts += usize::from(REPOSITORY.iter().any(|part| entry.file_name() == *part));
            if ends.iter().any(|end| is_protected(&end.join(&path))) {
                return Some(Protection::Directory);
            }
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                left.push(path);
            }
        }
        if parts == REPOSITORY.len() {
            return Some(Protection::Directory);
        }
    }
    None
}

impl Action {
    /// Whether the action may move or remove a directory with everything below.
    fn moves_directories(&self) -> bool {
        let moves = matches!(self.kind, v1::ToolKind::Delete | v1::ToolKind::Move);
        self.command.is_none() && (moves || self.names_destination)
    }
}

/// The names that make a directory a Git repository.
const REPOSITORY: [&str; 3] = ["HEAD", "objects", "refs"];
/// Files that are inspected. With more, none counts as inside, and the user is asked about a change.
const MAX_FILES: usize = 1024;
/// Places that something may be moved to.
const MAX_ENDS: usize = 8;
/// Entries that are inspected below a directory that is moved. With more, the user is asked.
const MAX_ENTRIES: usize = 10_000;
