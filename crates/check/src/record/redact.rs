//! Taking secrets out of what is recorded. `docs/trace.md` lists what counts as one.
//!
//! In JSON a secret is found by the names around it, in other text by what stands before it or how it begins.

use std::borrow::Cow;

use attache_rpc::json::{Error, Kind, Reader, write};

/// A line without its secrets, and how many were taken out. JSON stays JSON: only strings are replaced.
pub fn redact(line: &str) -> (Cow<'_, str>, u64) {
    let mut pen = Pen {
        out: String::with_capacity(line.len()),
        hidden: 0,
    };
    if !line.trim_start().starts_with(['{', '[']) {
        return text(line);
    }
    let mut reader = Reader::new(line);
    let read = pen.value(&mut reader, Rule::Named);
    match (read.and_then(|()| reader.end()), pen.hidden) {
        (Ok(()), 0) => (Cow::Borrowed(line), 0),
        (Ok(()), hidden) => (Cow::Owned(pen.out), hidden),
        (Err(_), 0) => text(line),
        // Broken or cut off behind a secret, or within one: what follows can be more of it.
        (Err(_), hidden) => (Cow::Owned(pen.out + UNREADABLE), hidden),
    }
}

/// Which strings below a value are secrets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rule {
    /// Those whose name says so.
    Named,
    /// All of them.
    All,
    /// In a list of names and values, the values; in an object, all.
    Values,
}

struct Pen {
    out: String,
    hidden: u64,
}

impl Pen {
    fn value(&mut self, reader: &mut Reader<'_>, rule: Rule) -> Result<(), Error> {
        match reader.kind()? {
            Kind::String => self.string(reader, rule),
            Kind::Array => {
                self.out.push('[');
                let mut more = reader.open_array()?;
                while more {
                    write::comma(&mut self.out);
                    self.value(reader, rule)?;
                    more = reader.more_items()?;
                }
                self.out.push(']');
                Ok(())
            }
            Kind::Object => self.object(reader, rule),
            Kind::Null | Kind::Boolean | Kind::Number => {
                self.out.push_str(reader.skip()?.trim());
                Ok(())
            }
        }
    }

    fn object(&mut self, reader: &mut Reader<'_>, rule: Rule) -> Result<(), Error> {
        self.out.push('{');
        let is_pair = rule == Rule::Values && reader.tag("name").is_ok_and(|name| name.is_some());
        let mut more = reader.open_object()?;
        while more {
            let name = reader.name()?;
            write::comma(&mut self.out);
            write::string(&mut self.out, &name);
            self.out.push(':');
            let below = match rule {
                Rule::Values if is_pair && name == "name" => Rule::Named,
                Rule::Values | Rule::All => Rule::All,
                Rule::Named => of_name(&name),
            };
            self.value(reader, below)?;
            more = reader.more_members()?;
        }
        self.out.push('}');
        Ok(())
    }

    fn string(&mut self, reader: &mut Reader<'_>, rule: Rule) -> Result<(), Error> {
        if rule == Rule::Named {
            let value = reader.string()?;
            let (shown, hidden) = text(&value);
            write::string(&mut self.out, &shown);
            self.hidden += hidden;
        } else {
            self.hidden += 1;
            write::string(&mut self.out, HIDDEN);
            reader.skip()?;
        }
        Ok(())
    }
}

/// What is below a member of that name.
fn of_name(name: &str) -> Rule {
    match name {
        "env" | "headers" => Rule::Values,
        // Who a person is.
        "accounts" => Rule::All,
        _ if is_secret(name) => Rule::All,
        _ => Rule::Named,
    }
}

fn is_secret(name: &str) -> bool {
    let letters = name.chars().filter(|c| c.is_ascii_alphanumeric());
    let name: String = letters.map(|c| c.to_ascii_lowercase()).collect();
    NAMES.iter().any(|secret| name.contains(secret)) || name.ends_with("token")
}

/// A text without what follows `NAME=`, `Bearer ` and the like, and without words that begin as keys do.
fn text(line: &str) -> (Cow<'_, str>, u64) {
    let key = KEYS.iter().any(|(start, _)| line.contains(start));
    let bearer = line.contains("earer") || line.contains("EARER");
    if !key && !bearer && !line.contains('=') {
        return (Cow::Borrowed(line), 0);
    }
    let mut out = String::with_capacity(line.len());
    let (mut hidden, mut secret_next) = (0, false);
    for word in line.split_inclusive(|c: char| c.is_whitespace() || "\"',;&?(){}[]<>".contains(c)) {
        let bare =
            word.trim_end_matches(|c: char| c.is_whitespace() || "\"',;&?(){}[]<>".contains(c));
        let (kept, is_hidden) = match bare.split_once('=') {
            Some((name, value)) if is_secret(name) && !value.is_empty() => {
                (&bare[..=name.len()], true)
            }
            _ if !bare.is_empty() && (secret_next || begins_as_key(bare)) => ("", true),
            _ => (bare, false),
        };
        out.push_str(kept);
        if is_hidden {
            out.push_str(HIDDEN);
            hidden += 1;
        }
        out.push_str(&word[bare.len()..]);
        let announces = bare.eq_ignore_ascii_case("bearer");
        secret_next = announces || (secret_next && bare.is_empty());
    }
    match hidden {
        0 => (Cow::Borrowed(line), 0),
        hidden => (Cow::Owned(out), hidden),
    }
}

fn begins_as_key(word: &str) -> bool {
    KEYS.iter().any(|(start, least)| {
        word.strip_prefix(start)
            .is_some_and(|rest| rest.len() >= *least && rest.chars().all(in_key))
    })
}

fn in_key(c: char) -> bool {
    c.is_ascii_alphanumeric() || "_-.".contains(c)
}

/// What stands for a secret.
pub const HIDDEN: &str = "[redacted]";

/// Parts of names, without case and signs, whose strings are secrets.
const NAMES: &[&str] = &[
    "apikey",
    "authorization",
    "cookie",
    "credential",
    "passphrase",
    "passwd",
    "password",
    "privatekey",
    "secret",
    "accesskey",
    "authtoken",
];
/// How keys that are in use begin, and how much more there must be.
const KEYS: &[(&str, usize)] = &[
    ("sk-", 16),
    ("ghp_", 20),
    ("gho_", 20),
    ("ghs_", 20),
    ("github_pat_", 20),
    ("glpat-", 16),
    ("xoxb-", 16),
    ("xoxp-", 16),
    ("AKIA", 16),
    ("AIza", 30),
    ("eyJ", 60),
];
const UNREADABLE: &str = " [unreadable]";
