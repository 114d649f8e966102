//! A walk through a directory beneath the roots, in order of the names. It follows no link, leaves out what `.gitignore`
//! and `.ignore` name, and stops when it is told to.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use attache_host::Roots;
use attache_host::files::{DirectoryEntry, EntryKind, Error, Files};
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::Workplace;
use super::fault::Fault;
use super::file_rules::{FileRules, Withheld};

/// A walk on its way.
pub(super) struct Walk<'w> {
    files: &'w Files,
    roots: &'w Roots,
    stop: &'w Stop,
    hidden: Hidden,
    depth: usize,
    /// The rules of the directories above the one where the walk begins.
    above: Vec<Gitignore>,
    levels: Vec<Level>,
    /// How many directories could not be looked into, or not wholly.
    pub(super) unread: usize,
    /// What rules keep the tool from.
    pub(super) withheld: Withheld,
    rules: &'w FileRules,
    tool: &'static str,
}

/// Who walks, where, for how long, and by which rules.
#[derive(Clone, Copy)]
pub(super) struct Here<'w> {
    pub(super) files: &'w Files,
    pub(super) roots: &'w Roots,
    pub(super) stop: &'w Stop,
    pub(super) rules: &'w FileRules,
    pub(super) tool: &'static str,
}

/// What to do with names that begin with a dot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hidden {
    Skip,
    Show,
}

/// Something that the walk came by.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) path: PathBuf,
    pub(super) what: EntryKind,
    /// 1 in the directory where the walk began.
    pub(super) depth: usize,
}

/// A directory that the walk is in.
struct Level {
    path: PathBuf,
    entries: std::vec::IntoIter<DirectoryEntry>,
    rules: Gitignore,
}

impl<'w> Walk<'w> {
    pub(super) fn new(here: Here<'w>, directory: &Path, hidden: Hidden) -> Result<Walk<'w>, Error> {
        let Here {
            files,
            roots,
            stop,
            rules,
            tool,
        } = here;
        let mut walk = Walk {
            files,
            roots,
            stop,
            withheld: Withheld::default(),
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

    pub(super) fn depth(self, depth: usize) -> Walk<'w> {
        Walk { depth, ..self }
    }

    fn enter(&mut self, path: PathBuf) -> Result<(), Error> {
        let listed = self.files.list(self.roots, &path)?;
        self.unread += usize::from(listed.is_cut);
        let has_rules = |entry: &DirectoryEntry| RULES.iter().any(|name| entry.name == *name);
        let rules = match listed.entries.iter().any(has_rules) {
            true => rules(self.files, self.roots, &path),
            false => Gitignore::empty(),
        };
        self.levels.push(Level {
            path,
            entries: listed.entries.into_iter(),
            rules,
        });
        Ok(())
    }

    fn is_left_out(&self, path: &Path, name: &OsStr, what: EntryKind) -> bool {
        let name = name.as_encoded_bytes();
        if name.starts_with(b".") && self.hidden == Hidden::Skip {
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

impl Iterator for Walk<'_> {
    type Item = Found;

    fn next(&mut self) -> Option<Found> {
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
                    // A denied directory by another name.
                    Err(Error::DeniedByPolicy { rule, .. }) => {
                        self.withheld.note_rule(&rule);
                        continue;
                    }
                    Err(_) => self.unread += 1,
                }
            }
            return Some(Found {
                path,
                what: entry.kind,
                depth,
            });
        }
    }
}

/// The rules of the directories from the root down to above this one.
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

/// The rules that a directory has for what is below it; what cannot be read has none.
fn rules(files: &Files, roots: &Roots, directory: &Path) -> Gitignore {
    let mut builder = GitignoreBuilder::new(directory);
    for name in RULES {
        let Ok(text) = files.read(roots, &directory.join(name), None, Some(MOST_RULES)) else {
            continue;
        };
        for line in text.lines() {
            // A line that is no pattern is none for Git either.
            builder.add_line(None, line).ok();
        }
    }
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}

/// When to stop: at a time, or when nobody waits any more.
#[derive(Debug, Clone)]
pub(super) struct Stop {
    is_given_up: Arc<AtomicBool>,
    deadline: Instant,
}

impl Stop {
    pub(super) fn after(limit: Duration) -> Stop {
        Stop {
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

struct GiveUp(Arc<AtomicBool>);

impl Drop for GiveUp {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Does something that looks at many files where blocking is allowed, for so long, and as long as somebody waits.
pub(super) async fn look_around<T: Send + 'static>(
    workplace: &Workplace,
    limit: Duration,
    work: impl FnOnce(&Files, &Roots, &Stop) -> Result<T, Fault> + Send + 'static,
) -> Result<T, Fault> {
    let stop = Stop::after(limit);
    let _give_up = GiveUp(Arc::clone(&stop.is_given_up));
    let (files, roots) = (workplace.files().clone(), workplace.roots().clone());
    let done = tokio::task::spawn_blocking(move || work(&files, &roots, &stop)).await;
    done.map_err(|_| Fault::lost())?
}

const RULES: [&str; 2] = [".gitignore", ".ignore"];
const MOST_RULES: u32 = 10_000;
const DEEPEST: usize = 100;
