//! The texts in input that is not understood, at any depth, including names of members. Each may be a command or a
//! file, and rules that deny or ask consider all of them.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::super::path_views::word_values;
use super::path_readings::{file_uri, readings};
use super::{command, paths};
use crate::protected_names::{fold, is_protected};

/// The commands and files that the texts in unknown input may be.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct UnknownTexts {
    /// Commands and their arguments.
    pub(in super::super) commands: Vec<Vec<String>>,
    /// Files.
    pub(in super::super) paths: Vec<PathBuf>,
    /// Texts that can hardly be anything but a file: absolute paths, and those that lead elsewhere.
    plain: Vec<PathBuf>,
    /// Whether there are more than are considered.
    pub(in super::super) is_cut: bool,
    /// Bytes of all commands.
    size: usize,
}

impl UnknownTexts {
    pub(super) fn of<'a>(members: impl Iterator<Item = (&'a str, &'a Value)>) -> UnknownTexts {
        let mut found = UnknownTexts::default();
        for (name, value) in members {
            found.name(name);
            found.value(value);
        }
        found.paths.sort();
        found.paths.dedup();
        found
    }

    /// The files that can hardly be anything else, and those with protected names. A prompt shows them.
    pub(super) fn plain_paths(&self, workspace: &Path) -> impl Iterator<Item = PathBuf> {
        let is_protected = |path: &&PathBuf| {
            let seen = paths::inside(workspace, path);
            is_protected(seen.as_deref().unwrap_or(path))
        };
        let protected = self.paths.iter().filter(is_protected);
        self.plain.iter().chain(protected).cloned()
    }

    fn value(&mut self, value: &Value) {
        match value {
            Value::String(text) => self.text(text),
            Value::Array(items) => {
                let words: Option<Vec<String>> = items
                    .iter()
                    .map(|item| item.as_str().map(str::to_owned))
                    .collect();
                if let Some(words) = words.filter(|words| words.len() > 1) {
                    self.command(words);
                }
                items.iter().for_each(|item| self.value(item));
            }
            Value::Object(members) => {
                for (name, value) in members {
                    self.name(name);
                    self.value(value);
                }
            }
            _ => {}
        }
    }

    fn name(&mut self, name: &str) {
        self.files(name);
        // A single word is the name of a member, not a program.
        if name.contains(char::is_whitespace) {
            self.command(command::words(name));
        }
    }

    fn text(&mut self, text: &str) {
        self.files(text);
        if looks_like_file(text) && !text.trim().contains(char::is_whitespace) {
            let paths = readings(text.trim())
                .into_iter()
                .filter(|path| is_possible(path));
            self.plain.extend(paths);
        }
        if !text.trim().is_empty() {
            self.command(command::words(text));
        }
    }

    fn command(&mut self, words: Vec<String>) {
        self.size += words.iter().map(|word| word.len() + 1).sum::<usize>();
        match self.commands.len() < MAX_TEXTS && self.size < MAX_SIZE {
            true => self.commands.push(words),
            false => self.is_cut = true,
        }
    }

    fn files(&mut self, text: &str) {
        // For some programs a text ends at a NUL character.
        for line in text.split(['\n', '\r', '\0']) {
            let line = line.trim();
            let bare = line.trim_matches(['"', '\'', '`']);
            self.file(line);
            let quoted = Some(bare).filter(|bare| *bare != line);
            let named = quoted.into_iter().chain(bare.strip_prefix('@'));
            named.chain(in_patch(line)).for_each(|it| self.file(it));
        }
        if !text.contains(char::is_whitespace) {
            let parts = word_values(text).into_iter().filter(|part| *part != text);
            parts.for_each(|part| self.file(part));
        }
    }

    fn file(&mut self, text: &str) {
        for path in readings(text).into_iter().filter(|path| is_possible(path)) {
            match self.paths.len() < MAX_TEXTS {
                true => self.paths.push(path),
                false => self.is_cut = true,
            }
        }
    }
}

/// Whether such a file can exist: no file system has longer names.
fn is_possible(path: &Path) -> bool {
    let text = path.to_string_lossy();
    text.len() < MAX_PATH
        && !text.contains('\0')
        && path.iter().all(|name| name.len() <= MAX_NAME)
        && path.iter().next().is_some()
}

/// The files that a line of a patch names.
fn in_patch(line: &str) -> impl Iterator<Item = &str> {
    let named = PATCH_LINES
        .iter()
        .find_map(|start| line.strip_prefix(start));
    let named = named.map(|rest| rest.split('\t').next().unwrap_or(rest).trim());
    let without_side = |name: &'_ str| name.starts_with("a/") || name.starts_with("b/");
    let bare = named
        .filter(|name| without_side(name))
        .map(|name| &name[2..]);
    let both = line.strip_prefix("diff --git ").unwrap_or_default();
    let both = both.split(' ').filter(move |name| without_side(name));
    let both = both.map(|name| &name[2..]);
    named.into_iter().chain(bare).chain(both)
}

/// The files that the headers of a patch name, as written. In a hunk with line counts, a single line that begins with
/// `--- ` or `+++ ` is one that is removed or added.
pub(super) fn patch_files(text: &str) -> Vec<&str> {
    let lines: Vec<&str> = text.lines().collect();
    let (mut old, mut new) = (0_usize, 0_usize);
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let next = lines.get(at + 1).copied().unwrap_or_default();
        let before = at.checked_sub(1).map_or("", |at| lines[at]);
        let is_in_hunk = (old > 0 || new > 0) && line.starts_with(['-', '+', ' ', '\\']);
        let is_pair = (line.starts_with("--- ") && next.starts_with("+++ "))
            || (line.starts_with("+++ ") && before.starts_with("--- "));
        if !is_in_hunk || is_pair {
            found.extend(in_patch(line.trim()).filter(|name| *name != "/dev/null"));
        }
        if let Some(counts) = hunk_counts(line) {
            (old, new) = counts;
            continue;
        }
        old = old.saturating_sub(usize::from(line.starts_with(['-', ' '])));
        new = new.saturating_sub(usize::from(line.starts_with(['+', ' '])));
    }
    found.retain(|name| !name.is_empty());
    found
}

/// The line counts of a hunk in the old and the new file, from its first line: `@@ -1,2 +1,3 @@`.
fn hunk_counts(line: &str) -> Option<(usize, usize)> {
    let (old, rest) = line.strip_prefix("@@ -")?.split_once(" +")?;
    let (new, _) = rest.split_once(" @@")?;
    let count = |range: &str| match range.split_once(',') {
        Some((_, count)) => count.parse().ok(),
        None => Some(1),
    };
    Some((count(old)?, count(new)?))
}

/// Whether a text in a value, at any depth, contains a header of a patch.
pub(super) fn has_patch(value: &Value) -> bool {
    value
        .as_str()
        .is_some_and(|text| !patch_files(text).is_empty())
        || members(value).any(|(_, value)| has_patch(value))
        || items(value).any(has_patch)
}

/// Whether a value, at any depth, may be code to run, judging by the names of members.
pub(super) fn names_code(name: &str, value: &Value) -> bool {
    if is_plain_value(value) {
        return false;
    }
    let is_empty = value.as_array().is_some_and(Vec::is_empty);
    let is_whole = name.is_empty() && !value.is_object() && !is_empty;
    let is_code = is_whole
        || name.starts_with('-')
        || !name.is_ascii()
        || has_part(name, CODE)
        || has_word(name, CODE_WORDS);
    is_code
        || members(value).any(|(name, value)| names_code(name, value))
        || items(value).any(|item| names_code("item", item))
}

/// Whether a value, at any depth, names a file, judging by the names of members or by itself.
pub(super) fn names_files(name: &str, value: &Value) -> bool {
    if is_plain_value(value) {
        return false;
    }
    let is_file = value.as_str().is_some_and(looks_like_file);
    is_file
        || has_part(name, FILES)
        || has_word(name, FILE_WORDS)
        || members(value).any(|(name, value)| looks_like_file(name) || names_files(name, value))
        || items(value).any(|item| names_files("", item))
}

/// Whether a member, at any depth, names a destination.
pub(super) fn names_destination(name: &str, value: &Value) -> bool {
    has_part(name, DESTINATIONS)
        || members(value).any(|(name, value)| names_destination(name, value))
        || items(value).any(|item| names_destination("", item))
}

fn members(value: &Value) -> impl Iterator<Item = (&str, &Value)> {
    let members = value.as_object().into_iter().flatten();
    members.map(|(name, value)| (name.as_str(), value))
}

fn items(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// Whether the value is neither text nor contains any.
fn is_plain_value(value: &Value) -> bool {
    value.is_null() || value.is_number() || value.is_boolean()
}

/// Whether a text is a path from the root, from the home directory or to somewhere else.
fn looks_like_file(text: &str) -> bool {
    let text =
        text.trim_start_matches(|letter: char| letter.is_whitespace() || "\"'`@".contains(letter));
    let is_drive =
        text.get(1..2) == Some(":") && text.starts_with(|it: char| it.is_ascii_alphabetic());
    text.starts_with(['/', '~', '\\', '$'])
        || text.starts_with("./")
        || text.split(['/', '\\']).any(|name| name == "..")
        || is_drive
        || file_uri(text).is_some()
        || text.contains(":///")
}

/// Whether a name is one of these words, or has one as a part.
fn has_part(name: &str, words: &[&str]) -> bool {
    let parts = parts(name);
    parts.iter().any(|part| words.contains(&part.as_str()))
}

/// Whether one of these words is anywhere in a name, however it is spelled.
fn has_word(name: &str, words: &[&str]) -> bool {
    let mut letters: String = fold(name.as_ref());
    letters.retain(|letter| letter.is_ascii_alphabetic());
    for harmless in HARMLESS {
        letters = letters.replace(harmless, "");
    }
    words.iter().any(|word| letters.contains(word))
}

/// The words of a name such as `shell_command`, `shellCommand`, `SHELL-COMMAND` or `HTMLPath`, in lower case.
fn parts(name: &str) -> Vec<String> {
    let letters: Vec<char> = name.chars().collect();
    let mut parts = vec![String::new()];
    for (at, letter) in letters.iter().enumerate() {
        let is_next_small = letters.get(at + 1).is_some_and(char::is_ascii_lowercase);
        let is_after_small = at > 0 && letters[at - 1].is_ascii_lowercase();
        let begins = letter.is_ascii_uppercase() && (is_after_small || is_next_small);
        if begins || !letter.is_ascii_alphabetic() {
            parts.push(String::new());
        }
        if let (true, Some(part)) = (letter.is_ascii_alphabetic(), parts.last_mut()) {
            part.push(letter.to_ascii_lowercase());
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}

/// Words that make a member code if they are a part of its name.
const CODE: &[&str] = &[
    "arg", "args", "binary", "eval", "hook", "js", "lua", "perl", "ps", "py", "rb", "ruby", "run",
    "sh", "source", "step", "steps", "ts",
];

/// Words that make a member code anywhere in its name.
const CODE_WORDS: &[&str] = &[
    "argument",
    "argv",
    "bash",
    "cmd",
    "code",
    "command",
    "entrypoint",
    "exec",
    "expression",
    "interpreter",
    "javascript",
    "powershell",
    "program",
    "python",
    "script",
    "shell",
    "snippet",
    "stdin",
];

/// Words that make a member a file if they are a part of its name.
const FILES: &[&str] = &[
    "archive", "as", "cwd", "dir", "dirs", "dst", "from", "into", "location", "out", "src",
    "target", "targets", "to", "workdir",
];

/// Words that make a member a file anywhere in its name.
const FILE_WORDS: &[&str] = &["dest", "director", "file", "folder", "output", "path"];

/// Words that contain one of those and mean something else.
const HARMLESS: &[&str] = &["description", "profile", "subscription", "transcript"];

/// Words that make a member a destination if they are a part of its name.
const DESTINATIONS: &[&str] = &[
    "dest",
    "destination",
    "dst",
    "into",
    "move",
    "new",
    "out",
    "output",
    "target",
    "to",
];

/// Texts before a file name in a patch.
const PATCH_LINES: &[&str] = &[
    "*** Add File:",
    "*** Update File:",
    "*** Delete File:",
    "*** Move to:",
    "--- ",
    "+++ ",
    "rename from ",
    "rename to ",
    "copy from ",
    "copy to ",
    "Index: ",
];

/// Texts, and bytes of them. With more, nothing is allowed without asking.
const MAX_TEXTS: usize = 1024;
const MAX_SIZE: usize = 1024 * 1024;
const MAX_PATH: usize = 4096;
const MAX_NAME: usize = 255;
