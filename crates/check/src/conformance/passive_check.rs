//! Checks on all recorded conversations, after the test cases have ended.

use std::collections::HashMap;

use attache_testkit::{Side, TraceViolation};
use serde_json::Value;

use super::inspections::{LineInspector, MessageInspector};
use super::json::{MessageKind, message_kind, method, text};
use super::test_case::not_exercised;
use super::{Check, Conversation, EntryContent, Evidence, Judgement, Verdict};

/// A check on everything that one side sends.
pub(crate) struct PassiveCheck {
    pub(crate) check: Check,
    pub(crate) side: Side,
    pub(crate) inspection: Inspection,
}

pub(crate) enum Inspection {
    /// Each line.
    Line(LineInspector),
    /// Each message.
    Message(MessageInspector),
    /// The ids of requests and responses.
    Ids(fn(&IdCounts<'_>) -> Option<Result<(), String>>),
    /// Violations of these rules, in messages that match.
    Rules(&'static [&'static str], fn(&Value) -> bool),
}

/// How often one id occurred in a conversation.
pub(crate) struct IdCounts<'a> {
    pub(crate) id: &'a Value,
    /// How often the checked side sent a response with this id, and the other side a request.
    pub(crate) responses: usize,
    pub(crate) requests: usize,
    /// How many requests of the checked side with this id are open.
    pub(crate) open: usize,
}

pub(crate) fn judge(
    checks: impl Iterator<Item = &'static PassiveCheck>,
    conversations: &[Conversation],
) -> Vec<Judgement> {
    let findings: Vec<Vec<TraceViolation>> = conversations
        .iter()
        .map(|conversation| conversation.trace().violations())
        .collect();
    let judged = checks.map(|check| {
        let mut results = Vec::new();
        for (index, conversation) in conversations.iter().enumerate() {
            let found = check.inspect(conversation, &findings[index]);
            let found = found.into_iter().map(|(entry, outcome)| {
                let evidence = Evidence {
                    conversation: index,
                    entry,
                };
                (evidence, outcome)
            });
            results.extend(found);
        }
        judgement(check, results)
    });
    judged.collect()
}

fn judgement(
    check: &'static PassiveCheck,
    results: Vec<(Evidence, Result<(), String>)>,
) -> Judgement {
    let Some((shown, _)) = results.first() else {
        return not_exercised(&check.check, None);
    };
    let shown = *shown;
    let mut wrong = results
        .into_iter()
        .filter_map(|(at, outcome)| Some((at, outcome.err()?)));
    let Some((first, why)) = wrong.next() else {
        return Judgement {
            check: &check.check,
            verdict: Verdict::Pass,
            why: String::new(),
            evidence: vec![shown],
        };
    };
    let rest = wrong.map(|(at, _)| at).take(MOST_EVIDENCE);
    Judgement {
        check: &check.check,
        verdict: Verdict::broken(check.check.level),
        why,
        evidence: std::iter::once(first).chain(rest).collect(),
    }
}

type EntryResults = Vec<(usize, Result<(), String>)>;

impl PassiveCheck {
    fn inspect(&self, conversation: &Conversation, findings: &[TraceViolation]) -> EntryResults {
        match &self.inspection {
            Inspection::Line(inspection) => {
                let entries = conversation.entries.iter().enumerate();
                let own = entries.filter(|(_, entry)| entry.from == self.side);
                own.filter_map(|(index, entry)| match &entry.content {
                    EntryContent::Line(line, json) => {
                        Some((index, inspection(line, json.as_ref())?))
                    }
                    EntryContent::End => None,
                })
                .collect()
            }
            Inspection::Message(inspection) => {
                let messages = conversation.messages(self.side);
                messages
                    .filter_map(|(entry, message)| Some((entry, inspection(message)?)))
                    .collect()
            }
            Inspection::Ids(inspection) => count_ids(conversation, self.side, *inspection),
            // The rule applies to one turn of a session at a time.
            Inspection::Rules(numbers, _) if numbers.contains(&"108") && overlaps(conversation) => {
                Vec::new()
            }
            Inspection::Rules(numbers, sort) => {
                let messages = conversation.messages(self.side).filter(|(_, it)| sort(it));
                let own = |finding: &&TraceViolation| {
                    finding.from == self.side && numbers.contains(&finding.violation.rule.number)
                };
                let broken: HashMap<usize, String> = findings
                    .iter()
                    .filter(own)
                    .map(|finding| (finding.entry, finding.violation.to_string()))
                    .collect();
                let judged = messages.map(|(entry, _)| match broken.get(&entry) {
                    Some(why) => (entry, Err(why.clone())),
                    None => (entry, Ok(())),
                });
                judged.collect()
            }
        }
    }
}

/// Whether a session was prompted while it had a turn.
fn overlaps(conversation: &Conversation) -> bool {
    let mut open: HashMap<String, String> = HashMap::new();
    for entry in &conversation.entries {
        let EntryContent::Line(_, Some(message)) = &entry.content else {
            continue;
        };
        let id = message.get("id").map(Value::to_string).unwrap_or_default();
        if entry.from == Side::Agent && message_kind(message) == MessageKind::Response {
            open.remove(&id);
        }
        if entry.from == Side::Client && method(message) == "session/prompt" {
            let session = text(message, "/params/sessionId").to_owned();
            if open.values().any(|it| *it == session) {
                return true;
            }
            open.insert(id, session);
        }
    }
    false
}

/// Counts ids, message by message.
fn count_ids(
    conversation: &Conversation,
    side: Side,
    inspection: fn(&IdCounts<'_>) -> Option<Result<(), String>>,
) -> EntryResults {
    let mut requests: HashMap<String, usize> = HashMap::new();
    let mut responses: HashMap<String, usize> = HashMap::new();
    let mut open: HashMap<String, usize> = HashMap::new();
    let mut results = Vec::new();
    for (index, entry) in conversation.entries.iter().enumerate() {
        let EntryContent::Line(line, _) = &entry.content else {
            continue;
        };
        for message in messages(line) {
            let Some(id) = message.get("id") else {
                continue;
            };
            let key = id.to_string();
            match (entry.from == side, message_kind(&message)) {
                (true, MessageKind::Request) => *open.entry(key.clone()).or_default() += 1,
                (true, MessageKind::Response) => *responses.entry(key.clone()).or_default() += 1,
                (false, MessageKind::Response) => {
                    open.remove(&key);
                    continue;
                }
                (false, _) => {
                    *requests.entry(key).or_default() += 1;
                    continue;
                }
                (true, _) => continue,
            }
            let of = |map: &HashMap<String, usize>| map.get(&key).copied().unwrap_or(0);
            let is_response = message_kind(&message) == MessageKind::Response;
            let counted = IdCounts {
                id,
                responses: if is_response { of(&responses) } else { 0 },
                requests: of(&requests),
                open: if is_response { 0 } else { of(&open) },
            };
            results.extend(inspection(&counted).map(|outcome| (index, outcome)));
        }
    }
    results
}

/// The messages that were written at once: several lines, or a batch.
fn messages(line: &[u8]) -> Vec<Value> {
    let lines = line.split(|byte| *byte == b'\n');
    let read = lines.filter_map(|line| serde_json::from_slice::<Value>(line).ok());
    read.flat_map(|value| match value {
        Value::Array(items) => items,
        one => vec![one],
    })
    .collect()
}

const MOST_EVIDENCE: usize = 4;
