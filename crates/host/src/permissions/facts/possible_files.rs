//! Files that an action may touch in addition to those that it names: texts in input that is not understood, patterns,
//! and paths that some tools take for patterns.

use std::path::{Path, PathBuf};

use super::super::pattern_files::PatternFiles;
use super::super::resolved_files::ResolvedFiles;
use super::super::{Action, action};
use super::{ActionFacts, MAX_DIRECTORIES};

impl ActionFacts<'_> {
    /// Whether something that may be a file, in input that is not understood or behind a pattern, is protected.
    pub(in super::super) fn may_name_protected(&self) -> bool {
        *self.may_name_protected.get_or_init(|| {
            let mut wild = self.action.wild_paths.iter();
            let reaches = wild.any(|path| action::reaches_protected(path));
            let files = self.possible_files();
            (reaches && !self.action.only_reads())
                || files.is_some_and(|(_, on_disk)| on_disk.is_protected())
        })
    }

    /// The action with the files that it may touch in place of those that it names, and these files on the disk; `None`
    /// if it touches no other files.
    pub(in super::super) fn possible_files(&self) -> Option<(Action, ResolvedFiles)> {
        let mut paths = self.action.unknown_texts.paths.clone();
        paths.extend(self.wild_files().paths);
        if paths.is_empty() {
            return None;
        }
        let action = Action {
            paths,
            on_disk: None,
            ..self.action.clone()
        };
        let line = action.command.is_some().then_some(&self.line);
        let on_disk = ResolvedFiles::of(&action, line, self.directories, &self.lookups);
        Some((action, on_disk))
    }

    /// Whether all of its input is understood, and none of its paths may stand for other files.
    pub(in super::super) fn is_understood(&self) -> bool {
        *self.is_understood.get_or_init(|| {
            let (action, wild) = (self.action, &self.action.wild_paths);
            let is_literal = || {
                let found = self.wild_files();
                self.wild_paths_stay_inside() && !found.has_others_than(&action.workspace, wild)
            };
            !action.has_unknown_input && (wild.is_empty() || is_literal())
        })
    }

    /// The files that its paths match if they are patterns.
    fn wild_files(&self) -> PatternFiles {
        let workspace = [self.action.workspace.clone()];
        PatternFiles::of(&workspace, &self.action.wild_paths)
    }

    fn wild_paths_stay_inside(&self) -> bool {
        let directories = self.directories.iter().chain([&self.action.workspace]);
        let directories: Vec<&PathBuf> = directories.collect();
        let stays = |text: &String| {
            let below = |dir: &&PathBuf| Path::new(text).strip_prefix(dir).ok();
            let inner = directories.iter().find_map(below);
            let inner = inner.map_or_else(|| text.clone().into(), Path::to_string_lossy);
            action::stays_inside(&inner)
        };
        self.action.wild_paths.iter().all(stays)
    }

    /// Whether no pattern of files, and no path that may be one, leads outside. In the tools we know, `**` follows no
    /// links, and a pattern without a slash is compared with names.
    pub(super) fn patterns_lead_inside(&self) -> bool {
        let action = self.action;
        let patterns = action.patterns.iter().filter(|text| text.contains('/'));
        let patterns: Vec<String> = patterns.chain(&action.wild_paths).cloned().collect();
        if patterns.is_empty() {
            return true;
        }
        let bases = self.directories.iter().chain([&action.workspace]);
        let bases: Vec<PathBuf> = bases.map(|dir| self.lookups.resolve(dir).path).collect();
        let is_inside = |path: &PathBuf| {
            let found = self.lookups.resolve(path);
            found.is_known && bases.iter().any(|base| found.path.starts_with(base))
        };
        let found = PatternFiles::of(&self.pattern_bases(), &patterns);
        !found.is_cut
            && action.paths.len() <= MAX_DIRECTORIES
            && self.wild_paths_stay_inside()
            && found.paths.iter().all(is_inside)
    }

    /// The files that its patterns match, relative to the workspace and to each path, and those that its paths match as
    /// patterns.
    pub(super) fn pattern_files(&self) -> &PatternFiles {
        self.pattern_files.get_or_init(|| {
            let patterns = self.action.patterns.iter().chain(&self.action.wild_paths);
            let patterns: Vec<String> = patterns.cloned().collect();
            PatternFiles::of(&self.pattern_bases(), &patterns)
        })
    }

    fn pattern_bases(&self) -> Vec<PathBuf> {
        let action = self.action;
        let paths = action.paths.iter().take(MAX_DIRECTORIES);
        let paths = paths.map(|path| action.workspace.join(path));
        std::iter::once(action.workspace.clone())
            .chain(paths)
            .collect()
    }
}
