//! The known members of a tool's input. For each shape of input, a fixed table of names, what each means and which
//! values it may have. A member that is not in the table of its shape, or has another value, is not understood.

use serde_json::Value;

use super::{file_patterns, path_readings};

/// The shape of a tool's input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum InputShape {
    /// A command to run.
    Command,
    /// Files to read, search or change, or a page to fetch.
    Files,
    /// Files to move.
    Move,
    /// A plan to carry out.
    Plan,
}

/// What a member means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MemberRole {
    /// A command; at most one.
    Command,
    /// Further words of the command.
    Arguments,
    /// Variables of the command.
    Variables,
    /// Where the command runs, or the tool works; at most one.
    Directory,
    /// How something is done. It counts for remembered decisions.
    Mode,
    /// A description, or something that differs from call to call and does not change what is done.
    Note,
    /// What an editing tool does with its file.
    Verb,
    /// Files.
    Path,
    /// A destination. Tools that only read have none.
    Destination,
    /// Files by a pattern.
    Pattern,
    /// Which part of a file is read, or what is searched for and how results are shown.
    Reading,
    /// What is written to a file, or which page is fetched. Tools that only read have none.
    Content,
}

impl InputShape {
    /// What a member with this name means in the shape, and which values it may have.
    fn member(self, name: &str) -> Option<(MemberRole, ValueType)> {
        let tables: &[&[Member]] = match self {
            InputShape::Command => &[COMMAND_MEMBERS, NOTE_MEMBERS],
            InputShape::Files => &[FILE_MEMBERS, NOTE_MEMBERS],
            InputShape::Move => &[MOVE_MEMBERS, FILE_MEMBERS, NOTE_MEMBERS],
            InputShape::Plan => &[PLAN_MEMBERS],
        };
        let mut members = tables.iter().copied().flatten();
        let found = members.find(|(known, _, _)| *known == name);
        found.map(|(_, part, form)| (*part, *form))
    }

    /// What a member means, if its name and its value are known.
    pub(super) fn role(self, name: &str, value: &Value) -> Option<MemberRole> {
        let (part, form) = self.member(name)?;
        (value.is_null() || form.fits(value)).then_some(part)
    }
}

/// The members that have this meaning for a command.
pub(super) fn command_members(part: MemberRole) -> impl Iterator<Item = &'static str> {
    let members = COMMAND_MEMBERS.iter().filter(move |(_, it, _)| *it == part);
    members.map(|(name, _, _)| *name)
}

/// Whether a member names files, or its value contains some. This includes members that the shape does not have, so
/// that more files are seen and less is allowed.
pub(super) fn names_paths(name: &str, shape: InputShape) -> bool {
    let own: &[Member] = match shape {
        InputShape::Move => MOVE_MEMBERS,
        InputShape::Files | InputShape::Plan => &[],
        // The directory of a command is already one of its files.
        InputShape::Command if matches!(shape.member(name), Some((MemberRole::Directory, _))) => {
            return false;
        }
        InputShape::Command => &[],
    };
    let mut members = own.iter().chain(FILE_MEMBERS);
    members.any(|(known, part, form)| {
        let has_files = matches!(part, MemberRole::Path | MemberRole::Destination)
            || matches!(form, ValueType::Edits);
        *known == name && has_files
    })
}

/// Whether a text is a path on this machine, and not the address of something elsewhere.
pub(super) fn is_path(text: &str) -> bool {
    if text.is_empty() || text.contains('\0') || path_readings::has_too_many(text) {
        return false;
    }
    if let Some(rest) = path_readings::file_uri(text) {
        let is_local = !rest.starts_with("//") || rest.starts_with("///");
        return (is_local || rest.starts_with("//localhost/")) && !rest.contains(['?', '#']);
    }
    let (start, _) = text.trim_start().split_once(':').unwrap_or_default();
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || "+-.".contains(letter);
    // One letter is a drive.
    let has_scheme = start.len() > 1 && start.chars().all(is_letter);
    !has_scheme && !text.contains("://")
}

/// The values that a member may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ValueType {
    /// A number, also as text.
    Number,
    /// A number, or a list of numbers.
    Numbers,
    /// A number or a text that identifies a call.
    Id,
    /// Yes or no, also as a number.
    Switch,
    /// Pages such as `1-5,8`.
    Ranges,
    /// One word of letters and digits.
    Name,
    /// A text.
    Text,
    /// An address on the web. Other addresses may name a file.
    WebAddress,
    /// A text, or a list of texts.
    Texts,
    /// A pattern of files that stays in its directory, or a list of them.
    Patterns,
    /// A pattern of files that stays in its directory, or a regular expression.
    PatternOrText,
    /// An object of switches.
    Switches,
    /// A line for a shell, or a program and its arguments.
    Command,
    /// Variables by name, or a list of names and values.
    Variables,
    /// A path.
    Path,
    /// A path, or a list of paths or of objects that name a file and how to read it.
    Paths,
    /// A list of objects that name a file and texts in it.
    Edits,
    /// Files by name, and how each one changes.
    Changes,
    /// How an agent parsed the words of a command.
    ParsedCommand,
    /// An empty list or object.
    Nothing,
}

impl ValueType {
    fn fits(self, value: &Value) -> bool {
        match self {
            ValueType::Number => value.is_number() || is_text(value, |char| char.is_ascii_digit()),
            ValueType::Numbers => {
                ValueType::Number.fits(value) || is_list(value, ValueType::Number)
            }
            ValueType::Id => ValueType::Text.fits(value) || ValueType::Number.fits(value),
            ValueType::Switch => value.is_boolean() || value.is_number(),
            ValueType::Ranges => {
                let is_range = |char: char| char.is_ascii_digit() || "-, ".contains(char);
                value.is_number() || is_text(value, is_range)
            }
            ValueType::Name => is_text(value, |char| {
                char.is_ascii_alphanumeric() || "-_+.".contains(char)
            }),
            ValueType::Text => value.as_str().is_some_and(|text| !text.contains('\0')),
            ValueType::WebAddress => {
                let is_web =
                    |text: &str| text.starts_with("http://") || text.starts_with("https://");
                ValueType::Text.fits(value) && value.as_str().is_some_and(is_web)
            }
            ValueType::Texts => ValueType::Text.fits(value) || is_list(value, ValueType::Text),
            ValueType::Patterns => are_texts(value, file_patterns::stays_inside),
            ValueType::PatternOrText => are_texts(value, file_patterns::may_be_text),
            ValueType::Switches => {
                let members = value.as_object();
                members.is_some_and(|members| members.values().all(Value::is_boolean))
            }
            ValueType::Command => {
                let is_line = value.as_str().is_some_and(|text| !text.trim().is_empty());
                let has_words = value.as_array().is_some_and(|words| !words.is_empty());
                (is_line && ValueType::Text.fits(value))
                    || (has_words && is_list(value, ValueType::Text))
            }
            ValueType::Variables => are_variables(value),
            ValueType::Path => value.as_str().is_some_and(is_path),
            ValueType::Paths => {
                let mut items = items(value).iter();
                items.all(|item| {
                    ValueType::Path.fits(item) || is_object_of(item, PATH_OBJECT_MEMBERS)
                })
            }
            ValueType::Edits => {
                let mut items = items(value).iter();
                items.all(|item| is_object_of(item, EDIT_MEMBERS))
            }
            ValueType::Changes => {
                let is_change = |(path, change): (&String, &Value)| {
                    is_path(path) && is_object_of(change, CHANGE_MEMBERS)
                };
                let files = value.as_object();
                files.is_some_and(|files| files.iter().all(is_change))
            }
            ValueType::ParsedCommand => {
                let mut items = items(value).iter();
                items.all(|item| {
                    let members = item.as_object();
                    let is_one = |value: &Value| value.is_null() || ValueType::Text.fits(value);
                    members.is_some_and(|members| members.values().all(is_one))
                })
            }
            ValueType::Nothing => match value {
                Value::Array(items) => items.is_empty(),
                Value::Object(members) => members.is_empty(),
                _ => false,
            },
        }
    }
}

fn is_text(value: &Value, fits: impl Fn(char) -> bool) -> bool {
    let text = value.as_str();
    text.is_some_and(|text| !text.is_empty() && text.chars().all(fits))
}

fn are_texts(value: &Value, fits: impl Fn(&str) -> bool) -> bool {
    let mut items = items(value).iter();
    ValueType::Texts.fits(value) && items.all(|item| item.as_str().is_some_and(&fits))
}

fn is_list(value: &Value, form: ValueType) -> bool {
    let items = value.as_array();
    items.is_some_and(|items| items.iter().all(|item| form.fits(item)))
}

/// The items of a list, or the value itself.
fn items(value: &Value) -> &[Value] {
    let items = value.as_array();
    items.map_or(std::slice::from_ref(value), Vec::as_slice)
}

fn is_object_of(value: &Value, members: &[(&str, ValueType)]) -> bool {
    let is_member = |(name, value): (&String, &Value)| {
        let mut members = members.iter();
        let form = members.find(|(known, _)| known == name);
        form.is_some_and(|(_, form)| value.is_null() || form.fits(value))
    };
    let object = value.as_object();
    object.is_some_and(|object| !object.is_empty() && object.iter().all(is_member))
}

fn are_variables(value: &Value) -> bool {
    let is_value = |value: &Value| ValueType::Id.fits(value) || value.is_boolean();
    let is_name = |name: &str| !name.is_empty() && !name.contains(['=', '\0']);
    let is_pair = |item: &Value| {
        let name = item.get("name").and_then(Value::as_str);
        let size = item.as_object().map_or(0, serde_json::Map::len);
        size == 2 && name.is_some_and(is_name) && item.get("value").is_some_and(is_value)
    };
    match value {
        Value::Object(members) => members
            .iter()
            .all(|(name, value)| is_name(name) && is_value(value)),
        Value::Array(items) => items.iter().all(is_pair),
        _ => false,
    }
}

type Member = (&'static str, MemberRole, ValueType);

const COMMAND_MEMBERS: &[Member] = &[
    ("command", MemberRole::Command, ValueType::Command),
    ("cmd", MemberRole::Command, ValueType::Command),
    ("argv", MemberRole::Command, ValueType::Command),
    ("args", MemberRole::Arguments, ValueType::Texts),
    ("env", MemberRole::Variables, ValueType::Variables),
    ("cwd", MemberRole::Directory, ValueType::Path),
    ("workdir", MemberRole::Directory, ValueType::Path),
    ("working_directory", MemberRole::Directory, ValueType::Path),
    ("workingDirectory", MemberRole::Directory, ValueType::Path),
    ("directory", MemberRole::Directory, ValueType::Path),
    ("dir_path", MemberRole::Directory, ValueType::Path),
    ("background", MemberRole::Mode, ValueType::Switch),
    ("is_background", MemberRole::Mode, ValueType::Switch),
    ("run_in_background", MemberRole::Mode, ValueType::Switch),
    ("parsed_cmd", MemberRole::Note, ValueType::ParsedCommand),
    (
        "proposed_execpolicy_amendment",
        MemberRole::Note,
        ValueType::Texts,
    ),
];

/// Descriptions, and what differs from call to call. For a tool that neither runs a command nor touches files, they may
/// be the point of the call, such as the title of an issue to open.
const NOTE_MEMBERS: &[Member] = &[
    ("description", MemberRole::Note, ValueType::Text),
    ("explanation", MemberRole::Note, ValueType::Text),
    ("justification", MemberRole::Note, ValueType::Text),
    ("reason", MemberRole::Note, ValueType::Text),
    ("title", MemberRole::Note, ValueType::Text),
    ("timeout", MemberRole::Note, ValueType::Number),
    ("timeout_ms", MemberRole::Note, ValueType::Number),
    ("timeoutMs", MemberRole::Note, ValueType::Number),
    ("yield_time_ms", MemberRole::Note, ValueType::Number),
    ("max_output_tokens", MemberRole::Note, ValueType::Number),
    ("call_id", MemberRole::Note, ValueType::Id),
    ("turn_id", MemberRole::Note, ValueType::Id),
    ("tool_call_id", MemberRole::Note, ValueType::Id),
    ("toolCallId", MemberRole::Note, ValueType::Id),
];

const MOVE_MEMBERS: &[Member] = &[
    ("from", MemberRole::Path, ValueType::Path),
    ("to", MemberRole::Destination, ValueType::Path),
];

/// As in Claude Code's request to leave plan mode. The file with the plan exists already.
const PLAN_MEMBERS: &[Member] = &[
    ("plan", MemberRole::Content, ValueType::Text),
    ("planFilePath", MemberRole::Note, ValueType::Path),
];

const FILE_MEMBERS: &[Member] = &[
    ("command", MemberRole::Verb, ValueType::Name),
    ("file_path", MemberRole::Path, ValueType::Paths),
    ("filePath", MemberRole::Path, ValueType::Paths),
    ("path", MemberRole::Path, ValueType::Paths),
    ("abs_path", MemberRole::Path, ValueType::Paths),
    ("absPath", MemberRole::Path, ValueType::Paths),
    ("absolute_path", MemberRole::Path, ValueType::Paths),
    ("absolutePath", MemberRole::Path, ValueType::Paths),
    ("notebook_path", MemberRole::Path, ValueType::Paths),
    ("file", MemberRole::Path, ValueType::Paths),
    ("filename", MemberRole::Path, ValueType::Paths),
    ("file_name", MemberRole::Path, ValueType::Paths),
    ("uri", MemberRole::Path, ValueType::Paths),
    ("cwd", MemberRole::Directory, ValueType::Path),
    ("workdir", MemberRole::Directory, ValueType::Path),
    ("working_directory", MemberRole::Directory, ValueType::Path),
    ("workingDirectory", MemberRole::Directory, ValueType::Path),
    ("dir", MemberRole::Path, ValueType::Paths),
    ("directory", MemberRole::Path, ValueType::Paths),
    ("dir_path", MemberRole::Path, ValueType::Paths),
    ("source", MemberRole::Path, ValueType::Paths),
    ("source_path", MemberRole::Path, ValueType::Paths),
    ("paths", MemberRole::Path, ValueType::Paths),
    ("files", MemberRole::Path, ValueType::Paths),
    ("file_paths", MemberRole::Path, ValueType::Paths),
    ("destination", MemberRole::Destination, ValueType::Path),
    ("destination_path", MemberRole::Destination, ValueType::Path),
    ("old_path", MemberRole::Destination, ValueType::Path),
    ("oldPath", MemberRole::Destination, ValueType::Path),
    ("new_path", MemberRole::Destination, ValueType::Path),
    ("newPath", MemberRole::Destination, ValueType::Path),
    ("target_file", MemberRole::Destination, ValueType::Path),
    ("target_path", MemberRole::Destination, ValueType::Path),
    ("glob", MemberRole::Pattern, ValueType::Patterns),
    ("include", MemberRole::Pattern, ValueType::Patterns),
    ("pattern", MemberRole::Pattern, ValueType::PatternOrText),
    ("-A", MemberRole::Reading, ValueType::Number),
    ("-B", MemberRole::Reading, ValueType::Number),
    ("-C", MemberRole::Reading, ValueType::Number),
    ("-i", MemberRole::Reading, ValueType::Switch),
    ("-n", MemberRole::Reading, ValueType::Switch),
    ("case_sensitive", MemberRole::Reading, ValueType::Switch),
    ("caseSensitive", MemberRole::Reading, ValueType::Switch),
    ("context", MemberRole::Reading, ValueType::Number),
    ("depth", MemberRole::Reading, ValueType::Number),
    ("end_line", MemberRole::Reading, ValueType::Number),
    ("endLine", MemberRole::Reading, ValueType::Number),
    ("exclude", MemberRole::Reading, ValueType::Texts),
    (
        "file_filtering_options",
        MemberRole::Reading,
        ValueType::Switches,
    ),
    ("head_limit", MemberRole::Reading, ValueType::Number),
    ("ignore_case", MemberRole::Reading, ValueType::Switch),
    ("line", MemberRole::Reading, ValueType::Number),
    ("limit", MemberRole::Reading, ValueType::Number),
    ("lines", MemberRole::Reading, ValueType::Numbers),
    ("max_results", MemberRole::Reading, ValueType::Number),
    ("multiline", MemberRole::Reading, ValueType::Switch),
    ("offset", MemberRole::Reading, ValueType::Number),
    ("output_mode", MemberRole::Reading, ValueType::Name),
    ("pages", MemberRole::Reading, ValueType::Ranges),
    ("query", MemberRole::Reading, ValueType::Texts),
    ("recursive", MemberRole::Reading, ValueType::Switch),
    ("regex", MemberRole::Reading, ValueType::Texts),
    ("respect_git_ignore", MemberRole::Reading, ValueType::Switch),
    ("start_line", MemberRole::Reading, ValueType::Number),
    ("startLine", MemberRole::Reading, ValueType::Number),
    ("type", MemberRole::Reading, ValueType::Name),
    ("view_range", MemberRole::Reading, ValueType::Numbers),
    ("args", MemberRole::Reading, ValueType::Nothing),
    ("env", MemberRole::Reading, ValueType::Nothing),
    ("changes", MemberRole::Content, ValueType::Changes),
    ("edits", MemberRole::Content, ValueType::Edits),
    ("content", MemberRole::Content, ValueType::Text),
    ("contents", MemberRole::Content, ValueType::Text),
    (
        "expected_replacements",
        MemberRole::Content,
        ValueType::Number,
    ),
    ("file_text", MemberRole::Content, ValueType::Text),
    ("format", MemberRole::Content, ValueType::Name),
    ("insert_line", MemberRole::Content, ValueType::Number),
    ("insert_text", MemberRole::Content, ValueType::Text),
    ("instruction", MemberRole::Content, ValueType::Text),
    ("new_source", MemberRole::Content, ValueType::Text),
    ("new_str", MemberRole::Content, ValueType::Text),
    ("new_string", MemberRole::Content, ValueType::Text),
    ("newString", MemberRole::Content, ValueType::Text),
    ("new_text", MemberRole::Content, ValueType::Text),
    ("newText", MemberRole::Content, ValueType::Text),
    ("old_str", MemberRole::Content, ValueType::Text),
    ("old_string", MemberRole::Content, ValueType::Text),
    ("oldString", MemberRole::Content, ValueType::Text),
    ("old_text", MemberRole::Content, ValueType::Text),
    ("oldText", MemberRole::Content, ValueType::Text),
    ("prompt", MemberRole::Content, ValueType::Text),
    ("replace_all", MemberRole::Content, ValueType::Switch),
    ("replaceAll", MemberRole::Content, ValueType::Switch),
    ("url", MemberRole::Content, ValueType::WebAddress),
];

/// The members of one file among several.
const PATH_OBJECT_MEMBERS: &[(&str, ValueType)] = &[
    ("path", ValueType::Path),
    ("file_path", ValueType::Path),
    ("filePath", ValueType::Path),
    ("uri", ValueType::Path),
    ("line", ValueType::Number),
    ("lines", ValueType::Numbers),
    ("limit", ValueType::Number),
    ("offset", ValueType::Number),
    ("start_line", ValueType::Number),
    ("startLine", ValueType::Number),
    ("end_line", ValueType::Number),
    ("endLine", ValueType::Number),
];

/// The members of one edit among several.
const EDIT_MEMBERS: &[(&str, ValueType)] = &[
    ("path", ValueType::Path),
    ("file_path", ValueType::Path),
    ("filePath", ValueType::Path),
    ("old", ValueType::Text),
    ("new", ValueType::Text),
    ("all", ValueType::Switch),
    ("old_str", ValueType::Text),
    ("new_str", ValueType::Text),
    ("old_string", ValueType::Text),
    ("new_string", ValueType::Text),
    ("oldString", ValueType::Text),
    ("newString", ValueType::Text),
    ("old_text", ValueType::Text),
    ("new_text", ValueType::Text),
    ("oldText", ValueType::Text),
    ("newText", ValueType::Text),
    ("replace_all", ValueType::Switch),
    ("replaceAll", ValueType::Switch),
];

/// The members of the change of one file, as Codex shows it.
const CHANGE_MEMBERS: &[(&str, ValueType)] = &[
    ("type", ValueType::Name),
    ("content", ValueType::Text),
    ("diff", ValueType::Text),
    ("unified_diff", ValueType::Text),
    ("move_path", ValueType::Path),
];

/// What an editing tool can do with a file.
pub(super) const EDIT_VERBS: &[&str] = &[
    "view",
    "create",
    "str_replace",
    "insert",
    "undo_edit",
    "write",
];

pub(super) const TOOL_NAME_MEMBERS: &[&str] = &["tool", "tool_name", "toolName"];
