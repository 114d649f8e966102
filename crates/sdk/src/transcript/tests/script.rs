//! Sessions as scripts with one event per line.
//!
//! - `user …`, `agent …`, `thought …`: a chunk of text; `agent#id …` with a message id. `_` is a space at either end
//! - `{…}`: any update, as JSON
//! - `> …`: a turn begins; `= reason`, `! message`: it ends

use attache_schema::{json, v1};

use crate::transcript::{Change, Transcript};

pub(super) fn run(script: &str) -> Transcript {
    let mut transcript = Transcript::new();
    for line in lines(script) {
        step(&mut transcript, line);
    }
    transcript
}

pub(super) fn lines(script: &str) -> impl Iterator<Item = &str> {
    let lines = script.lines().map(str::trim);
    lines.filter(|line| !line.is_empty())
}

pub(super) fn step(transcript: &mut Transcript, line: &str) -> Change {
    match line.split_once(' ') {
        Some((">", prompt)) => transcript.begin_turn(vec![prompt.into()]),
        Some(("=", reason)) => transcript.end_turn(v1::StopReason::from(reason)),
        Some(("!", message)) => transcript.end_turn(v1::Error::new(-32603, message)),
        _ => transcript.apply(update(line)),
    }
}

pub(super) fn update(line: &str) -> v1::SessionUpdate {
    if line.starts_with('{') {
        return json::from_str(line).expect(line);
    }
    let (head, text) = line.split_once(' ').expect(line);
    let text = text.replace('_', " ");
    let (kind, id) = match head.split_once('#') {
        Some((kind, id)) => (kind, Some(id)),
        None => (head, None),
    };
    let mut chunk = v1::ContentChunk::new(text);
    chunk.message_id = id.map(v1::MessageId::from);
    match kind {
        "user" => v1::SessionUpdate::UserMessageChunk(chunk),
        "agent" => v1::SessionUpdate::AgentMessageChunk(chunk),
        "thought" => v1::SessionUpdate::AgentThoughtChunk(chunk),
        _ => panic!("{line}"),
    }
}
