//! What the model gave the tool, in the shapes that agents in use give it.

use std::path::PathBuf;

use attache_rpc::json::Raw;
use attache_schema::v1;
use percent_encoding::percent_decode_str;
use serde_json::{Map, Value};

use super::{MAX_STARTS, command, file_patterns, members, twice};
use crate::environment::is_harmless;
use members::{
    COMMANDS, CONTENT, DESCRIPTIONS, DIRECTORIES, EDITING, MOVES, PASSING, PATHS, PATTERNS,
    QUERIES, TOOLS,
};

/// What the model gave the tool.
pub(super) struct Input {
    /// A member that is there twice has all of its values here, as a list.
    value: Value,
    /// As it was given, if some member is there twice.
    text: Option<String>,
    /// Whether some member is there twice, at any depth: tools differ in which of them counts.
    pub(super) is_ambiguous: bool,
    /// Whether the tool moves files, so that `from` and `to` are files.
    moves: bool,
}

impl Input {
    /// What cannot be read as JSON is kept as text, so that it counts in the digests.
    pub(super) fn read(raw: Option<&Raw>, kind: &v1::ToolKind) -> Input {
        let moves = *kind == v1::ToolKind::Move;
        let Some(raw) = raw else {
            return Input {
                value: Value::Null,
                text: None,
                is_ambiguous: false,
                moves,
            };
        };
        let (value, is_ambiguous) =
            twice::read(raw.as_str()).unwrap_or_else(|_| (Value::from(raw.as_str()), false));
        Input {
            value,
            text: is_ambiguous.then(|| raw.as_str().to_owned()),
            is_ambiguous,
            moves,
        }
    }

    /// All of it, for a digest.
    pub(super) fn whole(&self) -> Value {
        match &self.text {
            Some(text) => Value::from(text.as_str()),
            None => self.value.clone(),
        }
    }

    /// The command and its arguments, with its variables in front as `env` takes them. Those that an agent may set without
    /// asking are left out; they count in the subject.
    pub(super) fn command(&self) -> Option<Vec<String>> {
        if self.is_editing() {
            return None;
        }
        let given = COMMANDS.iter().filter_map(|name| self.get(name));
        let mut given: Vec<Vec<String>> = given
            .map(|value| self.command_words(value))
            .filter(|words| !words.is_empty())
            .collect();
        given.dedup();
        let mut words = match given.len() {
            0 => return None,
            1 => given.remove(0),
            // Nobody knows which of them the agent means.
            _ => vec![given.concat().join("\n")],
        };
        if self.is_ambiguous {
            words = vec![words.join("\n")];
        }
        match self.get("args") {
            Some(Value::Array(more)) => words.extend(more.iter().map(word)),
            Some(other) => words.push(word(other)),
            None => {}
        }
        let variables = self.variables();
        if variables.is_empty() {
            return Some(words);
        }
        let env = std::iter::once("env".to_owned());
        Some(env.chain(variables).chain(words).collect())
    }

    /// The directory that a command runs in.
    pub(super) fn directory(&self) -> Option<PathBuf> {
        DIRECTORIES
            .iter()
            .find_map(|name| self.get(name)?.as_str())
            .map(PathBuf::from)
    }

    /// The files that it names.
    pub(super) fn paths(&self) -> impl Iterator<Item = PathBuf> {
        let ends = MOVES.iter().filter(|_| self.moves);
        let named = PATHS.iter().chain(ends).filter_map(|name| self.get(name));
        let named = named.flat_map(|value| match value {
            Value::Array(items) => items.iter().flat_map(paths_of).collect(),
            other => paths_of(other),
        });
        let changes = self.get("changes").and_then(Value::as_object);
        let changed = changes
            .into_iter()
            .flat_map(Map::keys)
            .flat_map(|name| readings(name));
        named.chain(changed).chain(self.patterns_outside())
    }

    /// Patterns of files that lead out of the directory they are looked for in.
    fn patterns_outside(&self) -> impl Iterator<Item = PathBuf> {
        let leads_out = |text: &&str| text.starts_with(['/', '~']) || text.contains("../");
        self.patterns().filter(leads_out).map(path)
    }

    /// The directories that patterns of files start in.
    pub(super) fn pattern_starts(&self) -> Vec<PathBuf> {
        let starts = self.patterns().flat_map(file_patterns::starts);
        starts.take(MAX_STARTS + 1).collect()
    }

    fn patterns(&self) -> impl Iterator<Item = &str> {
        let named = PATTERNS.iter().filter_map(|name| self.get(name));
        named.flat_map(|value| match value {
            Value::Array(items) => items.iter().filter_map(Value::as_str).collect(),
            other => other.as_str().into_iter().collect::<Vec<_>>(),
        })
    }

    /// Whether it names where something is to be put.
    pub(super) fn names_destination(&self) -> bool {
        members::names_destination(&self.value)
    }

    /// Whether a member that we do not know may name a file.
    pub(super) fn names_other_files(&self) -> bool {
        members::names_files(&self.unknown())
    }

    /// What looks like a file outside, under whatever name.
    pub(super) fn likely_paths(&self) -> impl Iterator<Item = PathBuf> {
        let members = self.value.as_object().into_iter().flatten();
        let texts = members
            .filter(|(name, _)| !QUERIES.contains(&name.as_str()))
            .filter_map(|(_, value)| value.as_str());
        let leads_out = |text: &&str| {
            text.starts_with(['/', '~']) || file_uri(text).is_some() || text.contains("..")
        };
        texts.filter(leads_out).map(path)
    }

    /// The tool's name.
    pub(super) fn tool(&self) -> Option<String> {
        let name = TOOLS.iter().find_map(|name| self.get(name)?.as_str());
        name.map(str::to_owned)
    }

    /// Whether something is given beside a command, files, what only says how to read or search them, and content.
    pub(super) fn has_unknown(&self) -> bool {
        match &self.value {
            _ if self.is_ambiguous => true,
            Value::Null => false,
            Value::Object(members) => members
                .iter()
                .any(|(name, value)| !self.is_known(name, value)),
            _ => true,
        }
    }

    /// Whether it names code to run, at any depth: a script, a program, arguments. Such a tool runs commands, whatever it is
    /// called.
    pub(super) fn names_code(&self) -> bool {
        let Value::Object(members) = &self.value else {
            let is_empty = self.value.as_array().is_some_and(Vec::is_empty);
            return !is_empty && !members::is_plain_value(&self.value);
        };
        let is_editing = self.is_editing();
        let mut members = members.iter();
        members.any(|(name, value)| {
            let is_verb = is_editing && name == "command";
            !is_verb && (members::is_code(name, value) || members::names_code(value))
        })
    }

    /// A command stands for itself, with everything around it.
    fn is_known(&self, name: &str, value: &Value) -> bool {
        members::is_known(name, value)
            || (self.moves && MOVES.contains(&name) && members::is_paths(value))
            || (members::belongs_to_command(name) && self.command().is_some())
    }

    /// What is given beside that.
    pub(super) fn unknown(&self) -> Value {
        let (Value::Object(members), None) = (&self.value, &self.text) else {
            return self.whole();
        };
        let unknown = members
            .iter()
            .filter(|(name, value)| !self.is_known(name, value));
        let unknown: Map<String, Value> = unknown
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        Value::Object(unknown)
    }

    /// Whether it is given content for a file, or told to change one.
    pub(super) fn has_content(&self) -> bool {
        let mut members = CONTENT.iter().chain(&["edits"]);
        let is_view = self.get("command").and_then(Value::as_str) == Some("view");
        members.any(|name| self.get(name).is_some()) || (self.is_editing() && !is_view)
    }

    /// All that the subject does not say yet: beside a command, which stands for itself, without what only describes it.
    pub(super) fn rest(&self) -> Value {
        let (Value::Object(members), Some(_)) = (&self.value, self.command()) else {
            return self.whole();
        };
        let said = [COMMANDS, DESCRIPTIONS, PASSING, &["args"]];
        let counts = |name: &str| !said.iter().any(|names| names.contains(&name));
        let rest = members.iter().filter(|(name, _)| counts(name));
        let rest: Map<String, Value> = rest
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        match rest.is_empty() {
            true => Value::Null,
            false => Value::Object(rest),
        }
    }

    /// Whether `command` says what an editing tool is to do with a file.
    fn is_editing(&self) -> bool {
        let verb = self.get("command").and_then(Value::as_str);
        self.get("path").is_some() && verb.is_some_and(|verb| EDITING.contains(&verb))
    }

    fn variables(&self) -> Vec<String> {
        let assigned = |name: &str, value: &Value| {
            let value = word(value);
            (!is_harmless(name, &value)).then(|| format!("{name}={value}"))
        };
        match self.get("env") {
            Some(Value::Object(members)) => members
                .iter()
                .filter_map(|(name, value)| assigned(name, value))
                .collect(),
            Some(Value::Array(items)) => {
                let pair = |item: &'_ Value| {
                    let name = item.get("name")?.as_str()?.to_owned();
                    Some((name, item.get("value")?.clone()))
                };
                let variable = |item: &Value| match pair(item) {
                    Some((name, value)) => assigned(&name, &value),
                    None => Some(word(item)),
                };
                items.iter().filter_map(variable).collect()
            }
            _ => Vec::new(),
        }
    }

    fn command_words(&self, value: &Value) -> Vec<String> {
        match value {
            Value::String(text) if text.trim().is_empty() => Vec::new(),
            Value::String(text) if self.is_ambiguous => vec![text.clone()],
            Value::String(text) => command::words(text),
            Value::Array(items) => items.iter().map(word).collect(),
            other => vec![other.to_string()],
        }
    }

    fn get(&self, name: &str) -> Option<&Value> {
        self.value.get(name).filter(|value| !value.is_null())
    }
}

pub(super) fn word(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// The paths that a value may mean; none if it is an address elsewhere.
fn paths_of(value: &Value) -> Vec<PathBuf> {
    match value {
        Value::String(text) => readings(text),
        Value::Object(members) => {
            let named = PATHS.iter().filter_map(|name| members.get(*name));
            named.flat_map(paths_of).collect()
        }
        Value::Array(items) => items.iter().flat_map(paths_of).collect(),
        _ => Vec::new(),
    }
}

/// A text as a path, and as one that is encoded as in an address.
fn readings(text: &str) -> Vec<PathBuf> {
    if text.is_empty() || (text.contains("://") && file_uri(text).is_none()) {
        return Vec::new();
    }
    let given = path(text);
    let decoded = percent_decode_str(text).decode_utf8_lossy();
    match file_uri(text).is_none() && decoded != text {
        true => vec![given, PathBuf::from(decoded.into_owned())],
        false => vec![given],
    }
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
