//! Invalid and ambiguous messages.

use attache_rpc::Id;
use expect_test::{Expect, expect};

use super::*;

/// The error that a draft agent's call gets.
fn refused(conversation: &mut TranslatedConversation, method: &str, params: &str, message: Expect) {
    let error = conversation
        .agent
        .read_call(call(method, params))
        .expect_err("refused");
    assert_eq!(error.code, -32602);
    message.assert_eq(&error.message);
}

fn session_of_read(conversation: &mut TranslatedConversation) -> String {
    let (official, _) = conversation.pass("agent fs/read_text_file", r#"{"path":"a"}"#);
    let official = value(&official);
    format!("{} {}", official["sessionId"], official["path"])
}

const READ: &str = r#"{"path":"a"}"#;

#[test]
fn a_call_without_a_session_is_rejected_if_ambiguous() {
    let mut conversation = TranslatedConversation::new();
    refused(
        &mut conversation,
        "fs/read_text_file",
        READ,
        expect!["Invalid params: sessionId: missing, and there is no session yet"],
    );
    conversation.start("s", "/s");
    assert_eq!(session_of_read(&mut conversation), r#""s" "/s/a""#);
    conversation.start("t", "/t");
    refused(
        &mut conversation,
        "fs/read_text_file",
        READ,
        expect![
            "Invalid params: sessionId: missing, and there are several sessions and no prompt that runs"
        ],
    );
    conversation.pass("client session/prompt", r#"{"sessionId":"t","content":[]}"#);
    assert_eq!(session_of_read(&mut conversation), r#""t" "/t/a""#);
    conversation.pass("client session/prompt", r#"{"sessionId":"s","content":[]}"#);
    refused(
        &mut conversation,
        "terminal/create",
        r#"{"command":"c"}"#,
        expect!["Invalid params: sessionId: missing, and prompts run in several sessions"],
    );
    conversation.pass("agent= session/prompt", r#"{"stopReason":"end_turn"}"#);
    assert_eq!(session_of_read(&mut conversation), r#""s" "/s/a""#);
    conversation.pass("agent= session/prompt", r#"{"stopReason":"end_turn"}"#);
    let close = call("session/close", r#"{"sessionId":"s"}"#);
    one(conversation.agent.write_call(close).expect("a call"));
    assert_eq!(session_of_read(&mut conversation), r#""t" "/t/a""#);
}

#[test]
fn a_forgotten_prompt_does_not_make_another_unique() {
    let mut conversation = TranslatedConversation::new();
    conversation.start("s", "/s");
    conversation.start("t", "/t");
    for number in 0..1025 {
        let id = Id::from(number);
        let session = if number == 0 { "s" } else { "t" };
        let prompt = format!(r#"{{"sessionId":"{session}","prompt":[]}}"#);
        let call = Call::request(&id, "session/prompt", Some(&prompt));
        conversation.agent.write_call(call).expect("a call");
    }
    refused(
        &mut conversation,
        "fs/read_text_file",
        READ,
        expect![
            "Invalid params: sessionId: missing, and too many prompts wait to know whose prompt runs"
        ],
    );
    for number in 0..1024 {
        let end = r#"{"stopReason":"end_turn"}"#;
        let result = conversation
            .agent
            .read_result(&Id::from(number), "session/prompt", end);
        result.expect("a result");
    }
    assert_eq!(session_of_read(&mut conversation), r#""t" "/t/a""#);
}

#[test]
fn a_terminal_belongs_to_its_session() {
    let mut conversation = TranslatedConversation::in_session();
    conversation.pass("agent terminal/create", r#"{"command":"c"}"#);
    conversation.pass("client= terminal/create", r#"{"terminalId":"t"}"#);
    conversation.start("other", "/other");
    let (official, _) = conversation.pass("agent terminal/kill", r#"{"terminalId":"t"}"#);
    assert_eq!(value(&official)["sessionId"], "s");
}

#[test]
fn a_session_that_failed_to_load_is_not_live() {
    let mut conversation = TranslatedConversation::in_session();
    let load = r#"{"sessionId":"gone","cwd":"/gone","mcpServers":[]}"#;
    one(conversation
        .agent
        .write_call(call("session/load", load))
        .expect("a call"));
    refused(
        &mut conversation,
        "fs/read_text_file",
        READ,
        expect![
            "Invalid params: sessionId: missing, and there are several sessions and no prompt that runs"
        ],
    );
    let error = attache_rpc::Error::new(-32000, "Session not found");
    conversation.agent.read_error(id(), "session/load", error);
    assert_eq!(
        session_of_read(&mut conversation),
        r#""s" "/home/user/project/a""#
    );
}

#[test]
fn invalid_line_ranges() {
    let mut conversation = TranslatedConversation::in_session();
    let lines = r#"{"path":"/a","startLine":9,"endLine":5}"#;
    refused(
        &mut conversation,
        "fs/read_text_file",
        lines,
        expect!["Invalid params: endLine: lies before startLine"],
    );
    let lines = r#"{"path":"/a","startLine":"1","endLine":5}"#;
    refused(
        &mut conversation,
        "fs/read_text_file",
        lines,
        expect!["Invalid params: startLine: expected a number, found a string"],
    );
    let lines = r#"{"path":"/a","endLine":99999999999}"#;
    refused(
        &mut conversation,
        "fs/read_text_file",
        lines,
        expect!["Invalid params: endLine: not an integer of type u32"],
    );
}

/// Makes two calls, answers the second and then the first, and returns both answers as the peer gets them.
fn answered_backwards(
    translator: &mut CallTranslator,
    method: &str,
    calls: [&str; 2],
) -> [String; 2] {
    let ids = [Id::from(1), Id::from(2)];
    for (id, params) in ids.iter().zip(calls) {
        let call = Call::request(id, method, Some(params));
        translator.read_call(call).expect("a call");
    }
    let [first, second] = ids;
    let mut answer = |id| {
        let answer = translator
            .write_result(&id, method, "{}")
            .expect("a result");
        answer.into_owned()
    };
    let second = answer(second);
    [answer(first), second]
}

#[test]
fn two_pending_calls_get_their_own_responses() {
    let mut conversation = TranslatedConversation::in_session();
    let calls = [
        r#"{"path":"/a","content":"a"}"#,
        r#"{"path":"/b","content":"bcd","overwrite":false}"#,
    ];
    let answers = answered_backwards(&mut conversation.agent, "fs/write_text_file", calls);
    assert_eq!(
        answers,
        [
            r#"{"bytesWritten":1,"created":false}"#,
            r#"{"bytesWritten":3,"created":true}"#
        ]
    );
    conversation.start("t", "/t");
    let calls = [
        r#"{"sessionId":"s","mode":"plan"}"#,
        r#"{"sessionId":"t","mode":"code"}"#,
    ];
    let answers = answered_backwards(&mut conversation.client, "session/set_mode", calls);
    assert_eq!(
        answers,
        [
            r#"{"previousMode":"default","currentMode":"plan"}"#,
            r#"{"previousMode":"default","currentMode":"code"}"#
        ]
    );
}

#[test]
fn two_concurrent_sessions_keep_their_directories() {
    let mut conversation = TranslatedConversation::new();
    let ids = [Id::from(1), Id::from(2)];
    for (id, cwd) in ids.iter().zip(["/one", "/two"]) {
        let params = format!(r#"{{"workingDirectory":"{cwd}"}}"#);
        let call = Call::request(id, "session/new", Some(&params));
        conversation.client.read_call(call).expect("a call");
    }
    for (id, session) in ids.iter().zip(["one", "two"]).rev() {
        let result = format!(r#"{{"sessionId":"{session}"}}"#);
        let written = conversation.client.write_result(id, "session/new", &result);
        written.expect("a result");
    }
    for session in ["one", "two"] {
        let params = format!(r#"{{"sessionId":"{session}"}}"#);
        let (official, _) = conversation.pass("client session/load", &params);
        assert_eq!(value(&official)["cwd"], format!("/{session}"));
    }
}

#[test]
fn ids_of_both_sides_are_separate() {
    let mut conversation = TranslatedConversation::in_session();
    let ours = r#"{"sessionId":"s","terminalId":"t"}"#;
    let theirs = r#"{"sessionId":"s","mode":"plan"}"#;
    one(conversation
        .client
        .read_call(call("session/set_mode", theirs))
        .expect("a call"));
    one(conversation
        .client
        .write_call(call("terminal/wait_for_exit", ours))
        .expect("a call"));
    let read = r#"{"exitCode":0}"#;
    let read = conversation
        .client
        .read_result(id(), "terminal/wait_for_exit", read);
    read.expect("a result");
    let written = conversation
        .client
        .write_result(id(), "session/set_mode", "{}");
    assert_eq!(
        written.expect("a result"),
        r#"{"previousMode":"default","currentMode":"plan"}"#
    );
}

#[test]
fn a_response_to_an_unknown_call_has_no_context() {
    let mut conversation = TranslatedConversation::in_session();
    let write = r#"{"path":"/a","content":"abc"}"#;
    conversation.pass("agent fs/write_text_file", write);
    let unknown = Id::from("unknown");
    let answer = conversation
        .agent
        .write_result(&unknown, "fs/write_text_file", "{}");
    assert_eq!(answer.expect("a result"), r#"{"created":false}"#);
    let grant = r#"{"granted":true,"scope":"always"}"#;
    let answer = conversation
        .client
        .read_result(&unknown, "session/request_permission", grant);
    let answer = value(&answer.expect("a result"));
    assert_eq!(answer["outcome"]["outcome"], "cancelled");
}

#[test]
fn an_error_response_ends_no_other_call() {
    let mut conversation = TranslatedConversation::in_session();
    let [first, second] = [Id::from(1), Id::from(2)];
    let write = r#"{"path":"/a","content":"abc"}"#;
    let call = |id| Call::request(id, "fs/write_text_file", Some(write));
    one(conversation.agent.read_call(call(&first)).expect("a call"));
    conversation.start("other", "/other");
    let error = conversation
        .agent
        .read_call(call(&second))
        .expect_err("refused");
    conversation
        .agent
        .write_error(&second, "fs/write_text_file", error);
    let answer = conversation
        .agent
        .write_result(&first, "fs/write_text_file", "{}");
    assert_eq!(
        answer.expect("a result"),
        r#"{"bytesWritten":3,"created":false}"#
    );
}

fn options_changed(session: &str, count: usize) -> String {
    let option =
        |number| format!(r#"{{"id":"o{number}","name":"n","type":"boolean","currentValue":true}}"#);
    let options: Vec<String> = (0..count).map(option).collect();
    let options = options.join(",");
    let filler = "x".repeat(60_000);
    format!(
        r#"{{"sessionId":"{session}","update":{{"sessionUpdate":"config_option_update","configOptions":[{options}]}},
            "_meta":{{"filler":"{filler}"}}}}"#
    )
}

#[test]
fn other_members_of_a_divided_update_are_sent_once() {
    let mut conversation = TranslatedConversation::in_session();
    let params = options_changed("s", 1000);
    let translated = conversation
        .client
        .write_call(call("session/update", &params));
    let Ok(TranslatedCall::Calls(calls)) = translated else {
        panic!("not several: {translated:?}");
    };
    assert_eq!(calls.len(), 1000);
    let params = |at: usize| value(calls[at].1.as_deref().expect("parameters"));
    assert!(params(0)["_meta"]["filler"].is_string());
    assert_eq!(params(999).as_object().map(serde_json::Map::len), Some(3));
    let sum: usize = calls
        .iter()
        .flat_map(|(_, params)| params)
        .map(String::len)
        .sum();
    assert!(sum < 200_000, "{sum}");
}

#[test]
fn an_update_is_divided_up_to_a_limit() {
    let mut conversation = TranslatedConversation::in_session();
    for params in [
        options_changed("s", 1001),
        options_changed(&"s".repeat(1025), 2),
    ] {
        let translated = conversation
            .client
            .write_call(call("session/update", &params));
        expect!["Invalid params: update: divides into more parts, or repeats longer ids, than is allowed"]
            .assert_eq(&translated.expect_err("refused").message);
    }
}

#[test]
fn pushed_output_as_a_notification_gets_no_response() {
    let mut conversation = TranslatedConversation::in_session();
    conversation.pass("agent terminal/create", r#"{"command":"c"}"#);
    conversation.pass("client= terminal/create", r#"{"terminalId":"t"}"#);
    let push = r#"{"terminalId":"t","data":"x"}"#;
    let told = conversation
        .client
        .read_call(Call::notification("terminal/output", Some(push)));
    assert_eq!(told, Ok(TranslatedCall::Nothing));
    let asked = conversation.client.read_call(call("terminal/output", push));
    assert_eq!(
        asked,
        Ok(TranslatedCall::Response(r#"{"received":true}"#.to_owned()))
    );
    let output = r#"{"sessionId":"s","terminalId":"t"}"#;
    let output = conversation
        .client
        .write_call(call("terminal/output", output));
    let Ok(TranslatedCall::Response(output)) = output else {
        panic!("no answer: {output:?}");
    };
    assert_eq!(value(&output)["output"], "xx");
}

/// Messages that the document only describes, with each value replaced by another.
#[test]
fn values_of_another_type_pass_to_the_typed_decoder() {
    let mut conversation = TranslatedConversation::in_session();
    for (method, json) in PAYLOADS.map(|(method, json)| (method, value(json))) {
        let mut changed = json.clone();
        for place in 0..places(&json) {
            for other in [
                Value::Null,
                true.into(),
                (-1e9).into(),
                "x".into(),
                [0].into(),
            ] {
                *at(&mut changed, &mut place.clone()).expect("a place") = other;
                every_way(&mut conversation, method, &changed.to_string());
                changed.clone_from(&json);
            }
        }
    }
}

/// How many values there are, the whole included.
fn places(json: &Value) -> usize {
    match json {
        Value::Object(members) => 1 + members.values().map(places).sum::<usize>(),
        Value::Array(items) => 1 + items.iter().map(places).sum::<usize>(),
        _ => 1,
    }
}

/// The value at a place, counted from the outside in.
fn at<'v>(json: &'v mut Value, place: &mut usize) -> Option<&'v mut Value> {
    if *place == 0 {
        return Some(json);
    }
    *place -= 1;
    match json {
        Value::Object(members) => members.values_mut().find_map(|value| at(value, place)),
        Value::Array(items) => items.iter_mut().find_map(|value| at(value, place)),
        _ => None,
    }
}

/// No translation may panic, every output is JSON, and every rejection blames the parameters.
fn every_way(conversation: &mut TranslatedConversation, method: &str, text: &str) {
    for translator in [&mut conversation.client, &mut conversation.agent] {
        for translated in [
            translator.read_call(call(method, text)),
            translator.write_call(call(method, text)),
        ] {
            match translated {
                Ok(TranslatedCall::Call { params, .. }) => is_json(&params.expect("parameters")),
                Ok(_) => (),
                Err(error) => assert_eq!(error.code, -32602, "{method} {text}"),
            }
        }
        let results = [
            translator.read_result(id(), method, text),
            translator.write_result(id(), method, text),
        ];
        for result in results.into_iter().flatten() {
            is_json(&result);
        }
    }
}

fn is_json(text: &str) {
    attache_rpc::json::Raw::parse(text).expect("JSON");
}

/// Messages without an example in the document, in its own shape and in the official one.
const PAYLOADS: [(&str, &str); 18] = [
    (
        "terminal/create",
        r#"{"command":"c","args":["a"],"cwd":"d","env":{"A":"1"},"timeout":1}"#,
    ),
    (
        "terminal/create",
        r#"{"sessionId":"s","env":[{"name":"A","value":"1"}]}"#,
    ),
    ("terminal/create", r#"{"terminalId":"t","pid":1}"#),
    (
        "terminal/output",
        r#"{"terminalId":"t","data":"x","stream":"stdout"}"#,
    ),
    (
        "terminal/wait_for_exit",
        r#"{"exitCode":0,"signal":"S","timedOut":true}"#,
    ),
    (
        "terminal/kill",
        r#"{"terminalId":"t","signal":"S","force":true}"#,
    ),
    (
        "session/load",
        r#"{"sessionId":"s","mode":"m","configOptions":{"a":1}}"#,
    ),
    (
        "session/load",
        r#"{"modes":{"currentModeId":"m"},"configOptions":[{"id":"a"}]}"#,
    ),
    (
        "session/set_mode",
        r#"{"previousMode":"a","currentMode":"b","_meta":{}}"#,
    ),
    (
        "session/set_config_option",
        r#"{"sessionId":"s","key":"k","value":{"a":1}}"#,
    ),
    (
        "session/set_config_option",
        r#"{"key":"k","previousValue":1,"currentValue":"x"}"#,
    ),
    (
        "session/prompt",
        r#"{"sessionId":"s","content":[],"attachments":[{"path":"p","name":"n"}]}"#,
    ),
    (
        "session/request_permission",
        r#"{"toolCall":{"toolCallId":"c","locations":[{"path":"p"}]},"options":[{"optionId":"o"}]}"#,
    ),
    (
        "session/request_permission",
        r#"{"outcome":{"outcome":"selected","optionId":"once"},
            "_meta":{"attache.dialect":{"granted":true,"scope":"once"}}}"#,
    ),
    (
        "session/update",
        r#"{"update":{"sessionUpdate":"tool_call","toolCallId":"c","title":"t","name":"n",
            "locations":[{"path":"p","line":1}],"content":[{"type":"diff","path":"p","newText":"x"},
            {"type":"content","content":{"type":"text","text":"x"}}],
            "_meta":{"attache.dialect":{"location":{"path":"p"},"status":"denied","error":"e"}}}}"#,
    ),
    (
        "session/update",
        r#"{"update":{"sessionUpdate":"config_option_update","configOptions":[{"id":"a",
            "currentValue":1}],"_meta":{"attache.dialect":{"key":"k"}}}}"#,
    ),
    (
        "session/update",
        r#"{"update":{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"p",
            "entries":[{"content":"c","_meta":{"attache.dialect":{"id":"i","status":"s"}}}]}}}"#,
    ),
    (
        "mcp/message",
        r#"{"serverId":"s","error":{"code":1,"message":"m"}}"#,
    ),
];
