//! Converts the result of a tool call to content for the client.

use attache::v1;
use serde_json::Value;

use crate::frames::Block;

/// The display of a tool call's result.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ResultDisplay {
    /// The content; `None` keeps the content shown before.
    pub content: Option<Vec<v1::ToolCallContent>>,
    /// The locations; `None` keeps the locations shown before.
    pub locations: Option<Vec<v1::ToolCallLocation>>,
    /// The output of a command.
    pub output: Option<String>,
    /// The exit code of a command.
    pub exit_code: Option<u32>,
}

/// The display of a result: `content` as the model sees it, `result` in the tool's own structure.
pub fn result_display(
    name: &str,
    content: &Value,
    result: &Value,
    is_error: bool,
) -> ResultDisplay {
    let is_rejected = is_error && flat(content).starts_with(REJECTED);
    match name {
        "Bash" if is_rejected => ResultDisplay {
            output: Some(String::new()),
            ..ResultDisplay::default()
        },
        _ if is_rejected => ResultDisplay::default(),
        "Bash" => command(content, result, is_error),
        _ if is_error => ResultDisplay {
            content: Some(failure(content)),
            ..ResultDisplay::default()
        },
        "Edit" | "MultiEdit" | "Write" => patch_display(result),
        "Read" => ResultDisplay {
            content: Some(file(content, result)),
            ..ResultDisplay::default()
        },
        "ExitPlanMode" | "EnterPlanMode" | "NotebookEdit" => ResultDisplay::default(),
        _ => ResultDisplay {
            content: Some(blocks(content)),
            ..ResultDisplay::default()
        },
    }
}

fn command(content: &Value, result: &Value, is_error: bool) -> ResultDisplay {
    if result["isImage"] == true {
        return ResultDisplay {
            content: Some(blocks(content)),
            ..ResultDisplay::default()
        };
    }
    let stderr = result["stderr"].as_str().unwrap_or_default();
    let mut output = match result["stdout"].as_str() {
        Some(stdout) => joined(stdout, stderr),
        None => untagged(&flat(content)),
    };
    let mut exit_code = (!is_error).then_some(0);
    if let Some((code, rest)) = exit_line(&output).filter(|_| is_error) {
        exit_code = Some(code);
        output = rest.to_owned();
    }
    ResultDisplay {
        output: Some(output),
        exit_code,
        ..ResultDisplay::default()
    }
}

/// The display of a change: one diff and one location per hunk; one diff for a new file.
fn patch_display(result: &Value) -> ResultDisplay {
    let Some(path) = result["filePath"].as_str() else {
        return ResultDisplay::default();
    };
    let hunks = result["structuredPatch"]
        .as_array()
        .map_or(&[][..], Vec::as_slice);
    if hunks.is_empty() {
        let new = result["content"].as_str();
        let content = new.map(|new| vec![v1::Diff::new(path, new).into()]);
        return ResultDisplay {
            content,
            ..ResultDisplay::default()
        };
    }
    let diffs = hunks.iter().map(|hunk| {
        let (old, new) = sides(&hunk["lines"]);
        v1::Diff::new(path, new).old_text(old).into()
    });
    let places = hunks.iter().map(|hunk| {
        let line = hunk["newStart"]
            .as_u64()
            .and_then(|line| u32::try_from(line).ok());
        v1::ToolCallLocation::new(path).line(line.unwrap_or(1))
    });
    ResultDisplay {
        content: Some(diffs.collect()),
        locations: Some(places.collect()),
        ..ResultDisplay::default()
    }
}

fn sides(lines: &Value) -> (String, String) {
    let (mut old, mut new) = (String::new(), String::new());
    let lines = lines
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str);
    for line in lines {
        let mut mark = line.chars();
        match (mark.next(), mark.as_str()) {
            (Some('-'), rest) => push(&mut old, rest),
            (Some('+'), rest) => push(&mut new, rest),
            // "\ No newline at end of file"
            (Some('\\'), _) => {}
            (_, rest) => {
                push(&mut old, rest);
                push(&mut new, rest);
            }
        }
    }
    (old, new)
}

fn push(side: &mut String, line: &str) {
    side.push_str(line);
    side.push('\n');
}

fn joined(first: &str, second: &str) -> String {
    match (first.is_empty(), second.is_empty()) {
        (_, true) => first.to_owned(),
        (true, false) => second.to_owned(),
        (false, false) => format!("{first}\n{second}"),
    }
}

/// Splits off the exit code, which the CLI puts on its own line before the output of a failed command.
fn exit_line(text: &str) -> Option<(u32, &str)> {
    let rest = text.strip_prefix("Exit code ")?;
    let (code, rest) = rest.split_once('\n').unwrap_or((rest, ""));
    code.trim().parse().ok().map(|code| (code, rest))
}

fn file(content: &Value, result: &Value) -> Vec<v1::ToolCallContent> {
    match result["file"]["content"].as_str() {
        Some(text) => vec![fenced("", text)],
        None => blocks(content),
    }
}

fn failure(content: &Value) -> Vec<v1::ToolCallContent> {
    let text = untagged(&flat(content));
    match text.is_empty() {
        true => Vec::new(),
        false => vec![fenced("", &text)],
    }
}

fn blocks(content: &Value) -> Vec<v1::ToolCallContent> {
    let items = match content {
        Value::String(text) => vec![Block::Text(text.clone())],
        Value::Array(items) => items.iter().cloned().map(Block::from_value).collect(),
        _ => Vec::new(),
    };
    let items = items.into_iter().filter_map(|block| match block {
        Block::Text(text) if !text.is_empty() => Some(v1::ContentBlock::from(text)),
        Block::Image { data, mime_type } => Some(v1::ContentBlock::Image(v1::ImageContent::new(
            data, mime_type,
        ))),
        _ => None,
    });
    items.map(v1::ToolCallContent::from).collect()
}

fn flat(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(items) => {
            let texts = items.iter().filter_map(|item| item["text"].as_str());
            texts.collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}

fn untagged(text: &str) -> String {
    let inner = text.trim().strip_prefix("<tool_use_error>");
    let inner = inner.map(|inner| inner.strip_suffix("</tool_use_error>").unwrap_or(inner));
    inner.unwrap_or(text).to_owned()
}

/// Text as a code block, with a fence longer than any inside it.
pub(crate) fn fenced(language: &str, text: &str) -> v1::ToolCallContent {
    let runs = text.split(|letter| letter != '`').map(str::len);
    let fence = "`".repeat(runs.max().unwrap_or(0).max(2) + 1);
    let end = if text.ends_with('\n') { "" } else { "\n" };
    v1::ContentBlock::from(format!("{fence}{language}\n{text}{end}{fence}")).into()
}

/// Text with the line ends that a terminal needs.
pub(crate) fn terminal_lines(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\n', "\r\n")
}

/// Start of the text with which the CLI tells the model that the user rejected a call.
const REJECTED: &str = "The user doesn't want to proceed with this tool use.";
