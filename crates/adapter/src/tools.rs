//! How a client is shown the tools of the CLI: kind, title, files and content, from a call's input and from what it
//! gave back. Plain functions of the data.

mod given;
mod patch;
mod plan;

use attache::v1;
use serde_json::Value;

pub use given::{Given, given};
pub(crate) use given::{fenced, terminal_lines};
pub use plan::Tasks;

/// What is shown of a tool call before it has run.
#[derive(Debug, Clone, PartialEq)]
pub struct Shown {
    /// What sort of tool it is.
    pub kind: v1::ToolKind,
    /// What the call does.
    pub title: String,
    /// The files it touches.
    pub locations: Vec<v1::ToolCallLocation>,
    /// What it would do.
    pub content: Vec<v1::ToolCallContent>,
}

/// What a call of a tool with this input looks like.
pub fn shown(name: &str, input: &Value) -> Shown {
    let text = |member: &str| input[member].as_str().unwrap_or_default();
    match name {
        "Bash" => plain(v1::ToolKind::Execute, or(text("command"), "Run a command")),
        "Read" => read(input),
        "Write" => {
            let diff = v1::Diff::new(text("file_path"), text("content"));
            of_file(input, "file_path", "Write", Some(diff))
        }
        "Edit" | "MultiEdit" => edit(input),
        "NotebookEdit" => {
            let diff = v1::Diff::new(text("notebook_path"), text("new_source"));
            of_file(input, "notebook_path", "Edit", Some(diff))
        }
        "LS" => of_place(v1::ToolKind::Search, "List", text("path"), input),
        "Glob" => of_place(v1::ToolKind::Search, "Find", text("pattern"), input),
        "Grep" => of_place(v1::ToolKind::Search, "Search for", text("pattern"), input),
        "ToolSearch" => plain(v1::ToolKind::Search, &titled("Find tools", text("query"))),
        "WebFetch" => with_text(
            plain(v1::ToolKind::Fetch, &titled("Fetch", text("url"))),
            text("prompt"),
        ),
        "WebSearch" => plain(
            v1::ToolKind::Fetch,
            &titled("Search the web for", text("query")),
        ),
        "Task" | "Agent" => with_text(
            plain(v1::ToolKind::Think, or(text("description"), "Subagent")),
            text("prompt"),
        ),
        "ExitPlanMode" => with_text(
            plain(v1::ToolKind::SwitchMode, "Ready to code?"),
            text("plan"),
        ),
        "EnterPlanMode" => plain(v1::ToolKind::SwitchMode, "Plan first"),
        "AskUserQuestion" => {
            let question = input["questions"][0]["question"].as_str();
            plain(v1::ToolKind::Other, question.unwrap_or("Ask a question"))
        }
        "Skill" => plain(v1::ToolKind::Other, &titled("Skill", text("skill"))),
        "BashOutput" | "TaskOutput" => plain(v1::ToolKind::Read, "Read the output of a task"),
        "KillShell" | "TaskStop" => plain(v1::ToolKind::Execute, "Stop a task"),
        other => plain(v1::ToolKind::Other, &foreign(other)),
    }
}

/// Whether a tool shows as the plan and not as a tool call.
pub fn is_plan(name: &str) -> bool {
    matches!(
        name,
        "TodoWrite" | "TaskCreate" | "TaskUpdate" | "TaskList" | "TaskGet"
    )
}

fn plain(kind: v1::ToolKind, title: &str) -> Shown {
    Shown {
        kind,
        title: line(title),
        locations: Vec::new(),
        content: Vec::new(),
    }
}

fn with_text(mut shown: Shown, text: &str) -> Shown {
    if !text.is_empty() {
        shown.content.push(v1::ContentBlock::from(text).into());
    }
    shown
}

fn read(input: &Value) -> Shown {
    let path = input["file_path"].as_str().unwrap_or_default();
    let (from, count) = (input["offset"].as_u64(), input["limit"].as_u64());
    let range = match (from, count) {
        (Some(from), Some(count)) => {
            format!(
                " ({from} - {})",
                from.saturating_add(count).saturating_sub(1)
            )
        }
        (Some(from), None) => format!(" (from line {from})"),
        (None, Some(count)) => format!(" (1 - {count})"),
        (None, None) => String::new(),
    };
    let mut shown = plain(v1::ToolKind::Read, &(titled("Read", path) + &range));
    let line = from.and_then(|line| u32::try_from(line).ok());
    shown.locations = location(path)
        .map(|place| match line {
            Some(line) => place.line(line),
            None => place,
        })
        .into_iter()
        .collect();
    shown
}

fn edit(input: &Value) -> Shown {
    let path = input["file_path"].as_str().unwrap_or_default();
    let edits = match input["edits"].as_array() {
        Some(edits) => edits.as_slice(),
        None => std::slice::from_ref(input),
    };
    let mut shown = of_file(input, "file_path", "Edit", None);
    for edit in edits {
        if let (Some(old), Some(new)) = (edit["old_string"].as_str(), edit["new_string"].as_str()) {
            shown
                .content
                .push(v1::Diff::new(path, new).old_text(old).into());
        }
    }
    shown
}

fn of_file(input: &Value, member: &str, verb: &str, diff: Option<v1::Diff>) -> Shown {
    let path = input[member].as_str().unwrap_or_default();
    let mut shown = plain(v1::ToolKind::Edit, &titled(verb, path));
    shown.locations = location(path).into_iter().collect();
    if !path.is_empty() {
        shown.content.extend(diff.map(v1::ToolCallContent::from));
    }
    shown
}

fn of_place(kind: v1::ToolKind, verb: &str, what: &str, input: &Value) -> Shown {
    let place = input["path"].as_str().unwrap_or_default();
    let title = match (what.is_empty(), place.is_empty() || place == what) {
        (true, _) => verb.to_owned(),
        (false, true) => format!("{verb} `{what}`"),
        (false, false) => format!("{verb} `{what}` in `{place}`"),
    };
    let mut shown = plain(kind, &title);
    shown.locations = location(place).into_iter().collect();
    shown
}

fn location(path: &str) -> Option<v1::ToolCallLocation> {
    (!path.is_empty()).then(|| v1::ToolCallLocation::new(path))
}

/// `mcp__server__tool` as `server: tool`; any other name as it is.
fn foreign(name: &str) -> String {
    let parts = name
        .strip_prefix("mcp__")
        .and_then(|rest| rest.split_once("__"));
    match parts {
        Some((server, tool)) => format!("{server}: {tool}"),
        None => or(name, "Tool").to_owned(),
    }
}

fn titled(verb: &str, what: &str) -> String {
    match what.is_empty() {
        true => verb.to_owned(),
        false => format!("{verb} {what}"),
    }
}

fn or<'a>(text: &'a str, otherwise: &'a str) -> &'a str {
    if text.trim().is_empty() {
        otherwise
    } else {
        text
    }
}

/// A title in bounds.
fn line(text: &str) -> String {
    match text.char_indices().nth(TITLE) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

const TITLE: usize = 400;
