//! The input of a tool that the action does not show otherwise. A prompt has to show this too.

use std::path::{Path, PathBuf};

use attache_rpc::json::{Raw, Reader, ValueKind};
use serde_json::Value;

use super::input::word;
use super::members::{InputShape, MemberRole, command_members, names_paths};
use super::{Action, paths, repeated_members};

impl Action {
    /// The members of a tool's input that the command, the directory and the files of this action don't show, each with
    /// its value as JSON. A prompt shows the title anyway, and `changes`, the old and new texts of files. Input that is
    /// not an object is one value without a name. A member that occurs twice is listed twice.
    pub fn other_input(&self, input: &Raw, changes: &[&str]) -> Vec<(String, String)> {
        let Some(members) = members(input.as_str()) else {
            let nothing = [r#""""#, "null", "{}", "[]"].contains(&input.as_str().trim());
            return match nothing {
                true => Vec::new(),
                false => vec![(String::new(), input.as_str().to_owned())],
            };
        };
        let is_repeated = |name: &str| members.iter().filter(|(it, _)| it == name).count() > 1;
        let is_listed = |(name, json): &&(String, String)| {
            is_repeated(name) || repeats(json) || !self.shows_member(name, json, changes)
        };
        members.iter().filter(is_listed).cloned().collect()
    }

    /// Whether the action shows what a member says.
    fn shows_member(&self, name: &str, json: &str, changes: &[&str]) -> bool {
        let Ok(value) = serde_json::from_str::<Value>(json) else {
            return false;
        };
        let is_command = self.command.is_some();
        let is_any_of = |part| command_members(part).any(|it| it == name);
        let is_path = names_paths(name, InputShape::Files);
        match &value {
            Value::Null => true,
            _ if is_command && (is_any_of(MemberRole::Command) || name == "args") => {
                self.command_contains(&value)
            }
            _ if is_command && name == "env" => self.command_sets(&value),
            Value::String(text) if is_any_of(MemberRole::Directory) => match is_command {
                true => self.names_directory(text),
                false => self.names_file(text),
            },
            Value::String(text) if is_path => self.names_file(text),
            Value::Array(items) if is_path => {
                let mut items = items.iter();
                items.all(|item| item.as_str().is_some_and(|text| self.names_file(text)))
            }
            Value::String(text) if text.is_empty() || *text == self.title => true,
            Value::String(text) if REPLACED_TEXT_MEMBERS.contains(&name) => {
                changes.iter().any(|change| change.contains(text))
            }
            Value::String(text) => changes.contains(&text.as_str()),
            _ => false,
        }
    }

    /// Whether the command contains all of a value.
    fn command_contains(&self, value: &Value) -> bool {
        let one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let words = self.command.as_deref().unwrap_or_default();
        let shown = one_line(&words.join(" "));
        let is_shown = |value: &Value| shown.contains(&one_line(&word(value)));
        match value {
            Value::Array(items) => items.iter().all(is_shown),
            other => is_shown(other),
        }
    }

    /// Whether the command shows all these variables.
    fn command_sets(&self, variables: &Value) -> bool {
        let words = self.command.as_deref().unwrap_or_default();
        let is_set = |name: &str, value: &Value| {
            let word = format!("{name}={}", word(value));
            words.contains(&word)
        };
        match variables {
            Value::Object(members) => members.iter().all(|(name, value)| is_set(name, value)),
            Value::Array(items) => items.iter().all(|item| {
                let members = item.as_object();
                let has_more = members.is_none_or(|members| members.len() != 2);
                let name = item.get("name").and_then(Value::as_str);
                let value = item.get("value");
                !has_more && name.zip(value).is_some_and(|(name, it)| is_set(name, it))
            }),
            _ => false,
        }
    }

    fn names_directory(&self, text: &str) -> bool {
        let whole = |path: &Path| paths::normal(&self.workspace, path);
        let shown = match &self.directory {
            Some(directory) => whole(directory),
            None => whole(&self.workspace),
        };
        self.command.is_some() && whole(Path::new(text)) == shown
    }

    fn names_file(&self, text: &str) -> bool {
        let whole = |path: &Path| paths::normal(&self.workspace, path);
        let named = whole(Path::new(text));
        let is_named = |path: &PathBuf| path.as_os_str() == text || whole(path) == named;
        self.paths.iter().any(is_named)
    }
}

/// Whether a member occurs twice in one object, at any depth: it is uncertain which one the agent means.
fn repeats(json: &str) -> bool {
    repeated_members::read(json).is_ok_and(|(_, is_twice)| is_twice)
}

fn kind(json: &str) -> Option<ValueKind> {
    Reader::new(json).kind().ok()
}

/// The members of an object as written; `None` for anything else.
fn members(json: &str) -> Option<Vec<(String, String)>> {
    if !matches!(kind(json), Some(ValueKind::Object)) {
        return None;
    }
    let mut reader = Reader::new(json);
    let mut members = Vec::new();
    let mut has_more = reader.open_object().ok()?;
    while has_more {
        let name = reader.name().ok()?.into_owned();
        members.push((name, reader.skip().ok()?.to_owned()));
        has_more = reader.more_members().ok()?;
    }
    Some(members)
}

/// Members that say which part of a file is replaced, and by what.
const REPLACED_TEXT_MEMBERS: &[&str] = &[
    "new_str",
    "new_string",
    "newString",
    "new_text",
    "newText",
    "old_str",
    "old_string",
    "oldString",
    "old_text",
    "oldText",
];
