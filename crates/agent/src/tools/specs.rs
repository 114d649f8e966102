//! The specifications of the built-in tools for the model.

use attache_model::ToolSpec;
use serde_json::{Value, json};

/// The specifications of the built-in tools for the model: name, description and input schema.
pub fn specs() -> Vec<ToolSpec> {
    let all = [
        ("read", READ, read()),
        ("write", WRITE, write()),
        ("edit", EDIT, edit()),
        ("delete", DELETE, delete()),
        ("move", MOVE, moving()),
        ("list", LIST, list()),
        ("glob", GLOB, glob()),
        ("search", SEARCH, search()),
        ("run", RUN, run()),
        ("fetch", FETCH, fetch()),
    ];
    all.map(|(name, description, schema)| ToolSpec {
        name: name.to_owned(),
        description: description.to_owned(),
        schema,
    })
    .into()
}

fn read() -> Value {
    object(
        &["path"],
        json!({
            "path": text("The file."),
            "line": number("The first line to read, counted from 1."),
            "limit": number("How many lines to read; 2000 unless you say less."),
        }),
    )
}

fn write() -> Value {
    object(
        &["path", "content"],
        json!({
            "path": text("The file. Missing directories are made."),
            "content": text("Its whole new text."),
        }),
    )
}

fn edit() -> Value {
    let replacement = object(
        &["old", "new"],
        json!({
            "old": text("The passage to replace, exactly as it stands in the file, indentation included, without line numbers."),
            "new": text("What stands there afterwards; empty to remove it."),
            "all": flag("Replace every occurrence. Otherwise there must be exactly one."),
        }),
    );
    object(
        &["path", "edits"],
        json!({
            "path": text("The file; it must exist."),
            "edits": {
                "type": "array",
                "minItems": 1,
                "items": replacement,
                "description": "Replacements, made one after the other; each sees what those before it left.",
            },
        }),
    )
}

fn delete() -> Value {
    object(
        &["path"],
        json!({ "path": text("The file or empty directory.") }),
    )
}

fn moving() -> Value {
    object(
        &["from", "to"],
        json!({
            "from": text("The file or directory."),
            "to": text("Its whole new path. Missing directories are made."),
        }),
    )
}

fn list() -> Value {
    object(
        &[],
        json!({
            "path": text("The directory; the working directory unless you say another."),
            "depth": number("How many levels to show, 1 to 10; 2 unless you say."),
        }),
    )
}

fn glob() -> Value {
    object(
        &["pattern"],
        json!({
            "pattern": text("A pattern such as `*.rs`, `src/**/*.ts` or `{a,b}.json`. Without a slash it is compared with names in every directory."),
            "path": text("The directory to look in; the working directory unless you say another."),
        }),
    )
}

fn search() -> Value {
    object(
        &["pattern"],
        json!({
            "pattern": text("A regular expression in Rust's syntax, compared line by line."),
            "path": text("The directory or file to look in; the working directory unless you say another."),
            "glob": text("Only files whose path fits this pattern, such as `*.rs`."),
            "ignore_case": flag("Take capital and small letters as the same."),
            "context": number("How many lines to show around each match, up to 20."),
        }),
    )
}

fn run() -> Value {
    object(
        &[],
        json!({
            "command": text("One line for the shell."),
            "cwd": text("Where it runs; the working directory unless you say another."),
            "timeout": number("After how many seconds it is ended; 120 unless you say, 3600 at most."),
            "background": flag("Start it, answer at once with an id, and let it run until it is stopped or the session ends: for servers and watchers."),
            "id": text("Instead of `command`: look at a command in the background, by its id."),
            "stop": flag("With `id`: end that command."),
        }),
    )
}

fn fetch() -> Value {
    object(&["url"], json!({ "url": text("An http or https URL.") }))
}

fn object(required: &[&str], properties: Value) -> Value {
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

fn text(description: &str) -> Value {
    json!({ "type": "string", "description": description })
}

fn number(description: &str) -> Value {
    json!({ "type": "integer", "minimum": 0, "description": description })
}

fn flag(description: &str) -> Value {
    json!({ "type": "boolean", "description": description })
}

const READ: &str = "Reads a text file as the user's editor has it, unsaved changes included. Lines come with their \
    numbers. Long files come in parts: the answer says how to read on. PNG, JPEG, GIF and WebP files are shown as pictures.";

const WRITE: &str =
    "Makes a file, or replaces all of its text. To change part of a file use `edit`.";

const EDIT: &str = "Replaces passages of a text file: all of them, or none if one does not fit. Read the file first.";

const DELETE: &str =
    "Removes a file, or a directory that is empty. A link is removed, not what it leads to.";

const MOVE: &str = "Gives a file or directory another name or place. Nothing is replaced.";

const LIST: &str =
    "Shows a directory as a tree with the sizes of files. What `.gitignore` names is left out.";

const GLOB: &str = "Finds files by name, in order of their paths. Hidden files and what `.gitignore` names are \
    left out, unless the pattern itself names something hidden.";

const SEARCH: &str = "Finds lines by a regular expression, in order of the files' paths. Looks at what is saved on \
    disk. Hidden files, binary files and what `.gitignore` names are left out.";

const RUN: &str = "Runs one line with the shell, without input: nothing can be typed. Standard output and standard \
    error come together, of long output the beginning and the end. Each run is a new shell. With `background` the answer \
    has an id; send `id` alone to see what that command wrote, and `id` with `stop` to end it.";

const FETCH: &str =
    "Fetches a page from the web and gives it as text. Private addresses cannot be reached.";
