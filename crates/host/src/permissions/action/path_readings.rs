//! The ways in which tools read a text that names a file. Rules that deny or ask apply if one of them matches; what
//! allows has to cover all of them.

use std::path::PathBuf;

use percent_encoding::percent_decode_str;

/// A text as each path that a tool may take it for: as written; without spaces or quotes around it or an `@` in front;
/// with all kinds of spaces as plain ones; without backslashes that escape, or with backslashes as slashes; decoded as
/// in an address; and as a `file:` address.
pub(in super::super) fn readings(text: &str) -> Vec<PathBuf> {
    paths(spellings(
        text,
        &[bare, without_at, plain_spaces, unescaped, slashed, decoded],
    ))
}

/// A path in a location or a change, which is never encoded or escaped.
pub(super) fn location_readings(text: &str) -> Vec<PathBuf> {
    paths(spellings(text, &[bare, without_at, plain_spaces]))
}

/// Whether a text has more readings than are considered.
pub(super) fn has_too_many(text: &str) -> bool {
    readings(text).len() >= MAX_READINGS
}

/// A path that is given as such or as a `file:` address.
pub(super) fn path(text: &str) -> PathBuf {
    let Some(rest) = file_uri(text) else {
        return PathBuf::from(text);
    };
    // There may be a host name before the path, and a query after it.
    let rest = match rest.strip_prefix("//") {
        Some(host) => &host[host.find('/').unwrap_or(host.len())..],
        None => rest,
    };
    let rest = rest.split(['?', '#']).next().unwrap_or(rest);
    let path = percent_decode_str(rest).decode_utf8_lossy();
    PathBuf::from(path.into_owned())
}

/// The part after `file:`, in upper or lower case.
pub(super) fn file_uri(text: &str) -> Option<&str> {
    let (scheme, rest) = text.trim_start().split_once(':')?;
    scheme.eq_ignore_ascii_case("file").then_some(rest)
}

/// The text, and everything that these steps make of it in any order.
fn spellings(text: &str, steps: &[fn(&str) -> String]) -> Vec<String> {
    if text.is_empty() {
        return Vec::new();
    }
    if is_plain(text) {
        return vec![text.to_owned()];
    }
    let mut found = vec![text.to_owned()];
    let mut at = 0;
    while let Some(text) = found.get(at).cloned() {
        for step in steps {
            let next = step(&text);
            if !found.contains(&next) && found.len() < MAX_READINGS {
                found.push(next);
            }
        }
        at += 1;
    }
    found
}

/// Whether no step changes a text, by a quick check.
fn is_plain(text: &str) -> bool {
    let is_plain =
        |byte: u8| byte.is_ascii_alphanumeric() || b"/._-+,()[]{}*?:$~#=".contains(&byte);
    text.bytes().all(is_plain)
}

fn paths(spellings: Vec<String>) -> Vec<PathBuf> {
    // A tool that resolves an empty path gets the directory that it works in.
    let all = spellings.iter().map(|text| match text.is_empty() {
        true => PathBuf::from("."),
        false => path(text),
    });
    all.collect()
}

fn bare(text: &str) -> String {
    let trimmed = text.trim_matches(is_space);
    match trimmed.len() == text.len() {
        true => text.trim_matches(['"', '\'', '`']).to_owned(),
        false => trimmed.to_owned(),
    }
}

fn without_at(text: &str) -> String {
    text.strip_prefix('@').unwrap_or(text).to_owned()
}

fn plain_spaces(text: &str) -> String {
    text.replace(is_space, " ")
}

fn unescaped(text: &str) -> String {
    match cfg!(unix) {
        true => text.replace('\\', ""),
        false => text.to_owned(),
    }
}

fn slashed(text: &str) -> String {
    text.replace('\\', "/")
}

fn decoded(text: &str) -> String {
    match file_uri(text) {
        Some(_) => text.to_owned(),
        None => percent_decode_str(text).decode_utf8_lossy().into_owned(),
    }
}

/// Whether some language takes it for a space.
fn is_space(letter: char) -> bool {
    letter.is_whitespace() || matches!(letter, '\u{feff}' | '\u{200b}' | '\u{180e}')
}

/// Readings of one text. A text with more is not understood.
const MAX_READINGS: usize = 64;
