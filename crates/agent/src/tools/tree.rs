//! Walks a directory inside the roots, ordered by name. It does not follow links, leaves out what `.gitignore` and `.ignore`
//! name, and stops on a signal.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use attache_host::Roots;
use attache_host::files::{DirectoryEntry, EntryKind, FileError, Files};
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::Workplace;
use super::file_rules::{FileRules, WithheldEntries};
use super::tool_error::ToolError;

/// A running walk.
pub(super) struct TreeWalk<'w> {
    files: &'w Files,
    roots: &'w Roots,
    stop: &'w StopSignal,
    hidden: HiddenFiles,
    depth: usize,
    /// Ignore rules of the directories above the start.
    above: Vec<Gitignore>,
    levels: Vec<WalkLevel>,
    /// Directories that could not be read completely.
    pub(super) unread: usize,
    /// Entries that the user's rules withhold.
    pub(super) withheld: WithheldEntries,
    rules: &'w FileRules,
    tool: &'static str,
}

/// The context of a walk: the tool, its files and roots, when to stop, and the rules.
#[derive(Clone, Copy)]
pub(super) struct WalkContext<'w> {
    pub(super) files: &'w Files,
    pub(super) roots: &'w Roots,
    pub(super) stop: &'w StopSignal,
    pub(super) rules: &'w FileRules,
    pub(super) tool: &'static str,
}

/// Whether to show names that begin with a dot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HiddenFiles {
    Skip,
    Show,
}

/// An entry that the walk found.
#[derive(Debug)]
pub(super) struct WalkEntry {
    pub(super) path: PathBuf,
    pub(super) what: EntryKind,
    /// The depth: 1 in the directory where the walk began.
    pub(super) depth: usize,
}

/// A directory that the walk is in.
struct WalkLevel {
    path: PathBuf,
    entries: std::vec::IntoIter<DirectoryEntry>,
    rules: Gitignore,
}

impl<'w> TreeWalk<'w> {
    pub(super) fn new(
        here: WalkContext<'w>,
        directory: &Path,
        hidden: HiddenFiles,
    ) -> Result<TreeWalk<'w>, FileError> {
        let WalkContext {
            files,
            roots,
            stop,
            rules,
            tool,
        } = here;
        let mut walk = TreeWalk {
            files,
            roots,
            stop,
            withheld: WithheldEntries::default(),
            rules,
            tool,
            hidden,
            depth: DEEPEST,
            above: above(files, roots, directory),
            levels: Vec::new(),
            unread: 0,
        };
        walk.enter(directory.to_owned())?;
        Ok(walk)
    }

    pub(super) fn depth(self, depth: usize) -> TreeWalk<'w> {
        TreeWalk { depth, ..self }
    }

    fn enter(&mut self, path: PathBuf) -> Result<(), FileError> {
        let listed = self.files.list(self.roots, &path)?;
        self.unread += usize::from(listed.is_cut);
        let has_rules = |entry: &DirectoryEntry| RULES.iter().any(|name| entry.name == *name);
        let rules = match listed.entries.iter().any(has_rules) {
            true => rules(self.files, self.roots, &path),
            false => Gitignore::empty(),
        };
        self.levels.push(WalkLevel {
            path,
            entries: listed.entries.into_iter(),
            rules,
        });
        Ok(())
    }

    fn is_left_out(&self, path: &Path, name: &OsStr, what: EntryKind) -> bool {
        let name = name.as_encoded_bytes();
        if name.starts_with(b".") && self.hidden == HiddenFiles::Skip {
            return true;
        }
        if name == b".git" || name.starts_with(b".attache-write-") {
            return true;
        }
        let levels = self.levels.iter().map(|level| &level.rules);
        let innermost_first = self.above.iter().chain(levels).rev();
        let mut told =
            innermost_first.map(|rules| rules.matched(path, what == EntryKind::Directory));
        let told = told.find(|told| !told.is_none());
        matches!(told, Some(Match::Ignore(_)))
    }
}

impl Iterator for TreeWalk<'_> {
    type Item = WalkEntry;

    fn next(&mut self) -> Option<WalkEntry> {
        loop {
            if self.stop.is_due() {
                return None;
            }
            let depth = self.levels.len();
            let level = self.levels.last_mut()?;
            let Some(entry) = level.entries.next() else {
                self.levels.pop();
                continue;
            };
            let path = level.path.join(&entry.name);
            if self.is_left_out(&path, &entry.name, entry.kind) {
                continue;
            }
            if let Some(reason) = self.rules.withholding(self.tool, &path) {
                self.withheld.note(&reason);
                continue;
            }
            if entry.kind == EntryKind::Directory && depth < self.depth {
                match self.enter(path.clone()) {
                    Ok(()) => {}
                    // A denied directory under another name.
                    Err(FileError::DeniedByPolicy { rule, .. }) => {
                        self.withheld.note_rule(&rule);
                        continue;
                    }
                    Err(_) => self.unread += 1,
                }
            }
            return Some(WalkEntry {
                path,
                what: entry.kind,
                depth,
            });
        }
    }
}

/// Ignore rules from the root down to the parent of this directory.
fn above(files: &Files, roots: &Roots, directory: &Path) -> Vec<Gitignore> {
    let holding = roots.paths().filter(|root| directory.starts_with(root));
    let Some(root) = holding.max_by_key(|root| root.as_os_str().len()) else {
        return Vec::new();
    };
    let above = directory.ancestors().skip(1);
    let mut above: Vec<&Path> = above.take_while(|path| path.starts_with(root)).collect();
    above.reverse();
    above
        .into_iter()
        .map(|path| rules(files, roots, path))
        .collect()
}

/// The ignore rules of a directory; none if they can't be read.
fn rules(files: &Files, roots: &Roots, directory: &Path) -> Gitignore {
    let mut builder = GitignoreBuilder::new(directory);
    for name in RULES {
        let Ok(text) = files.read(roots, &directory.join(name), None, Some(MOST_RULES)) else {
            continue;
        };
        for line in text.lines() {
            // Git ignores invalid patterns too.
            builder.add_line(None, line).ok();
        }
    }
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}

/// When to stop: at a deadline, or when the caller stops waiting.
#[derive(Debug, Clone)]
pub(super) struct StopSignal {
    is_given_up: Arc<AtomicBool>,
    deadline: Instant,
}

impl StopSignal {
    pub(super) fn after(limit: Duration) -> StopSignal {
        StopSignal {
            is_given_up: Arc::default(),
            deadline: Instant::now() + limit,
        }
    }

    pub(super) fn is_due(&self) -> bool {
        self.is_given_up.load(Ordering::Relaxed) || self.is_late()
    }

    /// Whether the time is over.
    pub(super) fn is_late(&self) -> bool {
        Instant::now() >= self.deadline
    }
}

struct StopOnDrop(Arc<AtomicBool>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Runs work on many files on a blocking thread, until a time limit or until the caller stops waiting.
pub(super) async fn run_blocking<T: Send + 'static>(
    workplace: &Workplace,
    limit: Duration,
    work: impl FnOnce(&Files, &Roots, &StopSignal) -> Result<T, ToolError> + Send + 'static,
) -> Result<T, ToolError> {
    let stop = StopSignal::after(limit);
    let _give_up = StopOnDrop(Arc::clone(&stop.is_given_up));
    let (files, roots) = (workplace.files().clone(), workplace.roots().clone());
    let done = tokio::task::spawn_blocking(move || work(&files, &roots, &stop)).await;
    done.map_err(|_| ToolError::lost())?
}

const RULES: [&str; 2] = [".gitignore", ".ignore"];
const MOST_RULES: u32 = 10_000;
const DEEPEST: usize = 100;
