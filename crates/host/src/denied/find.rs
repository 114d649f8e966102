//! Finds denied paths on disk, with limits on the names inspected, the paths found and the time.

use std::collections::HashMap;
use std::fs::{DirEntry, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::{FileId, LinkedFile, PatternBases};
use crate::path_facts::{is_absence, link_count, real_path};
use crate::permissions::{PathPattern, PathRules, RuleReach};
use crate::protected_names::fold;
use crate::roots::{Dir, DirectoryIdentity};

/// A denied file or directory that exists.
#[derive(Debug)]
pub(super) struct FoundPath {
    pub(super) rule: String,
    pub(super) reach: RuleReach,
    /// Where it was found, without links.
    pub(super) path: PathBuf,
    pub(super) id: FileId,
    /// Kept open, so that the file is found again after it was moved.
    #[cfg(target_os = "linux")]
    descriptor: std::os::fd::OwnedFd,
}

impl FoundPath {
    /// The current paths: the old path or its target, and the path that the file was moved to.
    pub(super) fn current_locations(&self) -> io::Result<Vec<(PathBuf, Metadata)>> {
        let mut now = Vec::new();
        let there = std::fs::symlink_metadata(&self.path);
        match there {
            Ok(metadata) if !metadata.is_symlink() => now.push((self.path.clone(), metadata)),
            Ok(_) => {
                let path = real_path(&self.path);
                if let Ok(metadata) = std::fs::symlink_metadata(&path) {
                    now.push((path, metadata));
                }
            }
            Err(error) if is_absence(&error) => {}
            Err(error) => return Err(error),
        }
        #[cfg(target_os = "linux")]
        if let Some(path) = self.moved_to()
            && let Ok(metadata) = std::fs::symlink_metadata(&path)
            && FileId::of(&metadata) == self.id
        {
            now.push((path, metadata));
        }
        Ok(now)
    }

    /// Whether it lies below a directory now.
    pub(super) fn is_below(&self, directory: DirectoryIdentity) -> io::Result<bool> {
        for (path, _) in self.current_locations()? {
            if let Some(parent) = path.parent() {
                let parent = Dir::open(parent)?;
                if parent.identity()? == directory || parent.ancestors()?.contains(&directory) {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    #[cfg(target_os = "linux")]
    fn moved_to(&self) -> Option<PathBuf> {
        use std::os::fd::AsRawFd;
        let name = format!("/proc/self/fd/{}", self.descriptor.as_raw_fd());
        let path = std::fs::read_link(name).ok()?;
        (path != self.path).then_some(path)
    }
}

/// Whether the user can replace a symbolic link on the path.
#[cfg(unix)]
fn leads_through_own_link(path: &Path) -> bool {
    use rustix::fs::{Access, access};
    use std::os::unix::fs::MetadataExt;
    let user = rustix::process::geteuid().as_raw();
    path.ancestors().any(|step| {
        let is_link = std::fs::symlink_metadata(step).is_ok_and(|it| it.is_symlink());
        let can_replace = |above: &Path| {
            let is_own = std::fs::metadata(above).is_ok_and(|it| it.uid() == user);
            is_own || access(above, Access::WRITE_OK).is_ok()
        };
        is_link && step.parent().is_some_and(can_replace)
    })
}

#[cfg(not(unix))]
fn leads_through_own_link(_: &Path) -> bool {
    false
}

/// Whether a path is too long for one system call. Programs still reach such a file step by step.
fn is_too_deep(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::InvalidFilename
}

/// A search for denied paths.
pub(super) struct DeniedPathSearch<'a> {
    bases: &'a PatternBases,
    found: Vec<FoundPath>,
    /// Rules for files that have other names. One file can fall under several.
    linked: HashMap<FileId, Vec<(String, RuleReach, PathBuf)>>,
    /// Paths that rules spell out and that lead nowhere, or through a link that the user can replace.
    missing: Vec<PathPattern>,
    room: usize,
    deadline: Instant,
    is_cut: bool,
}

/// The result of a search.
pub(super) struct SearchResult {
    pub(super) found: Vec<FoundPath>,
    pub(super) linked: Vec<LinkedFile>,
    pub(super) missing: Vec<PathPattern>,
    pub(super) is_cut: bool,
}

impl<'a> DeniedPathSearch<'a> {
    pub(super) fn new(bases: &'a PatternBases) -> DeniedPathSearch<'a> {
        DeniedPathSearch {
            bases,
            found: Vec::new(),
            linked: HashMap::new(),
            missing: Vec::new(),
            room: MAX_NAMES,
            deadline: Instant::now() + MAX_DURATION,
            is_cut: false,
        }
    }

    pub(super) fn finish(self) -> SearchResult {
        let linked = self.linked.into_iter().flat_map(|(id, rules)| {
            let rules = rules.into_iter();
            rules.map(move |(rule, reach, path)| (id, rule, reach, path))
        });
        SearchResult {
            found: self.found,
            linked: linked.collect(),
            missing: self.missing,
            is_cut: self.is_cut,
        }
    }

    /// Finds spelled-out paths, matches of patterns, and other names of the files found.
    pub(super) fn find(&mut self, rules: &PathRules) {
        self.find_trees(rules);
        self.find_patterns(rules);
        self.find_linked_names();
    }

    /// Finds the paths that rules spell out.
    pub(super) fn find_trees(&mut self, rules: &PathRules) {
        for rule in rules.iter() {
            for pattern in &rule.patterns {
                let Some(tree) = pattern.tree() else {
                    continue;
                };
                let paths = self.spellings(tree);
                if paths.is_empty() || paths.iter().any(|path| leads_through_own_link(path)) {
                    self.missing.push(pattern.clone());
                }
                for path in paths {
                    self.add(&path, &rule.id, rule.reach);
                }
            }
        }
    }

    /// Finds matches of patterns below the session's directories, or below the directories that a pattern spells out.
    fn find_patterns(&mut self, rules: &PathRules) {
        let mut starts: Vec<PathBuf> = Vec::new();
        for rule in rules.iter() {
            for pattern in rule.patterns.iter().filter(|it| it.tree().is_none()) {
                let start = pattern.literal_start();
                match start {
                    "" if pattern.is_absolute() => self.is_cut = true,
                    "" => starts.extend(self.bases.roots.iter().cloned()),
                    start => starts.extend(self.spellings(start)),
                }
            }
        }
        starts.sort();
        starts.dedup_by(|below, above| below.starts_with(above));
        for start in starts {
            self.walk(&start, &mut |search, path| {
                let mut descend = Descend::Yes;
                for rule in rules.iter() {
                    if search.bases.matches_entry(rule, path) {
                        search.add(path, &rule.id, rule.reach);
                        if rule.reach == RuleReach::Everything {
                            descend = Descend::No;
                        }
                    }
                }
                descend
            });
        }
    }

    /// Finds the other names of denied files, where they lie in the session's directories.
    fn find_linked_names(&mut self) {
        self.record_linked_files();
        if self.linked.is_empty() {
            return;
        }
        for root in self.bases.roots.clone() {
            self.walk(&root, &mut |search, path| {
                let is_hidden =
                    |found: &FoundPath| found.path == path && found.reach == RuleReach::Everything;
                if search.found.iter().any(is_hidden) {
                    return Descend::No;
                }
                let Ok(metadata) = std::fs::symlink_metadata(path) else {
                    return Descend::Yes;
                };
                let linked = search.linked.get(&FileId::of(&metadata)).cloned();
                for (rule, reach, _) in linked.into_iter().flatten() {
                    search.add(path, &rule, reach);
                }
                Descend::Yes
            });
        }
    }

    /// Searches again for files with other names, in paths found before and in those that rules spell out.
    pub(super) fn find_links(&mut self, before: &[FoundPath], rules: &PathRules) {
        self.find_trees(rules);
        for known in before {
            for (path, _) in known.current_locations().unwrap_or_default() {
                self.add(&path, &known.rule, known.reach);
            }
        }
        self.record_linked_files();
    }

    /// Records the files with other names in the paths found.
    fn record_linked_files(&mut self) {
        let places = self.found.iter();
        let places = places.map(|found| (found.path.clone(), found.rule.clone(), found.reach));
        for (path, rule, reach) in places.collect::<Vec<_>>() {
            let mut note = |search: &mut DeniedPathSearch<'_>, path: &Path| {
                if let Ok(metadata) = std::fs::symlink_metadata(path)
                    && metadata.is_file()
                    && link_count(&metadata) > 1
                {
                    let rules = search.linked.entry(FileId::of(&metadata)).or_default();
                    if !rules.iter().any(|(_, known, _)| *known == reach) {
                        rules.push((rule.clone(), reach, path.to_owned()));
                    }
                }
                Descend::Yes
            };
            note(self, &path);
            self.walk(&path, &mut note);
        }
    }

    /// Adds the file at a path, with links followed.
    fn add(&mut self, path: &Path, rule: &str, reach: RuleReach) {
        let path = match std::fs::canonicalize(path) {
            Ok(path) => path,
            Err(error) => {
                self.is_cut |= is_too_deep(&error);
                return;
            }
        };
        let is_known = |found: &FoundPath| found.path == path && found.reach == reach;
        if self.found.iter().any(is_known) {
            return;
        }
        if self.found.len() >= MAX_FOUND {
            self.is_cut = true;
            return;
        }
        let Ok(metadata) = std::fs::symlink_metadata(&path) else {
            return;
        };
        #[cfg(target_os = "linux")]
        let descriptor = {
            use rustix::fs::{Mode, OFlags, open};
            let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            match open(&path, flags, Mode::empty()) {
                Ok(descriptor) => descriptor,
                Err(_) => {
                    self.is_cut = true;
                    return;
                }
            }
        };
        self.found.push(FoundPath {
            rule: rule.to_owned(),
            reach,
            id: FileId::of(&metadata),
            path,
            #[cfg(target_os = "linux")]
            descriptor,
        });
    }

    /// The paths that exist and are spelled like this, in upper or lower case.
    fn spellings(&mut self, text: &str) -> Vec<PathBuf> {
        let (base, rest) = match (text.strip_prefix('/'), text.strip_prefix("~/")) {
            (Some(rest), _) => (Some(PathBuf::from("/")), rest),
            (_, Some(rest)) => (self.bases.home.clone(), rest),
            (None, None) => (self.bases.roots.first().cloned(), text),
        };
        let mut paths: Vec<PathBuf> = base.into_iter().collect();
        for name in rest.split('/').filter(|name| !name.is_empty()) {
            let mut next = Vec::new();
            for path in paths {
                next.extend(self.names_like(&path, name));
            }
            paths = next;
        }
        paths
    }

    fn names_like(&mut self, directory: &Path, name: &str) -> Vec<PathBuf> {
        let exact = directory.join(name);
        let wanted = fold(name.as_ref());
        let mut alike = Vec::new();
        if let Ok(entries) = std::fs::read_dir(directory) {
            for entry in entries.flatten().take(MAX_NAMES_IN_DIRECTORY) {
                if entry.file_name() != name && fold(&entry.file_name()) == wanted {
                    alike.push(entry.path());
                }
            }
        }
        if std::fs::symlink_metadata(&exact).is_ok() {
            alike.push(exact);
        }
        alike
    }

    /// Walks below a directory without following links.
    fn walk(
        &mut self,
        start: &Path,
        visit: &mut dyn FnMut(&mut DeniedPathSearch<'_>, &Path) -> Descend,
    ) {
        let mut ahead = vec![start.to_owned()];
        while let Some(directory) = ahead.pop() {
            let entries = match std::fs::read_dir(&directory) {
                Ok(entries) => entries,
                Err(error) => {
                    self.is_cut |= is_too_deep(&error);
                    continue;
                }
            };
            for entry in entries.flatten() {
                if self.room == 0 || Instant::now() > self.deadline {
                    self.is_cut = true;
                    return;
                }
                self.room -= 1;
                let path = entry.path();
                if visit(self, &path) == Descend::Yes && is_directory(&entry) {
                    ahead.push(path);
                }
            }
        }
    }
}

impl PatternBases {
    /// Whether a rule is about an entry that a walk finds at this path.
    fn matches_entry(&self, rule: &crate::permissions::PathRule, path: &Path) -> bool {
        let text = path.to_string_lossy();
        let inside = self
            .roots
            .first()
            .and_then(|root| path.strip_prefix(root).ok());
        let inside = inside.map(|path| path.to_string_lossy());
        let at_home = self.home.as_ref();
        let at_home = at_home.and_then(|home| path.strip_prefix(home).ok());
        let at_home = at_home.map(|path| format!("~/{}", path.to_string_lossy()));
        rule.patterns.iter().any(|pattern| {
            pattern.matches_entry(&text)
                || inside
                    .as_ref()
                    .is_some_and(|path| pattern.matches_entry(path))
                || at_home
                    .as_ref()
                    .is_some_and(|path| pattern.matches_entry(path))
        })
    }
}

/// Whether a walk continues below an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Descend {
    Yes,
    No,
}

fn is_directory(entry: &DirEntry) -> bool {
    entry.file_type().is_ok_and(|kind| kind.is_dir())
}

/// Names that one search inspects.
const MAX_NAMES: usize = 400_000;
/// Denied paths: each is kept open, and is a mount for every command.
pub(super) const MAX_FOUND: usize = 256;
/// Names in one directory that are compared in upper and lower case.
const MAX_NAMES_IN_DIRECTORY: usize = 10_000;
/// A session waits for one search when it begins.
const MAX_DURATION: Duration = Duration::from_secs(3);
