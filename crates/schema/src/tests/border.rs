//! A scripted conversation across a border: what the peer wrote beside what we read, and the other way round.

use attache_rpc::Error;
use serde_json::Value;

use super::official::{accepts_params, accepts_result};
use crate::dialect::{Border, Call, Dialect, Passage, Peer};

/// One connection. Every step takes the peer's JSON first and the official one second; the official one must also
/// please the official types.
pub(super) struct Talk(Border);

impl Talk {
    pub(super) fn new(dialect: Dialect, peer: Peer) -> Self {
        Talk(Border::new(dialect, peer))
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
        let passage = self.0.write_call(call(method, official));
        assert_json(
            &calls(method, passage.expect("it can be written")),
            &[peers],
        );
        self
    }

    pub(super) fn reads_result(mut self, method: &str, peers: &str, official: &str) -> Self {
        let result = self.0.read_result(method, peers).expect("it can be read");
        assert_json(&[result.into_owned()], &[official]);
        assert_eq!(accepts_result(method, official), Ok(()));
        self
    }

    pub(super) fn writes_result(mut self, method: &str, peers: &str, official: &str) -> Self {
        assert_eq!(accepts_result(method, official), Ok(()));
        let result = self
            .0
            .write_result(method, official)
            .expect("it can be written");
        assert_json(&[result.into_owned()], &[peers]);
        self
    }

    pub(super) fn reads_error(mut self, method: &str, peers: &str, official: &str) -> Self {
        let read = self.0.read_error(method, error(peers));
        assert_json(&[crate::json::to_string(&read)], &[official]);
        self
    }

    pub(super) fn writes_error(mut self, method: &str, peers: &str, official: &str) -> Self {
        let written = self.0.write_error(method, error(official));
        assert_json(&[crate::json::to_string(&written)], &[peers]);
        self
    }

    /// A call of the peer is refused, and its answer counted as the engine would.
    pub(super) fn refuses(mut self, method: &str, peers: &str, message: &str) -> Self {
        let refusal = self.0.read_call(call(method, peers)).expect_err("refused");
        assert_eq!(refusal.to_string(), message);
        self.0.write_error(method, refusal);
        self
    }

    /// A call of ours is not sent.
    pub(super) fn holds_back(mut self, method: &str, official: &str, message: &str) -> Self {
        let refusal = self
            .0
            .write_call(call(method, official))
            .expect_err("held back");
        assert_eq!(refusal.to_string(), message);
        self
    }

    /// A result of ours cannot be written, and the peer gets an error in its place.
    pub(super) fn fails_result(mut self, method: &str, official: &str, message: &str) -> Self {
        let failure = self.0.write_result(method, official).expect_err("failed");
        assert_eq!(failure.to_string(), message);
        self.0.write_error(method, failure);
        self
    }

    fn read(&mut self, method: &str, peers: &str) -> Vec<String> {
        let passage = self.0.read_call(call(method, peers));
        calls(method, passage.expect("it can be read"))
    }
}

/// The parameters of the calls that a call has become, all of the same method.
pub(super) fn calls(method: &str, passage: Passage<'_>) -> Vec<String> {
    match passage {
        Passage::Call {
            method: same,
            params,
        } => {
            assert_eq!(same, method);
            params.into_iter().map(String::from).collect()
        }
        Passage::Calls(calls) => {
            assert!(calls.iter().all(|(same, _)| same == method));
            calls.into_iter().filter_map(|(_, params)| params).collect()
        }
        Passage::Answer(_) | Passage::Nothing => Vec::new(),
    }
}

pub(super) fn call<'a>(method: &'a str, params: &'a str) -> Call<'a> {
    Call {
        method,
        params: Some(params),
    }
}

fn error(text: &str) -> Error {
    crate::json::from_str(text).expect("an error")
}

fn assert_json(found: &[String], expected: &[&str]) {
    let value = |text: &str| -> Value { serde_json::from_str(text).expect(text) };
    let found: Vec<Value> = found.iter().map(|text| value(text)).collect();
    let expected: Vec<Value> = expected.iter().map(|text| value(text)).collect();
    assert_eq!(found, expected);
}
