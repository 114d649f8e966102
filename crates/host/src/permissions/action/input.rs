//! What the model gave the tool, in the shapes that agents in use give it.

use std::path::PathBuf;

use attache_rpc::json::Raw;
use percent_encoding::percent_decode_str;
use serde_json::{Map, Value};

use super::{command, members};
use crate::environment::is_harmless;
use members::{
    COMMANDS, CONTENT, DESCRIPTIONS, DIRECTORIES, EDITING, PASSING, PATHS, PATTERNS, QUERIES, TOOLS,
};

/// What the model gave the tool.
pub(super) struct Input {
    pub(super) value: Value,
}

impl Input {
    /// What cannot be read as JSON is kept as text, so that it counts in the digests.
    pub(super) fn read(raw: Option<&Raw>) -> Input {
        let value = raw.map(|raw| {
            let value = serde_json::from_str(raw.as_str());
            value.unwrap_or_else(|_| Value::from(raw.as_str()))
        });
        Input {
            value: value.unwrap_or_default(),
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
            .map(command_words)
            .filter(|words| !words.is_empty())
            .collect();
        given.dedup();
        let mut words = match given.len() {
            0 => return None,
            1 => given.remove(0),
            // Nobody knows which of them the agent means.
            _ => vec![given.concat().join("\n")],
        };
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
        let named = PATHS.iter().filter_map(|name| self.get(name));
        let named = named.flat_map(|value| match value {
            Value::Array(items) => items.iter().filter_map(path_of).collect(),
            other => path_of(other).into_iter().collect::<Vec<_>>(),
        });
        let changes = self.get("changes").and_then(Value::as_object);
        let changed = changes
            .into_iter()
            .flat_map(Map::keys)
            .map(|name| path(name));
        named.chain(changed).chain(self.patterns_outside())
    }

    /// Patterns of files that lead out of the directory they are looked for in.
    fn patterns_outside(&self) -> impl Iterator<Item = PathBuf> {
        let named = PATTERNS.iter().filter_map(|name| self.get(name));
        let texts = named.flat_map(|value| match value {
            Value::Array(items) => items.iter().filter_map(Value::as_str).collect(),
            other => other.as_str().into_iter().collect::<Vec<_>>(),
        });
        let leads_out = |text: &&str| text.starts_with(['/', '~']) || text.contains("../");
        texts.filter(leads_out).map(path)
    }

    /// What looks like a file outside, under whatever name.
    pub(super) fn likely_paths(&self) -> impl Iterator<Item = PathBuf> {
        let members = self.value.as_object().into_iter().flatten();
        let texts = members
            .filter(|(name, _)| !QUERIES.contains(&name.as_str()))
            .filter_map(|(_, value)| value.as_str());
        let leads_out = |text: &&str| {
            text.starts_with(['/', '~']) || text.starts_with("file://") || text.contains("..")
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
            return members::names_code(&self.value);
        };
        let is_editing = self.is_editing();
        let mut members = members.iter();
        members.any(|(name, value)| {
            let is_verb = is_editing && name == "command";
            !is_verb && (members::is_code(name) || members::names_code(value))
        })
    }

    /// A command stands for itself, with everything around it.
    fn is_known(&self, name: &str, value: &Value) -> bool {
        members::is_known(name, value)
            || (members::belongs_to_command(name) && self.command().is_some())
    }

    /// What is given beside that.
    pub(super) fn unknown(&self) -> Value {
        let Value::Object(members) = &self.value else {
            return self.value.clone();
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

    /// All that the subject does not say yet: beside a command, which stands for itself, also without what describes it.
    pub(super) fn rest(&self) -> Value {
        let Value::Object(members) = &self.value else {
            return self.value.clone();
        };
        let is_command = self.command().is_some();
        let counts = |name: &str| match is_command {
            true => ![COMMANDS, DESCRIPTIONS, PASSING, &["args"]]
                .iter()
                .any(|names| names.contains(&name)),
            false => !PASSING.contains(&name),
        };
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

    fn get(&self, name: &str) -> Option<&Value> {
        self.value.get(name).filter(|value| !value.is_null())
    }
}

fn command_words(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) if text.trim().is_empty() => Vec::new(),
        Value::String(text) => command::words(text),
        Value::Array(items) => items.iter().map(word).collect(),
        other => vec![other.to_string()],
    }
}

pub(super) fn word(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn path_of(value: &Value) -> Option<PathBuf> {
    let text = value
        .as_str()
        .or_else(|| PATHS.iter().find_map(|name| value.get(name)?.as_str()))?;
    let is_file = !text.is_empty() && (text.starts_with("file://") || !text.contains("://"));
    is_file.then(|| path(text))
}

fn path(text: &str) -> PathBuf {
    match text.strip_prefix("file://") {
        // The name of a host may stand in front of the path.
        Some(rest) => {
            let path = percent_decode_str(&rest[rest.find('/').unwrap_or(rest.len())..]);
            PathBuf::from(path.decode_utf8_lossy().into_owned())
        }
        None => PathBuf::from(text),
    }
}
