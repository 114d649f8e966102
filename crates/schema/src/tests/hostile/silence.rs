//! Errors name the problem and its position, but never repeat input: logs and responses must not contain secrets.

use attache_rpc::Error;
use proptest::prelude::*;
use serde_json::Value;

use super::every::EVERY;
use super::{calls, change, line};
use crate::call::ClientRequest;
use crate::json;
use crate::tests::sample::SampleSource;

/// Six bytes of the marker in a row would be a leak.
fn repeats(text: &str, marker: &str) -> bool {
    (0..marker.len() - 5).any(|start| text.contains(&marker[start..start + 6]))
}

fn quiet(error: &json::DecodeError, marker: &str) {
    for text in [error.to_string(), format!("{error:?}")] {
        assert!(!repeats(&text, marker), "{text}");
    }
}

fn quiet_answer(error: &Error, marker: &str) {
    for text in [
        json::to_string(error),
        error.to_string(),
        format!("{error:?}"),
    ] {
        assert!(!repeats(&text, marker), "{text}");
    }
}

/// Reads parameters as every kind of call and as every type; no error repeats the marker. Returns how many there were.
fn all_quiet(params: &str, marker: &str) -> usize {
    let mut errors = 0;
    for row in EVERY {
        for error in calls(row.method.name, Some(params)) {
            quiet_answer(&error, marker);
        }
        let shapes = [Some(row.method.params), row.method.result];
        for shape in shapes.into_iter().flatten() {
            if let Err(error) = shape.check(params) {
                quiet(&error, marker);
                errors += 1;
            }
        }
    }
    errors
}

/// Puts the marker wherever a string stands, and into every name that is not the protocol's.
fn mark(value: &mut Value, marker: &str, source: &mut SampleSource<'_>) {
    match value {
        Value::String(text) => *text = marker.to_owned(),
        Value::Array(items) => {
            for item in items {
                mark(item, marker, source);
            }
        }
        Value::Object(members) => {
            for member in members.values_mut() {
                if source.byte().is_multiple_of(8) {
                    *member = Value::from(marker);
                } else {
                    mark(member, marker, source);
                }
            }
            members.insert(marker.to_owned(), Value::from(marker));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {
            if source.byte().is_multiple_of(4) {
                *value = Value::from(marker);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn no_error_repeats_what_was_sent(
        bytes in super::entropy(),
        decisions in super::entropy(),
        marker in "[A-Z0-9]{12,24}",
        row in 0..EVERY.len(),
    ) {
        let (text, _) = EVERY[row].sample(&mut SampleSource::new(&bytes));
        let mut value: Value = serde_json::from_str(&text).expect("JSON");
        let mut source = SampleSource::new(&decisions);
        mark(&mut value, &marker, &mut source);
        let text = value.to_string();
        let errors = all_quiet(&text, &marker);
        prop_assert!(errors > 0, "the marker fits everywhere");
        // Broken as JSON, too.
        let mut broken = text.into_bytes();
        change::bytes(&mut broken, &mut source);
        all_quiet(&String::from_utf8_lossy(&broken), &marker);
        let line = line("session/update", &String::from_utf8_lossy(&broken), false);
        if let Err(malformed) = attache_rpc::Message::parse(line.as_bytes()) {
            prop_assert!(!repeats(&malformed.reason, &marker));
        }
    }
}

#[test]
fn an_unknown_method_is_named_and_cut() {
    for letter in ["m", "\u{1f980}", "\0", "\""] {
        let error = ClientRequest::decode(&letter.repeat(1 << 18), None).expect_err("no method");
        assert_eq!(error.code, Error::METHOD_NOT_FOUND);
        let answer = json::to_string(&error);
        let shown = Value::from(letter.repeat(128)).to_string();
        assert!(answer.contains(&shown[1..shown.len() - 1]), "{answer}");
        let longer = Value::from(letter.repeat(129)).to_string();
        assert!(!answer.contains(&longer[1..longer.len() - 1]), "{answer}");
        assert!(answer.len() < 2000, "{answer}");
    }
}
