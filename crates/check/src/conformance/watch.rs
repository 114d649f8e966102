//! Checks that look through all conversations afterwards.

use std::collections::HashMap;

use attache_testkit::{Side, TraceViolation};
use serde_json::Value;

use super::act::not_exercised;
use super::json::{Shape, method, shape, text};
use super::looks::{AtLine, AtMessage};
use super::{Check, Conversation, Evidence, Judgement, Verdict, What};

/// A check on everything that one side says.
pub(crate) struct Watch {
    pub(crate) check: Check,
    pub(crate) side: Side,
    pub(crate) look: Look,
}

pub(crate) enum Look {
    /// At each line. `None` where it says nothing.
    Line(AtLine),
    /// At each message. `None` where it says nothing.
    Message(AtMessage),
    /// At the ids of requests and their answers.
    Ids(fn(&Ids<'_>) -> Option<Result<(), String>>),
    /// At what breaks one of these rules, in messages of a sort.
    Rules(&'static [&'static str], fn(&Value) -> bool),
}

/// One id of a conversation.
pub(crate) struct Ids<'a> {
    pub(crate) id: &'a Value,
    /// How often the watched side has answered it, and the other asked it.
    pub(crate) answers: usize,
    pub(crate) asks: usize,
    /// How often the watched side has asked it, before it was answered.
    pub(crate) open: usize,
}

pub(crate) fn judge(
    watches: impl Iterator<Item = &'static Watch>,
    conversations: &[Conversation],
) -> Vec<Judgement> {
    let findings: Vec<Vec<TraceViolation>> = conversations
        .iter()
        .map(|conversation| conversation.trace().violations())
        .collect();
    let judged = watches.map(|watch| {
        let mut seen = Vec::new();
        for (index, conversation) in conversations.iter().enumerate() {
            let found = watch.look(conversation, &findings[index]);
            let found = found.into_iter().map(|(entry, outcome)| {
                let evidence = Evidence {
                    conversation: index,
                    entry,
                };
                (evidence, outcome)
            });
            seen.extend(found);
        }
        judgement(watch, seen)
    });
    judged.collect()
}

fn judgement(watch: &'static Watch, seen: Vec<(Evidence, Result<(), String>)>) -> Judgement {
    let Some((shown, _)) = seen.first() else {
        return not_exercised(&watch.check, None);
    };
    let shown = *shown;
    let mut wrong = seen
        .into_iter()
        .filter_map(|(at, outcome)| Some((at, outcome.err()?)));
    let Some((first, why)) = wrong.next() else {
        return Judgement {
            check: &watch.check,
            verdict: Verdict::Pass,
            why: String::new(),
            evidence: vec![shown],
        };
    };
    let rest = wrong.map(|(at, _)| at).take(MOST_EVIDENCE);
    Judgement {
        check: &watch.check,
        verdict: Verdict::broken(watch.check.level),
        why,
        evidence: std::iter::once(first).chain(rest).collect(),
    }
}

type Seen = Vec<(usize, Result<(), String>)>;

impl Watch {
    fn look(&self, conversation: &Conversation, findings: &[TraceViolation]) -> Seen {
        match &self.look {
            Look::Line(look) => {
                let said = conversation.said.iter().enumerate();
                let own = said.filter(|(_, said)| said.from == self.side);
                own.filter_map(|(entry, said)| match &said.what {
                    What::Line(line, json) => Some((entry, look(line, json.as_ref())?)),
                    What::End => None,
                })
                .collect()
            }
            Look::Message(look) => {
                let messages = conversation.messages(self.side);
                messages
                    .filter_map(|(entry, message)| Some((entry, look(message)?)))
                    .collect()
            }
            Look::Ids(look) => ids(conversation, self.side, *look),
            // The rules know one turn of a session at a time.
            Look::Rules(numbers, _) if numbers.contains(&"108") && overlaps(conversation) => {
                Vec::new()
            }
            Look::Rules(numbers, sort) => {
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

/// Whether a session was prompted during a turn.
fn overlaps(conversation: &Conversation) -> bool {
    let mut open: HashMap<String, String> = HashMap::new();
    for said in &conversation.said {
        let What::Line(_, Some(message)) = &said.what else {
            continue;
        };
        let id = message.get("id").map(Value::to_string).unwrap_or_default();
        if said.from == Side::Agent && shape(message) == Shape::Answer {
            open.remove(&id);
        }
        if said.from == Side::Client && method(message) == "session/prompt" {
            let session = text(message, "/params/sessionId").to_owned();
            if open.values().any(|it| *it == session) {
                return true;
            }
            open.insert(id, session);
        }
    }
    false
}

/// Counts each id, at each message that has it.
fn ids(
    conversation: &Conversation,
    side: Side,
    look: fn(&Ids<'_>) -> Option<Result<(), String>>,
) -> Seen {
    let mut asks: HashMap<String, usize> = HashMap::new();
    let mut answers: HashMap<String, usize> = HashMap::new();
    let mut open: HashMap<String, usize> = HashMap::new();
    let mut seen = Vec::new();
    for (entry, said) in conversation.said.iter().enumerate() {
        let What::Line(line, _) = &said.what else {
            continue;
        };
        for message in messages(line) {
            let Some(id) = message.get("id") else {
                continue;
            };
            let key = id.to_string();
            match (said.from == side, shape(&message)) {
                (true, Shape::Request) => *open.entry(key.clone()).or_default() += 1,
                (true, Shape::Answer) => *answers.entry(key.clone()).or_default() += 1,
                (false, Shape::Answer) => {
                    open.remove(&key);
                    continue;
                }
                (false, _) => {
                    *asks.entry(key).or_default() += 1;
                    continue;
                }
                (true, _) => continue,
            }
            let of = |map: &HashMap<String, usize>| map.get(&key).copied().unwrap_or(0);
            let is_answer = shape(&message) == Shape::Answer;
            let counted = Ids {
                id,
                answers: if is_answer { of(&answers) } else { 0 },
                asks: of(&asks),
                open: if is_answer { 0 } else { of(&open) },
            };
            seen.extend(look(&counted).map(|outcome| (entry, outcome)));
        }
    }
    seen
}

/// The messages of what was written at once: lines, or a batch.
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
