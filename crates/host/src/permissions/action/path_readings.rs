//! The ways in which tools read a text that names a file. Rules that deny or ask count if one of them hits; what allows has to
//! cover all of them.

use std::path::PathBuf;

use percent_encoding::percent_decode_str;

/// A text as each path that a tool may take it for: as it is written; without spaces or quotes around it or an `@` in front;
/// with other spaces as plain ones; without backslashes that escape, or with them as slashes; decoded as in an address; and
/// as a `file:` address.
pub(super) fn readings(text: &str) -> Vec<PathBuf> {
    paths(spellings(
        text,
        &[bare, without_at, plain_spaces, unescaped, slashed, decoded],
    ))
}

/// A path of a location or a change, which is never encoded or escaped.
pub(super) fn location_readings(text: &str) -> Vec<PathBuf> {
    paths(spellings(text, &[bare, without_at, plain_spaces]))
}

/// Whether there are more readings of a text than are looked at.
pub(super) fn has_too_many(text: &str) -> bool {
    readings(text).len() >= MAX_READINGS
}

/// A path that is given as such or as a `file:` address.
pub(super) fn path(text: &str) -> PathBuf {
    let Some(rest) = file_uri(text) else {
        return PathBuf::from(text);
    };
    // The name of a host may stand in front of the path, and a query behind it.
    let rest = match rest.strip_prefix("//") {
        Some(host) => &host[host.find('/').unwrap_or(host.len())..],
        None => rest,
    };
    let rest = rest.split(['?', '#']).next().unwrap_or(rest);
    let path = percent_decode_str(rest).decode_utf8_lossy();
    PathBuf::from(path.into_owned())
}

/// What stands behind `file:`, in whatever letters.
pub(super) fn file_uri(text: &str) -> Option<&str> {
    let (scheme, rest) = text.trim_start().split_once(':')?;
    scheme.eq_ignore_ascii_case("file").then_some(rest)
}

/// The text, and all that it becomes by these steps in any order.
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

/// Whether no step changes a text, as far as a glance tells.
fn is_plain(text: &str) -> bool {
    let is_plain =
        |byte: u8| byte.is_ascii_alphanumeric() || b"/._-+,()[]{}*?:$~#=".contains(&byte);
    text.bytes().all(is_plain)
}

fn paths(spellings: Vec<String>) -> Vec<PathBuf> {
    // To a tool that resolves it, an empty path is the directory that it works in.
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

/// Whether a language takes it for a space.
fn is_space(letter: char) -> bool {
    letter.is_whitespace() || matches!(letter, '\u{feff}' | '\u{200b}' | '\u{180e}')
}

/// More readings are not looked at, and then the text is not understood.
const MAX_READINGS: usize = 64;
