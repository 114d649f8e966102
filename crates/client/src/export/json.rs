//! The JSON export: the session's current state, and its entries in order, one per line. Content blocks are as in ACP.

use attache::json::{self, Encode};
use attache::transcript::{
    ContentBlocks, Entry, EntryKind, MessageEntry, MessageKind, SessionMessageEntry, SubagentEntry,
    TurnOutcome,
};
use attache::{Transcript, v1};

use crate::archive::terminals::TerminalJson;
use crate::export::TerminalLookup;

/// The whole transcript as one JSON object.
pub fn json(transcript: &Transcript) -> String {
    json_with(transcript, &|_| None)
}

/// The whole transcript as one JSON object, with the output of its terminals.
pub fn json_with(transcript: &Transcript, terminal: TerminalLookup<'_>) -> String {
    let dropped = transcript.dropped();
    let mut object = JsonObject::default();
    object.text("title", transcript.title());
    object.text("updatedAt", transcript.updated_at());
    object.member("turns", Some(&transcript.turns().to_string()));
    object.count("droppedEntries", dropped.entries);
    object.value("plan", transcript.plan());
    object.value("usage", transcript.usage());
    object.text("mode", transcript.mode().map(v1::SessionModeId::as_str));
    let entries: Vec<String> = transcript.entries().map(|it| entry(it, terminal)).collect();
    let entries = format!("[\n{}\n]", entries.join(",\n"));
    object.member("entries", Some(&entries));
    object.finish() + "\n"
}

fn entry(entry: &Entry, terminal: TerminalLookup<'_>) -> String {
    let mut object = JsonObject::default();
    object.member("index", Some(&entry.index().to_string()));
    object.member("turn", Some(&entry.turn().to_string()));
    object.count("droppedBytes", entry.dropped());
    item(entry.kind(), terminal, &mut object);
    object.finish()
}

fn item(item: &EntryKind, terminal: TerminalLookup<'_>, object: &mut JsonObject) {
    match item {
        EntryKind::Message(message) => self::message(message, object),
        EntryKind::ToolCall(call) => {
            object.text("type", Some("toolCall"));
            object.member("isCancelled", Some("true").filter(|_| call.is_cancelled));
            object.value("toolCall", Some(&call.report));
            let wrote = wrote(&call.report, terminal);
            object.member("terminals", wrote.as_deref());
        }
        EntryKind::Notice(notice) => {
            object.text("type", Some("notice"));
            object.value("notice", Some(notice));
        }
        EntryKind::Compaction(compaction) => {
            object.text("type", Some("compaction"));
            object.text("id", Some(compaction.id.as_str()));
            object.text("status", Some(compaction.status.as_str()));
            object.text("error", compaction.error.as_deref());
            object.blocks("summary", &compaction.summary);
        }
        EntryKind::Subagent(child) => subagent(child, object),
        EntryKind::SessionMessage(message) => session_message(message, object),
        EntryKind::TurnEnd(end) => {
            object.text("type", Some("end"));
            match &end.outcome {
                TurnOutcome::Stopped(reason) => object.text("stopReason", Some(reason.as_str())),
                TurnOutcome::Failed(error) => object.value("error", Some(error)),
            }
        }
        EntryKind::Unknown(raw) => {
            object.text("type", Some("unknown"));
            object.member("update", Some(raw.as_str()));
        }
        _ => object.text("type", Some("unknown")),
    }
}

/// The output of a tool call's terminals, as far as it is known.
fn wrote(call: &v1::ToolCall, terminal: TerminalLookup<'_>) -> Option<String> {
    let named = call.content.iter().filter_map(|content| match content {
        v1::ToolCallContent::Terminal(told) => Some(&told.terminal_id),
        _ => None,
    });
    let known = named.filter_map(|id| Some(json::to_string(&TerminalJson(id, &terminal(id)?))));
    let known: Vec<String> = known.collect();
    (!known.is_empty()).then(|| format!("[{}]", known.join(",")))
}

fn message(message: &MessageEntry, object: &mut JsonObject) {
    let role = match message.kind {
        MessageKind::User => "user",
        MessageKind::Agent => "agent",
        MessageKind::Thought => "thought",
    };
    object.text("type", Some("message"));
    object.text("role", Some(role));
    object.text("id", message.id.as_ref().map(v1::MessageId::as_str));
    object.blocks("content", &message.content);
}

fn subagent(child: &SubagentEntry, object: &mut JsonObject) {
    object.text("type", Some("subagent"));
    object.text("sessionId", Some(child.session_id.as_str()));
    object.text("title", child.title.as_deref());
    object.text("description", child.description.as_deref());
    object.value("state", child.state.as_ref());
}

fn session_message(message: &SessionMessageEntry, object: &mut JsonObject) {
    object.text("type", Some("sessionMessage"));
    object.text("id", Some(message.id.as_str()));
    object.text("sender", message.sender.as_ref().map(v1::SessionId::as_str));
    object.text(
        "recipient",
        message.recipient.as_ref().map(v1::SessionId::as_str),
    );
    object.blocks("content", &message.content);
}

/// The members of an object so far.
#[derive(Default)]
struct JsonObject {
    members: Vec<String>,
}

impl JsonObject {
    fn member(&mut self, name: &str, json: Option<&str>) {
        if let Some(json) = json {
            self.members.push(format!("\"{name}\":{json}"));
        }
    }

    /// Adds a count unless it is 0.
    fn count(&mut self, name: &str, count: usize) {
        let text = (count > 0).then(|| count.to_string());
        self.member(name, text.as_deref());
    }

    fn text(&mut self, name: &str, text: Option<&str>) {
        let text = text.map(|text| serde_json::Value::from(text).to_string());
        self.member(name, text.as_deref());
    }

    fn value<T: Encode>(&mut self, name: &str, value: Option<&T>) {
        let value = value.map(json::to_string);
        self.member(name, value.as_deref());
    }

    fn blocks(&mut self, name: &str, blocks: &ContentBlocks) {
        let blocks: Vec<String> = blocks.as_slice().iter().map(json::to_string).collect();
        self.member(name, Some(&format!("[{}]", blocks.join(","))));
    }

    fn finish(self) -> String {
        format!("{{{}}}", self.members.join(","))
    }
}
