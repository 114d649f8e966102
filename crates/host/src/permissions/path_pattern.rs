//! Patterns for paths, and an index that finds the few that can match among very many.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, OnceLock};

use globset::{Glob, GlobBuilder, GlobMatcher};

/// A pattern for paths: `*` within a name, `**` across directories, `?`, `[…]` and `{a,b}`. Without a slash it matches
/// names at any depth. Without a slash at the start it is relative to the workspace.
#[derive(Clone)]
pub struct PathPattern {
    text: String,
    whole: String,
    /// Compiled on first use: of very many patterns few are ever needed.
    exact: Arc<OnceLock<Option<GlobMatcher>>>,
    folded: Arc<OnceLock<Option<GlobMatcher>>>,
}

impl PathPattern {
    /// Reads a pattern.
    ///
    /// # Errors
    ///
    /// When the text is not a pattern; the error says why.
    pub fn parse(text: &str) -> Result<PathPattern, String> {
        let whole = match text.contains('/') {
            true => text.strip_prefix("./").unwrap_or(text).to_owned(),
            false => format!("**/{text}"),
        };
        if text.is_empty() || text.len() > MAX_LENGTH || whole.split('/').any(|name| name == "..") {
            return Err("a pattern has no `..` and at most 1024 letters".to_owned());
        }
        if text.contains('\0') {
            return Err("no file has a NUL character in its name".to_owned());
        }
        let names = whole.strip_prefix('/').unwrap_or(&whole).split('/');
        if names.into_iter().any(|name| matches!(name, "" | ".")) {
            return Err("it matches nothing: write `dir` or `dir/**` for a directory, without `//`, `/.` or a slash at the end".to_owned());
        }
        build(&whole, LetterCase::Exact).map_err(|error| error.kind().to_string())?;
        Ok(PathPattern {
            text: text.to_owned(),
            whole,
            exact: Arc::default(),
            folded: Arc::default(),
        })
    }

    /// Whether the pattern matches absolute paths.
    pub(crate) fn is_absolute(&self) -> bool {
        self.text.starts_with('/')
    }

    /// Whether the pattern spells out one path.
    pub(super) fn is_literal(&self) -> bool {
        self.text.contains('/') && !self.text.contains(WILD)
    }

    /// Whether a path matches, in exactly these letters.
    pub(super) fn is_match(&self, path: &str) -> bool {
        let matcher = self
            .exact
            .get_or_init(|| matcher(&self.whole, LetterCase::Exact));
        matcher
            .as_ref()
            .is_some_and(|matcher| matcher.is_match(path))
    }

    /// The path that the pattern spells out, which stands for everything below too. A relative path is in the
    /// workspace, one with `~` in the home directory. `None` if the pattern matches many paths.
    pub(crate) fn tree(&self) -> Option<&str> {
        let whole = self.trunk();
        (self.text.contains('/') && !whole.contains(WILD)).then_some(whole)
    }

    /// The directories that the pattern spells out before its first wildcard, if the pattern is about a fixed place.
    pub(crate) fn literal_start(&self) -> &str {
        let whole = self.trunk();
        match whole.find(WILD) {
            Some(wild) => whole[..wild]
                .rsplit_once('/')
                .map_or("", |(start, _)| start),
            None => whole,
        }
    }

    /// Whether the pattern matches a directory or file that is met while walking a tree. A pattern that ends in `/**`
    /// or `/*` matches the directory before that.
    pub(crate) fn matches_entry(&self, path: &str) -> bool {
        self.covers(path)
            || (self.trunk().len() < self.whole.len() && self.covers(&format!("{path}/x")))
    }

    fn trunk(&self) -> &str {
        let mut trunk = self.whole.as_str();
        while let Some(shorter) = trunk.strip_suffix("/**").or(trunk.strip_suffix("/*")) {
            trunk = shorter;
        }
        trunk
    }

    /// Whether a path or a directory above it matches, in upper or lower case.
    pub(crate) fn covers(&self, path: &str) -> bool {
        let matcher = self
            .folded
            .get_or_init(|| matcher(&self.whole, LetterCase::Any));
        let Some(matcher) = matcher else {
            return true;
        };
        let mut above = Some(path);
        while let Some(path) = above.filter(|path| !path.is_empty()) {
            if matcher.is_match(path) {
                return true;
            }
            above = path.rsplit_once('/').map(|(above, _)| above);
        }
        false
    }

    /// The key of the pattern in the index.
    fn key(&self) -> IndexKey {
        let glob = self.whole.to_lowercase();
        let names = glob.split('/');
        let literal: Vec<&str> = names.take_while(|name| !name.contains(WILD)).collect();
        let literal = literal.join("/");
        if !literal.is_empty() {
            return IndexKey::Start(literal);
        }
        let last = glob.rsplit('/').next().unwrap_or_default();
        match last.strip_prefix("*.") {
            _ if !last.contains(WILD) => IndexKey::Name(last.to_owned()),
            Some(end) if !end.contains(WILD) && !end.contains('.') => IndexKey::End(end.to_owned()),
            _ => IndexKey::Anything,
        }
    }
}

impl fmt::Debug for PathPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PathPattern").field(&self.text).finish()
    }
}

impl fmt::Display for PathPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl PartialEq for PathPattern {
    fn eq(&self, other: &PathPattern) -> bool {
        self.text == other.text
    }
}

enum IndexKey {
    /// The path starts with these directories.
    Start(String),
    /// One of the names is this.
    Name(String),
    /// One of the names ends like this.
    End(String),
    Anything,
}

/// Finds which of many patterns can match a path, by what the patterns spell out.
#[derive(Debug, Clone, Default)]
pub(super) struct PathIndex {
    starts: RulesByText,
    names: RulesByText,
    ends: RulesByText,
    anything: Vec<usize>,
}

impl PathIndex {
    pub(super) fn add(&mut self, pattern: &PathPattern, rule: usize) {
        match pattern.key() {
            IndexKey::Start(start) => self.starts.add(start, rule),
            IndexKey::Name(name) => self.names.add(name, rule),
            IndexKey::End(end) => self.ends.add(end, rule),
            IndexKey::Anything => self.anything.push(rule),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        let texts = [&self.starts, &self.names, &self.ends];
        self.anything.is_empty() && texts.iter().all(|rules| rules.lengths == 0)
    }

    /// The rules whose patterns can match one of some paths or a directory above it. Fastest when paths with a common
    /// start follow each other.
    pub(super) fn find<'p>(&self, paths: impl Iterator<Item = &'p String>, found: &mut Vec<usize>) {
        found.extend(&self.anything);
        let mut before = Cow::Borrowed("");
        for path in paths {
            // No early exit, so that the compiler can test many bytes at once.
            let has_other = path.bytes().fold(false, |found, byte| {
                found | !byte.is_ascii() | byte.is_ascii_uppercase()
            });
            let path = match has_other {
                true => Cow::Owned(path.to_lowercase()),
                false => Cow::Borrowed(path.as_str()),
            };
            // The directories that it shares with the previous path have been looked up.
            let mut start = shared_directories(&before, &path);
            for name in path[start..].split('/') {
                let end = start + name.len();
                found.extend(self.starts.get(&path[..end]));
                found.extend(self.names.get(name));
                if let Some((_, end)) = name.rsplit_once('.') {
                    found.extend(self.ends.get(end));
                }
                start = end + 1;
            }
            before = path;
        }
    }
}

/// Rules, by a text that their patterns spell out.
#[derive(Debug, Clone, Default)]
struct RulesByText {
    rules: HashMap<String, Vec<usize>>,
    /// A bit for each length of a text, the last one for all longer ones: most lookups end here.
    lengths: u128,
}

impl RulesByText {
    fn add(&mut self, text: String, rule: usize) {
        self.lengths |= length_bit(&text);
        self.rules.entry(text).or_default().push(rule);
    }

    fn get(&self, text: &str) -> &[usize] {
        match self.lengths & length_bit(text) {
            0 => &[],
            _ => self.rules.get(text).map_or(&[], Vec::as_slice),
        }
    }
}

/// The length of the directories that both paths begin with, and of the slash after them.
fn shared_directories(one: &str, other: &str) -> usize {
    let groups = one.as_bytes().as_chunks::<GROUP>().0.iter();
    let groups = groups.zip(other.as_bytes().as_chunks::<GROUP>().0);
    let start = GROUP * groups.take_while(|(a, b)| a == b).count();
    let pairs = one.bytes().skip(start).zip(other.bytes().skip(start));
    let same = start + pairs.take_while(|(a, b)| a == b).count();
    let mut names = other.as_bytes()[..same].iter();
    names.rposition(|byte| *byte == b'/').map_or(0, |at| at + 1)
}

fn length_bit(text: &str) -> u128 {
    1 << text.len().min(127)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LetterCase {
    Exact,
    Any,
}

fn build(glob: &str, letters: LetterCase) -> Result<Glob, globset::Error> {
    GlobBuilder::new(glob)
        .literal_separator(true)
        .case_insensitive(letters == LetterCase::Any)
        .build()
}

fn matcher(glob: &str, letters: LetterCase) -> Option<GlobMatcher> {
    build(glob, letters).ok().map(|glob| glob.compile_matcher())
}

/// Bytes that are compared at once.
const GROUP: usize = 8;
/// Limits the size of compiled patterns.
const MAX_LENGTH: usize = 1024;
const WILD: [char; 6] = ['*', '?', '[', ']', '{', '\\'];

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const NAMES: [&str; 12] = [
        "a", "b", "A", "ab", ".env", "x.pem", "X.PEM", "x.y.pem", ".", "ÄΣ", "x.Σ", "",
    ];
    const PATTERNS: [&str; 12] = [
        "a",
        "A/b",
        "a/**",
        "/a/b",
        "**/.env",
        "*.pem",
        "*.y.pem",
        "a*",
        "{a,b}/x.pem",
        "ÄΣ",
        "/ab/*",
        "?",
    ];

    proptest! {
        #[test]
        fn the_index_finds_each_pattern_that_covers_one_of_the_paths(
            paths in prop::collection::vec(prop::collection::vec(prop::sample::select(&NAMES), 1..5), 1..6),
            is_sorted: bool,
        ) {
            let mut paths: Vec<String> = paths.iter().map(|names| names.join("/")).collect();
            if is_sorted {
                paths.sort();
            }
            let patterns = PATTERNS.map(|text| PathPattern::parse(text).unwrap());
            let mut index = PathIndex::default();
            for (at, pattern) in patterns.iter().enumerate() {
                index.add(pattern, at);
            }
            let mut found = Vec::new();
            index.find(paths.iter(), &mut found);
            for (at, pattern) in patterns.iter().enumerate() {
                let is_covered = paths.iter().any(|path| pattern.covers(path));
                prop_assert!(!is_covered || found.contains(&at), "{} {:?}", pattern, paths);
            }
        }
    }
}
