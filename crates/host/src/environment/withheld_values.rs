//! Replaces the values of withheld variables in the output of children. Only exact values are found, not values that
//! were encoded, cut or reversed.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};
use std::ffi::OsString;
use std::fmt;
use std::path::{Component, Path};
use std::sync::Arc;

use aho_corasick::{AhoCorasick, Input, MatchKind};
use percent_encoding::percent_decode_str;

use super::{names, secret_values};

/// The withheld values, each with its replacement. Clones share them.
#[derive(Clone, Default)]
pub struct WithheldValues(Option<Arc<ValueMatcher>>);

struct ValueMatcher {
    automaton: AhoCorasick,
    patterns: Vec<ValuePattern>,
}

struct ValuePattern {
    bytes: Vec<u8>,
    /// The failure function of the value: for each prefix length, the length of the longest proper prefix that is also
    /// its suffix.
    borders: Vec<u32>,
    label: String,
}

impl WithheldValues {
    /// Collects the values of withheld variables, and the passwords in the URLs of proxies, which are passed on.
    pub(super) fn of(
        passed: &BTreeMap<OsString, OsString>,
        withheld: &BTreeMap<OsString, OsString>,
    ) -> WithheldValues {
        let known: HashSet<&[u8]> = passed.values().map(|it| it.as_encoded_bytes()).collect();
        let mut found = ValueCollector::default();
        // Secrets by name come first because the number of values is limited.
        for wanted in [true, false] {
            for (name, value) in withheld {
                let name = name.to_string_lossy();
                let is_secret = names::looks_secret(&name);
                if is_secret != wanted {
                    continue;
                }
                let value = value.as_encoded_bytes().trim_ascii();
                // Programs that print text replace bytes that are not UTF-8.
                let text = String::from_utf8_lossy(value);
                let text = text.trim();
                if known.contains(value) || is_path(text) {
                    continue;
                }
                if !is_secret {
                    for part in secret_values::secret_parts(&name, text) {
                        found.add(part.as_bytes(), format!("[{name} withheld]"));
                    }
                } else {
                    found.add(value, format!("[{name} withheld]"));
                    // Replacement characters alone occur in harmless output too.
                    if text.replace('\u{fffd}', "").len() >= SHORTEST {
                        found.add(text.as_bytes(), format!("[{name} withheld]"));
                    }
                }
            }
        }
        for (name, value) in withheld.iter().chain(passed) {
            found.add_logins(&name.to_string_lossy(), &value.to_string_lossy());
        }
        found.matcher()
    }

    /// Whether no value is replaced.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Replaces every withheld value in a text by `[NAME withheld]`.
    pub fn replace<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let Some(matcher) = &self.0 else {
            return Cow::Borrowed(text);
        };
        if matcher.find(text.as_bytes(), 0).is_none() {
            return Cow::Borrowed(text);
        }
        // A value that is not UTF-8 can begin in the middle of a character.
        let replaced = matcher.replace_all(text.as_bytes());
        Cow::Owned(String::from_utf8_lossy(&replaced).into_owned())
    }

    /// Replaces withheld values in every string of a JSON value, including member names.
    pub fn replace_in(&self, value: &mut serde_json::Value) {
        use serde_json::Value;
        if self.0.is_none() {
            return;
        }
        match value {
            Value::String(text) => {
                if let Cow::Owned(replaced) = self.replace(text) {
                    *text = replaced;
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.replace_in(item)),
            Value::Object(members) => {
                let old = std::mem::take(members);
                members.extend(old.into_iter().map(|(name, mut value)| {
                    self.replace_in(&mut value);
                    (self.replace(&name).into_owned(), value)
                }));
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// Creates a replacer for output that arrives in chunks.
    pub fn stream(&self) -> ReplacingStream {
        ReplacingStream {
            matcher: self.0.clone(),
            pending: Vec::new(),
        }
    }
}

/// Replaces withheld values in output that arrives in chunks, wherever a value was split. Only bytes that may begin a
/// value wait for the next chunk.
pub struct ReplacingStream {
    matcher: Option<Arc<ValueMatcher>>,
    pending: Vec<u8>,
}

impl ReplacingStream {
    /// Adds a chunk and returns the output that is complete.
    pub fn push<'a>(&mut self, chunk: &'a [u8]) -> Cow<'a, [u8]> {
        let Some(matcher) = &self.matcher else {
            return Cow::Borrowed(chunk);
        };
        let is_clear = self.pending.is_empty() && matcher.find(chunk, 0).is_none();
        if is_clear && matcher.undecided_from(chunk, 0) == chunk.len() {
            return Cow::Borrowed(chunk);
        }
        self.pending.extend_from_slice(chunk);
        let (out, end) = matcher.replace_decided(&self.pending);
        self.pending.drain(..end);
        Cow::Owned(out)
    }

    /// Returns the remaining output at the end of the stream.
    pub fn finish(&mut self) -> Vec<u8> {
        let pending = std::mem::take(&mut self.pending);
        match &self.matcher {
            Some(matcher) => matcher.replace_all(&pending),
            None => pending,
        }
    }

    /// The bytes still waiting, if they are too few to reveal anything about a value.
    pub fn short_pending(&self) -> &[u8] {
        match self.pending.len() {
            0..=SHORT => &self.pending,
            _ => &[],
        }
    }
}

impl ValueMatcher {
    fn find(&self, bytes: &[u8], from: usize) -> Option<aho_corasick::Match> {
        self.automaton.find(Input::new(bytes).range(from..))
    }

    /// Replaces all values that further bytes cannot change. Returns the result and the number of bytes consumed.
    fn replace_decided(&self, bytes: &[u8]) -> (Vec<u8>, usize) {
        let (mut out, mut end) = (Vec::with_capacity(bytes.len()), 0);
        let mut open = self.undecided_from(bytes, end);
        while let Some(found) = self.find(bytes, end).filter(|found| found.start() < open) {
            out.extend_from_slice(&bytes[end..found.start()]);
            out.extend_from_slice(self.label(&found));
            end = found.end();
            if end > open {
                open = self.undecided_from(bytes, end);
            }
        }
        out.extend_from_slice(&bytes[end..open]);
        (out, open)
    }

    fn replace_all(&self, bytes: &[u8]) -> Vec<u8> {
        let (mut out, mut end) = (Vec::with_capacity(bytes.len()), 0);
        while let Some(found) = self.find(bytes, end) {
            out.extend_from_slice(&bytes[end..found.start()]);
            out.extend_from_slice(self.label(&found));
            end = found.end();
        }
        out.extend_from_slice(&bytes[end..]);
        out
    }

    fn label(&self, found: &aho_corasick::Match) -> &[u8] {
        self.patterns[found.pattern().as_usize()].label.as_bytes()
    }

    /// The position from which the bytes may be the beginning of a value.
    fn undecided_from(&self, bytes: &[u8], from: usize) -> usize {
        let bytes = &bytes[from..];
        let longest = self
            .patterns
            .iter()
            .map(|pattern| pattern.open_prefix(bytes));
        from + bytes.len() - longest.max().unwrap_or(0)
    }
}

impl ValuePattern {
    fn new(value: &[u8], label: String) -> ValuePattern {
        let bytes = value.to_vec();
        let mut borders = vec![0; bytes.len()];
        let mut border = 0_usize;
        for index in 1..bytes.len() {
            while border > 0 && bytes[border] != bytes[index] {
                border = borders[border - 1] as usize;
            }
            border += usize::from(bytes[border] == bytes[index]);
            // Values are shorter than 64 KiB.
            borders[index] = u32::try_from(border).unwrap_or(0);
        }
        ValuePattern {
            bytes,
            borders,
            label,
        }
    }

    /// The length of the longest proper prefix of the value that the bytes end with.
    fn open_prefix(&self, bytes: &[u8]) -> usize {
        let tail = &bytes[bytes.len().saturating_sub(self.bytes.len() - 1)..];
        let mut length = 0;
        for byte in tail {
            while length > 0 && self.bytes[length] != *byte {
                length = self.borders[length - 1] as usize;
            }
            length += usize::from(self.bytes[length] == *byte);
        }
        length
    }
}

/// Collects distinct values up to a limit.
#[derive(Default)]
struct ValueCollector {
    seen: HashSet<Vec<u8>>,
    patterns: Vec<ValuePattern>,
    bytes: usize,
}

impl ValueCollector {
    fn add(&mut self, value: &[u8], label: String) {
        let fits = (SHORTEST..=LONGEST).contains(&value.len());
        let has_room = self.patterns.len() < MOST && self.bytes + value.len() <= MOST_BYTES;
        if fits && has_room && self.seen.insert(value.to_vec()) {
            self.bytes += value.len();
            self.patterns.push(ValuePattern::new(value, label));
        }
    }

    /// Adds the password of a URL such as `http://name:password@proxy:3128`, and the user name and password together.
    fn add_logins(&mut self, name: &str, value: &str) {
        let Some((_, rest)) = value.split_once("://") else {
            return;
        };
        let authority = rest.split(['/', '?', '#']).next().unwrap_or(rest);
        let Some((login, _)) = authority.rsplit_once('@') else {
            return;
        };
        let Some((_, password)) = login.split_once(':').filter(|(_, it)| !it.is_empty()) else {
            return;
        };
        let label = || format!("[password of {name} withheld]");
        self.add(login.as_bytes(), label());
        self.add(password.as_bytes(), label());
        let decoded: Vec<u8> = percent_decode_str(password).collect();
        self.add(&decoded, label());
        self.add(String::from_utf8_lossy(&decoded).as_bytes(), label());
    }

    fn matcher(self) -> WithheldValues {
        if self.patterns.is_empty() {
            return WithheldValues(None);
        }
        let automaton = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            .build(self.patterns.iter().map(|pattern| &pattern.bytes));
        // Building fails beyond 2^31 patterns or bytes; our limits are far below that.
        let matcher = automaton.ok().map(|automaton| ValueMatcher {
            automaton,
            patterns: self.patterns,
        });
        WithheldValues(matcher.map(Arc::new))
    }
}

/// Paths occur in the output of harmless commands too.
fn is_path(value: &str) -> bool {
    let mut parts = Path::new(value).components();
    match (parts.next(), parts.next()) {
        (Some(Component::RootDir), Some(first)) => Path::new("/").join(first).exists(),
        (Some(Component::RootDir), None) => true,
        _ => value.starts_with("~/"),
    }
}

impl fmt::Debug for WithheldValues {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.0.as_ref().map_or(0, |it| it.patterns.len());
        write!(out, "WithheldValues({count})")
    }
}

impl fmt::Debug for ReplacingStream {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "ReplacingStream({} bytes wait)", self.pending.len())
    }
}

/// Shorter values would match unrelated output.
const SHORTEST: usize = 8;
const LONGEST: usize = 16 * 1024;
const MOST: usize = 512;
const MOST_BYTES: usize = 256 * 1024;
/// This many bytes reveal nothing about a value.
const SHORT: usize = 3;

#[cfg(test)]
mod tests;
