//! Replaces values that look like secrets. Hides too much rather than too little.

use super::keys::after_key_prefix;
use super::names::{NameContext, is_secret_name};
use super::redact::{find_by_form, without};

/// Replaces everything in the words of a command that looks like a secret.
pub fn mask_words(words: &[String]) -> Vec<String> {
    let mut next = NextWord::Visible;
    words
        .iter()
        .map(|word| mask_word(word, &mut next))
        .collect()
}

/// Replaces everything in a text that looks like a secret.
pub fn mask(text: &str) -> String {
    mask_word(text, &mut NextWord::Visible)
}

fn mask_word(text: &str, next: &mut NextWord) -> String {
    let masked = mask_parts(text, next);
    without(&masked, find_by_form(&masked), HIDDEN)
        .0
        .into_owned()
}

/// What the next word is expected to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NextWord {
    Visible,
    Secret,
    /// A name, with a secret behind its colon.
    Login,
}

fn mask_parts(text: &str, next: &mut NextWord) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.find(is_between).unwrap_or(rest.len());
        let (part, behind) = rest.split_at(end);
        if !part.is_empty() {
            out.push_str(&mask_part(part, next));
        }
        let between = behind
            .chars()
            .take_while(|char| is_between(*char))
            .map(char::len_utf8)
            .sum();
        out.push_str(&behind[..between]);
        rest = &behind[between..];
    }
    out
}

/// One word, without spaces and quotes.
fn mask_part(part: &str, next: &mut NextWord) -> String {
    let this = std::mem::replace(next, NextWord::Visible);
    if this == NextWord::Login
        && let Some((name, _)) = part.split_once(':')
    {
        return format!("{name}:{HIDDEN}");
    }
    if this == NextWord::Secret {
        // In `Authorization: Bearer …` and `--token = …` the secret is one word further.
        if is_scheme(part) || part == "=" {
            *next = NextWord::Secret;
            return part.to_owned();
        }
        return HIDDEN.to_owned();
    }
    if let Some((name, value)) = part.split_once('=')
        && is_variable(name)
        && !names_secret_variable(name)
    {
        return match looks_secret(value) {
            true => format!("{name}={HIDDEN}"),
            false => format!("{name}={}", without_login(value)),
        };
    }
    if let Some((name, value)) = part.split_once('=')
        && names_secret(name)
    {
        if value.is_empty() {
            *next = NextWord::Secret;
            return part.to_owned();
        }
        return format!("{name}={HIDDEN}");
    }
    if let Some((name, value)) = part.split_once(':')
        && names_secret(name)
    {
        if value.is_empty() {
            *next = NextWord::Secret;
            return part.to_owned();
        }
        return format!("{name}:{HIDDEN}");
    }
    if matches!(part, "-u" | "--user") {
        *next = NextWord::Login;
        return part.to_owned();
    }
    if is_scheme(part) || (part.starts_with('-') && names_secret(part)) {
        *next = NextWord::Secret;
        return part.to_owned();
    }
    if looks_secret(part) {
        return HIDDEN.to_owned();
    }
    without_login(part)
}

/// Whether this is the name of a variable, as in `NAME=value` in front of a command or for `env`.
fn is_variable(name: &str) -> bool {
    let is_letter = |char: char| char.is_ascii_uppercase() || char.is_ascii_digit() || char == '_';
    name.chars().all(is_letter) && name.starts_with(|char: char| !char.is_ascii_digit())
}

/// Whether the value of a variable is hidden. Variables that determine which programs run are always shown.
fn names_secret_variable(name: &str) -> bool {
    let is_shown = ["LD_", "GIT_"].iter().any(|start| name.starts_with(start));
    let says_so = ["TOKEN", "PASSWORD", "SECRET"];
    let says_so = says_so.iter().any(|word| name.contains(word));
    names_secret(name) && (!is_shown || says_so)
}

fn names_secret(name: &str) -> bool {
    is_secret_name(name, NameContext::Argument)
}

fn is_scheme(part: &str) -> bool {
    ["bearer", "basic", "token"].contains(&&*part.to_ascii_lowercase())
}

/// Whether a word has the prefix of a well-known key, or is long and random.
fn looks_secret(part: &str) -> bool {
    let is_prefixed = after_key_prefix(part).any(|rest| rest.len() >= 8);
    let has = |fits: fn(&char) -> bool| part.chars().any(|char| fits(&char));
    let is_mixed =
        has(char::is_ascii_uppercase) && has(char::is_ascii_lowercase) && has(char::is_ascii_digit);
    let is_one = part
        .chars()
        .all(|char| char.is_ascii_alphanumeric() || matches!(char, '-' | '_' | '+' | '='));
    is_prefixed || (part.len() >= 32 && is_mixed && is_one)
}

/// Hides the login in `scheme://name:password@host`.
fn without_login(part: &str) -> String {
    let Some((scheme, rest)) = part.split_once("://") else {
        return part.to_owned();
    };
    let end = rest.find('/').unwrap_or(rest.len());
    match rest[..end].rfind('@') {
        Some(at) => format!("{scheme}://{HIDDEN}{}", &rest[at..]),
        None => part.to_owned(),
    }
}

fn is_between(char: char) -> bool {
    char.is_whitespace()
        || matches!(
            char,
            '"' | '\'' | '`' | ';' | '|' | '&' | '(' | ')' | '<' | '>' | ',' | '{' | '}'
        )
}

const HIDDEN: &str = "***";
