//! The draft against the table of its differences, row by row: what is read, and that it comes back.

use expect_test::{Expect, expect};
use serde_json::Value;

use super::{Call, Draft, Passage, Peer, Translate};
use crate::tests::official;

/// A conversation between a draft client and a draft agent, with the official shape in the middle.
struct Talk {
    client: Draft,
    agent: Draft,
}

impl Talk {
    fn new() -> Self {
        Talk {
            client: Draft::new(Peer::Client),
            agent: Draft::new(Peer::Agent),
        }
    }

    /// A conversation in which there is a session.
    fn in_session() -> Self {
        let mut talk = Talk::new();
        talk.pass("client session/new", r#"{"workingDirectory":"/home/user/project"}"#);
        talk.pass("agent= session/new", r#"{"sessionId":"s","createdAt":"2026-02-04T10:30:00Z"}"#);
        talk
    }

    /// Sends a draft message and returns its official form, which the official crate accepts, and the draft it has
    /// become on the other side.
    fn pass(&mut self, line: &str, draft: &str) -> (String, String) {
        let (from, method) = line.split_once(' ').expect("who and what");
        let (near, far) = match from.trim_end_matches('=') {
            "client" => (&mut self.client, &mut self.agent),
            "agent" => (&mut self.agent, &mut self.client),
            _ => panic!("{from}: client, agent, client= or agent="),
        };
        if from.ends_with('=') {
            let official = near.read_result(method, draft).expect("a result").into_owned();
            official::accepts_result(method, &official).expect("official");
            let again = far.write_result(method, &official).expect("a result");
            return (official.clone(), again.into_owned());
        }
        let (method, official) = one(near.read_call(call(method, draft)).expect("a call"));
        official::accepts_params(&method, &official).expect("official");
        let (_, again) = one(far.write_call(call(&method, &official)).expect("a call"));
        (official, again)
    }
}

fn call<'a>(method: &'a str, params: &'a str) -> Call<'a> {
    Call {
        method,
        params: Some(params),
    }
}

fn one(passage: Passage<'_>) -> (String, String) {
    match passage {
        Passage::Call { method, params } => (method.into_owned(), params.expect("params").into_owned()),
        other => panic!("not one call: {other:?}"),
    }
}

fn value(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}

/// The draft message reads as the official one, and is itself again on the other side.
fn check(talk: &mut Talk, line: &str, draft: &str, official: Expect) {
    let (read, again) = talk.pass(line, draft);
    official.assert_eq(&read);
    assert_eq!(value(&again), value(draft), "{line}");
}
