//! A message that is written and read again is the same, and always one line.

use std::borrow::Cow;

use proptest::prelude::*;
use serde_json::Value;

use super::super::oracle::any_value;
use crate::json::{self, Raw};
use crate::{Error, Id, Message};

fn any_id() -> impl Strategy<Value = Id> {
    let odd = prop::sample::select(vec![
        "null",
        "1.0",
        "-0",
        "1e2",
        "18446744073709551616",
        "\"\\u0061\"",
    ]);
    prop_oneof![
        any::<i64>().prop_map(Id::from),
        "(.|\n){0,40}".prop_map(|text| Id::from(&*text)),
        odd.prop_map(|text| json::from_str(text).expect("an id")),
    ]
}

fn any_params() -> impl Strategy<Value = Option<String>> {
    let params = any_value().prop_map(|value| match value {
        Value::Object(_) | Value::Array(_) => value.to_string(),
        other => Value::from(vec![other]).to_string(),
    });
    prop::option::of(params)
}

fn any_error() -> impl Strategy<Value = Error> {
    let data = any_value().prop_filter("null means none", |value| !value.is_null());
    (any::<i32>(), any::<String>(), prop::option::of(data)).prop_map(|(code, message, data)| {
        Error {
            code,
            message,
            data: data.map(Raw::from),
        }
    })
}

fn written(message: &Message<'_>) -> String {
    let mut out = String::new();
    message.write(&mut out);
    out
}

/// Written, it is one line that others read too; read again, it is the same.
fn survives(message: &Message<'_>) -> Result<(), TestCaseError> {
    let line = written(message);
    prop_assert!(!line.contains(['\n', '\r']), "{line:?}");
    let plain: Value = serde_json::from_str(&line).expect("JSON");
    prop_assert_eq!(&plain["jsonrpc"], "2.0");
    prop_assert_eq!(Message::parse(line.as_bytes()), Ok(message.clone()));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn requests(id in any_id(), method in any::<String>(), params in any_params()) {
        let method = Cow::Borrowed(&*method);
        survives(&Message::Request { id, method, params: params.as_deref() })?;
    }

    #[test]
    fn notifications(method in "(.|\n){0,40}", params in any_params()) {
        survives(&Message::Notification { method: method.into(), params: params.as_deref() })?;
    }

    #[test]
    fn responses(id in any_id(), result in any_value()) {
        survives(&Message::Response { id, result: &result.to_string() })?;
    }

    #[test]
    fn failures(id in any_id(), error in any_error()) {
        survives(&Message::Failure { id, error })?;
    }

    #[test]
    fn messages_survive_a_round_trip(
        id in prop::option::of(any_id()),
        method in prop::option::of("[a-z/]{1,12}"),
        payload in any_value(),
        order in Just(vec![0usize, 1, 2, 3, 4]).prop_shuffle(),
        broken in any::<bool>(),
    ) {
        let line_break = if broken { "\r\n" } else { " " };
        let Some(text) = of_others(id.as_ref(), method.as_deref(), &payload, &order, line_break) else {
            return Ok(());
        };
        let Ok(message) = Message::parse(text.as_bytes()) else {
            prop_assert!(method.is_none() && id.is_none(), "{text}");
            return Ok(());
        };
        let line = written(&message);
        prop_assert!(!line.contains(['\n', '\r']), "{line:?}");
        // A payload keeps its text except for line breaks, so that the second round changes nothing.
        let again = Message::parse(line.as_bytes()).expect("what was a message still is");
        prop_assert_eq!(written(&again), line.clone());
        let ours: Value = serde_json::from_str(&line).expect("JSON");
        let mut theirs: Value = serde_json::from_str(&text).expect("JSON");
        theirs.as_object_mut().expect("an object").remove("other");
        prop_assert_eq!(ours, theirs);
    }
}

/// A message as another program might write it: with members in another order, line breaks between them, and an extra
/// member.
fn of_others(
    id: Option<&Id>,
    method: Option<&str>,
    payload: &Value,
    order: &[usize],
    line_break: &str,
) -> Option<String> {
    let payload = match (method, payload) {
        (Some(_), Value::Object(_) | Value::Array(_)) | (None, _) => payload,
        (Some(_), _) => return None,
    };
    let payload = serde_json::to_string_pretty(payload)
        .ok()?
        .replace('\n', line_break);
    let name = if method.is_some() { "params" } else { "result" };
    let members = [
        Some("\"jsonrpc\":\"2.0\"".to_owned()),
        id.map(|id| format!("\"id\":{id}")),
        method.map(|method| format!("\"method\":{}", Raw::of(method).as_str())),
        Some(format!("\"{name}\": {payload}")),
        Some("\"other\":[1, {\"id\":2}]".to_owned()),
    ];
    let members: Vec<String> = order
        .iter()
        .filter_map(|&index| members[index].clone())
        .collect();
    Some(format!("{{{}}}", members.join(&format!(",{line_break}"))))
}

#[test]
fn a_message_with_inner_line_breaks_is_written_without_them() {
    let text = "{\"jsonrpc\":\"2.0\",\n\"method\":\"m\",\n\"params\":{\n\"a\": \"b\\n c\"\r\n}\n}";
    let message = Message::parse(text.as_bytes()).expect("a message");
    assert_eq!(
        written(&message),
        r#"{"jsonrpc":"2.0","method":"m","params":{"a":"b\n c"}}"#
    );
}

#[test]
fn write_appends_to_the_buffer() {
    let mut out = String::from("[");
    let message = Message::Notification {
        method: "m".into(),
        params: None,
    };
    message.write(&mut out);
    assert_eq!(out, r#"[{"jsonrpc":"2.0","method":"m"}"#);
}
