//! The members of a tool's input that we know: for each shape of input a fixed table of names, what each means, and which
//! values it may have. A member that is not in the table of its shape, or has another value, is not understood.

use serde_json::Value;

use super::{file_patterns, path_readings};

/// What a tool is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// A command to run.
    Command,
    /// Files to read, search or change, or a page to fetch.
    Files,
    /// Files to move.
    Move,
    /// A plan that is to be carried out.
    Plan,
}

/// What a member means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// A command; one at most.
    Command,
    /// Further words of the command.
    Arguments,
    /// Variables of the command.
    Variables,
    /// Where the command runs, or the tool works; one at most.
    Directory,
    /// How something is done. It counts in what a decision is remembered for.
    Mode,
    /// What describes a call or differs from call to call, and changes nothing of what is done.
    Note,
    /// What an editing tool does with its file.
    Verb,
    /// Files.
    Path,
    /// Where something is put. What only reads has none.
    Destination,
    /// Files by a pattern.
    Pattern,
    /// Which part of a file is read, or what is searched for and how the finds are shown.
    Reading,
    /// What is written to a file, or what page is fetched. What only reads has none.
    Content,
}

impl Shape {
    /// What a member of this name means in the shape, and which values it may have.
    fn member(self, name: &str) -> Option<(Part, Form)> {
        let tables: &[&[Member]] = match self {
            Shape::Command => &[OF_COMMANDS, NOTES],
            Shape::Files => &[OF_FILES, NOTES],
            Shape::Move => &[OF_MOVES, OF_FILES, NOTES],
            Shape::Plan => &[OF_PLANS],
        };
        let mut members = tables.iter().copied().flatten();
        let found = members.find(|(known, _, _)| *known == name);
        found.map(|(_, part, form)| (*part, *form))
    }

    /// What a member means, if its name and its value are known.
    pub(super) fn part(self, name: &str, value: &Value) -> Option<Part> {
        let (part, form) = self.member(name)?;
        (value.is_null() || form.fits(value)).then_some(part)
    }
}

/// The members that mean the same for a command.
pub(super) fn command_members(part: Part) -> impl Iterator<Item = &'static str> {
    let members = OF_COMMANDS.iter().filter(move |(_, it, _)| *it == part);
    members.map(|(name, _, _)| *name)
}

/// Whether a member names files, or files are in its value: also where the shape has no such member, so that more files are
/// seen and less is allowed.
pub(super) fn names_paths(name: &str, shape: Shape) -> bool {
    let own: &[Member] = match shape {
        Shape::Move => OF_MOVES,
        Shape::Files | Shape::Plan => &[],
        // The directory of a command is one already.
        Shape::Command if matches!(shape.member(name), Some((Part::Directory, _))) => return false,
        Shape::Command => &[],
    };
    let mut members = own.iter().chain(OF_FILES);
    members.any(|(known, part, form)| {
        let has_files =
            matches!(part, Part::Path | Part::Destination) || matches!(form, Form::Edits);
        *known == name && has_files
    })
}

/// Whether a text is a path on this machine, and not an address of something elsewhere.
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
enum Form {
    /// A number, also as a text.
    Number,
    /// A number, or a list of numbers.
    Numbers,
    /// A number or a text that tells calls apart.
    Id,
    /// Yes or no, also as a number.
    Switch,
    /// Pages such as `1-5,8`.
    Ranges,
    /// One word of letters and digits.
    Name,
    /// A text.
    Text,
    /// An address of the web; any other may be one of a file.
    WebAddress,
    /// A text, or a list of texts.
    Texts,
    /// A pattern of files that stays inside, or a list of such.
    Patterns,
    /// A pattern of files that stays inside, or a regular expression.
    PatternOrText,
    /// An object of switches.
    Switches,
    /// A line for a shell, or a program and its arguments.
    Command,
    /// Variables by their names, or a list of names and values.
    Variables,
    /// A path.
    Path,
    /// A path, or a list of paths or of objects that name a file and how to read it.
    Paths,
    /// A list of objects that name a file and texts in it.
    Edits,
    /// Files by their names, and how each is changed.
    Changes,
    /// What an agent makes of the words of a command.
    ParsedCommand,
    /// An empty list or object.
    Nothing,
}

impl Form {
    fn fits(self, value: &Value) -> bool {
        match self {
            Form::Number => value.is_number() || is_text(value, |char| char.is_ascii_digit()),
            Form::Numbers => Form::Number.fits(value) || is_list(value, Form::Number),
            Form::Id => Form::Text.fits(value) || Form::Number.fits(value),
            Form::Switch => value.is_boolean() || value.is_number(),
            Form::Ranges => {
                let is_range = |char: char| char.is_ascii_digit() || "-, ".contains(char);
                value.is_number() || is_text(value, is_range)
            }
            Form::Name => is_text(value, |char| {
                char.is_ascii_alphanumeric() || "-_+.".contains(char)
            }),
            Form::Text => value.as_str().is_some_and(|text| !text.contains('\0')),
            Form::WebAddress => {
                let is_web =
                    |text: &str| text.starts_with("http://") || text.starts_with("https://");
                Form::Text.fits(value) && value.as_str().is_some_and(is_web)
            }
            Form::Texts => Form::Text.fits(value) || is_list(value, Form::Text),
            Form::Patterns => are_texts(value, file_patterns::stays_inside),
            Form::PatternOrText => are_texts(value, file_patterns::may_be_text),
            Form::Switches => {
                let members = value.as_object();
                members.is_some_and(|members| members.values().all(Value::is_boolean))
            }
            Form::Command => {
                let is_line = value.as_str().is_some_and(|text| !text.trim().is_empty());
                let has_words = value.as_array().is_some_and(|words| !words.is_empty());
                (is_line && Form::Text.fits(value)) || (has_words && is_list(value, Form::Text))
            }
            Form::Variables => are_variables(value),
            Form::Path => value.as_str().is_some_and(is_path),
            Form::Paths => {
                let mut items = items(value).iter();
                items.all(|item| Form::Path.fits(item) || is_object_of(item, IN_PATHS))
            }
            Form::Edits => {
                let mut items = items(value).iter();
                items.all(|item| is_object_of(item, IN_EDITS))
            }
            Form::Changes => {
                let is_change = |(path, change): (&String, &Value)| {
                    is_path(path) && is_object_of(change, IN_CHANGES)
                };
                let files = value.as_object();
                files.is_some_and(|files| files.iter().all(is_change))
            }
            Form::ParsedCommand => {
                let mut items = items(value).iter();
                items.all(|item| {
                    let members = item.as_object();
                    let is_one = |value: &Value| value.is_null() || Form::Text.fits(value);
                    members.is_some_and(|members| members.values().all(is_one))
                })
            }
            Form::Nothing => match value {
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
    Form::Texts.fits(value) && items.all(|item| item.as_str().is_some_and(&fits))
}

fn is_list(value: &Value, form: Form) -> bool {
    let items = value.as_array();
    items.is_some_and(|items| items.iter().all(|item| form.fits(item)))
}

/// The items of a list, or the value itself.
fn items(value: &Value) -> &[Value] {
    let items = value.as_array();
    items.map_or(std::slice::from_ref(value), Vec::as_slice)
}

fn is_object_of(value: &Value, members: &[(&str, Form)]) -> bool {
    let is_member = |(name, value): (&String, &Value)| {
        let mut members = members.iter();
        let form = members.find(|(known, _)| known == name);
        form.is_some_and(|(_, form)| value.is_null() || form.fits(value))
    };
    let object = value.as_object();
    object.is_some_and(|object| !object.is_empty() && object.iter().all(is_member))
}

fn are_variables(value: &Value) -> bool {
    let is_value = |value: &Value| Form::Id.fits(value) || value.is_boolean();
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

type Member = (&'static str, Part, Form);

const OF_COMMANDS: &[Member] = &[
    ("command", Part::Command, Form::Command),
    ("cmd", Part::Command, Form::Command),
    ("argv", Part::Command, Form::Command),
    ("args", Part::Arguments, Form::Texts),
    ("env", Part::Variables, Form::Variables),
    ("cwd", Part::Directory, Form::Path),
    ("workdir", Part::Directory, Form::Path),
    ("working_directory", Part::Directory, Form::Path),
    ("workingDirectory", Part::Directory, Form::Path),
    ("directory", Part::Directory, Form::Path),
    ("dir_path", Part::Directory, Form::Path),
    ("background", Part::Mode, Form::Switch),
    ("is_background", Part::Mode, Form::Switch),
    ("run_in_background", Part::Mode, Form::Switch),
    ("parsed_cmd", Part::Note, Form::ParsedCommand),
    ("proposed_execpolicy_amendment", Part::Note, Form::Texts),
];

/// What describes a call or differs from call to call. To a tool that neither runs a command nor touches files it may be
/// the matter itself, such as the title of an issue that it opens.
const NOTES: &[Member] = &[
    ("description", Part::Note, Form::Text),
    ("explanation", Part::Note, Form::Text),
    ("justification", Part::Note, Form::Text),
    ("reason", Part::Note, Form::Text),
    ("title", Part::Note, Form::Text),
    ("timeout", Part::Note, Form::Number),
    ("timeout_ms", Part::Note, Form::Number),
    ("timeoutMs", Part::Note, Form::Number),
    ("yield_time_ms", Part::Note, Form::Number),
    ("max_output_tokens", Part::Note, Form::Number),
    ("call_id", Part::Note, Form::Id),
    ("turn_id", Part::Note, Form::Id),
    ("tool_call_id", Part::Note, Form::Id),
    ("toolCallId", Part::Note, Form::Id),
];

const OF_MOVES: &[Member] = &[
    ("from", Part::Path, Form::Path),
    ("to", Part::Destination, Form::Path),
];

/// As Claude Code asks to leave its plan mode. The file with the plan is there already.
const OF_PLANS: &[Member] = &[
    ("plan", Part::Content, Form::Text),
    ("planFilePath", Part::Note, Form::Path),
];

const OF_FILES: &[Member] = &[
    ("command", Part::Verb, Form::Name),
    ("file_path", Part::Path, Form::Paths),
    ("filePath", Part::Path, Form::Paths),
    ("path", Part::Path, Form::Paths),
    ("abs_path", Part::Path, Form::Paths),
    ("absPath", Part::Path, Form::Paths),
    ("absolute_path", Part::Path, Form::Paths),
    ("absolutePath", Part::Path, Form::Paths),
    ("notebook_path", Part::Path, Form::Paths),
    ("file", Part::Path, Form::Paths),
    ("filename", Part::Path, Form::Paths),
    ("file_name", Part::Path, Form::Paths),
    ("uri", Part::Path, Form::Paths),
    ("cwd", Part::Directory, Form::Path),
    ("workdir", Part::Directory, Form::Path),
    ("working_directory", Part::Directory, Form::Path),
    ("workingDirectory", Part::Directory, Form::Path),
    ("dir", Part::Path, Form::Paths),
    ("directory", Part::Path, Form::Paths),
    ("dir_path", Part::Path, Form::Paths),
    ("source", Part::Path, Form::Paths),
    ("source_path", Part::Path, Form::Paths),
    ("paths", Part::Path, Form::Paths),
    ("files", Part::Path, Form::Paths),
    ("file_paths", Part::Path, Form::Paths),
    ("destination", Part::Destination, Form::Path),
    ("destination_path", Part::Destination, Form::Path),
    ("old_path", Part::Destination, Form::Path),
    ("oldPath", Part::Destination, Form::Path),
    ("new_path", Part::Destination, Form::Path),
    ("newPath", Part::Destination, Form::Path),
    ("target_file", Part::Destination, Form::Path),
    ("target_path", Part::Destination, Form::Path),
    ("glob", Part::Pattern, Form::Patterns),
    ("include", Part::Pattern, Form::Patterns),
    ("pattern", Part::Pattern, Form::PatternOrText),
    ("-A", Part::Reading, Form::Number),
    ("-B", Part::Reading, Form::Number),
    ("-C", Part::Reading, Form::Number),
    ("-i", Part::Reading, Form::Switch),
    ("-n", Part::Reading, Form::Switch),
    ("case_sensitive", Part::Reading, Form::Switch),
    ("caseSensitive", Part::Reading, Form::Switch),
    ("context", Part::Reading, Form::Number),
    ("depth", Part::Reading, Form::Number),
    ("end_line", Part::Reading, Form::Number),
    ("endLine", Part::Reading, Form::Number),
    ("exclude", Part::Reading, Form::Texts),
    ("file_filtering_options", Part::Reading, Form::Switches),
    ("head_limit", Part::Reading, Form::Number),
    ("ignore_case", Part::Reading, Form::Switch),
    ("line", Part::Reading, Form::Number),
    ("limit", Part::Reading, Form::Number),
    ("lines", Part::Reading, Form::Numbers),
    ("max_results", Part::Reading, Form::Number),
    ("multiline", Part::Reading, Form::Switch),
    ("offset", Part::Reading, Form::Number),
    ("output_mode", Part::Reading, Form::Name),
    ("pages", Part::Reading, Form::Ranges),
    ("query", Part::Reading, Form::Texts),
    ("recursive", Part::Reading, Form::Switch),
    ("regex", Part::Reading, Form::Texts),
    ("respect_git_ignore", Part::Reading, Form::Switch),
    ("start_line", Part::Reading, Form::Number),
    ("startLine", Part::Reading, Form::Number),
    ("type", Part::Reading, Form::Name),
    ("view_range", Part::Reading, Form::Numbers),
    ("args", Part::Reading, Form::Nothing),
    ("env", Part::Reading, Form::Nothing),
    ("changes", Part::Content, Form::Changes),
    ("edits", Part::Content, Form::Edits),
    ("content", Part::Content, Form::Text),
    ("contents", Part::Content, Form::Text),
    ("expected_replacements", Part::Content, Form::Number),
    ("file_text", Part::Content, Form::Text),
    ("format", Part::Content, Form::Name),
    ("insert_line", Part::Content, Form::Number),
    ("insert_text", Part::Content, Form::Text),
    ("instruction", Part::Content, Form::Text),
    ("new_source", Part::Content, Form::Text),
    ("new_str", Part::Content, Form::Text),
    ("new_string", Part::Content, Form::Text),
    ("newString", Part::Content, Form::Text),
    ("new_text", Part::Content, Form::Text),
    ("newText", Part::Content, Form::Text),
    ("old_str", Part::Content, Form::Text),
    ("old_string", Part::Content, Form::Text),
    ("oldString", Part::Content, Form::Text),
    ("old_text", Part::Content, Form::Text),
    ("oldText", Part::Content, Form::Text),
    ("prompt", Part::Content, Form::Text),
    ("replace_all", Part::Content, Form::Switch),
    ("replaceAll", Part::Content, Form::Switch),
    ("url", Part::Content, Form::WebAddress),
];

/// The members of one file among several.
const IN_PATHS: &[(&str, Form)] = &[
    ("path", Form::Path),
    ("file_path", Form::Path),
    ("filePath", Form::Path),
    ("uri", Form::Path),
    ("line", Form::Number),
    ("lines", Form::Numbers),
    ("limit", Form::Number),
    ("offset", Form::Number),
    ("start_line", Form::Number),
    ("startLine", Form::Number),
    ("end_line", Form::Number),
    ("endLine", Form::Number),
];

/// The members of one edit among several.
const IN_EDITS: &[(&str, Form)] = &[
    ("path", Form::Path),
    ("file_path", Form::Path),
    ("filePath", Form::Path),
    ("old", Form::Text),
    ("new", Form::Text),
    ("all", Form::Switch),
    ("old_str", Form::Text),
    ("new_str", Form::Text),
    ("old_string", Form::Text),
    ("new_string", Form::Text),
    ("oldString", Form::Text),
    ("newString", Form::Text),
    ("old_text", Form::Text),
    ("new_text", Form::Text),
    ("oldText", Form::Text),
    ("newText", Form::Text),
    ("replace_all", Form::Switch),
    ("replaceAll", Form::Switch),
];

/// The members of the change of one file, as Codex shows it.
const IN_CHANGES: &[(&str, Form)] = &[
    ("type", Form::Name),
    ("content", Form::Text),
    ("diff", Form::Text),
    ("unified_diff", Form::Text),
    ("move_path", Form::Path),
];

/// What an editing tool is to do with a file.
pub(super) const EDITING: &[&str] = &[
    "view",
    "create",
    "str_replace",
    "insert",
    "undo_edit",
    "write",
];

pub(super) const TOOLS: &[&str] = &["tool", "tool_name", "toolName"];
