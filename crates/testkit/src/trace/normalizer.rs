//! Replaces values that differ between runs: ids, times, temporary directories.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

use attache_rpc::json::{Encode as _, from_str, write};

use crate::json_value::JsonValue;

/// How ids that a peer has chosen are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum IdStyle {
    /// By their new names.
    Plain,
    /// As captures, which get their values from the side that sends them.
    Captured,
}

pub(super) struct Normalizer<'a> {
    style: IdStyle,
    named: &'a [(String, String)],
    roots: Vec<String>,
    ids: HashMap<(&'static str, String), usize>,
    counts: HashMap<&'static str, usize>,
    captured: HashSet<String>,
    temps: Vec<String>,
}

impl<'a> Normalizer<'a> {
    pub(super) fn new(style: IdStyle, named: &'a [(String, String)]) -> Self {
        let own = std::env::temp_dir().to_string_lossy().into_owned();
        let own = own.trim_end_matches('/').to_owned();
        let known = ROOTS.iter().map(|&root| root.to_owned());
        let mut roots: Vec<String> = known.chain([own]).collect();
        roots.retain(|root| root.len() > 1);
        roots.sort_by_key(|root| std::cmp::Reverse(root.len()));
        Normalizer {
            style,
            named,
            roots,
            ids: HashMap::new(),
            counts: HashMap::new(),
            captured: HashSet::new(),
            temps: Vec::new(),
        }
    }

    /// Appends a JSON text. `request` is the label of the request that its member `requestId` names.
    pub(super) fn write(&mut self, out: &mut String, json: &str, request: Option<usize>) {
        match (from_str::<JsonValue>(json), request) {
            (Ok(JsonValue::Object(members)), Some(label)) => {
                self.object(out, &members, |_, out, name, _| {
                    let named = name == "requestId";
                    if named {
                        write!(out, "@{label}").unwrap_or_default();
                    }
                    named
                });
            }
            (Ok(value), _) => self.value(out, &value),
            (Err(_), _) => out.push_str(json),
        }
    }

    fn value(&mut self, out: &mut String, value: &JsonValue) {
        match value {
            JsonValue::Scalar(_) => value.encode(out),
            JsonValue::String(text) => self.text(out, text),
            JsonValue::Array(items) => {
                out.push('[');
                for item in items {
                    write::comma(out);
                    self.value(out, item);
                }
                out.push(']');
            }
            JsonValue::Object(members) => self.object(out, members, Self::id),
        }
    }

    /// Writes an object. `special` writes the members that it handles.
    fn object(
        &mut self,
        out: &mut String,
        members: &[(String, JsonValue)],
        special: impl Fn(&mut Self, &mut String, &str, &JsonValue) -> bool,
    ) {
        out.push('{');
        for (name, value) in members {
            write::comma(out);
            write::string(out, name);
            out.push(':');
            if !special(self, out, name, value) {
                self.value(out, value);
            }
        }
        out.push('}');
    }

    fn id(&mut self, out: &mut String, member: &str, value: &JsonValue) -> bool {
        let (Some(kind), JsonValue::String(id)) = (kind_of_id(member), value) else {
            return false;
        };
        if id.is_empty() {
            return false;
        }
        let count = self.counts.entry(kind).or_default();
        let number = *self.ids.entry((kind, id.clone())).or_insert_with(|| {
            *count += 1;
            *count
        });
        let name = format!("{kind}-{number}");
        match self.style {
            IdStyle::Plain => write::string(out, &name),
            IdStyle::Captured if self.captured.insert(name.clone()) => {
                write!(out, "${name}=\"{name}\"").unwrap_or_default();
            }
            IdStyle::Captured => write!(out, "${name}").unwrap_or_default(),
        }
        true
    }

    fn text(&mut self, out: &mut String, text: &str) {
        if is_time(text) {
            if self.style == IdStyle::Captured {
                out.push_str("_=");
            }
            write::string(out, TIME);
            return;
        }
        let mut text = text.to_owned();
        for (from, to) in self.named {
            text = text.replace(from, to);
        }
        write::string(out, &self.without_temps(&text));
    }

    /// Replaces each directory below a root for temporary files with a numbered name.
    fn without_temps(&mut self, text: &str) -> String {
        let mut out = String::new();
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let starts = !out.ends_with(|c: char| c.is_alphanumeric() || "._-/".contains(c))
                || out.ends_with("//");
            match self.temp_at(rest).filter(|_| starts) {
                Some(length) => {
                    let directory = &rest[..length];
                    let known = self.temps.iter().position(|temp| temp == directory);
                    let index = known.unwrap_or_else(|| {
                        self.temps.push(directory.to_owned());
                        self.temps.len() - 1
                    });
                    write!(out, "/temp-{}", index + 1).unwrap_or_default();
                    rest = &rest[length..];
                }
                None => {
                    out.push(first);
                    rest = &rest[first.len_utf8()..];
                }
            }
        }
        out
    }

    /// The length of the temporary directory that the text starts with.
    fn temp_at(&self, text: &str) -> Option<usize> {
        self.roots.iter().find_map(|root| {
            let below = text.strip_prefix(root.as_str())?.strip_prefix('/')?;
            let ends = |c: char| !(c.is_alphanumeric() || "._-".contains(c));
            let length = below.find(ends).unwrap_or(below.len());
            (length > 0).then_some(root.len() + 1 + length)
        })
    }
}

/// The kind of object that a member with this name identifies; `None` if a peer does not choose the id.
pub fn kind_of_id(member: &str) -> Option<&'static str> {
    let kind = KINDS.iter().find(|(_, members)| members.contains(&member));
    kind.map(|(kind, _)| *kind)
}

/// Whether a text is a date and a time of day, as in `2025-10-29T14:22:15Z`.
fn is_time(text: &str) -> bool {
    let shape: String = text
        .chars()
        .take(TIME_SHAPE.len())
        .map(|c| if c.is_ascii_digit() { '0' } else { c })
        .collect();
    let rest = text.get(TIME_SHAPE.len()..).unwrap_or_default();
    shape == TIME_SHAPE
        && rest
            .chars()
            .all(|c| c.is_ascii_digit() || "+-.:Z".contains(c))
}

const KINDS: &[(&str, &[&str])] = &[
    (
        "session",
        &["sessionId", "senderSessionId", "recipientSessionId"],
    ),
    ("tool-call", &["toolCallId"]),
    ("terminal", &["terminalId"]),
    (
        "message",
        &["messageId", "senderMessageId", "recipientMessageId"],
    ),
    ("elicitation", &["elicitationId"]),
    ("compaction", &["compactionId"]),
];

const ROOTS: &[&str] = &["/tmp", "/var/tmp", "/private/tmp", "/dev/shm"];
const TIME: &str = "2000-01-01T00:00:00Z";
const TIME_SHAPE: &str = "0000-00-00T00:00:00";
