//! Terminals: their calls, and the output that a draft client pushes.

use expect_test::expect;

use super::*;

#[test]
fn calls() {
    let mut conversation = TranslatedConversation::in_session();
    check(
        &mut conversation,
        "agent terminal/create",
        r#"{
          "command": "npm",
          "args": ["test"],
          "cwd": "/p",
          "env": {"A": "1", "B": "2"},
          "timeout": 1000
        }"#,
        expect![[r#"
            {
              "command":"npm",
              "args":["test"],
              "cwd":"/p",
              "env":[{"name":"A","value":"1"},{"name":"B","value":"2"}],
              "sessionId":"s",
              "_meta":{"attache.dialect":{"timeout":1000}}
            }"#]],
    );
    check(
        &mut conversation,
        "client= terminal/create",
        r#"{"terminalId": "t", "pid": 42}"#,
        expect![[r#"{"terminalId":"t","_meta":{"attache.dialect":{"pid":42}}}"#]],
    );
    check(
        &mut conversation,
        "agent terminal/wait_for_exit",
        r#"{"terminalId": "t", "timeout": 1000}"#,
        expect![[
            r#"{"terminalId":"t","sessionId":"s","_meta":{"attache.dialect":{"timeout":1000}}}"#
        ]],
    );
    check(
        &mut conversation,
        "client= terminal/wait_for_exit",
        r#"{"exitCode": 0}"#,
        expect![[r#"{"exitCode":0}"#]],
    );
    check(
        &mut conversation,
        "agent terminal/kill",
        r#"{"terminalId": "t", "signal": "SIGINT", "force": true}"#,
        expect![[r#"
            {
              "terminalId":"t",
              "sessionId":"s",
              "_meta":{"attache.dialect":{"signal":"SIGINT","force":true}}
            }"#]],
    );
    check(
        &mut conversation,
        "client= terminal/kill",
        r#"{"killed": false}"#,
        expect![[r#"{"_meta":{"attache.dialect":{"killed":false}}}"#]],
    );
    check(
        &mut conversation,
        "agent terminal/release",
        r#"{"terminalId": "t"}"#,
        expect![[r#"{"terminalId":"t","sessionId":"s"}"#]],
    );
    check(
        &mut conversation,
        "client= terminal/release",
        r#"{"released": true}"#,
        expect![[r#"{"_meta":{"attache.dialect":{"released":true}}}"#]],
    );
}

#[test]
fn calls_for_a_draft_client() {
    let mut conversation = TranslatedConversation::in_session();
    check_written(
        &mut conversation,
        "client terminal/create",
        r#"{
          "sessionId": "s",
          "command": "c",
          "env": [{"name": "A", "value": "1"}],
          "outputByteLimit": 9
        }"#,
        expect![[r#"{"command":"c","env":{"A":"1"}}"#]],
    );
    check_written(
        &mut conversation,
        "client terminal/kill",
        r#"{"sessionId": "s", "terminalId": "t"}"#,
        expect![[r#"{"terminalId":"t"}"#]],
    );
}

#[test]
fn ends_of_a_command() {
    let mut conversation = TranslatedConversation::in_session();
    check(
        &mut conversation,
        "client= terminal/wait_for_exit",
        r#"{"exitCode": 1, "signal": "SIGKILL", "timedOut": false}"#,
        expect![[
            r#"{"exitCode":1,"signal":"SIGKILL","_meta":{"attache.dialect":{"timedOut":false}}}"#
        ]],
    );
    check(
        &mut conversation,
        "client= terminal/wait_for_exit",
        r#"{"exitCode": -1}"#,
        expect![[r#"{"_meta":{"attache.dialect":{"exitCode":-1}}}"#]],
    );
    check(
        &mut conversation,
        "client= terminal/wait_for_exit",
        r#"{"exitCode": 0, "timedOut": true}"#,
        expect![[r#"{"_meta":{"attache.dialect":{"exitCode":0,"timedOut":true}}}"#]],
    );
    check_written(
        &mut conversation,
        "agent= terminal/wait_for_exit",
        r#"{"exitCode": null, "signal": "SIGTERM"}"#,
        expect![[r#"{"signal":"SIGTERM","exitCode":-1}"#]],
    );
    check_written(
        &mut conversation,
        "agent= terminal/wait_for_exit",
        r#"null"#,
        expect![[r#"{"exitCode":-1}"#]],
    );
    check_written(
        &mut conversation,
        "agent= terminal/kill",
        r#"{}"#,
        expect![[r#"{"killed":true}"#]],
    );
    check_written(
        &mut conversation,
        "agent= terminal/release",
        r#"null"#,
        expect![[r#"{"released":true}"#]],
    );
}

/// The draft client's response to each line, or the response that we get. A line is `method params`, with `=` in front
/// of results.
fn client(conversation: &mut TranslatedConversation, line: &str) -> String {
    let (method, text) = line.split_once(' ').expect("a method and a text");
    match method.strip_prefix('=') {
        Some(method) => conversation
            .client
            .read_result(id(), method, text)
            .expect("a result")
            .into_owned(),
        None => match conversation
            .client
            .read_call(call(method, text))
            .expect("a call")
        {
            TranslatedCall::Response(answer) => answer,
            other => panic!("not answered: {other:?}"),
        },
    }
}

fn output(
    conversation: &mut TranslatedConversation,
    id: &str,
) -> Result<Value, attache_rpc::Error> {
    let params = format!(r#"{{"sessionId":"s","terminalId":"{id}"}}"#);
    let translated = conversation
        .client
        .write_call(call("terminal/output", &params))?;
    let TranslatedCall::Response(answer) = translated else {
        panic!("{translated:?}");
    };
    official::accepts_result("terminal/output", &answer).expect("official");
    Ok(value(&answer))
}

fn create(conversation: &mut TranslatedConversation, id: &str, limit: &str) {
    let params = format!(r#"{{"sessionId":"s","command":"c"{limit}}}"#);
    one(conversation
        .client
        .write_call(call("terminal/create", &params))
        .expect("a call"));
    client(
        conversation,
        &format!(r#"=terminal/create {{"terminalId":"{id}"}}"#),
    );
}

#[test]
fn pushed_output_is_kept_until_terminal_output() {
    let mut conversation = TranslatedConversation::in_session();
    create(&mut conversation, "t", "");
    let json = serde_json::json!({"output": "", "truncated": false});
    assert_eq!(output(&mut conversation, "t").expect("an answer"), json);
    let push = r#"terminal/output {"terminalId":"t","data":"a\n","stream":"stdout"}"#;
    assert_eq!(client(&mut conversation, push), r#"{"received":true}"#);
    client(
        &mut conversation,
        r#"terminal/output {"terminalId":"t","data":"b","stream":"stderr"}"#,
    );
    let wait = r#"{"sessionId":"s","terminalId":"t"}"#;
    one(conversation
        .client
        .write_call(call("terminal/wait_for_exit", wait))
        .expect("a call"));
    client(
        &mut conversation,
        r#"=terminal/wait_for_exit {"exitCode":3}"#,
    );
    let status = serde_json::json!({"exitCode": 3, "signal": null});
    let json = serde_json::json!({"output": "a\nb", "truncated": false, "exitStatus": status});
    assert_eq!(output(&mut conversation, "t").expect("an answer"), json);
    one(conversation
        .client
        .write_call(call("terminal/release", wait))
        .expect("a call"));
    assert_eq!(
        output(&mut conversation, "t").expect_err("released").code,
        -32602
    );
}

#[test]
fn output_is_cut_at_the_front_at_a_character_boundary() {
    let mut conversation = TranslatedConversation::in_session();
    create(&mut conversation, "t", r#","outputByteLimit":4"#);
    client(
        &mut conversation,
        r#"terminal/output {"terminalId":"t","data":"abécd"}"#,
    );
    let json = serde_json::json!({"output": "écd", "truncated": true});
    assert_eq!(output(&mut conversation, "t").expect("an answer"), json);
    create(&mut conversation, "u", "");
    let data = "é".repeat(1 << 18);
    for _ in 0..5 {
        client(
            &mut conversation,
            &format!(r#"terminal/output {{"terminalId":"u","data":"x{data}"}}"#),
        );
    }
    let kept = output(&mut conversation, "u").expect("an answer");
    assert_eq!(kept["truncated"], true);
    let length = kept["output"].as_str().expect("a text").len();
    assert!(((1 << 20) - 1..=1 << 20).contains(&length), "{length}");
}

#[test]
fn output_of_too_many_terminals_is_rejected() {
    let mut conversation = TranslatedConversation::in_session();
    for index in 0..300 {
        let push = format!(r#"terminal/output {{"terminalId":"{index}","data":"x"}}"#);
        let received = client(&mut conversation, &push) == r#"{"received":true}"#;
        assert_eq!(received, index < 256);
    }
}

#[test]
fn a_client_pushes_output_to_a_draft_agent() {
    let mut conversation = TranslatedConversation::in_session();
    let push = r#"{"sessionId":"s","terminalId":"t","data":"x","stream":"stdout"}"#;
    let written = one(conversation
        .agent
        .write_call(call("terminal/output", push))
        .expect("a call"));
    assert_eq!(
        written.1,
        r#"{"terminalId":"t","data":"x","stream":"stdout"}"#
    );
    let answer = conversation
        .agent
        .read_result(id(), "terminal/output", r#"{"received":true}"#);
    assert_eq!(answer.expect("a result"), r#"{"received":true}"#);
}
