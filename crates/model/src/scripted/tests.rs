use std::fmt::Write as _;

use expect_test::{Expect, expect};
use futures_util::StreamExt;
use serde_json::json;

use super::*;
use crate::{Input, Message, ToolResult, ToolSpec};

async fn say(model: &ScriptedModel, request: Request) -> String {
    let mut answer = model.answer(request);
    let mut said = String::new();
    while let Some(item) = answer.next().await {
        match item {
            Ok(event) => writeln!(said, "{event:?}"),
            Err(error) => writeln!(said, "error: {error}"),
        }
        .expect("written");
    }
    said
}

async fn check(script: &str, requests: &[Request], expect: Expect) {
    let mut shown = String::new();
    match ScriptedModel::parse(script) {
        Err(error) => shown = error.to_string(),
        Ok(model) => {
            for request in requests {
                shown.push_str(&say(&model, request.clone()).await);
            }
        }
    }
    expect.assert_eq(&shown);
}

fn user(text: &str) -> Request {
    Request {
        messages: vec![Arc::new(Message::User(vec![Input::Text(text.to_owned())]))],
        ..Request::default()
    }
}

fn tools(text: &str, failed: bool) -> Request {
    let result = ToolResult {
        id: "1".to_owned(),
        name: "read".to_owned(),
        content: vec![Input::Text(text.to_owned())],
        failed,
    };
    Request {
        messages: vec![Arc::new(Message::Tools(vec![result]))],
        tools: [ToolSpec {
            name: "read".to_owned(),
            description: String::new(),
            schema: json!({}),
        }]
        .into(),
        ..Request::default()
    }
}

#[tokio::test(start_paused = true)]
async fn everything_that_can_be_said() {
    let script = r#"{
        "turns": [
            {
                "expect": { "last": "user", "contains": ["fix"] },
                "say": [
                    { "thought": "Hm." },
                    { "seal": "s" },
                    { "slow": { "text": "Hello", "characters": 2, "pause": 50 } },
                    { "pause": 1000 },
                    { "again": { "attempts": 1, "wait": 250, "reason": "busy" } },
                    { "call": { "name": "read", "input": { "path": "a" } } },
                    { "call": { "id": "mine", "name": "read", "input": "{\"path\"" } },
                    { "usage": { "input": 5, "output": 2 } }
                ]
            },
            {
                "expect": { "last": "tools", "results": [{ "name": "read", "contains": ["fn"], "failed": false }], "offered": ["read"], "withheld": ["write"] },
                "say": [{ "text": "Done." }, { "stop": "length" }, { "text": "never said" }]
            }
        ]
    }"#;
    check(
        script,
        &[user("fix it"), tools("fn main", false), user("more")],
        expect![[r#"
            Thought("Hm.")
            ThoughtSignature("s")
            Text("He")
            Text("ll")
            Text("o")
            Retry { attempts: 1, wait: 250ms, reason: "busy" }
            CallStarted { id: "call_1_1", name: "read" }
            Call(ToolCall { id: "call_1_1", name: "read", input: "{\"path\":\"a\"}" })
            CallStarted { id: "mine", name: "read" }
            Call(ToolCall { id: "mine", name: "read", input: "{\"path\"" })
            Usage(Usage { input: 5, output: 2, thought: 0, cache_read: 0, cache_write: 0 })
            End(Tools)
            Text("Done.")
            End(Length)
            error: script: the script has 2 turns, and this is request 3; write another turn, or `"repeat": true`
        "#]],
    )
    .await;
}

#[tokio::test]
async fn every_failure() {
    let script = r#"{ "turns": [
        { "say": [{ "error": { "key": "set it" } }] },
        { "say": [{ "error": "too_long" }] },
        { "say": [{ "error": { "provider": "broken" } }] },
        { "say": [{ "error": { "unreachable": "no route" } }] },
        { "say": [{ "text": "Hel" }, { "error": { "cut": "gone" } }, { "text": "lo" }] }
    ] }"#;
    check(
        script,
        &vec![user("x"); 5],
        expect![[r#"
            error: script requires a valid key: set it
            error: the conversation is too long for script
            error: script: broken
            error: script cannot be reached at nowhere: no route
            Text("Hel")
            error: the response of script was cut off: gone
        "#]],
    )
    .await;
}

#[tokio::test]
async fn a_request_that_is_not_as_expected() {
    for (expected, request, expect) in [
        (
            r#"{ "last": "tools" }"#,
            user("secret"),
            expect![[r#"
            error: script: turn 1 of the script: the last message should be of the tools, and it is of the user
        "#]],
        ),
        (
            r#"{ "contains": ["fix"] }"#,
            user("secret"),
            expect![[r#"
            error: script: turn 1 of the script: the last message should contain "fix", and its 6 bytes do not
        "#]],
        ),
        (
            r#"{ "results": [{}, {}] }"#,
            tools("secret", false),
            expect![[r#"
                error: script: turn 1 of the script: there should be 2 results, and there are 1
            "#]],
        ),
        (
            r#"{ "results": [{ "name": "run" }] }"#,
            tools("secret", false),
            expect![[r#"
                error: script: turn 1 of the script: result 1 should be of the tool "run", and is of another
            "#]],
        ),
        (
            r#"{ "results": [{ "failed": false }] }"#,
            tools("secret", true),
            expect![[r#"
                error: script: turn 1 of the script: result 1 should succeed, and did not
            "#]],
        ),
        (
            r#"{ "results": [{ "contains": ["x"] }] }"#,
            tools("secret", true),
            expect![[r#"
                error: script: turn 1 of the script: result 1 should contain "x", and its 6 bytes do not
            "#]],
        ),
        (
            r#"{ "offered": ["run"] }"#,
            tools("secret", true),
            expect![[r#"
                error: script: turn 1 of the script: the tool "run" should be offered, and is not
            "#]],
        ),
        (
            r#"{ "withheld": ["read"] }"#,
            tools("secret", true),
            expect![[r#"
                error: script: turn 1 of the script: the tool "read" should not be offered, and is
            "#]],
        ),
    ] {
        let script = format!(r#"{{ "turns": [{{ "expect": {expected}, "say": [] }}] }}"#);
        check(&script, &[request], expect).await;
    }
}

#[tokio::test]
async fn a_script_that_is_none() {
    check(r#"{ "turns": [{ "sya": [] }] }"#, &[], expect!["not a valid model script: unknown field `sya`, expected `expect` or `say` at line 1 column 19"]).await;
    check(
        r#"{ "turns": [{ "say": [{ "shout": "x" }] }] }"#,
        &[],
        expect!["not a valid model script: unknown variant `shout`, expected one of `text`, `slow`, `thought`, `seal`, `call`, `usage`, `again`, `pause`, `hang`, `error`, `stop` at line 1 column 31"],
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn it_hangs_until_it_is_dropped() {
    let model = ScriptedModel::new([ScriptTurn::say([
        ScriptLine::text("a"),
        ScriptLine::Hang,
        ScriptLine::text("b"),
    ])]);
    let mut answer = model.answer(user("x"));
    assert_eq!(answer.next().await, Some(Ok(Event::Text("a".to_owned()))));
    let day = Duration::from_secs(86_400);
    assert!(tokio::time::timeout(day, answer.next()).await.is_err());
}

#[tokio::test]
async fn it_keeps_what_it_was_asked_and_begins_anew_if_told() {
    let model = ScriptedModel::parse(
        r#"{ "repeat": true, "turns": [{ "say": [{ "call": { "name": "t", "input": {} } }] }] }"#,
    );
    let model = model.expect("a script");
    drop(model.answer(user("never polled")));
    let said = [
        say(&model, user("one")).await,
        say(&model, user("two")).await,
    ];
    assert!(
        said[0].contains("call_1_1") && said[1].contains("call_2_1"),
        "{said:?}"
    );
    let asked: Vec<Arc<Message>> = model
        .requests()
        .into_iter()
        .flat_map(|request| request.messages)
        .collect();
    let expected = [user("one").messages, user("two").messages].concat();
    assert_eq!(asked, expected);
}

#[test]
fn the_script_in_the_documentation_is_one() {
    let text = include_str!("../../../../docs/models.md");
    let script = text
        .split("```json")
        .nth(1)
        .and_then(|rest| rest.split("```").next());
    let script = Script::parse(script.expect("an example")).expect("a script");
    assert_eq!(script.turns.len(), 2);
}
