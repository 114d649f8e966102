//! Patterns for paths, and an index that finds the few that can match among very many.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, OnceLock};

use globset::{Glob, GlobBuilder, GlobMatcher};

/// A pattern for paths: `*` within a name, `**` across directories, `?`, `[…]` and `{a,b}`. One without a slash is about
/// the name alone, at any depth. One that does not start with a slash lies inside the workspace.
#[derive(Clone)]
pub struct PathPattern {
    text: String,
    whole: String,
    /// Made when they are first needed: of very many patterns few ever are.
    exact: Arc<OnceLock<Option<GlobMatcher>>>,
    folded: Arc<OnceLock<Option<GlobMatcher>>>,
}

impl PathPattern {
    /// Reads a pattern.
    ///
    /// # Errors
    ///
    /// What is wrong with it.
    pub fn parse(text: &str) -> Result<PathPattern, String> {
        let whole = match text.contains('/') {
            true => text.strip_prefix("./").unwrap_or(text).to_owned(),
            false => format!("**/{text}"),
        };
        if text.is_empty() || text.len() > MAX_LENGTH || whole.split('/').any(|name| name == "..") {
            return Err("a pattern names files without `..`, in at most 1024 letters".to_owned());
        }
        if text.contains('\0') {
            return Err("no file has a NUL character in its name".to_owned());
        }
        let names = whole.strip_prefix('/').unwrap_or(&whole).split('/');
        if names.into_iter().any(|name| matches!(name, "" | ".")) {
            return Err("no file is called so: write `dir` or `dir/**` for a directory, without `//`, `/.` and a slash at the end".to_owned());
        }
        build(&whole, LetterCase::Exact).map_err(|error| error.kind().to_string())?;
        Ok(PathPattern {
            text: text.to_owned(),
            whole,
            exact: Arc::default(),
            folded: Arc::default(),
        })
    }

    /// Whether it is about paths from the root on.
    pub(crate) fn is_absolute(&self) -> bool {
        self.text.starts_with('/')
    }

    /// Whether it spells one path out.
    pub(super) fn is_literal(&self) -> bool {
        self.text.contains('/') && !self.text.contains(WILD)
    }

    /// Whether a path is one of these, to the letter.
    pub(super) fn is_match(&self, path: &str) -> bool {
        let matcher = self
            .exact
            .get_or_init(|| matcher(&self.whole, LetterCase::Exact));
        matcher
            .as_ref()
            .is_some_and(|matcher| matcher.is_match(path))
    }

    /// The path that it spells out, with everything below: relative ones lie in the workspace, or at home with a `~`. `None`
    /// if it is a pattern for many.
    pub(crate) fn tree(&self) -> Option<&str> {
        let whole = self.trunk();
        (self.text.contains('/') && !whole.contains(WILD)).then_some(whole)
    }

    /// The directories that it spells out before the first wildcard, for a pattern that is about paths in a certain place.
    pub(crate) fn literal_start(&self) -> &str {
        let whole = self.trunk();
        match whole.find(WILD) {
            Some(wild) => whole[..wild]
                .rsplit_once('/')
                .map_or("", |(start, _)| start),
            None => whole,
        }
    }

    /// Whether it is about one directory or file that is met on a walk. A pattern that ends in `/**` or `/*` is about the
    /// directory before that.
    pub(crate) fn meets(&self, path: &str) -> bool {
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

    /// Whether a path is one of these or below one, in whatever letters.
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

    /// Where it is found in the index.
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
    /// It starts with these directories.
    Start(String),
    /// A name is this one.
    Name(String),
    /// A name ends like this.
    End(String),
    Anything,
}

/// Which of many patterns can match a path, by what they spell out.
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

    /// The rules whose patterns can match one of some paths or a directory above it. Fastest where paths that begin alike
    /// follow each other.
    pub(super) fn find<'p>(&self, paths: impl Iterator<Item = &'p String>, found: &mut Vec<usize>) {
        found.extend(&self.anything);
        let mut before = Cow::Borrowed("");
        for path in paths {
            // Without leaving early, so that many bytes are looked at together.
            let has_other = path.bytes().fold(false, |found, byte| {
                found | !byte.is_ascii() | byte.is_ascii_uppercase()
            });
            let path = match has_other {
                true => Cow::Owned(path.to_lowercase()),
                false => Cow::Borrowed(path.as_str()),
            };
            // The directories that it shares with the path before have been looked for.
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

/// Rules by a text that their patterns spell out.
#[derive(Debug, Clone, Default)]
struct RulesByText {
    rules: HashMap<String, Vec<usize>>,
    /// A bit for each length of a text, the last one for all that are longer: most lookups end here.
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

/// The length of the directories that two paths begin with, and of the slash behind them.
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

/// Bytes that are compared together.
const GROUP: usize = 8;
/// Keeps what is made of a pattern small.
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
