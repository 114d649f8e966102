//! Finds secrets in plain text, or in a string of JSON, by the name in front of them or by their prefix.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memmem::find_iter;

use super::keys;
use super::names::{NameContext, is_secret_name};

/// Replaces the secrets in a text with [`REDACTED`], and returns the number of secrets. Source code stays intact.
pub fn redact(text: &str) -> (Cow<'_, str>, u64) {
    let mut found = find_assigned(text);
    found.extend(find_by_form(text));
    without(text, found, REDACTED)
}

/// Whether this is a command line option whose value, the next word, is a secret.
pub fn is_secret_option(word: &str) -> bool {
    word.starts_with('-') && !word.contains([' ', '=']) && is_secret(word)
}

/// The text that replaces a secret.
pub const REDACTED: &str = "[redacted]";

fn is_secret(name: &str) -> bool {
    is_secret_name(name, NameContext::Member)
}

/// Finds secrets by their own form or by the words around them, whatever they are assigned to.
pub(super) fn find_by_form(text: &str) -> Vec<Range<usize>> {
    let mut found = words(text);
    found.extend(passwords(text));
    found.extend(options(text));
    found.extend(parameters(text));
    found.extend(private_keys(text));
    found
}

/// Finds the values of `name=value`, `name: value` and `"name": "value"` whose name is the name of a secret.
fn find_assigned(line: &str) -> Vec<Range<usize>> {
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
        // `::`, `==`, `:=` and `=>` in source code: only the second sign can begin a value.
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

/// The range of a value. Returns `None` for types and calls in source code.
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

/// Whether this is an HTTP header, whose value can contain spaces.
fn is_header(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.ends_with("authorization") || name.ends_with("cookie")
}

/// Whether the name is used for secrets only.
fn is_spoken(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["password", "passwd", "passphrase", "secret"]
        .iter()
        .any(|word| name.contains(word))
}

fn in_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || "_-.".contains(c)
}

/// Replaces these ranges of the text, and returns the number of replacements.
pub(super) fn without<'a>(
    line: &'a str,
    mut found: Vec<Range<usize>>,
    hidden_as: &str,
) -> (Cow<'a, str>, u64) {
    found.retain(|place| !place.is_empty() && !line[place.start..].starts_with(hidden_as));
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
            out.push_str(hidden_as);
            hidden += 1;
        }
        done = place.end;
    }
    out.push_str(&line[done..]);
    (Cow::Owned(out), hidden)
}

/// Finds words with a key prefix, words after `Bearer`, and the values in `env` and `headers` of a message in a log line.
fn words(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut behind_word = false;
    let mut done = 0;
    for (at, byte) in text.bytes().enumerate() {
        let begins = !behind_word && at >= done;
        behind_word = byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii();
        if !begins || !byte.is_ascii_alphabetic() {
            continue;
        }
        let rest = &text[at..];
        if keys::can_begin(byte) {
            let length = keys::length(rest);
            if length > 0 {
                found.push(at..at + length);
                done = at + length;
                continue;
            }
        }
        let secret = match byte {
            b'b' | b'B' => behind_bearer(rest),
            b'e' => members(rest, "env"),
            b'h' => members(rest, "headers"),
            _ => None,
        };
        if let Some(place) = secret {
            done = at + place.end;
            found.push(at + place.start..done);
        }
    }
    found
}

fn behind_bearer(text: &str) -> Option<Range<usize>> {
    let (word, behind) = text.split_at_checked("bearer".len())?;
    let value = behind.trim_start_matches([' ', '\t']);
    if !word.eq_ignore_ascii_case("bearer") || value.len() == behind.len() {
        return None;
    }
    let is_of_it = |char: char| char.is_ascii_alphanumeric() || "+/=._~-".contains(char);
    Some(span(text, value, |char| !is_of_it(char)))
}

fn members(text: &str, name: &str) -> Option<Range<usize>> {
    let behind = text.strip_prefix(name)?;
    let behind = behind.strip_prefix('\\').unwrap_or(behind);
    let behind = behind.strip_prefix('"').unwrap_or(behind);
    let behind = behind.trim_start().strip_prefix(':')?.trim_start();
    let close = match behind.chars().next()? {
        '[' => ']',
        '{' => '}',
        _ => return None,
    };
    Some(span(text, &behind[1..], |char| char == close))
}

/// Finds passwords in URLs.
fn passwords(text: &str) -> Vec<Range<usize>> {
    let found = find_iter(text.as_bytes(), "://").filter_map(|at| {
        let rest = &text[at + 3..];
        let colon = rest.find(|char: char| char.is_whitespace() || "/:@\"'".contains(char))?;
        let password = rest[colon..].strip_prefix(':')?;
        let ends = |char: char| char.is_whitespace() || "/@\"'".contains(char);
        let place = span(text, password, ends);
        text[place.end..].starts_with('@').then_some(place)
    });
    found.collect()
}

/// Finds the values of secret command line options.
fn options(text: &str) -> Vec<Range<usize>> {
    let found = find_iter(text.as_bytes(), "--").filter_map(|at| {
        let rest = &text[at + 2..];
        let in_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-".contains(byte);
        let end = rest
            .bytes()
            .take(LONGEST_NAME + 1)
            .position(|byte| !in_name(&byte))?;
        let (name, behind) = rest.split_at(end);
        let value = behind.trim_start_matches([' ', '\t']);
        let is_option = name.starts_with(|char: char| char.is_ascii_alphabetic());
        if !is_option || value.len() == behind.len() || !is_secret(name) {
            return None;
        }
        let value = value.strip_prefix(['"', '\'']).unwrap_or(value);
        let ends = |char: char| char.is_whitespace() || char == '"' || char == '\'';
        (!value.starts_with('-')).then(|| span(text, value, ends))
    });
    found.collect()
}

/// Finds the values of URL parameters that grant access.
fn parameters(text: &str) -> Vec<Range<usize>> {
    let found = memchr::memchr2_iter(b'?', b'&', text.as_bytes()).filter_map(|at| {
        let rest = &text[at + 1..];
        let mut values = PARAMETERS.iter().filter_map(|name| rest.strip_prefix(name));
        let ends = |char: char| char.is_whitespace() || "&#\"'".contains(char);
        values.next().map(|value| span(text, value, ends))
    });
    found.collect()
}

/// Finds the contents of private keys in PEM format.
fn private_keys(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for at in find_iter(text.as_bytes(), BEGIN) {
        let rest = &text[at + BEGIN.len()..];
        let is_of_kind = |byte: &u8| byte.is_ascii_uppercase() || *byte == b' ';
        let kind = rest
            .bytes()
            .take(LONGEST_NAME)
            .take_while(|byte| is_of_kind(byte))
            .count();
        let Some(key) = rest[kind..].strip_prefix("-----") else {
            continue;
        };
        let is_inside = found.last().is_some_and(|last| at < last.end);
        if rest[..kind].ends_with("PRIVATE KEY") && !is_inside {
            let start = text.len() - key.len();
            let end = key.find("-----END").unwrap_or(key.len());
            found.push(start..start + end);
        }
    }
    found
}

/// The range in `text` of the beginning of `rest`, up to the first character that ends it.
fn span(text: &str, rest: &str, ends: impl Fn(char) -> bool) -> Range<usize> {
    let start = text.len() - rest.len();
    start..start + rest.find(ends).unwrap_or(rest.len())
}

const PARAMETERS: [&str; 4] = ["key=", "sig=", "signature=", "code="];
const BEGIN: &str = "-----BEGIN ";
const LONGEST_NAME: usize = 64;

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::redact;

    fn check(text: &str, expected: &str) {
        assert_eq!(redact(text).0, expected);
    }

    #[test]
    fn words_of_ours_and_values_beside_them() {
        check("see -sk-abcdefghijklmnop.", "see -[redacted]");
        check("task-abcdefghijklmnopqr", "task-abcdefghijklmnopqr");
        check(
            "größeghp_abcdefghijklmnopqrst",
            "größeghp_abcdefghijklmnopqrst",
        );
        check("BEARER\t a/b+c= end", "BEARER\t [redacted] end");
        check(
            "env: {A: b} headers\\\": [c]",
            "env: {[redacted]} headers\\\": [[redacted]]",
        );
        check("environment: [a]", "environment: [a]");
        check("x://a:b/c@d x://a:b@c", "x://a:b/c@d x://a:[redacted]@c");
        check(
            "--api-key 'abc def' --api-key --x",
            "--api-key '[redacted] def' --api-key --x",
        );
        check("?a=b&sig=c#d", "?a=b&sig=[redacted]#d");
        check(
            "-----BEGIN CERTIFICATE-----\nMIIE",
            "-----BEGIN CERTIFICATE-----\nMIIE",
        );
    }

    #[test]
    fn attack_no_text_takes_long() {
        let parts = [
            "-",
            "--a",
            "env:[",
            "hvs.",
            "sk-",
            "?",
            "&key",
            "://",
            "bearer ",
            "-----BEGIN PRIVATE KEY-----",
            "a.",
            "x ",
        ];
        for part in parts {
            let text = part.repeat((1 << 20) / part.len());
            let began = Instant::now();
            redact(&text);
            assert!(began.elapsed() < Duration::from_secs(20), "{part}");
        }
    }
}
