//! The updates that a client has seen in a session, compared with a replay.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use serde_json::Value;

/// One session as it was seen, over all the agents that had it.
#[derive(Default)]
pub(crate) struct Record {
    /// Updates that were replayed before and must be replayed again.
    kept: Vec<Value>,
    /// Updates since the last replay, in order.
    seen: Vec<SeenUpdate>,
    pub(crate) tally: Tally,
}

#[derive(Debug)]
struct SeenUpdate {
    at: Instant,
    update: Value,
    /// Whether it must be on disk, no matter when it was seen.
    sure: bool,
}

/// Whether the trial was a fair one.
#[derive(Default, Debug)]
pub(crate) struct Tally {
    pub(crate) answered: usize,
    pub(crate) interrupted_calls: usize,
    pub(crate) unseen: usize,
    /// Kills that lost data which should have been written by then.
    pub(crate) late: usize,
    pub(crate) oldest_lost: Duration,
}

impl Record {
    /// A prompt was sent, or has its turn now. That it was taken is known only when something follows.
    pub(crate) fn asked(&mut self, text: &str) {
        let content = serde_json::json!({"type": "text", "text": text});
        let update = serde_json::json!({"sessionUpdate": "user_message_chunk", "content": content});
        self.note(Instant::now(), update);
    }

    pub(crate) fn updated(&mut self, at: Instant, update: Value) {
        if is_kept(&update) {
            let is_start = update["status"] == "in_progress";
            // A prompt is on disk before its first update, and everything before a tool call when that starts.
            for seen in &mut self.seen {
                seen.sure |= is_start || seen.update["sessionUpdate"] == "user_message_chunk";
            }
            self.note(at, update);
        }
    }

    /// The turn has its response, so all of it is on disk.
    pub(crate) fn answered(&mut self) {
        self.tally.answered += 1;
        self.seen.iter_mut().for_each(|seen| seen.sure = true);
    }

    fn note(&mut self, at: Instant, update: Value) {
        let sure = false;
        self.seen.push(SeenUpdate { at, update, sure });
    }

    /// Compares a replay with what was seen of the agent that was killed at a moment.
    pub(crate) fn replayed(&mut self, updates: Vec<Value>, killed: Instant, script: &[&str]) {
        let replay: Vec<Value> = updates.into_iter().filter(is_kept).map(plain).collect();
        let (old, new) = replay.split_at(self.kept.len().min(replay.len()));
        assert!(old == self.kept, "what was replayed before is not any more");
        let seen = std::mem::take(&mut self.seen);
        let same = seen
            .iter()
            .zip(new)
            .take_while(|(seen, new)| seen.update == **new)
            .count();
        self.judge_lost(&seen[same..], killed);
        let rest = &new[same..];
        let mended = rest
            .iter()
            .rev()
            .take_while(|update| is_mending(update))
            .count();
        self.tally.interrupted_calls += mended;
        let unseen = rest.len() - mended;
        assert!(
            unseen == 0 || same == seen.len(),
            "{unseen} updates are replayed in the place of others: {:#?} after {:#?}",
            rest,
            seen.last().map(|seen| &seen.update),
        );
        self.tally.unseen += unseen;
        every_call_is_settled_once(&replay);
        every_text_is_the_beginning_of_the_script(&replay, script);
        self.kept = replay;
    }

    fn judge_lost(&mut self, lost: &[SeenUpdate], killed: Instant) {
        let sure = lost.iter().find(|lost| lost.sure);
        assert!(sure.is_none(), "acknowledged and lost: {sure:?}");
        // The last prompt may not have been taken yet.
        let mut lost = lost
            .iter()
            .filter(|lost| lost.update["sessionUpdate"] != "user_message_chunk");
        let Some(first) = lost.next() else { return };
        let age = killed.saturating_duration_since(first.at);
        self.tally.oldest_lost = self.tally.oldest_lost.max(age);
        self.tally.late += usize::from(age > WRITTEN);
    }

    pub(crate) fn len(&self) -> usize {
        self.kept.len()
    }

    /// The number of calls of a kind.
    pub(crate) fn announced(&self, kind: &str) -> usize {
        self.calls(kind).count()
    }

    /// The number of calls of a kind that were completed.
    pub(crate) fn completed(&self, kind: &str) -> usize {
        let is_done = |id: &&Value| {
            let mut updates = self.kept.iter();
            updates.any(|update| update["toolCallId"] == **id && update["status"] == "completed")
        };
        self.calls(kind).filter(is_done).count()
    }

    fn calls(&self, kind: &str) -> impl Iterator<Item = &Value> {
        let calls = self.kept.iter();
        let calls = calls
            .filter(move |update| update["sessionUpdate"] == "tool_call" && update["kind"] == kind);
        calls.map(|call| &call["toolCallId"])
    }
}

/// Whether a replay contains this update. Others are sent again when a session opens.
fn is_kept(update: &Value) -> bool {
    let kind = update["sessionUpdate"].as_str().unwrap_or_default();
    KEPT.contains(&kind)
}

/// A client does not learn the ids of its prompts when it sends them.
fn plain(mut update: Value) -> Value {
    if update["sessionUpdate"] == "user_message_chunk"
        && let Some(members) = update.as_object_mut()
    {
        members.remove("messageId");
    }
    update
}

fn is_mending(update: &Value) -> bool {
    let said = update["content"][0]["content"]["text"].as_str();
    update["status"] == "failed" && said.is_some_and(|said| said.starts_with("Interrupted"))
}

fn every_call_is_settled_once(replay: &[Value]) {
    let mut ends: HashMap<&str, usize> = HashMap::new();
    for update in replay {
        let Some(id) = update["toolCallId"].as_str() else {
            continue;
        };
        if update["sessionUpdate"] == "tool_call" {
            assert!(ends.insert(id, 0).is_none(), "{id} is announced twice");
        } else if ["completed", "failed"]
            .iter()
            .any(|end| update["status"] == *end)
        {
            *ends.get_mut(id).unwrap() += 1;
        }
    }
    let unsettled = ends.iter().find(|(_, ends)| **ends != 1);
    assert!(unsettled.is_none(), "settled not once: {unsettled:?}");
}

/// No message is duplicated, missing in the middle or out of order: each message is the beginning of one in the script.
fn every_text_is_the_beginning_of_the_script(replay: &[Value], script: &[&str]) {
    let mut messages: Vec<(&Value, String)> = Vec::new();
    for update in replay {
        if update["sessionUpdate"] != "agent_message_chunk" {
            continue;
        }
        let (id, text) = (
            &update["messageId"],
            update["content"]["text"].as_str().unwrap(),
        );
        match messages.last_mut() {
            Some((last, message)) if *last == id => message.push_str(text),
            _ => messages.push((id, text.to_owned())),
        }
    }
    for (_, message) in messages {
        assert!(
            script.iter().any(|text| text.starts_with(&message)),
            "not in the script: {message}"
        );
    }
}

const KEPT: [&str; 5] = [
    "user_message_chunk",
    "agent_message_chunk",
    "agent_thought_chunk",
    "tool_call",
    "tool_call_update",
];

/// Streamed text is written within 50 ms.
const WRITTEN: Duration = Duration::from_millis(60);
