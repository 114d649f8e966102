//! Paths that a policy denies, as they are on disk: found when a session begins, recognised by identity whatever name
//! leads to them, and covered by the kernel for programs.

mod find;

use std::ffi::OsString;
use std::fs::{File, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use attache_process::{Confinement, Cover, CoverAccess, CoverKind, CoveredPath, namespace_support};

use crate::path_facts::{link_count, real_path};
use crate::permissions::{PathPattern, PathRule, PathRules, RuleReach};
use crate::roots::{Dir, DirectoryIdentity, PathEnd, ResolvedPath};
use find::{DeniedPathSearch, FoundPath, SearchResult};

/// How a request uses a path, for rules that deny only some uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    /// Reading, listing and searching.
    Read,
    /// Writing, removing and moving.
    Change,
}

/// The process that the kernel keeps from denied paths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConfinedProcess {
    /// A whole agent.
    Agent,
    /// A command in one of our terminals.
    Command,
}

/// A rule denies the path.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("policy rule `{rule}` denies it")]
pub struct DeniedByRule {
    /// The rule's id.
    pub rule: String,
}

/// A file with a name that no rule asks about, while a rule asks about another name of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AskRuleAlias {
    /// The rule's id.
    pub(crate) rule: String,
    /// The other name; `None` if there was too much to search.
    pub(crate) other: Option<PathBuf>,
    id: FileId,
}

/// Paths that a policy denies, as they are on disk.
#[derive(Debug)]
pub struct DeniedPaths {
    rules: PathRules,
    bases: PatternBases,
    found: Vec<FoundPath>,
    linked: Mutex<LinkedFiles>,
    missing: Vec<PathPattern>,
    is_cut: bool,
    /// Whether the search was fast enough to run again before every command.
    is_quick: bool,
}

/// Files in denied directories that also had other names when they were inspected.
#[derive(Debug)]
struct LinkedFiles {
    inspected_at: SystemTime,
    files: Vec<LinkedFile>,
    is_cut: bool,
}

/// A file, the rule that denies it, what the rule forbids, and where the file is.
type LinkedFile = (FileId, String, RuleReach, PathBuf);

/// The directories that patterns are relative to.
#[derive(Debug, Clone)]
struct PatternBases {
    /// The session's directories, the working directory first.
    roots: Vec<PathBuf>,
    home: Option<PathBuf>,
}

/// The identity of a file, whatever its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct FileId {
    device: u64,
    inode: u64,
}

impl DeniedPaths {
    /// Finds the paths that the rules deny now. `roots` are the session's directories, the working directory first. The
    /// search for matches of patterns below them takes a few seconds at most. Looks at the disk.
    pub fn find(rules: &PathRules, roots: &[PathBuf]) -> DeniedPaths {
        let roots = roots.iter().map(|root| real_path(root)).collect();
        let home = std::env::home_dir().map(|home| real_path(&home));
        DeniedPaths::find_in(rules, PatternBases { roots, home })
    }

    fn find_in(rules: &PathRules, bases: PatternBases) -> DeniedPaths {
        let (start, inspected_at) = (Instant::now(), SystemTime::now());
        let mut search = DeniedPathSearch::new(&bases);
        search.find(rules);
        let SearchResult {
            found,
            linked: files,
            missing,
            is_cut,
        } = search.finish();
        DeniedPaths {
            rules: rules.clone(),
            bases,
            found,
            linked: Mutex::new(LinkedFiles {
                inspected_at,
                files,
                is_cut,
            }),
            missing,
            is_cut,
            is_quick: start.elapsed() < QUICK,
        }
    }

    /// Whether nothing is denied.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// Whether it is uncertain, before a command runs, which denied files it will reach: a rule has a pattern that a
    /// later file can match, or there was too much to search.
    pub fn is_open_ended(&self) -> bool {
        self.is_cut || self.rules.have_globs() || !self.missing.is_empty()
    }

    /// Paths that rules spell out and that don't exist, or that lead through a link: nothing keeps a program from
    /// creating them.
    pub(crate) fn missing(&self) -> &[PathPattern] {
        &self.missing
    }

    /// Keeps spelled-out paths covered while a program runs, whatever is put there, where the system can do that.
    /// `keep` is where the program works, as for [`covers`](Self::covers).
    pub(crate) fn keep_covered(
        &self,
        mut confinement: Confinement,
        process: ConfinedProcess,
        keep: &Path,
    ) -> Confinement {
        if self.is_empty() || namespace_support().is_err() {
            return confinement;
        }
        for rule in self.rules.iter() {
            let access = match (rule.reach, process) {
                (RuleReach::Commands, ConfinedProcess::Agent) => continue,
                (RuleReach::Everything | RuleReach::Commands, _) => CoverAccess::Hidden,
                (RuleReach::Changes, _) => CoverAccess::ReadOnly,
            };
            let trees = rule.patterns.iter().filter_map(PathPattern::tree);
            for path in trees.filter_map(|tree| self.bases.spelled(tree)) {
                if access == CoverAccess::ReadOnly || !keep.starts_with(&path) {
                    confinement = confinement.keep_covered(CoveredPath { path, access });
                }
            }
        }
        confinement
    }

    /// Whether some denied paths may not have been found, because there was too much to search.
    pub fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// The denied paths that exist.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.found.iter().map(|found| found.path.as_path())
    }

    /// Checks a path beneath the roots, by the directories that were opened on the way and by the entry with the last
    /// name.
    pub(crate) fn check_policy(
        &self,
        place: &ResolvedPath<'_>,
        asked: &Path,
        access: Access,
    ) -> Result<(), DeniedByRule> {
        if self.is_empty() {
            return Ok(());
        }
        for path in [asked, &place.path(), &place.real_path()] {
            self.check_path(path, access)?;
        }
        let directory = place.directory();
        self.check_directory(directory, place.names_below(), access)?;
        match &place.end {
            PathEnd::File(name) | PathEnd::Special(name) => match directory.metadata(name) {
                Ok(metadata) if !metadata.is_symlink() => self.check_metadata(&metadata, access),
                _ => Ok(()),
            },
            PathEnd::Directory | PathEnd::Missing(_) => Ok(()),
        }
    }

    /// Checks an open directory, and names below it. Other processes may change names meanwhile, so the names alone
    /// don't count.
    pub(crate) fn check_directory(
        &self,
        directory: &Dir,
        below: &[OsString],
        access: Access,
    ) -> Result<(), DeniedByRule> {
        if self.is_empty() {
            return Ok(());
        }
        if let Some(mut path) = directory.current_path() {
            path.extend(below);
            self.check_path(&path, access)?;
        }
        let (Ok(own), Ok(above)) = (directory.identity(), directory.ancestors()) else {
            // A directory that can't be identified counts as denied.
            return self.deny_by_first_rule(access);
        };
        for id in above.into_iter().chain([own]) {
            self.check_identity(FileId::from(id), access)?;
        }
        Ok(())
    }

    /// Checks an open file by its identity. Check its directory with [`check_policy`](Self::check_policy).
    pub(crate) fn check_file(&self, file: &File, access: Access) -> Result<(), DeniedByRule> {
        if self.is_empty() {
            return Ok(());
        }
        match file.metadata() {
            Ok(metadata) => self.check_metadata(&metadata, access),
            Err(_) => self.deny_by_first_rule(access),
        }
    }

    /// Checks that a directory, which is to be moved, is not denied and contains nothing denied.
    pub(crate) fn check_tree(&self, directory: &Dir) -> Result<(), DeniedByRule> {
        let found = self.found.iter();
        for found in found.filter(|found| found.reach != RuleReach::Commands) {
            let is_inside = directory
                .identity()
                .and_then(|id| Ok(FileId::from(id) == found.id || found.is_below(id)?));
            if is_inside.unwrap_or(true) {
                return Err(denied_by(&found.rule));
            }
        }
        Ok(())
    }

    /// The rule among these, all of which ask, that is about an open file by a name other than `path`. A file that
    /// can't be identified counts as such a file.
    pub(crate) fn ask_rule_alias(&self, file: &File, path: &Path) -> Option<AskRuleAlias> {
        if self.is_empty() || self.check_path(path, Access::Read).is_err() {
            return None;
        }
        let first = || {
            self.rules
                .iter()
                .find(|it| is_about(it.reach, Access::Read))
        };
        let unknown = |id| {
            first().map(|rule| AskRuleAlias {
                rule: rule.id.clone(),
                other: None,
                id,
            })
        };
        let Ok(metadata) = file.metadata() else {
            return unknown(FileId::UNKNOWN);
        };
        if metadata.is_dir() || link_count(&metadata) < 2 {
            return None;
        }
        let id = FileId::of(&metadata);
        let linked = self.linked_files(&metadata);
        let same = |(one, _, reach, _): &&LinkedFile| *one == id && is_about(*reach, Access::Read);
        match linked.files.iter().find(same) {
            Some((_, rule, _, other)) => Some(AskRuleAlias {
                rule: rule.clone(),
                other: Some(other.clone()),
                id,
            }),
            None if linked.is_cut => unknown(id),
            None => None,
        }
    }

    /// The covers for a program that starts now: for the paths found at first, for spelled-out paths that exist by now,
    /// and for files that match patterns by now, unless searching for those takes too long. `keep` is where the program
    /// works. A directory that contains it can't be covered; the second value lists such directories.
    ///
    /// # Errors
    ///
    /// When a denied path can't be inspected.
    pub fn covers(
        &self,
        process: ConfinedProcess,
        keep: &Path,
    ) -> io::Result<(Vec<Cover>, Vec<PathBuf>)> {
        let fresh = match self.is_empty() {
            true => Vec::new(),
            false => {
                let mut search = DeniedPathSearch::new(&self.bases);
                match self.is_quick {
                    true => search.find(&self.rules),
                    false => search.find_trees(&self.rules),
                }
                search.finish().found
            }
        };
        let (mut covers, mut open) = (Vec::<Cover>::new(), Vec::new());
        for found in self.found.iter().chain(&fresh) {
            let kind = match (found.reach, process) {
                (RuleReach::Commands, ConfinedProcess::Agent) => continue,
                (RuleReach::Everything | RuleReach::Commands, _) => None,
                (RuleReach::Changes, _) => Some(CoverKind::ReadOnly),
            };
            for (path, metadata) in found.current_locations()? {
                let hidden = match metadata.is_dir() {
                    true => CoverKind::HiddenDirectory,
                    false => CoverKind::HiddenFile,
                };
                let kind = kind.unwrap_or(hidden);
                if path.parent().is_none() || (kind == hidden && keep.starts_with(&path)) {
                    open.push(path);
                    continue;
                }
                let id = FileId::of(&metadata);
                let cover = Cover {
                    device: id.device,
                    inode: id.inode,
                    path,
                    kind,
                };
                if !covers.contains(&cover) {
                    covers.push(cover);
                }
            }
        }
        Ok((covers, open))
    }

    fn check_path(&self, path: &Path, access: Access) -> Result<(), DeniedByRule> {
        let mut rules = self
            .rules
            .iter()
            .filter(|rule| is_about(rule.reach, access));
        match rules.find(|rule| self.bases.covers(rule, path)) {
            Some(rule) => Err(denied_by(&rule.id)),
            None => Ok(()),
        }
    }

    fn check_metadata(&self, metadata: &Metadata, access: Access) -> Result<(), DeniedByRule> {
        let id = FileId::of(metadata);
        self.check_identity(id, access)?;
        if metadata.is_dir() || link_count(metadata) < 2 {
            return Ok(());
        }
        let linked = self.linked_files(metadata);
        let same = |(one, _, reach, _): &&LinkedFile| *one == id && is_about(*reach, access);
        if let Some((_, rule, ..)) = linked.files.iter().find(same) {
            return Err(denied_by(rule));
        }
        // The file may be another name of one that was not found.
        match linked.is_cut {
            true => self.deny_by_first_rule(access),
            false => Ok(()),
        }
    }

    /// The files in denied directories that have other names. Searches again if a file may have got a new name since.
    fn linked_files(&self, metadata: &Metadata) -> MutexGuard<'_, LinkedFiles> {
        let mut linked = self.linked.lock().unwrap_or_else(PoisonError::into_inner);
        if !has_settled(metadata, linked.inspected_at) {
            let inspected_at = SystemTime::now();
            let mut search = DeniedPathSearch::new(&self.bases);
            search.find_links(&self.found, &self.rules);
            let SearchResult {
                linked: files,
                is_cut,
                ..
            } = search.finish();
            *linked = LinkedFiles {
                inspected_at,
                files,
                is_cut: is_cut || self.is_cut,
            };
        }
        linked
    }

    fn check_identity(&self, id: FileId, access: Access) -> Result<(), DeniedByRule> {
        let mut found = self
            .found
            .iter()
            .filter(|found| is_about(found.reach, access));
        match found.find(|found| found.id == id && id != FileId::UNKNOWN) {
            Some(found) => Err(denied_by(&found.rule)),
            None => Ok(()),
        }
    }

    /// Denies by the first rule that may apply.
    fn deny_by_first_rule(&self, access: Access) -> Result<(), DeniedByRule> {
        let mut rules = self
            .rules
            .iter()
            .filter(|rule| is_about(rule.reach, access));
        rules.next().map_or(Ok(()), |rule| Err(denied_by(&rule.id)))
    }
}

impl PatternBases {
    /// The path that a rule spells out, in exactly these letters.
    fn spelled(&self, text: &str) -> Option<PathBuf> {
        match (text.starts_with('/'), text.strip_prefix("~/")) {
            (true, _) => Some(PathBuf::from(text)),
            (_, Some(rest)) => self.home.as_ref().map(|home| home.join(rest)),
            (false, None) => self.roots.first().map(|root| root.join(text)),
        }
    }

    /// Whether a rule is about a path or something above it, in upper or lower case.
    fn covers(&self, rule: &PathRule, path: &Path) -> bool {
        let home = self.home.as_deref();
        let inside = self
            .roots
            .first()
            .and_then(|root| path.strip_prefix(root).ok());
        let at_home = home.and_then(|home| path.strip_prefix(home).ok());
        let views = [
            Some(path.to_string_lossy().into_owned()),
            inside.map(|path| path.to_string_lossy().into_owned()),
            at_home.map(|path| format!("~/{}", path.to_string_lossy())),
        ];
        views
            .iter()
            .flatten()
            .any(|view| rule.patterns.iter().any(|pattern| pattern.covers(view)))
    }
}

impl FileId {
    /// On systems that have no file identities.
    const UNKNOWN: FileId = FileId {
        device: 0,
        inode: 0,
    };

    #[cfg(unix)]
    fn of(metadata: &Metadata) -> FileId {
        use std::os::unix::fs::MetadataExt;
        FileId {
            device: metadata.dev(),
            inode: metadata.ino(),
        }
    }

    #[cfg(not(unix))]
    fn of(_: &Metadata) -> FileId {
        FileId::UNKNOWN
    }
}

impl From<DirectoryIdentity> for FileId {
    fn from(DirectoryIdentity { device, inode }: DirectoryIdentity) -> FileId {
        FileId { device, inode }
    }
}

/// Whether a file has got no new name since a certain time: a new name updates the time of its last change.
#[cfg(unix)]
fn has_settled(metadata: &Metadata, at: SystemTime) -> bool {
    use std::os::unix::fs::MetadataExt;
    let changed = u64::try_from(metadata.ctime()).map(Duration::from_secs);
    let at = at.duration_since(SystemTime::UNIX_EPOCH);
    match (changed, at) {
        // Clocks of file systems are coarse.
        (Ok(changed), Ok(at)) => changed + COARSE < at,
        _ => false,
    }
}

#[cfg(not(unix))]
fn has_settled(_: &Metadata, _: SystemTime) -> bool {
    true
}

fn is_about(reach: RuleReach, access: Access) -> bool {
    match reach {
        RuleReach::Everything => true,
        RuleReach::Changes => access == Access::Change,
        RuleReach::Commands => false,
    }
}

fn denied_by(rule: &str) -> DeniedByRule {
    DeniedByRule {
        rule: rule.to_owned(),
    }
}

/// Times of files are compared in whole seconds.
const COARSE: Duration = Duration::from_secs(2);
/// How long a search may take to run again before every command.
const QUICK: Duration = Duration::from_millis(300);

#[cfg(test)]
#[cfg(unix)]
mod attack_ask_rules;
#[cfg(test)]
#[cfg(target_os = "linux")]
mod attack_later_files;
#[cfg(test)]
#[cfg(unix)]
mod attack_names;
