//! A scripted conversation across a translator: each of the peer's messages beside its official form, in both
//! directions.

use std::sync::LazyLock;

use attache_rpc::{Error, Id};
use serde_json::Value;

use super::official::{accepts_params, accepts_result};
use crate::{Call, CallTranslator, Dialect, Role, TranslatedCall};

/// One connection. Every step takes the peer's JSON first and the official one second; the official one must also
/// please the official types. A response belongs to the oldest pending call of its method.
pub(super) struct TranslatedConversation {
    translator: CallTranslator,
    ours: CallIds,
    theirs: CallIds,
}

/// The calls of one side that wait. Both sides count from 1.
#[derive(Default)]
pub(super) struct CallIds {
    waiting: Vec<(Id, String)>,
    count: i64,
    answers_newest: bool,
}

impl CallIds {
    /// The id of a new call.
    pub(super) fn call(&mut self, method: &str) -> Id {
        self.count += 1;
        let id = Id::from(self.count);
        self.waiting.push((id.clone(), method.to_owned()));
        id
    }

    /// The id of the call that gets the next response, or an unused id.
    pub(super) fn answer(&mut self, method: &str) -> Id {
        let mut places = (0..self.waiting.len()).filter(|&at| self.waiting[at].1 == method);
        let place = if self.answers_newest {
            places.next_back()
        } else {
            places.next()
        };
        self.answers_newest = false;
        place.map_or(Id::from("unasked"), |at| self.waiting.remove(at).0)
    }
}

impl TranslatedConversation {
    pub(super) fn new(dialect: Dialect, peer: Role) -> Self {
        TranslatedConversation {
            translator: CallTranslator::new(dialect, peer),
            ours: CallIds::default(),
            theirs: CallIds::default(),
        }
    }

    pub(super) fn remembers(mut self, session: &str, cwd: &str) -> Self {
        self.translator
            .remember_session(&session.into(), &cwd.into());
        self
    }

    /// Our next response is for the newest call.
    pub(super) fn out_of_turn(mut self) -> Self {
        self.theirs.answers_newest = true;
        self
    }

    /// The peer's next response is for the newest call.
    pub(super) fn out_of_their_turn(mut self) -> Self {
        self.ours.answers_newest = true;
        self
    }

    pub(super) fn reads(mut self, method: &str, peers: &str, official: &str) -> Self {
        assert_json(&self.read(method, peers), &[official]);
        assert_eq!(accepts_params(method, official), Ok(()));
        self
    }

    pub(super) fn reads_as(mut self, method: &str, peers: &str, official: &[&str]) -> Self {
        assert_json(&self.read(method, peers), official);
        for official in official {
            assert_eq!(accepts_params(method, official), Ok(()));
        }
        self
    }

    pub(super) fn writes(mut self, method: &str, peers: &str, official: &str) -> Self {
        assert_eq!(accepts_params(method, official), Ok(()));
        let id = self.ours.call(method);
        let call = Call::request(&id, method, Some(official));
        let translated = self.translator.write_call(call);
        assert_json(
            &calls(method, translated.expect("it can be written")),
            &[peers],
        );
        self
    }

    pub(super) fn reads_result(mut self, method: &str, peers: &str, official: &str) -> Self {
        let id = self.ours.answer(method);
        let result = self.translator.read_result(&id, method, peers);
        let result = result.expect("it can be read");
        assert_json(&[result.into_owned()], &[official]);
        assert_eq!(accepts_result(method, official), Ok(()));
        self
    }

    pub(super) fn writes_result(mut self, method: &str, peers: &str, official: &str) -> Self {
        assert_eq!(accepts_result(method, official), Ok(()));
        let id = self.theirs.answer(method);
        let result = self.translator.write_result(&id, method, official);
        let result = result.expect("it can be written");
        assert_json(&[result.into_owned()], &[peers]);
        self
    }

    pub(super) fn reads_error(mut self, method: &str, peers: &str, official: &str) -> Self {
        let id = self.ours.answer(method);
        let read = self.translator.read_error(&id, method, error(peers));
        assert_json(&[attache_rpc::json::to_string(&read)], &[official]);
        self
    }

    pub(super) fn writes_error(mut self, method: &str, peers: &str, official: &str) -> Self {
        let id = self.theirs.answer(method);
        let written = self.translator.write_error(&id, method, error(official));
        assert_json(&[attache_rpc::json::to_string(&written)], &[peers]);
        self
    }

    /// Rejects a call of the peer, and responds with an error as the engine would.
    pub(super) fn refuses(mut self, method: &str, peers: &str, message: &str) -> Self {
        let id = self.theirs.call(method);
        let call = Call::request(&id, method, Some(peers));
        let refusal = self.translator.read_call(call).expect_err("refused");
        assert_eq!(refusal.to_string(), message);
        self.theirs.answers_newest = true;
        let id = self.theirs.answer(method);
        self.translator.write_error(&id, method, refusal);
        self
    }

    /// Checks that a call of ours is not sent.
    pub(super) fn holds_back(mut self, method: &str, official: &str, message: &str) -> Self {
        let refusal = self.translator.write_call(call(method, official));
        assert_eq!(refusal.expect_err("held back").to_string(), message);
        self
    }

    /// A result of ours cannot be written, and the peer gets an error in its place.
    pub(super) fn fails_result(mut self, method: &str, official: &str, message: &str) -> Self {
        let id = self.theirs.answer(method);
        let failure = self.translator.write_result(&id, method, official);
        let failure = failure.expect_err("failed");
        assert_eq!(failure.to_string(), message);
        self.translator.write_error(&id, method, failure);
        self
    }

    fn read(&mut self, method: &str, peers: &str) -> Vec<String> {
        let id = self.theirs.call(method);
        let call = Call::request(&id, method, Some(peers));
        let translated = self.translator.read_call(call);
        calls(method, translated.expect("it can be read"))
    }
}

/// The parameters of the calls that a call has become, all of the same method.
pub(super) fn calls(method: &str, translated: TranslatedCall<'_>) -> Vec<String> {
    match translated {
        TranslatedCall::Call {
            method: same,
            params,
        } => {
            assert_eq!(same, method);
            params.into_iter().map(String::from).collect()
        }
        TranslatedCall::Calls(calls) => {
            assert!(calls.iter().all(|(same, _)| same == method));
            calls.into_iter().filter_map(|(_, params)| params).collect()
        }
        TranslatedCall::Response(_) | TranslatedCall::Nothing => Vec::new(),
    }
}

/// A request with the only id that [`id`] knows.
pub(super) fn call<'a>(method: &'a str, params: &'a str) -> Call<'a> {
    Call::request(id(), method, Some(params))
}

/// The id for a conversation with one call at a time.
pub(super) fn id() -> &'static Id {
    static ONLY: LazyLock<Id> = LazyLock::new(|| Id::from("only"));
    &ONLY
}

/// Checks that the official crate has read everything in the text: the text that it writes contains all of it.
pub(super) fn understood(text: &str, rewritten: Result<Value, String>) -> Result<(), String> {
    let text: Value = serde_json::from_str(text).expect("JSON");
    let rewritten = rewritten?;
    match covers(&rewritten, &text) {
        true => Ok(()),
        false => Err(format!("{text}\nis only\n{rewritten}")),
    }
}

/// Whether all members of `part` are in `all`. Default values may be missing.
fn covers(all: &Value, part: &Value) -> bool {
    match (all, part) {
        (Value::Object(all), Value::Object(part)) => part.iter().all(|(name, part)| {
            let nothing = Value::Null;
            covers(all.get(name).unwrap_or(&nothing), part)
        }),
        (Value::Array(all), Value::Array(part)) => {
            all.len() == part.len() && all.iter().zip(part).all(|(all, part)| covers(all, part))
        }
        (Value::Null, Value::Bool(false) | Value::Null) => true,
        (Value::Null, Value::Array(part)) => part.is_empty(),
        (Value::Null, Value::String(part)) => part == "pending",
        (all, part) => all == part,
    }
}

fn error(text: &str) -> Error {
    attache_rpc::json::from_str(text).expect("an error")
}

fn assert_json(found: &[String], expected: &[&str]) {
    let value = |text: &str| -> Value { serde_json::from_str(text).expect(text) };
    let found: Vec<Value> = found.iter().map(|text| value(text)).collect();
    let expected: Vec<Value> = expected.iter().map(|text| value(text)).collect();
    assert_eq!(found, expected);
}
