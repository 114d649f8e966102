//! The files that patterns in a tool's input match on the disk now.

use std::path::{Path, PathBuf};

use super::action::{alternatives, is_pattern, may_match};

/// The files that patterns match.
#[derive(Debug, Default)]
pub(super) struct PatternFiles {
    /// The matches, and each pattern as the path that it also is. For `**`, the directory that it starts in.
    pub(super) paths: Vec<PathBuf>,
    /// Whether more may match: a pattern contains `**`, or there was too much to inspect.
    pub(super) is_open: bool,
    /// Whether there was too much to inspect.
    pub(super) is_cut: bool,
    room: usize,
}

impl PatternFiles {
    /// Looks for each pattern in each directory.
    pub(super) fn of(directories: &[PathBuf], patterns: &[String]) -> PatternFiles {
        let mut found = PatternFiles {
            room: MAX_ENTRIES,
            ..PatternFiles::default()
        };
        for pattern in patterns {
            let Some(all) = alternatives(pattern) else {
                found.mark_cut();
                continue;
            };
            for text in &all {
                for directory in directories {
                    found.find(directory, text);
                }
            }
        }
        found
    }

    /// Whether something else matches than the paths as they are written.
    pub(super) fn has_others_than(&self, directory: &Path, written: &[String]) -> bool {
        let is_written = |path: &PathBuf| written.iter().any(|text| directory.join(text) == *path);
        self.is_open || !self.paths.iter().all(is_written)
    }

    fn find(&mut self, directory: &Path, pattern: &str) {
        let start = match pattern.starts_with('/') {
            true => PathBuf::from("/"),
            false => directory.to_owned(),
        };
        let mut here = vec![start];
        let names: Vec<&str> = pattern.split('/').filter(|name| !name.is_empty()).collect();
        for (at, name) in names.iter().enumerate() {
            if name.contains("**") {
                self.is_open = true;
                break;
            }
            let mut next = Vec::new();
            for path in &here {
                next.push(path.join(name));
                if is_pattern(name) {
                    let is_last = at + 1 == names.len();
                    self.add_matches(path, name, is_last, &mut next);
                }
            }
            here = next;
            if here.len() > 2 * MAX_PATHS {
                return self.mark_cut();
            }
        }
        match self.paths.len() + here.len() <= 2 * MAX_PATHS {
            true => self.paths.append(&mut here),
            false => self.mark_cut(),
        }
    }

    fn add_matches(
        &mut self,
        directory: &Path,
        pattern: &str,
        is_last: bool,
        found: &mut Vec<PathBuf>,
    ) {
        let Ok(entries) = directory.read_dir() else {
            return;
        };
        for entry in entries {
            let (Ok(entry), Some(room)) = (entry, self.room.checked_sub(1)) else {
                return self.mark_cut();
            };
            self.room = room;
            let name = entry.file_name();
            if !may_match(pattern, &name.to_string_lossy()) {
                continue;
            }
            // A regular file leads nowhere else.
            let is_file = is_last && entry.file_type().is_ok_and(|kind| kind.is_file());
            match is_file && self.paths.len() + found.len() >= MAX_PATHS {
                true => self.is_open = true,
                false => found.push(directory.join(name)),
            }
        }
    }

    fn mark_cut(&mut self) {
        self.is_open = true;
        self.is_cut = true;
    }
}

/// Directory entries that are compared with patterns.
const MAX_ENTRIES: usize = 20_000;
/// Files that are inspected further.
const MAX_PATHS: usize = 512;
