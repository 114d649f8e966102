//! A transcript as text: the entries, then the state.

use std::fmt::{self, Write};

use attache_schema::{json, v1};

use crate::transcript::{
    ContentBlocks, Entry, EntryKind, MessageEntry, MessageKind, SessionMessageEntry, SubagentEntry,
    ToolCallEntry, Transcript, TurnOutcome,
};

pub(super) fn render(transcript: &Transcript) -> String {
    let mut out = String::new();
    write_all(&mut out, transcript).expect("a string takes all text");
    out
}

fn write_all(out: &mut String, transcript: &Transcript) -> fmt::Result {
    let dropped = transcript.dropped();
    if dropped.entries > 0 {
        writeln!(out, "({} dropped)", dropped.entries)?;
    }
    for entry in transcript.entries() {
        writeln!(out, "{} {}", entry.index(), item(entry))?;
    }
    state(out, transcript)
}

fn item(entry: &Entry) -> String {
    let text = match entry.kind() {
        EntryKind::Message(it) => message(it),
        EntryKind::ToolCall(it) => tool_call(it),
        EntryKind::Notice(it) => format!("notice {}", encoded(it)),
        EntryKind::Compaction(it) => {
            let summary = blocks(&it.summary);
            format!(
                "compaction {} {}{summary}{}",
                it.id,
                it.status,
                some(" error=", &it.error)
            )
        }
        EntryKind::Subagent(it) => subagent(it),
        EntryKind::SessionMessage(it) => session_message(it),
        EntryKind::TurnEnd(it) => match &it.outcome {
            TurnOutcome::Stopped(reason) => format!("end {reason} {:?}", it.cancelled),
            TurnOutcome::Failed(error) => format!("end {error} {:?}", it.cancelled),
        },
        EntryKind::Unknown(it) => format!("unknown {}", it.as_str()),
    };
    match entry.dropped() {
        0 => text,
        _ => format!("{text} (cut)"),
    }
}

fn message(message: &MessageEntry) -> String {
    let kind = match message.kind {
        MessageKind::User if message.is_prompt => "prompt",
        MessageKind::User => "user",
        MessageKind::Agent => "agent",
        MessageKind::Thought => "thought",
    };
    format!(
        "{kind}{}{}",
        some("#", &message.id),
        blocks(&message.content)
    )
}

fn tool_call(call: &ToolCallEntry) -> String {
    let mark = if call.is_cancelled { " CANCELLED" } else { "" };
    format!("call{mark} {}", encoded(&call.report))
}

fn subagent(child: &SubagentEntry) -> String {
    let state = child.state.as_ref().map(encoded);
    let title = some(" title=", &child.title);
    let description = some(" description=", &child.description);
    let cwd = some(" cwd=", &child.cwd);
    format!(
        "subagent {}{title}{description}{cwd}{}",
        child.session_id,
        some(" ", &state)
    )
}

fn session_message(message: &SessionMessageEntry) -> String {
    let sender = some(" from=", &message.sender);
    let recipient = some(" to=", &message.recipient);
    format!(
        "between {}{sender}{recipient}{}",
        message.id,
        blocks(&message.content)
    )
}

fn state(out: &mut String, transcript: &Transcript) -> fmt::Result {
    if let Some(plan) = transcript.plan() {
        writeln!(out, "plan {}", encoded(plan))?;
    }
    for plan in transcript.plans() {
        writeln!(out, "plan {}", encoded(plan))?;
    }
    for command in transcript.commands() {
        writeln!(out, "command {}", encoded(command))?;
    }
    if let Some(mode) = transcript.mode() {
        writeln!(out, "mode {mode}")?;
    }
    for option in transcript.config() {
        writeln!(out, "config {}", encoded(option))?;
    }
    if let Some(title) = transcript.title() {
        writeln!(out, "title {title}")?;
    }
    if let Some(time) = transcript.updated_at() {
        writeln!(out, "updated {time}")?;
    }
    if let Some(usage) = transcript.usage() {
        writeln!(out, "usage {}", encoded(usage))?;
    }
    Ok(())
}

fn blocks(blocks: &ContentBlocks) -> String {
    let block = |block: &v1::ContentBlock| match block {
        v1::ContentBlock::Text(content)
            if *content == v1::TextContent::new(content.text.as_str()) =>
        {
            format!(" {:?}", content.text)
        }
        other => format!(" {}", encoded(other)),
    };
    blocks.as_slice().iter().map(block).collect()
}

fn some<T: fmt::Display>(before: &str, value: &Option<T>) -> String {
    match value {
        Some(value) => format!("{before}{value}"),
        None => String::new(),
    }
}

fn encoded<T: json::Encode>(value: &T) -> String {
    json::to_string(value)
}
