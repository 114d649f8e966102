//! Reports the result of a call to the user.

use std::collections::BTreeSet;

use super::instruction::Instruction;
use super::replies::count;
use super::{outline, texts};
use crate::ToolResult;

/// The report on a successful call.
pub(super) fn success(instruction: &Instruction, result: &ToolResult) -> String {
    let text = text(result);
    match instruction {
        Instruction::Read { path, .. } => read(path, &text),
        Instruction::Outline { path } => outline::outline(path, &text),
        Instruction::Find { pattern, .. } => counted(&text, "file matches", "files match", pattern),
        Instruction::Search { pattern, .. } => matches(pattern, &text),
        Instruction::Replace { path, .. } => {
            format!("Replaced in `{path}`.{}", first_line_after_space(&text))
        }
        Instruction::Write { path, content } => {
            format!("Wrote {} bytes to `{path}`.", content.len())
        }
        Instruction::Delete { path } => format!("Deleted `{path}`."),
        Instruction::Move { from, to } => format!("Moved `{from}` to `{to}`."),
        Instruction::List { path } => counted(
            // The first line is the directory.
            text.split_once('\n').map_or("", |(_, entries)| entries),
            "entry in",
            "entries in",
            path.as_deref().unwrap_or("."),
        ),
        Instruction::Run { command } => format!("`{command}` has run.{}", last_lines(&text)),
        Instruction::Fetch { url } => {
            format!("Fetched {url}: {} bytes.{}", text.len(), first_lines(&text))
        }
        Instruction::Ask { .. } => format!("The answer: {}", first_line(&text)),
        Instruction::Think { .. } => "Noted.".to_owned(),
        Instruction::Mode { mode } => format!("The mode is `{mode}` now."),
        Instruction::Plan { .. } | Instruction::Help | Instruction::Greeting => String::new(),
    }
}

/// The report on a failed call, and on the number of steps that were not tried after it.
pub(super) fn failure(result: &ToolResult, left: usize) -> String {
    let text = text(result);
    let said = match text.trim().lines().count() {
        0 => " without a word.".to_owned(),
        1 => format!(": {}", text.trim()),
        _ => format!(":{}", last_lines(&text)),
    };
    let untried = match left {
        0 => String::new(),
        left => format!(
            "I stopped there; {} not tried.\n",
            count(left, "request was", "requests were")
        ),
    };
    format!("The tool `{}` failed{said}\n{untried}", result.name)
}

/// Removes the line number that a tool may have added.
pub(super) fn unnumbered(line: &str) -> &str {
    let trimmed = line.trim_start();
    let digits = trimmed.bytes().take_while(u8::is_ascii_digit).count();
    let rest = &trimmed[digits..];
    let marks = ["\t", "→", ": ", "| ", " | "];
    match marks.iter().find_map(|mark| rest.strip_prefix(mark)) {
        Some(rest) if digits > 0 => rest,
        _ => line,
    }
}

fn text(result: &ToolResult) -> String {
    texts(&result.content).collect::<Vec<_>>().join("\n")
}

fn read(path: &str, text: &str) -> String {
    match text.lines().count() {
        0 => format!("`{path}` is empty."),
        lines => format!(
            "Read {} of `{path}`.{}",
            count(lines, "line", "lines"),
            first_lines(text)
        ),
    }
}

/// Reports search results, which are lines of the form `path:line: text`.
fn matches(pattern: &str, text: &str) -> String {
    let found: Vec<(&str, &str)> = text.lines().filter_map(place).collect();
    let files: BTreeSet<&str> = found.iter().map(|(path, _)| *path).collect();
    match (found.len(), text.trim()) {
        (0, "") => format!("Nothing matches “{pattern}”."),
        (0, text) => format!("Looked for “{pattern}”.{}", first_lines(text)),
        (found, _) => {
            let found = count(found, "match", "matches");
            let files = count(files.len(), "file", "files");
            format!("{found} of “{pattern}” in {files}.{}", first_lines(text))
        }
    }
}

fn place(line: &str) -> Option<(&str, &str)> {
    let (path, rest) = line.split_once(':')?;
    let (number, text) = rest.split_once(':')?;
    (!path.is_empty() && number.parse::<u64>().is_ok()).then_some((path, text))
}

fn counted(text: &str, one: &str, many: &str, what: &str) -> String {
    // Notes of the tool are in brackets.
    let is_note = |line: &str| line.starts_with('[') && line.ends_with(']');
    let lines = text.lines().map(str::trim);
    let lines = lines
        .filter(|line| !line.is_empty() && !is_note(line))
        .count();
    match lines {
        0 if text.trim().is_empty() => format!("Nothing found for `{what}`."),
        0 => format!("Nothing found for `{what}`.{}", first_lines(text)),
        lines => format!("{} `{what}`.{}", count(lines, one, many), first_lines(text)),
    }
}

fn first_line_after_space(text: &str) -> String {
    match first_line(text) {
        line if line.is_empty() => String::new(),
        line => format!(" {line}"),
    }
}

fn first_line(text: &str) -> String {
    text.lines()
        .find(|line| !line.trim().is_empty())
        .unwrap_or_default()
        .trim()
        .to_owned()
}

fn first_lines(text: &str) -> String {
    let lines: Vec<&str> = text.trim_end().lines().collect();
    let shown = &lines[..lines.len().min(MAX_LINES)];
    let more = match lines.len() - shown.len() {
        0 => String::new(),
        more => format!("… and {more} more lines.\n"),
    };
    fenced(shown, &more)
}

/// The last lines of a command's output, which say most.
fn last_lines(text: &str) -> String {
    let lines: Vec<&str> = text.trim_end().lines().collect();
    let hidden = lines.len().saturating_sub(MAX_LINES);
    let more = match hidden {
        0 => String::new(),
        more => format!("({more} lines before these.)\n"),
    };
    fenced(&lines[hidden..], &more)
}

fn fenced(lines: &[&str], more: &str) -> String {
    if lines.is_empty() {
        return String::new();
    }
    // Use a fence longer than any inside the text.
    let longest = lines
        .iter()
        .map(|line| line.bytes().take_while(|byte| *byte == b'`').count());
    let fence = "`".repeat(longest.max().unwrap_or_default().max(2) + 1);
    format!("\n\n{fence}\n{}\n{fence}\n{more}", lines.join("\n"))
}

const MAX_LINES: usize = 20;

#[cfg(test)]
mod tests {
    use super::counted;

    #[test]
    fn notes_are_not_counted() {
        for (text, expected) in [
            ("", "Nothing found for `x`."),
            ("[no file matches]\n", "Nothing found for `x`."),
            (
                "[nothing]\n[1 entry was withheld]\n",
                "Nothing found for `x`.",
            ),
            ("a\n[cut]\n", "1 file matches `x`."),
            ("a\nb\n", "2 files match `x`."),
        ] {
            let report = counted(text, "file matches", "files match", "x");
            assert!(report.starts_with(expected), "{text:?}: {report}");
        }
    }
}
