//! Secrets in text that is no JSON, or is a string of it: found by the name before them or by how they begin.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::{HIDDEN, is_secret};

/// A text without its secrets, and how many were taken out.
pub(super) fn text(line: &str) -> (Cow<'_, str>, u64) {
    if SUSPECT.as_ref().is_some_and(|it| !it.is_match(line)) {
        return (Cow::Borrowed(line), 0);
    }
    let mut found = assigned(line);
    for (pattern, secret) in PATTERNS.iter() {
        let captures = pattern.captures_iter(line);
        found.extend(captures.filter_map(|captures| secret(&captures)));
    }
    found.retain(|place| !place.is_empty() && !line[place.start..].starts_with(HIDDEN));
    without(line, found)
}

/// Whether this is an option of a command line whose value is a secret and comes next.
pub(super) fn announces(word: &str) -> bool {
    word.starts_with('-') && !word.contains([' ', '=']) && is_secret(word)
}

/// The values of `name=value`, `name: value` and `"name": "value"` whose name says that they are secret.
fn assigned(line: &str) -> Vec<Range<usize>> {
    let bytes = line.as_bytes();
    let mut found = Vec::new();
    for at in memchr::memchr2_iter(b'=', b':', bytes) {
        let operator = bytes[at];
        let before = line[..at].trim_end_matches([' ', '\t']);
        let spaced = before.len() < at;
        let before = before.trim_end_matches(['"', '\'', '\\']);
        let start = before.rfind(|c| !in_name(c)).map_or(0, |at| {
            at + before[at..].chars().next().map_or(1, char::len_utf8)
        });
        let name = &before[start..];
        if name.len() > LONGEST_NAME || !is_secret(name) {
            continue;
        }
        // `::`, `==`, `:=` and `=>` in a program: what follows the second sign counts, if anything.
        let behind = line[at + 1..].trim_start_matches([' ', '\t']);
        if behind.starts_with([':', '=', '>']) {
            continue;
        }
        let start = line.len() - behind.len();
        let tight = operator == b'=' && !spaced && start == at + 1;
        found.extend(value(name, start, behind, tight));
    }
    found
}

/// How far a value goes, if it is one: a type or a call in a program is none.
fn value(name: &str, start: usize, text: &str, tight: bool) -> Option<Range<usize>> {
    let quote = text.trim_start_matches('\\').chars().next()?;
    if matches!(quote, '"' | '\'') {
        let open = text.len() - text.trim_start_matches('\\').len() + 1;
        let inside = &text[open..];
        let end = inside.find([quote, '\n']).unwrap_or(inside.len());
        let end = inside[..end].trim_end_matches('\\').len();
        return Some(start + open..start + open + end);
    }
    if is_header(name) {
        let end = text.find(['"', '\'', '\n', '\r']).unwrap_or(text.len());
        return Some(start..start + end);
    }
    let ends = |c: char| c.is_whitespace() || "\"'&,;)}]<>\\".contains(c);
    let end = text.find(ends).unwrap_or(text.len());
    let plain = &text[..end];
    let likely = tight || is_spoken(name) || plain.contains(|c: char| c.is_ascii_digit());
    (likely && !plain.starts_with(['{', '['])).then_some(start..start + end)
}

/// A header of HTTP, whose value has words.
fn is_header(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.ends_with("authorization") || name.ends_with("cookie")
}

/// A name that is used for nothing but secrets.
fn is_spoken(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["password", "passwd", "passphrase", "secret"]
        .iter()
        .any(|word| name.contains(word))
}

fn in_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || "_-.".contains(c)
}

fn without(line: &str, mut found: Vec<Range<usize>>) -> (Cow<'_, str>, u64) {
    if found.is_empty() {
        return (Cow::Borrowed(line), 0);
    }
    found.sort_by_key(|place| (place.start, place.end));
    let mut out = String::with_capacity(line.len());
    let (mut hidden, mut done) = (0, 0);
    for place in found {
        if place.end <= done {
            continue;
        }
        if place.start >= done {
            out.push_str(&line[done..place.start]);
            out.push_str(HIDDEN);
            hidden += 1;
        }
        done = place.end;
    }
    out.push_str(&line[done..]);
    (Cow::Owned(out), hidden)
}

type Secret = fn(&Captures<'_>) -> Option<Range<usize>>;

fn first(captures: &Captures<'_>) -> Option<Range<usize>> {
    captures.get(1).map(|found| found.range())
}

fn either(captures: &Captures<'_>) -> Option<Range<usize>> {
    captures
        .get(1)
        .or(captures.get(2))
        .map(|found| found.range())
}

/// The second group, if the first is the name of a secret.
fn named(captures: &Captures<'_>) -> Option<Range<usize>> {
    let (name, value) = (captures.get(1)?, captures.get(2)?);
    is_secret(name.as_str()).then(|| value.range())
}

/// What a text must have for a closer look.
static SUSPECT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let begins: Vec<&str> = KEYS.iter().map(|(begins, _)| *begins).collect();
    Regex::new(&format!("[=:]|--|(?i:bearer)|{}", begins.join("|"))).ok()
});

static PATTERNS: LazyLock<Vec<(Regex, Secret)>> = LazyLock::new(|| {
    let keys = KEYS.iter().map(|(begins, least)| {
        let key = format!(r"\b({begins}[A-Za-z0-9_.-]{{{least},}})");
        (key, first as Secret)
    });
    let others = OTHERS
        .iter()
        .map(|(text, secret)| ((*text).to_owned(), *secret));
    let all = keys.chain(others);
    all.filter_map(|(text, secret)| Some((Regex::new(&text).ok()?, secret)))
        .collect()
});

const OTHERS: &[(&str, Secret)] = &[
    (r"(?i)\bbearer[ \t]+([A-Za-z0-9+/=._~-]+)", first),
    // The password of an address.
    (r#"://[^\s/:@"']*:([^\s/@"']+)@"#, first),
    // The value of an option of a command line.
    (
        r#"--([A-Za-z][A-Za-z0-9_-]*)[ \t]+["']?([^\s"'-][^\s"']*)"#,
        named,
    ),
    // A message within a line of a log.
    (
        r#"\b(?:env|headers)\\?"?\s*:\s*(?:\[([^\]]+)|\{([^}]+))"#,
        either,
    ),
    (r#"[?&](?:key|sig|signature|code)=([^&#\s"']+)"#, first),
    (
        r"(?s)-----BEGIN [A-Z ]*PRIVATE KEY-----(.*?)(?:-----END|$)",
        first,
    ),
];

/// How keys that are in use begin, and how much more there must be.
const KEYS: &[(&str, usize)] = &[
    ("sk-", 16),
    ("sk_live_", 16),
    ("rk_live_", 16),
    ("gh[opsur]_", 20),
    ("github_pat_", 20),
    ("glpat-", 16),
    ("xox[abeprs]-", 10),
    ("xapp-", 10),
    ("xai-", 20),
    ("gsk_", 20),
    ("hf_", 20),
    ("npm_", 30),
    ("pypi-", 30),
    ("A[KS]IA", 16),
    ("AIza", 30),
    ("ya29\\.", 20),
    ("eyJ", 60),
];
const LONGEST_NAME: usize = 64;
