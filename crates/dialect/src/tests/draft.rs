//! The draft against the table of its differences, row by row: each message is read, and written back as it was.

mod connection;
mod errors;
mod files;
mod hostile;
mod permissions;
mod prompts;
mod sessions;
mod settings;
mod terminals;
mod tool_calls;
mod tool_outputs;
mod updates;

use expect_test::Expect;
use serde_json::Value;

use super::call_translator::{CallIds, call, id, understood};
use super::official;
use crate::{Call, CallTranslator, Dialect, Role, TranslatedCall};

/// Checks that a draft message becomes this official message, and the same draft message again on the other side.
fn check(conversation: &mut TranslatedConversation, line: &str, draft: &str, official: Expect) {
    let (read, again) = conversation.pass(line, draft);
    official.assert_eq(&shown(&value(&read)));
    assert_eq!(value(&again), value(draft), "{line}");
}

/// Checks that a draft message becomes this official message, and this draft message on the other side.
fn check_lossy(
    conversation: &mut TranslatedConversation,
    line: &str,
    draft: &str,
    official: Expect,
    again: Expect,
) {
    let (read, other) = conversation.pass(line, draft);
    official.assert_eq(&shown(&value(&read)));
    again.assert_eq(&shown(&value(&other)));
}

/// Checks the draft form of an official message that was not made from a draft message.
fn check_written(
    conversation: &mut TranslatedConversation,
    line: &str,
    official: &str,
    draft: Expect,
) {
    let written = conversation.written(line, official);
    let written = written.iter().map(shown);
    draft.assert_eq(&written.collect::<Vec<_>>().join("\n"));
}

/// A conversation between a draft client and a draft agent, with the official shape in the middle. A result is one of
/// the oldest call of its method that waits.
struct TranslatedConversation {
    client: CallTranslator,
    agent: CallTranslator,
    pending: CallIds,
}

impl TranslatedConversation {
    fn new() -> Self {
        TranslatedConversation {
            client: CallTranslator::new(Dialect::Draft, Role::Client),
            agent: CallTranslator::new(Dialect::Draft, Role::Agent),
            pending: CallIds::default(),
        }
    }

    /// A conversation with an open session.
    fn in_session() -> Self {
        let mut conversation = TranslatedConversation::new();
        conversation.start("s", "/home/user/project");
        conversation
    }

    fn start(&mut self, session: &str, cwd: &str) {
        let new = format!(r#"{{"workingDirectory":"{cwd}"}}"#);
        self.pass("client session/new", &new);
        let result = format!(r#"{{"sessionId":"{session}","createdAt":"2026-02-04T10:30:00Z"}}"#);
        self.pass("agent= session/new", &result);
    }

    /// The translation for the one who is named, and the other.
    fn sides(&mut self, who: &str) -> (&mut CallTranslator, &mut CallTranslator) {
        match who.trim_end_matches('=') {
            "client" => (&mut self.client, &mut self.agent),
            _ => (&mut self.agent, &mut self.client),
        }
    }

    /// Sends a draft message and returns its official form and the draft that it is on the other side. The line
    /// contains the sender and the message, with a `=` before the method of a result.
    fn pass(&mut self, line: &str, draft: &str) -> (String, String) {
        let (from, method) = line.split_once(' ').expect("who and what");
        if from.ends_with('=') {
            let id = self.pending.answer(method);
            let (near, far) = self.sides(from);
            let official = near.read_result(&id, method, draft).expect("a result");
            let rewritten = official::rewritten_result(method, &official);
            understood(&official, rewritten).expect("official");
            let again = far.write_result(&id, method, &official).expect("a result");
            let again = again.into_owned();
            return (official.into_owned(), again);
        }
        let id = self.pending.call(method);
        let (near, far) = self.sides(from);
        let call = Call::request(&id, method, Some(draft));
        let (method, official) = one(near.read_call(call).expect("a call"));
        let rewritten = official::rewritten_params(&method, &official);
        understood(&official, rewritten).expect("official");
        let call = Call::request(&id, &method, Some(&official));
        let (_, again) = one(far.write_call(call).expect("a call"));
        (official, again)
    }

    /// Sends an official message to a draft peer and returns the messages that the peer gets.
    fn written(&mut self, line: &str, official: &str) -> Vec<Value> {
        let (to, method) = line.split_once(' ').expect("to whom and what");
        if to.ends_with('=') {
            official::accepts_result(method, official).expect("official");
            let id = self.pending.answer(method);
            let (near, _) = self.sides(to);
            let written = near.write_result(&id, method, official).expect("a result");
            return vec![value(&written)];
        }
        official::accepts_params(method, official).expect("official");
        let id = self.pending.call(method);
        let (near, _) = self.sides(to);
        let call = Call::request(&id, method, Some(official));
        match near.write_call(call).expect("a call") {
            TranslatedCall::Call { params, .. } => {
                params.iter().map(|params| value(params)).collect()
            }
            TranslatedCall::Calls(calls) => {
                let params = calls.iter().filter_map(|(_, params)| params.as_deref());
                params.map(value).collect()
            }
            TranslatedCall::Response(_) | TranslatedCall::Nothing => Vec::new(),
        }
    }
}

fn one(translated: TranslatedCall<'_>) -> (String, String) {
    match translated {
        TranslatedCall::Call { method, params } => (
            method.into_owned(),
            params.expect("parameters").into_owned(),
        ),
        other => panic!("not one call: {other:?}"),
    }
}

fn value(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}

/// The value on as few lines as are not too long.
fn shown(value: &Value) -> String {
    laid_out(value, 0)
}

fn laid_out(value: &Value, indent: usize) -> String {
    let flat = value.to_string();
    let (open, parts, close): (_, Vec<String>, _) = match value {
        _ if flat.len() + indent <= WIDTH => return flat,
        Value::Object(members) => {
            let members = members.iter();
            let members = members.map(|(name, value)| {
                format!("{}:{}", Value::from(&**name), laid_out(value, indent + 2))
            });
            ('{', members.collect(), '}')
        }
        Value::Array(items) => {
            let items = items.iter().map(|item| laid_out(item, indent + 2));
            ('[', items.collect(), ']')
        }
        _ => return flat,
    };
    let inner = " ".repeat(indent + 2);
    let parts = parts.join(&format!(",\n{inner}"));
    format!("{open}\n{inner}{parts}\n{}{close}", " ".repeat(indent))
}

const WIDTH: usize = 84;
