//! The input that the model gave the tool, in the shapes that agents in use send.

use std::path::PathBuf;

use attache_rpc::json::Raw;
use attache_schema::v1;
use serde_json::{Map, Value};

use super::members::{self, EDIT_VERBS, InputShape, MemberRole, TOOL_NAME_MEMBERS};
use super::path_readings::{path, readings};
use super::unknown_texts::{has_patch, patch_files};
use super::{command, file_patterns, repeated_members};
use crate::environment::is_harmless;

/// The input of a tool call.
pub(super) struct ToolInput {
    /// A member that occurs twice has all of its values here, as a list.
    value: Value,
    /// The input as written, if some member occurs twice.
    text: Option<String>,
    /// Whether some member occurs twice, at any depth: tools differ in which one counts.
    pub(super) is_ambiguous: bool,
    shape: InputShape,
    /// Whether the tool may change files, so that patterns are more than searches.
    may_change: bool,
    /// Whether `command` says what an editing tool does with a file.
    is_editing: bool,
    /// Whether the input names no file to write content to, so that content with patch headers is a patch.
    has_no_file: bool,
}

impl ToolInput {
    /// Reads the input. Input that is not valid JSON is kept as text, so that it counts in the digests.
    pub(super) fn read(raw: Option<&Raw>, kind: &v1::ToolKind) -> ToolInput {
        let text = raw.map_or("null", Raw::as_str);
        let (value, is_ambiguous) =
            repeated_members::read(text).unwrap_or_else(|_| (Value::from(text), false));
        let verb = value.get("command").and_then(Value::as_str);
        let is_editing = *kind != v1::ToolKind::Execute
            && value.get("path").is_some_and(Value::is_string)
            && verb.is_some_and(|verb| EDIT_VERBS.contains(&verb));
        let mut commands = members::command_members(MemberRole::Command);
        let is_given = |name| value.get(name).is_some_and(|value| !value.is_null());
        let shape = match kind {
            _ if !is_editing && commands.any(is_given) => InputShape::Command,
            v1::ToolKind::Move => InputShape::Move,
            v1::ToolKind::SwitchMode => InputShape::Plan,
            _ => InputShape::Files,
        };
        ToolInput {
            has_no_file: !names_file(&value, shape),
            text: is_ambiguous.then(|| text.to_owned()),
            value,
            is_ambiguous,
            shape,
            may_change: !matches!(kind, v1::ToolKind::Read | v1::ToolKind::Search),
            is_editing,
        }
    }

    /// All of it, for a digest.
    pub(super) fn whole(&self) -> Value {
        match &self.text {
            Some(text) => Value::from(text.as_str()),
            None => self.value.clone(),
        }
    }

    /// The command and its arguments, with its variables in front as `env` takes them. Variables that an agent may set
    /// without asking are left out; they count in the subject.
    pub(super) fn command(&self) -> Option<Vec<String>> {
        let names = members::command_members(MemberRole::Command);
        let names = names.filter(|name| !(self.is_editing && *name == "command"));
        let given = names.filter_map(|name| self.get(name));
        let mut given: Vec<Vec<String>> = given
            .map(|value| self.command_words(value))
            .filter(|words| !words.is_empty())
            .collect();
        given.dedup();
        let mut words = match given.len() {
            0 => return None,
            1 => given.remove(0),
            // It is uncertain which of them the agent means.
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

    /// The directory that a command runs in, or a tool works in.
    pub(super) fn directory(&self) -> Option<PathBuf> {
        self.directory_text().map(PathBuf::from)
    }

    /// That directory in every way that a tool may read it.
    pub(super) fn directory_readings(&self) -> Vec<PathBuf> {
        self.directory_text().map(readings).unwrap_or_default()
    }

    fn directory_text(&self) -> Option<&str> {
        members::command_members(MemberRole::Directory).find_map(|name| self.get(name)?.as_str())
    }

    /// The texts that name files, in members for file names.
    fn path_texts(&self) -> Vec<&str> {
        let members = self.value.as_object().into_iter().flatten();
        let named = members.filter(|(name, _)| members::names_paths(name, self.shape));
        let mut texts: Vec<&str> = Vec::new();
        for (_, value) in named {
            collect_paths(value, self.shape, &mut texts);
        }
        let changes = self.get("changes").and_then(Value::as_object);
        for (path, change) in changes.into_iter().flatten() {
            texts.push(path);
            texts.extend(change.get("move_path").and_then(Value::as_str));
            let patches = ["diff", "unified_diff"].into_iter();
            let patches = patches.filter_map(|name| change.get(name)?.as_str());
            texts.extend(patches.flat_map(patch_files));
        }
        texts
    }

    /// The files that it names.
    pub(super) fn paths(&self) -> impl Iterator<Item = PathBuf> {
        let named: Vec<PathBuf> = self.path_texts().into_iter().flat_map(readings).collect();
        let below = self.below_directories(&named);
        named
            .into_iter()
            .chain(below)
            .chain(self.patterns_outside())
    }

    /// Relative files, joined to each directory that is named beside them: tools may look for them there.
    fn below_directories(&self, named: &[PathBuf]) -> Vec<PathBuf> {
        if self.shape != InputShape::Files {
            return Vec::new();
        }
        let names =
            members::command_members(MemberRole::Directory).chain(["path", "dir", "folder"]);
        let directories = names.filter_map(|name| self.get(name)?.as_str());
        let directories: Vec<PathBuf> = directories.flat_map(readings).collect();
        let mut below = Vec::new();
        for directory in &directories {
            let others = named.iter().filter(|path| *path != directory);
            let relative = others.filter(|path| path.is_relative());
            below.extend(relative.map(|path| directory.join(path)));
        }
        below
    }

    /// Paths that some tools take for patterns of files.
    pub(super) fn wild_paths(&self) -> Vec<String> {
        let texts = self.path_texts().into_iter().flat_map(readings);
        let texts = texts.map(|path| path.to_string_lossy().into_owned());
        let wild = texts.filter(|text| file_patterns::is_pattern(text));
        let changed = self.pattern_texts().into_iter().filter(|_| self.may_change);
        wild.chain(changed.map(str::to_owned)).collect()
    }

    /// Patterns of files that lead out of the directory that they start from.
    fn patterns_outside(&self) -> impl Iterator<Item = PathBuf> {
        let leads_out = |text: &&str| text.starts_with(['/', '~']) || text.contains("../");
        self.pattern_texts().into_iter().filter(leads_out).map(path)
    }

    /// The patterns of files that it searches for. A text that may be a regular expression counts if it looks like a
    /// path.
    pub(super) fn patterns(&self) -> Vec<String> {
        let all = self.pattern_texts().into_iter();
        all.map(str::to_owned).collect()
    }

    fn pattern_texts(&self) -> Vec<&str> {
        let members = self.value.as_object().into_iter().flatten();
        let mut all = Vec::new();
        for (name, value) in members.filter(|(name, _)| PATTERN_MEMBERS.contains(&name.as_str())) {
            let texts = match value {
                Value::Array(items) => items.as_slice(),
                other => std::slice::from_ref(other),
            };
            let is_files = |text: &&str| name != "pattern" || file_patterns::may_be_pattern(text);
            all.extend(texts.iter().filter_map(Value::as_str).filter(is_files));
        }
        all
    }

    /// Whether the input names a destination.
    pub(super) fn names_destination(&self) -> bool {
        let is_put = |(name, value): (&str, &Value)| {
            !value.is_null() && self.role(name, value) == Some(MemberRole::Destination)
        };
        let changes = self.get("changes").and_then(Value::as_object);
        let mut changes = changes.into_iter().flat_map(Map::values);
        self.members().any(is_put)
            || changes.any(|change| change.get("move_path").is_some_and(|it| !it.is_null()))
    }

    /// The tool's names.
    pub(super) fn tools(&self) -> impl Iterator<Item = &str> {
        TOOL_NAME_MEMBERS
            .iter()
            .filter_map(|name| self.get(name)?.as_str())
    }

    /// Whether some input is not understood.
    pub(super) fn has_unknown(&self) -> bool {
        self.is_ambiguous || self.unknown().next().is_some()
    }

    /// The members that are not understood. Input that is not an object is one member without a name.
    pub(super) fn unknown(&self) -> impl Iterator<Item = (&str, &Value)> {
        let whole = match &self.value {
            Value::Object(_) | Value::Null => None,
            other => Some(("", other)),
        };
        let members = self.members();
        let unknown = members.filter(|(name, value)| self.role(name, value).is_none());
        whole.into_iter().chain(unknown)
    }

    /// Whether the input contains content for a file, or says to change one.
    pub(super) fn has_content(&self) -> bool {
        let is_content = |(name, value): (&str, &Value)| {
            !value.is_null() && self.role(name, value) == Some(MemberRole::Content)
        };
        let is_view = self.get("command").and_then(Value::as_str) == Some("view");
        self.members().any(is_content) || (self.is_editing && !is_view)
    }

    /// The input that counts for a decision on files, in addition to the files: patterns, and which files are removed.
    pub(super) fn beside_files(&self) -> Value {
        let patterns = self.members().filter(|(name, value)| {
            !value.is_null() && self.role(name, value) == Some(MemberRole::Pattern)
        });
        let mut counted = owned(patterns);
        let changes = self.get("changes").and_then(Value::as_object);
        let removed = changes.into_iter().flatten().filter(|(_, change)| {
            let kind = change.get("type").and_then(Value::as_str);
            !matches!(kind, Some("add" | "update"))
        });
        let removed: Vec<Value> = removed.map(|(path, _)| path.as_str().into()).collect();
        if !removed.is_empty() {
            counted.insert("changes".to_owned(), Value::Array(removed));
        }
        value_of(counted)
    }

    /// The input that counts for a decision on a command that is understood, in addition to the command.
    pub(super) fn beside_command(&self) -> Value {
        let counts = |(name, value): &(&str, &Value)| {
            let part = self.role(name, value);
            !matches!(
                part,
                Some(MemberRole::Command | MemberRole::Arguments | MemberRole::Note)
            )
        };
        value_of(owned(self.members().filter(counts)))
    }

    fn members(&self) -> impl Iterator<Item = (&str, &Value)> {
        let members = self.value.as_object().into_iter().flatten();
        members.map(|(name, value)| (name.as_str(), value))
    }

    /// The role of a member; `None` if it is not understood. Of several commands or directories, it is uncertain which
    /// one counts.
    fn role(&self, name: &str, value: &Value) -> Option<MemberRole> {
        let role = self.shape.role(name, value)?;
        if role == MemberRole::Pattern && self.may_change && !value.is_null() {
            return None;
        }
        if role == MemberRole::Content && self.has_no_file && has_patch(value) {
            return None;
        }
        let is_single =
            matches!(role, MemberRole::Command | MemberRole::Directory) && !value.is_null();
        let mut others = members::command_members(role).filter(|other| *other != name);
        let has_others = others.any(|other| self.get(other).is_some());
        (!is_single || !has_others).then_some(role)
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

fn owned<'a>(members: impl Iterator<Item = (&'a str, &'a Value)>) -> Map<String, Value> {
    let owned = members.map(|(name, value)| (name.to_owned(), value.clone()));
    owned.collect()
}

fn value_of(members: Map<String, Value>) -> Value {
    match members.is_empty() {
        true => Value::Null,
        false => Value::Object(members),
    }
}

pub(super) fn word(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Whether a member names a file that something can be written to. A directory does not count.
fn names_file(value: &Value, shape: InputShape) -> bool {
    let is_directory = |text: &str| {
        let text = text.trim();
        let end = text.rsplit(['/', '\\']).next().unwrap_or(text);
        matches!(end, "" | "." | "..") || text == "~"
    };
    let mut members = value.as_object().into_iter().flatten();
    members.any(|(name, value)| {
        let mut texts = Vec::new();
        if members::names_paths(name, shape) && !DIRECTORY_MEMBERS.contains(&name.as_str()) {
            collect_paths(value, shape, &mut texts);
        }
        let changes = value.as_object().filter(|_| name == "changes");
        texts.extend(changes.into_iter().flat_map(Map::keys).map(String::as_str));
        texts.into_iter().any(|text| !is_directory(text))
    })
}

/// The texts in a value that name files.
fn collect_paths<'a>(value: &'a Value, shape: InputShape, texts: &mut Vec<&'a str>) {
    match value {
        Value::String(text) => texts.push(text),
        Value::Array(items) => items
            .iter()
            .for_each(|item| collect_paths(item, shape, texts)),
        Value::Object(members) => members
            .iter()
            .filter(|(name, _)| members::names_paths(name, shape))
            .for_each(|(_, value)| collect_paths(value, shape, texts)),
        _ => {}
    }
}

/// Members that may be patterns of files. To some tools `pattern` is a regular expression; one that looks like a path
/// elsewhere is taken for a path.
const PATTERN_MEMBERS: &[&str] = &["glob", "include", "pattern"];

/// Members that name a directory, not a file in it.
const DIRECTORY_MEMBERS: &[&str] = &["dir", "directory", "dir_path"];
