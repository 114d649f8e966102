//! Every way in which a path can be read, for rules that deny or ask: as it is written, where links lead, and as
//! lenient file systems compare names.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use super::action::{alternatives, is_pattern, readings};
use super::command::code::is_balanced;
use super::paths;
use super::pattern_files::PatternFiles;
use super::resolved_files::{FollowedPath, PathLookups};
use crate::protected_names::is_folded;

/// Paths, in every way that they can be read.
#[derive(Debug, Default)]
pub(crate) struct PathViews {
    pub(crate) views: Vec<String>,
    /// Whether some were left out because there was too much to inspect.
    pub(crate) is_cut: bool,
}

impl PathViews {
    /// The views of paths, relative to a directory. Rules look at a path and every directory above it, so the budget
    /// counts length and depth.
    pub(crate) fn of(paths: impl Iterator<Item = PathBuf>, base: &Path) -> PathViews {
        let (mut seen, mut room) = (PathViews::default(), MAX_LOOKS);
        let base = &paths::normal_path(base);
        for path in paths {
            let length = base.as_os_str().len() + path.as_os_str().len();
            match room.checked_sub(length.saturating_mul(names(&path))) {
                Some(left) => {
                    room = left;
                    add_views(&path, base, &mut seen.views);
                }
                None => seen.is_cut = true,
            }
        }
        seen.views.sort_unstable();
        seen.views.dedup();
        seen
    }

    /// The views of a command's words as paths, from each directory that it may run in, with links followed. `given`
    /// are paths whose own views are elsewhere, so only their links count.
    pub(crate) fn in_words<'a>(
        words: impl Iterator<Item = &'a str>,
        bases: &[PathBuf],
        given: impl Iterator<Item = PathBuf>,
        workspace: &Path,
        lookups: &PathLookups,
    ) -> PathViews {
        let mut places: Vec<PathBuf> = Vec::new();
        let mut looked_for = 0;
        let mut words = words.filter(|word| !word.starts_with('-')).peekable();
        // Resolve each directory once, not for each word.
        let followed: Vec<FollowedPath> = match words.peek() {
            Some(_) => bases.iter().map(|base| lookups.resolve(base)).collect(),
            None => Vec::new(),
        };
        for word in words {
            for (base, followed) in bases.iter().zip(&followed) {
                let place = paths::joined(base, Path::new(word));
                looked_for += 1;
                if looked_for <= MAX_LINKS {
                    places.extend(resolved_in(followed, word, &place, lookups));
                }
                places.push(place);
            }
        }
        for path in given {
            looked_for += 1;
            if looked_for <= MAX_LINKS {
                let found = lookups.resolve(&path).path;
                places.extend((found != path).then_some(found));
            }
        }
        let mut seen = PathViews::of(places.into_iter(), workspace);
        seen.is_cut |= looked_for > MAX_LINKS;
        seen
    }
}

/// The paths that a program may take one of its words for.
#[derive(Debug, Default)]
pub(crate) struct WordPaths {
    pub(crate) texts: Vec<String>,
    /// Whether there are more than were inspected.
    pub(crate) is_cut: bool,
}

impl WordPaths {
    /// What words may stand for: their values, also encoded or in a `file:` address, and what they match in these
    /// directories as patterns.
    pub(crate) fn of(words: &[String], bases: &[PathBuf]) -> WordPaths {
        let mut found = WordPaths::default();
        for word in words {
            found.add(word, bases);
        }
        found.texts.sort_unstable();
        found.texts.dedup();
        found
    }

    fn add(&mut self, word: &str, bases: &[PathBuf]) {
        if self.texts.len() >= MAX_TEXTS {
            self.is_cut = true;
            return;
        }
        let plain = word_values(word).into_iter().map(str::to_owned);
        self.texts.extend(plain);
        if !word.contains(['%', '{', '[', '*', '?', '\\', '"', '\'']) && !has_file_uri(word) {
            return;
        }
        let all = alternatives(word);
        // Braces without partner mean nothing.
        self.is_cut |= all.is_none() && is_balanced(word);
        for text in all.unwrap_or_else(|| vec![word.to_owned()]) {
            let uris = text
                .match_indices(':')
                .filter_map(|(at, _)| at.checked_sub("file".len()));
            let uris = uris
                .filter_map(|at| text.get(at..))
                .filter(|it| has_file_uri(it));
            let mut patterns = Vec::new();
            for value in word_values(&text).into_iter().chain(uris) {
                for path in readings(value) {
                    let path = path.to_string_lossy().into_owned();
                    if is_pattern(&path) && is_balanced(&path) {
                        patterns.push(path.clone());
                    }
                    self.texts.push(path);
                }
            }
            patterns.sort_unstable();
            patterns.dedup();
            let found = PatternFiles::of(bases, &patterns);
            let has_places = patterns.iter().any(|it| it.contains('/'));
            self.is_cut |= found.is_cut || (found.is_open && has_places);
            let paths = found.paths.iter();
            self.texts
                .extend(paths.map(|path| path.to_string_lossy().into_owned()));
        }
    }
}

/// Whether a text begins or contains an address of a file.
fn has_file_uri(text: &str) -> bool {
    let mut colons = text.match_indices(':');
    colons.any(|(at, _)| {
        let scheme = at
            .checked_sub("file".len())
            .and_then(|start| text.get(start..at));
        scheme.is_some_and(|it| it.eq_ignore_ascii_case("file"))
    })
}

/// A word, and the values in it: after an option's letter, or between signs that programs put around values.
pub(crate) fn word_values(word: &str) -> Vec<&str> {
    let mut found: Vec<&str> = word
        .split(['=', ':', ',', '@', '<', '{', '}', ';', '"', '\''])
        .filter(|part| !part.is_empty())
        .collect();
    if found != [word] {
        found.push(word);
    }
    if let Some(short) = word.strip_prefix('-').filter(|rest| !rest.starts_with('-')) {
        let starts = short.char_indices().skip(1).take(MAX_LETTERS);
        found.extend(starts.map(|(at, _)| &short[at..]));
    }
    found.retain(|value| !value.is_empty());
    found
}

/// Where a word leads from a directory, if something is there. If not, the directory above counts when the word names
/// one or a link is on the way.
fn resolved_in(
    directory: &FollowedPath,
    word: &str,
    place: &Path,
    lookups: &PathLookups,
) -> Option<PathBuf> {
    let found = lookups.resolve_below(&directory.path, Path::new(word));
    let has_links = !directory.links.is_empty() || !found.links.is_empty();
    let counts = found.metadata.is_some() || word.contains('/') || has_links;
    (counts && found.path != *place).then_some(found.path)
}

/// Adds a path as it was given, without `.` and `..`, relative to the workspace and to the home directory, and each of
/// these as lenient file systems compare names.
fn add_views(path: &Path, base: &Path, views: &mut Vec<String>) {
    let normal = paths::normal(base, path);
    let text = normal.to_string_lossy();
    let is_plain = is_folded(&text);
    let mut add = |view: String, is_plain: bool| {
        if !is_plain {
            let folded: Vec<String> = view.split('/').map(paths::folded).collect();
            views.push(folded.join("/"));
        }
        views.push(view);
    };
    if normal.as_os_str() != path.as_os_str() {
        let given = path.to_string_lossy().into_owned();
        let is_plain = is_folded(&given);
        add(given, is_plain);
    }
    // Its names are those of the whole path.
    if let Some(inside) = paths::below(&normal, base) {
        let inside = inside.to_string_lossy().into_owned();
        let is_plain = is_plain || is_folded(&inside);
        add(inside, is_plain);
    }
    if let Some(rest) = HOME.as_ref().and_then(|home| paths::below(&normal, home)) {
        let rest = rest.to_string_lossy();
        add(format!("~/{rest}"), is_plain || is_folded(&rest));
    }
    let text = normal.into_os_string().into_string();
    add(
        text.unwrap_or_else(|name| name.to_string_lossy().into_owned()),
        is_plain,
    );
}

/// How many names a path has, or more.
fn names(path: &Path) -> usize {
    let bytes = path.as_os_str().as_encoded_bytes().iter();
    let separators = bytes.filter(|byte| std::path::is_separator(char::from(**byte)));
    separators.count() + 1
}

/// The directory that `~` means in rules.
static HOME: LazyLock<Option<PathBuf>> = LazyLock::new(|| {
    let home = std::env::home_dir().filter(|home| home.is_absolute());
    home.map(|home| paths::normal_path(&home))
});

/// Texts that the words of one command may stand for.
const MAX_TEXTS: usize = 4096;

/// Letters times directories, for all paths together. Ten thousand usual paths need less than half.
const MAX_LOOKS: usize = 1 << 24;

/// Option letters in front of a value that is glued to them.
const MAX_LETTERS: usize = 4;

/// Paths that are resolved on the disk.
pub(super) const MAX_LINKS: usize = 256;
