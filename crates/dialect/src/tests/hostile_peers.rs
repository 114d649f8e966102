//! Translators never panic on bad input: examples with a part replaced, or cut short.

use std::borrow::Cow;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::call_translator::{call, id};
use crate::{CallTranslator, Dialect, Role, TranslatedCall};

const DOCUMENTS: [&str; 5] = [
    include_str!("../../fixtures/documents/000.jsonl"),
    include_str!("../../fixtures/documents/001.jsonl"),
    include_str!("../../fixtures/documents/002.jsonl"),
    include_str!("../../fixtures/documents/003.jsonl"),
    include_str!("../../fixtures/documents/004.jsonl"),
];

#[test]
fn no_border_panics() {
    let mut translators = translators();
    for (method, payload) in examples() {
        for broken in broken(&payload) {
            for translator in &mut translators {
                feed(translator, &method, &broken);
            }
        }
    }
}

#[test]
fn arbitrary_values_in_the_kept_member_pass() {
    for dialect in Dialect::ALL {
        for odd in ["5", "null", "[]", "\"x\""] {
            let kept = format!(r#""_meta":{{"attache.dialect":{odd}}}"#);
            let wait = format!(r#"{{"sessionId":"s","terminalId":"t","timeout":1,{kept}}}"#);
            let text = format!(
                r#"{{"type":"text","text":"a","annotations":{{"title":"t",{kept}}},{kept}}}"#
            );
            let prompt = format!(r#"{{"sessionId":"s","prompt":[{text}],{kept}}}"#);
            let entry = format!(r#"{{"id":"1","content":"c","status":"pending",{kept}}}"#);
            let plan = format!(
                r#"{{"sessionId":"s","update":{{"sessionUpdate":"plan","entries":[{entry}],{kept}}},{kept}}}"#
            );
            for (method, params) in [
                ("terminal/wait_for_exit", &wait),
                ("session/prompt", &prompt),
                ("session/update", &plan),
            ] {
                let mut translator = CallTranslator::new(dialect, Role::Agent);
                let read = translator.read_call(call(method, params));
                assert!(read.is_ok(), "{dialect:?} {method} {odd}: {read:?}");
                let written = translator.write_call(call(method, params));
                assert!(written.is_ok(), "{dialect:?} {method} {odd}: {written:?}");
            }
        }
    }
}

/// Ten times as many members take about ten times as long. With a linear search for each member they would take a
/// hundred times as long.
#[test]
fn an_object_with_20000_members_is_translated_quickly() {
    for work in [
        env_for_pharo,
        kept_for_pharo,
        annotations_of_pharo,
        servers_of_pharo,
        kept_for_draft,
        error_of_draft,
    ] {
        let growth = || work(20_000).as_secs_f64() / work(2_000).as_secs_f64();
        // A busy machine can slow down any of them.
        let least = (0..5).map(|_| growth()).find(|growth| *growth < 35.0);
        assert!(least.is_some(), "with ten times the members: {}", growth());
    }
}

fn env_for_pharo(count: usize) -> Duration {
    let entries = names(count).map(|name| format!(r#"{{"name":"{name}","value":"v"}}"#));
    let env = entries.collect::<Vec<_>>().join(",");
    let params = format!(r#"{{"sessionId":"s","command":"c","env":[{env}]}}"#);
    timed(Dialect::Pharo, |translator| {
        translator
            .write_call(call("terminal/create", &params))
            .is_ok()
    })
}

fn kept_for_pharo(count: usize) -> Duration {
    let params = authentication(count);
    timed(Dialect::Pharo, |translator| {
        translator.write_call(call("authenticate", &params)).is_ok()
    })
}

fn annotations_of_pharo(count: usize) -> Duration {
    let text = format!(
        r#"{{"type":"text","text":"a","annotations":{}}}"#,
        members(count)
    );
    let params = format!(r#"{{"sessionId":"s","prompt":[{text}]}}"#);
    timed(Dialect::Pharo, |translator| {
        translator
            .read_call(call("session/prompt", &params))
            .is_ok()
    })
}

fn servers_of_pharo(count: usize) -> Duration {
    let server = r#"{"transport":"stdio","command":"c","args":[],"env":{}}"#;
    let servers = vec![server; count].join(",");
    let params = format!(r#"{{"cwd":"/p","mcpServers":[{servers}]}}"#);
    timed(Dialect::Pharo, |translator| {
        translator.read_call(call("session/new", &params)).is_ok()
    })
}

fn kept_for_draft(count: usize) -> Duration {
    let params = authentication(count);
    timed(Dialect::Draft, |translator| {
        translator.write_call(call("authenticate", &params)).is_ok()
    })
}

fn error_of_draft(count: usize) -> Duration {
    let error = format!(
        r#"{{"code":-32008,"message":"m","data":{}}}"#,
        members(count)
    );
    let error: attache_rpc::Error = attache_rpc::json::from_str(&error).expect("an error");
    timed(Dialect::Draft, |translator| {
        translator.read_error(id(), "session/prompt", error).code == -32603
    })
}

fn authentication(count: usize) -> String {
    let kept = members(count);
    format!(r#"{{"methodId":"m","_meta":{{"attache.dialect":{kept}}}}}"#)
}

fn members(count: usize) -> String {
    let members = names(count).map(|name| format!(r#""{name}":0"#));
    format!("{{{}}}", members.collect::<Vec<_>>().join(","))
}

fn names(count: usize) -> impl Iterator<Item = String> {
    (0..count).map(|number| format!("member-{number:05}"))
}

fn timed(dialect: Dialect, work: impl FnOnce(&mut CallTranslator) -> bool) -> Duration {
    let mut translator = CallTranslator::new(dialect, Role::Client);
    let started = Instant::now();
    assert!(work(&mut translator), "it passes");
    started.elapsed()
}

/// In each direction, as a call and as a result. Failing is fine; what crosses is JSON if it was before.
fn feed(translator: &mut CallTranslator, method: &str, text: &str) {
    let outcomes = [
        translator.read_call(call(method, text)).map(payloads).ok(),
        translator.write_call(call(method, text)).map(payloads).ok(),
        translator.read_result(id(), method, text).map(payload).ok(),
        translator
            .write_result(id(), method, text)
            .map(payload)
            .ok(),
    ];
    if let Ok(error) = attache_rpc::json::from_str::<attache_rpc::Error>(text) {
        let read = translator.read_error(id(), method, error);
        translator.write_error(id(), method, read);
    }
    let is_json = |text: &str| serde_json::from_str::<Value>(text).is_ok();
    if is_json(text) {
        let crossed = outcomes.iter().flatten().flatten();
        let odd = crossed.filter(|text| !is_json(text)).count();
        assert_eq!(odd, 0, "{:?} {method} {text}", translator.dialect());
    } else {
        let crossed = outcomes.iter().all(Option::is_some);
        assert!(!crossed || !is_translated(translator, method));
    }
}

fn payload(text: Cow<'_, str>) -> Vec<String> {
    vec![text.into_owned()]
}

fn payloads(translated: TranslatedCall<'_>) -> Vec<String> {
    match translated {
        TranslatedCall::Call { params, .. } => params.map_or(Vec::new(), payload),
        TranslatedCall::Calls(calls) => {
            calls.into_iter().filter_map(|(_, params)| params).collect()
        }
        TranslatedCall::Response(result) => vec![result],
        TranslatedCall::Nothing => Vec::new(),
    }
}

/// Whether the translator parses this message and therefore rejects text that is not JSON.
fn is_translated(translator: &CallTranslator, method: &str) -> bool {
    translator.dialect() == Dialect::Pharo && method == "session/update"
}

fn translators() -> Vec<CallTranslator> {
    let peers = [Role::Client, Role::Agent];
    let pairs = Dialect::ALL
        .into_iter()
        .flat_map(|dialect| peers.map(|peer| (dialect, peer)));
    pairs
        .map(|(dialect, peer)| CallTranslator::new(dialect, peer))
        .collect()
}

/// The payloads of all messages, with the method that they are for.
fn examples() -> Vec<(String, Value)> {
    let lines = DOCUMENTS.iter().flat_map(|document| document.lines());
    let lines = lines.map(|line| serde_json::from_str::<Value>(line).expect("a line is JSON"));
    lines.filter_map(|line| example(&line)).collect()
}

fn example(line: &Value) -> Option<(String, Value)> {
    let json = line.get("json")?;
    let (kind, rest) = line["as"]
        .as_str()?
        .split_once(' ')
        .unwrap_or(("message", ""));
    let (method, payload) = match kind {
        "message" => (json.get("method")?.as_str()?, json.get("params")?),
        "response" => (rest, json.get("result")?),
        "params" | "result" => (rest, json),
        _ => return None,
    };
    Some((method.to_owned(), payload.clone()))
}

/// The value with each of its parts replaced by something else in turn, and its text cut short.
fn broken(value: &Value) -> Vec<String> {
    let mut all = Vec::new();
    for pointer in pointers(value) {
        for other in [
            json!(null),
            json!(true),
            json!(-7),
            json!(""),
            json!([{}, 0]),
            json!({"type": 1}),
        ] {
            let mut copy = value.clone();
            *copy.pointer_mut(&pointer).expect("a part") = other;
            all.push(copy.to_string());
        }
    }
    let text = value.to_string();
    let ends = text.char_indices().map(|(at, _)| at).step_by(7);
    all.extend(ends.map(|end| text[..end].to_owned()));
    all
}

fn pointers(value: &Value) -> Vec<String> {
    let parts: Vec<(String, &Value)> = match value {
        Value::Object(members) => members
            .iter()
            .map(|(name, part)| (escaped(name), part))
            .collect(),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .map(|(index, part)| (index.to_string(), part))
            .collect(),
        _ => Vec::new(),
    };
    let inner = parts.into_iter().flat_map(|(name, part)| {
        let below = pointers(part).into_iter();
        below.map(move |rest| format!("/{name}{rest}"))
    });
    std::iter::once(String::new()).chain(inner).collect()
}

fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}
