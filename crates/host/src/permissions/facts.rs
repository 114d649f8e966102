//! A question as rules look at it.

use std::cell::OnceCell;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

use attache_schema::v1;

use super::action::MAX_PATHS;
use super::command::{self, CommandPattern, Reading};
use super::glob::PathPattern;
use super::{Action, paths};

/// A question as rules look at it, worked out once.
pub(super) struct Facts<'a> {
    pub(super) action: &'a Action,
    pub(super) reading: Reading,
    pub(super) tokens: Vec<&'a str>,
    pub(super) places: Vec<Place>,
    /// Every way in which a path can be read, for rules that deny.
    seen: Seen,
    /// Paths that may stand in the command, likewise.
    seen_in_command: OnceCell<Seen>,
}

#[derive(Debug, Default)]
struct Seen {
    views: Vec<String>,
    /// Whether some were too much to look at.
    is_cut: bool,
}

/// A path as it was given, for rules that allow.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) absolute: Option<String>,
    pub(super) inside: Option<String>,
    is_inside: bool,
}

impl<'a> Facts<'a> {
    /// `also` are directories that count as inside, beside the workspace.
    pub(super) fn of(action: &'a Action, also: &[PathBuf]) -> Facts<'a> {
        let words = words_of(action);
        let reading = match words {
            [] => Reading::Plain,
            words => command::reading(words),
        };
        let tokens = command::tokens(words);
        let base = &action.workspace;
        let places = action.paths.iter().map(|path| Place::of(path, base, also));
        Facts {
            reading,
            tokens,
            places: places.collect(),
            seen: Seen::of(action.paths.iter().cloned(), base),
            seen_in_command: OnceCell::new(),
            action,
        }
    }

    /// What sort of tool it is. Whatever runs a command is there to run it, whatever it says it is.
    pub(super) fn kind(&self) -> v1::ToolKind {
        match self.action.command {
            Some(_) => v1::ToolKind::Execute,
            None => self.action.kind.clone(),
        }
    }

    /// Whether everything that it touches lies inside.
    pub(super) fn is_inside(&self) -> bool {
        self.places.iter().all(|place| place.is_inside)
    }

    /// Whether there is more than is looked at.
    pub(super) fn is_cut(&self) -> bool {
        self.action.paths.len() >= MAX_PATHS
            || self.tokens.len() >= command::MAX_TOKENS
            || self.words_as_paths().len() >= MAX_WORDS_AS_PATHS
            || self.seen.is_cut
            || self.in_command().is_cut
    }

    pub(super) fn runs(&self, pattern: &CommandPattern) -> bool {
        match (self.reading, &self.action.command) {
            (Reading::Plain, Some(_)) => pattern.denies(&self.tokens),
            _ => pattern.denies_within(&self.tokens),
        }
    }

    pub(super) fn touches(&self, pattern: &PathPattern) -> bool {
        self.all_seen().any(|path| pattern.covers(path))
    }

    pub(super) fn all_seen(&self) -> impl Iterator<Item = &String> {
        self.seen.views.iter().chain(&self.in_command().views)
    }

    fn in_command(&self) -> &Seen {
        self.seen_in_command.get_or_init(|| self.see_command())
    }

    /// Words as paths, from the workspace and from the directory that the command may run in.
    fn see_command(&self) -> Seen {
        let workspace = &self.action.workspace;
        let named = self.action.paths.iter().take(MAX_DIRECTORIES);
        let mut bases = vec![workspace.clone()];
        bases.extend(named.map(|path| workspace.join(path)));
        let words = self.words_as_paths().into_iter();
        let placed = words.flat_map(|word| bases.iter().map(move |base| base.join(word)));
        Seen::of(placed, workspace)
    }

    fn words_as_paths(&self) -> HashSet<&'a str> {
        let parts = self.tokens.iter().flat_map(|token| token.split(['=', ':']));
        let mut words = HashSet::new();
        for part in parts.filter(|part| !part.is_empty()) {
            words.insert(part);
            if words.len() >= MAX_WORDS_AS_PATHS {
                break;
            }
        }
        words
    }

    pub(super) fn is_kind_or_tool(&self, word: &str, kind: &v1::ToolKind) -> bool {
        let tool = self.action.tool.as_deref();
        kind.as_str() == word || tool.is_some_and(|tool| tool.to_lowercase() == word)
    }

    /// Titles are the agent's words: they may close a door, not open one.
    pub(super) fn is_named(&self, word: &str) -> bool {
        let kinds = [&self.action.kind, &self.kind()];
        kinds
            .into_iter()
            .any(|kind| self.is_kind_or_tool(word, kind))
            || self.titles().any(|title| title == word)
    }

    pub(super) fn titles(&self) -> impl Iterator<Item = String> {
        let title = self.action.title.trim().to_lowercase();
        let head = title
            .split(':')
            .next()
            .unwrap_or_default()
            .trim()
            .to_owned();
        let first = title
            .split_whitespace()
            .next()
            .unwrap_or_default()
            .to_owned();
        [title, head, first].into_iter()
    }
}

impl Seen {
    /// Rules look at a path and at every directory above it, so that long and deep ones cost most.
    fn of(paths: impl Iterator<Item = PathBuf>, base: &Path) -> Seen {
        let (mut seen, mut room) = (Seen::default(), MAX_LOOKS);
        for path in paths {
            let length = base.as_os_str().len() + path.as_os_str().len();
            match room.checked_sub(length.saturating_mul(path.components().count())) {
                Some(left) => {
                    room = left;
                    seen.views.extend(views(&path, base));
                }
                None => seen.is_cut = true,
            }
        }
        seen
    }
}

impl Place {
    /// A path that may mean something else is not inside anything.
    fn of(path: &Path, base: &Path, also: &[PathBuf]) -> Place {
        let is_straight = paths::is_straight(path);
        let relative = match path.is_absolute() {
            true => path.strip_prefix(base).ok(),
            false => Some(path),
        };
        let text = |path: &Path| {
            path.components()
                .collect::<PathBuf>()
                .to_string_lossy()
                .into_owned()
        };
        let is_also = also.iter().any(|dir| path.starts_with(dir));
        Place {
            absolute: (is_straight && path.is_absolute()).then(|| text(path)),
            inside: relative.filter(|_| is_straight).map(text),
            is_inside: is_straight && (relative.is_some() || is_also),
        }
    }

    pub(super) fn is_allowed_by(&self, pattern: &PathPattern) -> bool {
        let path = match pattern.is_absolute() {
            true => &self.absolute,
            false => &self.inside,
        };
        path.as_ref().is_some_and(|path| pattern.is_match(path))
    }
}

/// The command. Where a tool runs one and does not tell which, its title may, for rules that deny.
fn words_of(action: &Action) -> &[String] {
    match &action.command {
        Some(words) => words,
        None if action.kind == v1::ToolKind::Execute => std::slice::from_ref(&action.title),
        None => &[],
    }
}

/// A path as given, without `.` and `..`, from the workspace on, and each as forgiving file systems see it.
fn views(path: &Path, base: &Path) -> Vec<String> {
    let normal = paths::normal(base, path);
    let given = [
        Some(path.to_owned()),
        paths::inside(base, path),
        Some(normal),
    ];
    let mut views: Vec<String> = Vec::with_capacity(6);
    for path in given.into_iter().flatten() {
        let text = path.to_string_lossy().into_owned();
        let folded: Vec<String> = text.split('/').map(paths::folded).collect();
        views.push(folded.join("/"));
        views.push(text);
    }
    views.sort();
    views.dedup();
    views
}

/// More words of a command are not taken for paths, and then nothing is allowed that a rule could deny.
const MAX_WORDS_AS_PATHS: usize = 1024;

/// Letters times directories of all paths together: ten thousand usual ones are less than half.
const MAX_LOOKS: usize = 1 << 24;

/// A call names one directory to run in; others among its paths cost little.
const MAX_DIRECTORIES: usize = 4;
