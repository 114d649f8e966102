//! The messages: one short chunk, or a stream like that of an agent at work. The same on every run and
//! every machine.

use std::cmp::Ordering;

use serde_json::{Value, json};

use text::Text;

mod text;

pub(crate) const NAMES: [&str; 2] = ["short", "mix"];

pub(crate) struct Workload {
    pub(crate) name: &'static str,
    /// One round, without newlines.
    pub(crate) lines: Vec<Vec<u8>>,
}

impl Workload {
    pub(crate) fn named(name: &str) -> Option<Self> {
        match name {
            "short" => Some(Self {
                name: "short",
                lines: vec![line(chunk("I will look at"))],
            }),
            "mix" => Some(Self {
                name: "mix",
                lines: mix(),
            }),
            _ => None,
        }
    }

    /// `n` lines, round after round.
    pub(crate) fn cycle(&self, n: usize) -> impl Iterator<Item = &[u8]> {
        self.lines.iter().map(Vec::as_slice).cycle().take(n)
    }

    /// How many bytes `n` messages are on the wire.
    pub(crate) fn bytes(&self, n: usize) -> usize {
        let size = |lines: &[Vec<u8>]| lines.iter().map(|line| line.len() + 1).sum::<usize>();
        let (rounds, rest) = (n / self.lines.len(), n % self.lines.len());
        rounds * size(&self.lines) + size(&self.lines[..rest])
    }

    /// One round as it would come out of a pipe.
    pub(crate) fn stream(&self) -> Vec<u8> {
        self.lines
            .iter()
            .flat_map(|line| line.iter().copied().chain([b'\n']))
            .collect()
    }
}

/// A round of 1,000: 800 short chunks, 100 diffs of 4 KB, 50 plans, 30 usage updates, 15 lists of commands,
/// 5 texts of 64 KB.
fn mix() -> Vec<Vec<u8>> {
    let mut text = Text::seeded(0x00AC_2026);
    let mut updates: Vec<Value> = Vec::new();
    updates.extend((0..800).map(|_| chunk(&text.token())));
    updates.extend((0..50).map(|i| tool_call(i, &mut text)));
    updates.extend((0..50).map(|i| tool_call_update(i, &mut text)));
    updates.extend((0..50).map(|i| plan(i, &mut text)));
    updates.extend((0..30).map(usage));
    updates.extend((0..15).map(|_| commands(&mut text)));
    updates.extend((0..5).map(|_| chunk(&text.prose(64 * 1024))));
    text.shuffle(&mut updates);
    updates.into_iter().map(line).collect()
}

fn line(update: Value) -> Vec<u8> {
    let params = json!({ "sessionId": "sess_01a1e0c8", "update": update });
    serde_json::to_vec(&json!({ "jsonrpc": "2.0", "method": "session/update", "params": params }))
        .unwrap()
}

fn chunk(text: &str) -> Value {
    json!({
        "sessionUpdate": "agent_message_chunk",
        "content": { "type": "text", "text": text },
        "messageId": "msg_fe130162",
    })
}

fn tool_call(i: usize, text: &mut Text) -> Value {
    let path = format!("/home/user/project/src/{}.rs", text.word());
    json!({
        "sessionUpdate": "tool_call",
        "toolCallId": format!("call_{i:016x}"),
        "title": format!("Edit `{path}`"),
        "kind": "edit",
        "status": "in_progress",
        "content": [diff(&path, text)],
        "locations": [{ "path": path, "line": 40 + i }],
    })
}

fn tool_call_update(i: usize, text: &mut Text) -> Value {
    let path = format!("/home/user/project/src/{}.rs", text.word());
    json!({
        "sessionUpdate": "tool_call_update",
        "toolCallId": format!("call_{i:016x}"),
        "status": "completed",
        "content": [diff(&path, text)],
    })
}

/// 4 KB of text in all, before escapes.
fn diff(path: &str, text: &mut Text) -> Value {
    let (old, new) = (text.code(2 * 1024), text.code(2 * 1024));
    json!({ "type": "diff", "path": path, "oldText": old, "newText": new })
}

fn plan(i: usize, text: &mut Text) -> Value {
    let entry = |at: usize| {
        let priority = ["high", "medium", "low"][at % 3];
        let status = match at.cmp(&(i % 6)) {
            Ordering::Less => "completed",
            Ordering::Equal => "in_progress",
            Ordering::Greater => "pending",
        };
        json!({ "content": text.prose(60), "priority": priority, "status": status })
    };
    let entries: Vec<Value> = (0..6).map(entry).collect();
    json!({ "sessionUpdate": "plan", "entries": entries })
}

fn usage(i: usize) -> Value {
    json!({
        "sessionUpdate": "usage_update",
        "used": 12_000 + 731 * i,
        "size": 200_000,
        "cost": { "amount": 0.25, "currency": "USD" },
    })
}

fn commands(text: &mut Text) -> Value {
    let command = |_| {
        let (name, description, hint) = (text.word(), text.prose(50), text.word());
        json!({ "name": name, "description": description, "input": { "hint": hint } })
    };
    let commands: Vec<Value> = (0..8).map(command).collect();
    json!({ "sessionUpdate": "available_commands_update", "availableCommands": commands })
}
