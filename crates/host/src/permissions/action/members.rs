//! The members of a tool's input: which names we know, and which values each of them may have. A name alone says nothing
//! of what the tool does with it.

use serde_json::Value;

use super::{file_patterns, input};

/// Whether we know what a member means, by its name and its value.
pub(super) fn is_known(name: &str, value: &Value) -> bool {
    if value.is_null() {
        return is_named(name);
    }
    if let Some((_, form)) = READING.iter().find(|(known, _)| *known == name) {
        return form.fits(value);
    }
    match name {
        // Content is never taken for reading, whatever it is.
        _ if CONTENT.contains(&name) || name == "edits" => true,
        _ if COMMANDS.contains(&name) => true,
        _ if PATHS.contains(&name) => is_paths(value),
        _ if DIRECTORIES.contains(&name) => value.as_str().is_some_and(is_path),
        _ if DESCRIPTIONS.contains(&name) => Form::Text.fits(value),
        _ if PASSING.contains(&name) => match name.ends_with("_id") || name.ends_with("Id") {
            true => Form::Text.fits(value) || Form::Number.fits(value),
            false => Form::Number.fits(value),
        },
        "args" | "env" => is_empty(value),
        _ => false,
    }
}

/// Whether it says more about a command, and something else where there is none.
pub(super) fn belongs_to_command(name: &str) -> bool {
    DESCRIPTIONS.contains(&name) || PASSING.contains(&name) || matches!(name, "args" | "env")
}

/// Whether a value names code to run, in whatever depth and spelling.
pub(super) fn names_code(value: &Value) -> bool {
    match value {
        Value::Object(members) => {
            let mut members = members.iter();
            members.any(|(name, value)| is_code(name, value) || names_code(value))
        }
        Value::Array(items) => items.iter().any(names_code),
        _ => false,
    }
}

/// Whether a member is code by its name, or an option of a program. Numbers and switches are not.
pub(super) fn is_code(name: &str, value: &Value) -> bool {
    let is_option = name.starts_with('-') && !READING.iter().any(|(known, _)| *known == name);
    !is_plain_value(value) && (is_option || has_part(name, CODE))
}

/// Whether a value names a file, in whatever depth and spelling.
pub(super) fn names_files(value: &Value) -> bool {
    match value {
        Value::Object(members) => members.iter().any(|(name, value)| {
            (!is_plain_value(value) && has_part(name, FILES)) || names_files(value)
        }),
        Value::Array(items) => items.iter().any(names_files),
        Value::String(text) => {
            text.starts_with(['/', '~'])
                || text.starts_with("./")
                || text.starts_with("..")
                || input::file_uri(text).is_some()
        }
        _ => false,
    }
}

/// Whether a value says where something is to be put, in whatever depth.
pub(super) fn names_destination(value: &Value) -> bool {
    match value {
        Value::Object(members) => members.iter().any(|(name, value)| {
            let is_destination = DESTINATIONS.contains(&name.as_str()) && !value.is_null();
            is_destination || names_destination(value)
        }),
        Value::Array(items) => items.iter().any(names_destination),
        _ => false,
    }
}

/// Whether it is no text, and has none in it.
pub(super) fn is_plain_value(value: &Value) -> bool {
    value.is_null() || value.is_number() || value.is_boolean()
}

/// Whether a text is a path on this machine, and not an address of something elsewhere.
pub(super) fn is_path(text: &str) -> bool {
    if text.contains('\0') {
        return false;
    }
    if let Some(rest) = input::file_uri(text) {
        let is_local = !rest.starts_with("//") || rest.starts_with("///");
        return (is_local || rest.starts_with("//localhost/")) && !rest.contains(['?', '#']);
    }
    let (start, _) = text.trim_start().split_once(':').unwrap_or_default();
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || "+-.".contains(letter);
    // One letter is a drive.
    !(start.len() > 1 && start.chars().all(is_letter))
}

/// Whether a name has one of these words in it, or is one of them when it is written together.
fn has_part(name: &str, words: &[&str]) -> bool {
    let letters = |text: &str| {
        let letters = text.chars().filter(char::is_ascii_alphabetic);
        letters
            .map(|letter| letter.to_ascii_lowercase())
            .collect::<String>()
    };
    let parts = parts(name);
    let is_word = |part: &String| words.contains(&part.as_str());
    parts.iter().any(is_word) || is_word(&letters(name))
}

/// The words of a name such as `shell_command`, `shellCommand`, `SHELL-COMMAND` or `HTMLPath`, in small letters.
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

/// The values that a member may have.
#[derive(Debug, Clone, Copy)]
enum Form {
    /// A number, also as a text.
    Number,
    /// A number, or a list of numbers.
    Numbers,
    /// Yes or no, also as a number.
    Switch,
    /// Pages such as `1-5,8`.
    Ranges,
    /// One word of letters and digits.
    Name,
    /// A text.
    Text,
    /// A text, or a list of texts.
    Texts,
    /// A pattern of files that stays inside, or a list of such.
    Patterns,
    /// A pattern of files that stays inside, or a regular expression.
    PatternOrText,
    /// An object of switches.
    Switches,
}

impl Form {
    fn fits(self, value: &Value) -> bool {
        let all = |fits: Form| {
            let items = value.as_array();
            items.is_some_and(|items| items.iter().all(|item| fits.fits(item)))
        };
        let is_text = |fits: fn(char) -> bool| {
            let text = value.as_str();
            text.is_some_and(|text| !text.is_empty() && text.chars().all(fits))
        };
        let texts = |fits: &dyn Fn(&str) -> bool| {
            let mut items = value
                .as_array()
                .map_or(std::slice::from_ref(value), Vec::as_slice)
                .iter();
            Form::Texts.fits(value) && items.all(|item| item.as_str().is_some_and(fits))
        };
        match self {
            Form::Number => value.is_number() || is_text(|char| char.is_ascii_digit()),
            Form::Numbers => Form::Number.fits(value) || all(Form::Number),
            Form::Switch => value.is_boolean() || value.is_number(),
            Form::Ranges => {
                value.is_number() || is_text(|char| char.is_ascii_digit() || "-, ".contains(char))
            }
            Form::Name => is_text(|char| char.is_ascii_alphanumeric() || "-_+.".contains(char)),
            Form::Text => value.as_str().is_some_and(|text| !text.contains('\0')),
            Form::Texts => Form::Text.fits(value) || all(Form::Text),
            Form::Patterns => texts(&file_patterns::stays_inside),
            Form::PatternOrText => texts(&file_patterns::may_be_text),
            Form::Switches => {
                let members = value.as_object();
                members.is_some_and(|members| members.values().all(Value::is_boolean))
            }
        }
    }
}

/// Paths as agents give them: a text, or a list of texts or of objects that name a file and how to read it.
pub(super) fn is_paths(value: &Value) -> bool {
    let is_one = |value: &Value| match value {
        Value::Object(members) => members.iter().all(|(name, value)| match value {
            Value::String(text) if PATHS.contains(&name.as_str()) => is_path(text),
            _ => {
                let mut reading = READING.iter();
                reading.any(|(known, form)| known == name && form.fits(value))
            }
        }),
        value => value.as_str().is_some_and(is_path),
    };
    match value {
        Value::Array(items) => items.iter().all(is_one),
        value => is_one(value),
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
        _ => false,
    }
}

fn is_named(name: &str) -> bool {
    let known = [
        COMMANDS,
        DIRECTORIES,
        PATHS,
        CONTENT,
        DESCRIPTIONS,
        PASSING,
        &["args", "env"],
    ];
    known.iter().any(|names| names.contains(&name))
        || READING.iter().any(|(known, _)| *known == name)
}

/// Members that say which part of a file is read, or what is searched for and how the finds are shown.
const READING: &[(&str, Form)] = &[
    ("-A", Form::Number),
    ("-B", Form::Number),
    ("-C", Form::Number),
    ("-i", Form::Switch),
    ("-n", Form::Switch),
    ("case_sensitive", Form::Switch),
    ("caseSensitive", Form::Switch),
    ("context", Form::Number),
    ("depth", Form::Number),
    ("end_line", Form::Number),
    ("endLine", Form::Number),
    ("exclude", Form::Texts),
    ("file_filtering_options", Form::Switches),
    ("glob", Form::Patterns),
    ("head_limit", Form::Number),
    ("ignore_case", Form::Switch),
    ("include", Form::Patterns),
    ("line", Form::Number),
    ("limit", Form::Number),
    ("lines", Form::Numbers),
    ("max_results", Form::Number),
    ("multiline", Form::Switch),
    ("offset", Form::Number),
    ("output_mode", Form::Name),
    ("pages", Form::Ranges),
    ("pattern", Form::PatternOrText),
    ("query", Form::Texts),
    ("recursive", Form::Switch),
    ("regex", Form::Texts),
    ("respect_git_ignore", Form::Switch),
    ("start_line", Form::Number),
    ("startLine", Form::Number),
    ("type", Form::Name),
    ("view_range", Form::Numbers),
];

/// Words in the names of members that are code. A path to a source file is called `source` by some tools, and names a file
/// then.
const CODE: &[&str] = &[
    "args",
    "argv",
    "bash",
    "binary",
    "cmd",
    "cmds",
    "cmdline",
    "code",
    "command",
    "commandline",
    "commands",
    "entrypoint",
    "eval",
    "exec",
    "executable",
    "execute",
    "expression",
    "hook",
    "interpreter",
    "javascript",
    "js",
    "lua",
    "perl",
    "powershell",
    "program",
    "python",
    "ruby",
    "run",
    "script",
    "scripts",
    "sh",
    "shell",
    "snippet",
    "source",
    "sourcecode",
    "stdin",
];

/// Words in the names of members that name files.
const FILES: &[&str] = &[
    "cwd",
    "dest",
    "destination",
    "dir",
    "directories",
    "directory",
    "dirs",
    "dst",
    "file",
    "filename",
    "filenames",
    "filepath",
    "filepaths",
    "files",
    "folder",
    "folders",
    "from",
    "into",
    "out",
    "outfile",
    "output",
    "path",
    "pathname",
    "paths",
    "src",
    "target",
    "targets",
    "to",
    "workdir",
];

/// Members that say where something is to be put, or what is put there. What only reads has none of them.
const DESTINATIONS: &[&str] = &[
    "destination",
    "destination_path",
    "destinationPath",
    "new_path",
    "newPath",
    "old_path",
    "oldPath",
    "target_file",
    "target_path",
    "targetPath",
    "edits",
];

pub(super) const COMMANDS: &[&str] = &["command", "cmd", "argv"];

pub(super) const EDITING: &[&str] = &[
    "view",
    "create",
    "str_replace",
    "insert",
    "undo_edit",
    "write",
];

pub(super) const DIRECTORIES: &[&str] = &[
    "cwd",
    "workdir",
    "working_directory",
    "workingDirectory",
    "directory",
    "dir_path",
];

pub(super) const PATHS: &[&str] = &[
    "file_path",
    "filePath",
    "path",
    "abs_path",
    "absPath",
    "absolute_path",
    "absolutePath",
    "notebook_path",
    "file",
    "filename",
    "file_name",
    "uri",
    "dir",
    "directory",
    "dir_path",
    "source",
    "source_path",
    "destination",
    "destination_path",
    "old_path",
    "oldPath",
    "new_path",
    "newPath",
    "target_file",
    "target_path",
    "paths",
    "files",
    "file_paths",
    "edits",
];

/// Members that name files where a tool moves them.
pub(super) const MOVES: &[&str] = &["from", "to"];

/// What is searched for is no file.
pub(super) const QUERIES: &[&str] = &["query", "pattern", "regex", "description", "prompt", "url"];

/// Members that may be patterns of files. To some tools `pattern` is a regular expression: one that looks like a path
/// elsewhere is taken for that.
pub(super) const PATTERNS: &[&str] = &["glob", "include", "pattern"];

/// Members that say what is written to a file, or what page is fetched.
pub(super) const CONTENT: &[&str] = &[
    "changes",
    "content",
    "contents",
    "expected_replacements",
    "file_text",
    "format",
    "insert_line",
    "insert_text",
    "instruction",
    "new_source",
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
    "prompt",
    "replace_all",
    "replaceAll",
    "url",
];

pub(super) const TOOLS: &[&str] = &["tool", "tool_name", "toolName"];

/// Members that say something about a command and change nothing of what it does. To another tool they may be the matter
/// itself, such as the title of an issue that it opens.
pub(super) const DESCRIPTIONS: &[&str] = &[
    "description",
    "explanation",
    "justification",
    "reason",
    "title",
    "parsed_cmd",
    "proposed_execpolicy_amendment",
];

/// Members that differ from call to call and change nothing of what any tool does.
pub(super) const PASSING: &[&str] = &[
    "timeout",
    "timeout_ms",
    "timeoutMs",
    "yield_time_ms",
    "max_output_tokens",
    "call_id",
    "turn_id",
    "tool_call_id",
    "toolCallId",
];
