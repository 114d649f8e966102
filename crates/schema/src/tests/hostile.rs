//! Hostile input: arbitrary bytes and mutated messages through every decoder.

mod change;
mod every;
mod odd;
mod silence;

use attache_rpc::{Error, Message};
use proptest::prelude::*;

use super::sample::SampleSource;
use crate::call::{
    AgentNotification, AgentRequest, ClientNotification, ClientRequest, ConductorRequest,
    ProtocolLevelNotification, ProxyNotification, ProxyRequest,
};
use every::{EVERY, TypeSampler};

/// Reads a line as a message, and its payload as whatever it could be.
fn survive(line: &[u8]) {
    match Message::parse(line) {
        Ok(Message::Request { method, params, .. } | Message::Notification { method, params }) => {
            calls(&method, params);
        }
        Ok(Message::Response { result, .. }) => payload(result),
        Ok(Message::Failure { .. }) => {}
        Err(malformed) => {
            assert!([Error::PARSE, Error::INVALID_REQUEST].contains(&malformed.code));
        }
    }
}

/// Reads a text as the parameters and the result of every method.
fn payload(text: &str) {
    for row in EVERY {
        let TypeSampler { again, .. } = row.params;
        assert_eq!(row.method.params.check(text).is_ok(), again(text));
        if let (Some(shape), Some(TypeSampler { again, .. })) = (row.method.result, row.result) {
            assert_eq!(shape.check(text).is_ok(), again(text));
        }
    }
}

/// Reads a call as a call of each side. A call that was read is written and must read back as the same call. Returns
/// the errors of the sides that could not read it.
fn calls(method: &str, params: Option<&str>) -> Vec<Error> {
    let mut errors = Vec::new();
    macro_rules! each {
        ($($Calls:ident)*) => {$(
            match $Calls::decode(method, params) {
                Ok(call) => {
                    let mut written = String::new();
                    call.encode_params(&mut written);
                    assert!(!written.contains(['\n', '\r']), "{written:?}");
                    let back = $Calls::decode(call.method(), Some(&written)).expect("what was written");
                    let mut again = String::new();
                    back.encode_params(&mut again);
                    assert_eq!(again, written);
                    // An extension without parameters is written with empty ones.
                    assert!(back == call || params.is_none(), "{written}");
                }
                Err(error) => errors.push(error),
            }
        )*};
    }
    each! {
        ClientRequest ClientNotification AgentRequest AgentNotification
        ConductorRequest ProxyRequest ProxyNotification ProtocolLevelNotification
    }
    for error in &errors {
        assert!([Error::METHOD_NOT_FOUND, Error::INVALID_PARAMS].contains(&error.code));
    }
    errors
}

/// A line with a call of a method, or with its response.
fn line(name: &str, payload: &str, is_result: bool) -> String {
    if is_result {
        format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{payload}}}")
    } else {
        format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"{name}\",\"params\":{payload}}}")
    }
}

fn entropy() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(any::<u8>(), 0..300)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        survive(&bytes);
        payload(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn any_bytes_as_the_payload_of_any_method(bytes in entropy(), row in 0..EVERY.len()) {
        let text = String::from_utf8_lossy(&bytes);
        survive(line(EVERY[row].method.name, &text, false).as_bytes());
        survive(line(EVERY[row].method.name, &text, true).as_bytes());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn a_message_with_some_bytes_changed(bytes in entropy(), decisions in entropy(), row in 0..EVERY.len()) {
        let (payload, is_result) = EVERY[row].sample(&mut SampleSource::new(&bytes));
        let mut line = line(EVERY[row].method.name, &payload, is_result).into_bytes();
        survive(&line);
        let mut source = SampleSource::new(&decisions);
        for _ in 0..=source.byte() % 4 {
            change::bytes(&mut line, &mut source);
        }
        survive(&line);
    }

    #[test]
    fn a_payload_with_some_values_changed(bytes in entropy(), decisions in entropy(), row in 0..EVERY.len()) {
        let (mut text, is_result) = EVERY[row].sample(&mut SampleSource::new(&bytes));
        let mut source = SampleSource::new(&decisions);
        for _ in 0..=source.byte() % 3 {
            text = change::values(&text, &mut source);
        }
        survive(line(EVERY[row].method.name, &text, is_result).as_bytes());
    }

    #[test]
    fn a_payload_of_another_method(bytes in entropy(), row in 0..EVERY.len()) {
        let (text, _) = EVERY[row].sample(&mut SampleSource::new(&bytes));
        payload(&text);
        calls("_vendor/method", Some(&text));
    }
}

#[test]
fn calls_without_parameters() {
    for row in EVERY {
        calls(row.method.name, None);
    }
    calls("_vendor/method", None);
    calls("_", None);
}
