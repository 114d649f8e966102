//! Names of files that agents, editors, shells, version control and tool managers read on their own, so that a change
//! to one can grant power later. This is the only list of such names.
//!
//! A name is *closed* (never written through us) or *protected* (the user is asked every time; no remembered decision,
//! preset or wildcard covers it). Names are compared as the most lenient file system would. This module does not read
//! the disk.

mod list;

use std::borrow::Cow;
use std::collections::HashMap;
use std::ffi::OsStr;
use std::path::{Component, Path};
use std::sync::LazyLock;

use unicode_normalization::UnicodeNormalization;

pub(crate) use list::HOME;
use list::{
    CLOSED, CLOSED_PREFIXES, PROTECTED, PROTECTED_PATHS, PROTECTED_PREFIXES, PROTECTED_SUFFIXES,
};

/// Whether a name is closed in every directory.
pub(crate) fn is_closed_name(name: &OsStr) -> bool {
    is_closed(&fold(name))
}

/// Whether a path contains a closed or protected name. The user is asked about every change there.
pub fn is_protected(path: &Path) -> bool {
    let names = folded_names(path);
    // A short name of Windows can stand for any name of the lists, so it is compared with each.
    match names.iter().any(|name| name.contains('~')) {
        true => is_listed(&names),
        false => (0..names.len()).any(|at| starts_with_listed(&names[at..])),
    }
}

/// Whether names contain a listed one or a short name of it.
fn is_listed(names: &[Cow<'_, str>]) -> bool {
    let is_named = |name: &Cow<'_, str>| is_closed(name) || is_protected_name(name);
    let has_path = |path: &&str| (0..names.len()).any(|at| starts_with(&names[at..], path));
    names.iter().any(is_named) || HOME.iter().chain(PROTECTED_PATHS).any(has_path)
}

/// Whether names begin with a listed name or path, letter by letter.
fn starts_with_listed(names: &[Cow<'_, str>]) -> bool {
    let Some((first, behind)) = names.split_first() else {
        return false;
    };
    let ends = LISTED.get(&**first).map_or(&[][..], Vec::as_slice);
    let is_next = |end: &&str| {
        let mut parts = end.split('/').filter(|part| !part.is_empty());
        let mut behind = behind.iter();
        parts.all(|part| behind.next().is_some_and(|name| name == part))
    };
    ends.iter().any(is_next) || has_listed_end(first)
}

/// Whether a name begins or ends with a listed prefix or suffix.
fn has_listed_end(name: &str) -> bool {
    let mut prefixes = CLOSED_PREFIXES.iter().chain(PROTECTED_PREFIXES);
    let mut suffixes = PROTECTED_SUFFIXES.iter();
    prefixes.any(|prefix| name.starts_with(prefix)) || suffixes.any(|suffix| name.ends_with(suffix))
}

/// The listed names, and the first names of listed paths, each with what has to follow: nothing after a name.
static LISTED: LazyLock<HashMap<&str, Vec<&str>>> = LazyLock::new(|| {
    let mut listed: HashMap<&str, Vec<&str>> = HashMap::new();
    for path in [CLOSED, PROTECTED, HOME, PROTECTED_PATHS]
        .into_iter()
        .flatten()
    {
        let (first, behind) = path.split_once('/').unwrap_or((path, ""));
        listed.entry(first).or_default().push(behind);
    }
    listed
});

/// Whether a predicate matches any closed or protected name.
pub(crate) fn is_any_protected(is_among: impl Fn(&str) -> bool) -> bool {
    let names = [CLOSED, CLOSED_PREFIXES, PROTECTED, PROTECTED_PREFIXES];
    let mut names = names.into_iter().flatten();
    let paths = HOME.iter().chain(PROTECTED_PATHS);
    let mut parts = paths.flat_map(|path| path.split('/'));
    let mut ends = PROTECTED_SUFFIXES.iter().map(|end| format!("x{end}"));
    names.any(|name| is_among(name)) || parts.any(&is_among) || ends.any(|name| is_among(&name))
}

/// Whether these names begin with the names of a path.
fn starts_with(names: &[Cow<'_, str>], path: &str) -> bool {
    let mut names = names.iter();
    let is_next = |part| {
        names
            .next()
            .is_some_and(|name| name == part || is_short_for(name, part))
    };
    path.split('/').all(is_next)
}

fn is_closed(name: &str) -> bool {
    CLOSED.contains(&name)
        || CLOSED_PREFIXES
            .iter()
            .any(|prefix| name.starts_with(prefix))
        || has_short_name_of(name, CLOSED.iter().chain(CLOSED_PREFIXES))
}

fn is_protected_name(name: &str) -> bool {
    PROTECTED.contains(&name)
        || PROTECTED_PREFIXES
            .iter()
            .any(|prefix| name.starts_with(prefix))
        || PROTECTED_SUFFIXES
            .iter()
            .any(|suffix| name.ends_with(suffix))
        || has_short_name_of(name, PROTECTED.iter().chain(PROTECTED_PREFIXES))
}

fn has_short_name_of<'a>(name: &str, mut long: impl Iterator<Item = &'a &'a str>) -> bool {
    name.contains('~') && long.any(|long| is_short_for(name, long))
}

/// Windows gives long names a short alias: `GIT~1` is `.git`, and `VSCODE~1` is `.vscode`.
fn is_short_for(name: &str, long: &str) -> bool {
    let Some((stem, number)) = name.split_once('~') else {
        return false;
    };
    let long = long.trim_start_matches('.');
    let long = long.split('.').next().unwrap_or(long);
    let start = long
        .char_indices()
        .nth(6)
        .map_or(long, |(end, _)| &long[..end]);
    number.starts_with(|c: char| c.is_ascii_digit()) && !start.is_empty() && stem == start
}

/// Folds a name as the most lenient file system would: ignores case, the difference between composed and decomposed
/// letters, invisible characters, anything after a colon, and trailing dots and spaces.
pub(crate) fn fold(name: &OsStr) -> String {
    fold_name(name).into_owned()
}

/// The same, without a copy of a name that is folded already.
pub(crate) fn fold_name(name: &OsStr) -> Cow<'_, str> {
    let name = name.to_string_lossy();
    if is_folded(&name) {
        return name;
    }
    let mut folded = match name.is_ascii() {
        true => name.to_ascii_lowercase(),
        false => fold_letters(&name),
    };
    folded.retain(|c| !c.is_control());
    if let Some(colon) = folded.find(':') {
        folded.truncate(colon);
    }
    let length = folded.trim_end_matches(['.', ' ']).len();
    folded.truncate(length);
    Cow::Owned(folded)
}

/// The folded names of a path.
pub(crate) fn folded_names(path: &Path) -> Vec<Cow<'_, str>> {
    let names = path.components().filter_map(|component| match component {
        Component::Normal(name) => Some(fold_name(name)),
        Component::Prefix(_) | Component::RootDir | Component::CurDir | Component::ParentDir => {
            None
        }
    });
    names.collect()
}

fn fold_letters(name: &str) -> String {
    let visible = name.nfkd().filter(|c| !is_invisible(*c));
    let lower = visible
        .flat_map(char::to_uppercase)
        .flat_map(char::to_lowercase);
    lower.nfkd().collect()
}

/// Whether each name of a path is folded already. May return false for some folded paths.
pub(crate) fn is_folded(path: &str) -> bool {
    let is_plain = |byte: &u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_');
    let bytes = path.as_bytes();
    let is_point_in_name = |at: usize| bytes[at] == b'.' && bytes.get(at + 1).is_some_and(is_plain);
    let mut places = bytes.iter().enumerate();
    places.all(|(at, byte)| is_plain(byte) || *byte == b'/' || is_point_in_name(at))
}

/// Characters that some file system ignores when it compares names.
fn is_invisible(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
            | '\u{ffa0}' | '\u{fff0}'..='\u{fff8}' | '\u{e0000}'..='\u{e0fff}')
}

pub(crate) const GIT: &str = ".git";

#[cfg(test)]
mod attack_names;
