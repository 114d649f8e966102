//! Decides how the client shows tool calls of the CLI: kind, title, locations and content, from a call's input and
//! result. Pure functions.

mod plan;
mod result;

use attache::v1;
use serde_json::Value;

pub use plan::TaskPlan;
pub use result::{ResultDisplay, result_display};
pub(crate) use result::{fenced, terminal_lines};

/// The display of a tool call before it has run.
#[derive(Debug, Clone, PartialEq)]
pub struct CallDisplay {
    /// The kind of tool.
    pub kind: v1::ToolKind,
    /// The title.
    pub title: String,
    /// The files that the call touches.
    pub locations: Vec<v1::ToolCallLocation>,
    /// The content, such as the diff of an edit.
    pub content: Vec<v1::ToolCallContent>,
}

/// The display of a call of this tool with this input.
pub fn call_display(name: &str, input: &Value) -> CallDisplay {
    let text = |member: &str| input[member].as_str().unwrap_or_default();
    match name {
        "Bash" => plain(
            v1::ToolKind::Execute,
            non_blank_or(text("command"), "Run a command"),
        ),
        "Read" => read(input),
        "Write" => {
            let diff = v1::Diff::new(text("file_path"), text("content"));
            file_display(input, "file_path", "Write", Some(diff))
        }
        "Edit" | "MultiEdit" => edit(input),
        "NotebookEdit" => {
            let diff = v1::Diff::new(text("notebook_path"), text("new_source"));
            file_display(input, "notebook_path", "Edit", Some(diff))
        }
        "LS" => search_display(v1::ToolKind::Search, "List", text("path"), input),
        "Glob" => search_display(v1::ToolKind::Search, "Find", text("pattern"), input),
        "Grep" => search_display(v1::ToolKind::Search, "Search for", text("pattern"), input),
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
            plain(
                v1::ToolKind::Think,
                non_blank_or(text("description"), "Subagent"),
            ),
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
        other => plain(v1::ToolKind::Other, &mcp_title(other)),
    }
}

/// Whether calls of a tool show as the plan instead of as tool calls.
pub fn is_plan(name: &str) -> bool {
    matches!(
        name,
        "TodoWrite" | "TaskCreate" | "TaskUpdate" | "TaskList" | "TaskGet"
    )
}

fn plain(kind: v1::ToolKind, title: &str) -> CallDisplay {
    CallDisplay {
        kind,
        title: cut_title(title),
        locations: Vec::new(),
        content: Vec::new(),
    }
}

fn with_text(mut display: CallDisplay, text: &str) -> CallDisplay {
    if !text.is_empty() {
        display.content.push(v1::ContentBlock::from(text).into());
    }
    display
}

fn read(input: &Value) -> CallDisplay {
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
    let mut display = plain(v1::ToolKind::Read, &(titled("Read", path) + &range));
    let line = from.and_then(|line| u32::try_from(line).ok());
    display.locations = location(path)
        .map(|place| match line {
            Some(line) => place.line(line),
            None => place,
        })
        .into_iter()
        .collect();
    display
}

fn edit(input: &Value) -> CallDisplay {
    let path = input["file_path"].as_str().unwrap_or_default();
    let edits = match input["edits"].as_array() {
        Some(edits) => edits.as_slice(),
        None => std::slice::from_ref(input),
    };
    let mut display = file_display(input, "file_path", "Edit", None);
    for edit in edits {
        if let (Some(old), Some(new)) = (edit["old_string"].as_str(), edit["new_string"].as_str()) {
            display
                .content
                .push(v1::Diff::new(path, new).old_text(old).into());
        }
    }
    display
}

fn file_display(input: &Value, member: &str, verb: &str, diff: Option<v1::Diff>) -> CallDisplay {
    let path = input[member].as_str().unwrap_or_default();
    let mut display = plain(v1::ToolKind::Edit, &titled(verb, path));
    display.locations = location(path).into_iter().collect();
    if !path.is_empty() {
        display.content.extend(diff.map(v1::ToolCallContent::from));
    }
    display
}

fn search_display(kind: v1::ToolKind, verb: &str, what: &str, input: &Value) -> CallDisplay {
    let place = input["path"].as_str().unwrap_or_default();
    let title = match (what.is_empty(), place.is_empty() || place == what) {
        (true, _) => verb.to_owned(),
        (false, true) => format!("{verb} `{what}`"),
        (false, false) => format!("{verb} `{what}` in `{place}`"),
    };
    let mut display = plain(kind, &title);
    display.locations = location(place).into_iter().collect();
    display
}

fn location(path: &str) -> Option<v1::ToolCallLocation> {
    (!path.is_empty()).then(|| v1::ToolCallLocation::new(path))
}

/// The title for an unknown tool: `mcp__server__tool` becomes `server: tool`, any other name stays.
fn mcp_title(name: &str) -> String {
    let parts = name
        .strip_prefix("mcp__")
        .and_then(|rest| rest.split_once("__"));
    match parts {
        Some((server, tool)) => format!("{server}: {tool}"),
        None => non_blank_or(name, "Tool").to_owned(),
    }
}

fn titled(verb: &str, what: &str) -> String {
    match what.is_empty() {
        true => verb.to_owned(),
        false => format!("{verb} {what}"),
    }
}

fn non_blank_or<'a>(text: &'a str, otherwise: &'a str) -> &'a str {
    if text.trim().is_empty() {
        otherwise
    } else {
        text
    }
}

/// Cuts a title to its maximum length.
fn cut_title(text: &str) -> String {
    match text.char_indices().nth(TITLE) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

const TITLE: usize = 400;
