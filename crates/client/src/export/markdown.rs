//! The Markdown export: prompts as quotations, the agent's messages unchanged, tool calls as list items and fences.

use std::fmt::Write;

use attache::transcript::{
    ContentBlocks, Entry, EntryKind, MessageEntry, MessageKind, ToolCallEntry, TurnOutcome,
};
use attache::{Transcript, v1};

use crate::export::TerminalLookup;
use crate::{content, figures, tool_call};
use attache_text::plain;

/// The whole transcript as Markdown. Fences are longer than any inside them, and nothing that an entry leaves open
/// reaches into the next.
pub fn markdown(transcript: &Transcript) -> String {
    markdown_with(transcript, &|_| None)
}

/// The whole transcript as Markdown, with the output of its terminals.
pub fn markdown_with(transcript: &Transcript, terminal: TerminalLookup<'_>) -> String {
    let title = transcript.title().map(plain::line);
    let mut page = format!(
        "# {}\n",
        one_line(title.as_deref().unwrap_or("Conversation"))
    );
    let dropped = transcript.dropped().entries;
    if dropped > 0 {
        page += &format!("\n*{dropped} earlier entries are not kept.*\n");
    }
    if let Some(plan) = transcript.plan() {
        page += "\n## Plan\n\n";
        plan.entries
            .iter()
            .for_each(|step| page += &plan_step(step));
    }
    for entry in transcript.entries() {
        let text = self::entry(entry, terminal);
        if !text.is_empty() {
            page += &format!("\n{}\n", text.trim_end());
        }
    }
    if let Some(usage) = transcript.usage() {
        page += &format!("\n---\n\n{}\n", figures::usage(usage));
    }
    page
}

fn entry(entry: &Entry, terminal: TerminalLookup<'_>) -> String {
    match entry.kind() {
        EntryKind::Message(message) => self::message(message),
        EntryKind::ToolCall(call) => self::call(call, terminal),
        EntryKind::Notice(notice) => {
            let more = notice
                .description
                .as_deref()
                .map(|text| format!(": {}", one_line(&plain::line(text))));
            format!(
                "*{}: {}{}*",
                one_line(notice.severity.as_str()),
                one_line(&plain::line(&notice.title)),
                more.unwrap_or_default()
            )
        }
        EntryKind::Compaction(compaction) => {
            format!(
                "*The history was compacted ({}).*\n\n{}",
                one_line(compaction.status.as_str()),
                quoted(&text_of(&compaction.summary))
            )
        }
        EntryKind::Subagent(child) => {
            let title = child.title.as_deref().unwrap_or(child.session_id.as_str());
            format!("*Subagent: {}*", one_line(&plain::line(title)))
        }
        EntryKind::SessionMessage(message) => format!(
            "*Message between sessions*\n\n{}",
            quoted(&text_of(&message.content))
        ),
        EntryKind::TurnEnd(end) => match &end.outcome {
            TurnOutcome::Stopped(v1::StopReason::EndTurn) => String::new(),
            TurnOutcome::Stopped(reason) => format!("*Stopped: {}*", one_line(reason.as_str())),
            TurnOutcome::Failed(error) => {
                format!("*Failed: {}*", one_line(&plain::line(&error.message)))
            }
        },
        EntryKind::Unknown(raw) => {
            format!("*An unknown update*\n\n{}", fenced(raw.as_str(), "json"))
        }
        _ => String::new(),
    }
}

fn message(message: &MessageEntry) -> String {
    let text = text_of(&message.content);
    match message.kind {
        MessageKind::User => format!("## You\n\n{}", quoted(&text)),
        MessageKind::Agent => format!("## Agent\n\n{}", closed(&text)),
        MessageKind::Thought => format!("*Thought*\n\n{}", quoted(&text)),
    }
}

fn call(call: &ToolCallEntry, terminal: TerminalLookup<'_>) -> String {
    let state = match &call.report.status {
        _ if call.is_cancelled => "cancelled",
        status => status.as_str(),
    };
    let title = tool_call::title(&call.report);
    let word = tool_call::kind_label(&call.report.kind);
    let mut text = format!(
        "- **{word}** {} ({})\n",
        code(&title),
        one_line(&plain::line(state))
    );
    for content in &call.report.content {
        let block = match content {
            v1::ToolCallContent::Content(content) => match content.content.as_text() {
                Some(text) => fenced(text, ""),
                None => one_line(&content::summary_line(&content.content)),
            },
            v1::ToolCallContent::Diff(diff) => fenced(&tool_call::diff_text(diff), "diff"),
            v1::ToolCallContent::Terminal(told) => match terminal(&told.terminal_id) {
                Some(view) => fenced(&tool_call::terminal_text(&view), "console"),
                None => {
                    let id = plain::line(told.terminal_id.as_str());
                    format!("terminal {}", code(&id))
                }
            },
            v1::ToolCallContent::Other(_) => continue,
            _ => continue,
        };
        text.push('\n');
        for line in block.lines() {
            // Writing to a string does not fail.
            writeln!(text, "  {line}").ok();
        }
    }
    text
}

fn plan_step(step: &v1::PlanEntry) -> String {
    let mark = if step.status == v1::PlanEntryStatus::Completed {
        'x'
    } else {
        ' '
    };
    format!("- [{mark}] {}\n", one_line(&plain::line(&step.content)))
}

fn text_of(blocks: &ContentBlocks) -> String {
    let texts = blocks.as_slice().iter().map(|block| match block.as_text() {
        Some(text) => plain::lines(text).into_owned(),
        None => one_line(&content::summary_line(block)),
    });
    texts.collect::<Vec<_>>().join("\n\n")
}

fn quoted(text: &str) -> String {
    let lines = text.trim_end().lines();
    let lines = lines.map(|line| format!("> {line}").trim_end().to_owned() + "\n");
    lines.collect()
}

/// The text in a fence that is longer than any fence in the text.
fn fenced(text: &str, language: &str) -> String {
    let text = plain::lines(text);
    let fence = "`".repeat((longest_run(&text, '`') + 1).max(3));
    format!(
        "{fence}{language}\n{}\n{fence}\n",
        text.trim_end_matches('\n')
    )
}

/// The text as code within a line.
fn code(text: &str) -> String {
    let ticks = "`".repeat(longest_run(text, '`') + 1);
    let space = if text.starts_with('`') || text.ends_with('`') {
        " "
    } else {
        ""
    };
    format!("{ticks}{space}{text}{space}{ticks}")
}

/// The text, with an open fence or comment closed.
fn closed(text: &str) -> String {
    let mut open: Option<&str> = None;
    for line in text.lines() {
        let start = line.trim_start();
        let run = start.len()
            - start
                .trim_start_matches(start.chars().next().unwrap_or(' '))
                .len();
        let fence = &start[..run];
        let is_fence = run >= 3
            && (fence.starts_with('`') || fence.starts_with('~'))
            && line.len() - start.len() < 4;
        match open {
            None if is_fence && !(fence.starts_with('`') && start[run..].contains('`')) => {
                open = Some(fence)
            }
            Some(fence)
                if is_fence && start.starts_with(fence) && start[run..].trim().is_empty() =>
            {
                open = None
            }
            _ => {}
        }
    }
    let comment = match (text.rfind("<!--"), text.rfind("-->")) {
        (Some(start), None) => Some(start),
        (Some(start), Some(end)) if end < start => Some(start),
        _ => None,
    };
    let ends = [open, comment.map(|_| "-->")];
    let ends = ends.into_iter().flatten().map(|end| format!("\n{end}"));
    format!("{}{}\n", text.trim_end(), ends.collect::<String>())
}

/// The text on one line, with Markdown characters escaped.
fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for char in text.trim().chars() {
        match char {
            '\n' => line.push(' '),
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '#' | '|' | '&' => {
                line.extend(['\\', char])
            }
            char => line.push(char),
        }
    }
    line
}

fn longest_run(text: &str, wanted: char) -> usize {
    let mut longest = 0;
    let mut run = 0;
    for char in text.chars() {
        run = if char == wanted { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}
