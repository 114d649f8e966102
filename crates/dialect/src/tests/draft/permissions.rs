//! Permissions: an operation and a scope against a tool call and options.

use attache_rpc::Id;
use expect_test::expect;

use super::*;

#[test]
fn requests() {
    let mut conversation = TranslatedConversation::in_session();
    check(
        &mut conversation,
        "agent session/request_permission",
        r#"{
          "sessionId": "s",
          "operation": "file_write",
          "resource": "src/auth.ts",
          "reason": "Add error handling to login function",
          "toolCallId": "tc_002"
        }"#,
        expect![[r#"
            {
              "sessionId":"s",
              "toolCall":{
                "toolCallId":"tc_002",
                "title":"Write src/auth.ts",
                "kind":"edit",
                "locations":[{"path":"/home/user/project/src/auth.ts"}],
                "content":[
                  {
                    "type":"content",
                    "content":{"type":"text","text":"Add error handling to login function"}
                  }
                ]
              },
              "options":[
                {
                  "optionId":"once",
                  "name":"Allow once",
                  "kind":"allow_once",
                  "_meta":{"attache.dialect":{"scope":"once"}}
                },
                {
                  "optionId":"session",
                  "name":"Allow for this session",
                  "kind":"allow_always",
                  "_meta":{"attache.dialect":{"scope":"session"}}
                },
                {
                  "optionId":"workspace",
                  "name":"Allow in this workspace",
                  "kind":"allow_always",
                  "_meta":{"attache.dialect":{"scope":"workspace"}}
                },
                {
                  "optionId":"always",
                  "name":"Always allow",
                  "kind":"allow_always",
                  "_meta":{"attache.dialect":{"scope":"always"}}
                },
                {"optionId":"reject","name":"Reject","kind":"reject_once"}
              ],
              "_meta":{
                "attache.dialect":{
                  "operation":"file_write",
                  "resource":"src/auth.ts",
                  "reason":"Add error handling to login function",
                  "toolCallId":"tc_002"
                }
              }
            }"#]],
    );
    check(
        &mut conversation,
        "client= session/request_permission",
        r#"{"granted": true, "remember": true, "scope": "session"}"#,
        expect![[r#"
            {
              "outcome":{"outcome":"selected","optionId":"session"},
              "_meta":{"attache.dialect":{"granted":true,"remember":true,"scope":"session"}}
            }"#]],
    );
}

#[test]
fn answers() {
    let mut conversation = TranslatedConversation::in_session();
    conversation.pass(
        "agent session/request_permission",
        r#"{"sessionId": "s", "operation": "x_new", "resource": "r"}"#,
    );
    check(
        &mut conversation,
        "client= session/request_permission",
        r#"{"granted": false}"#,
        expect![[r#"
        {
          "outcome":{"outcome":"selected","optionId":"reject"},
          "_meta":{"attache.dialect":{"granted":false}}
        }"#]],
    );
    conversation.pass(
        "agent session/request_permission",
        r#"{"sessionId": "s", "operation": "x_new", "resource": "r"}"#,
    );
    check(
        &mut conversation,
        "client= session/request_permission",
        r#"{"granted": true, "remember": false, "scope": "workspace"}"#,
        expect![[r#"
            {
              "outcome":{"outcome":"selected","optionId":"workspace"},
              "_meta":{"attache.dialect":{"granted":true,"remember":false,"scope":"workspace"}}
            }"#]],
    );
}

#[test]
fn operations() {
    let mut conversation = TranslatedConversation::in_session();
    let operations = [
        "file_read",
        "file_write",
        "file_delete",
        "terminal_execute",
        "network_access",
        "mcp_tool",
        "x_new",
    ];
    let calls = operations.map(|operation| {
        let request = format!(r#"{{"sessionId":"s","operation":"{operation}","resource":"r"}}"#);
        let (official, again) = conversation.pass("agent session/request_permission", &request);
        assert_eq!(value(&again), value(&request));
        format!("{}\n", value(&official)["toolCall"])
    });
    expect![[r#"
        {"toolCallId":"permission-1","title":"Read r","kind":"read","locations":[{"path":"/home/user/project/r"}]}
        {"toolCallId":"permission-2","title":"Write r","kind":"edit","locations":[{"path":"/home/user/project/r"}]}
        {"toolCallId":"permission-3","title":"Delete r","kind":"delete","locations":[{"path":"/home/user/project/r"}]}
        {"toolCallId":"permission-4","title":"Run r","kind":"execute"}
        {"toolCallId":"permission-5","title":"Connect to r","kind":"fetch"}
        {"toolCallId":"permission-6","title":"Use the tool r"}
        {"toolCallId":"permission-7","title":"x_new: r"}
    "#]].assert_eq(&calls.concat());
}

#[test]
fn every_option_has_a_draft_response() {
    let mut conversation = TranslatedConversation::in_session();
    let mut answer = |outcome: &str| {
        conversation.pass(
            "agent session/request_permission",
            r#"{"sessionId": "s", "operation": "x_new", "resource": "r"}"#,
        );
        answer(&mut conversation, &format!(r#"{{"outcome":{outcome}}}"#))
    };
    let ids = [
        "once",
        "session",
        "workspace",
        "always",
        "reject",
        "unknown",
    ];
    let mut answers: Vec<String> = ids
        .map(|id| answer(&format!(r#"{{"outcome":"selected","optionId":"{id}"}}"#)))
        .into();
    answers.push(answer(r#"{"outcome":"cancelled"}"#));
    answers.push(answer(r#"{"outcome":"x_refused","optionId":"always"}"#));
    answers.push(answer(r#"{"optionId":"always"}"#));
    expect![[r#"
        {"granted":true,"remember":false,"scope":"once"}
        {"granted":true,"remember":true,"scope":"session"}
        {"granted":true,"remember":true,"scope":"workspace"}
        {"granted":true,"remember":true,"scope":"always"}
        {"granted":false}
        {"granted":false}
        {"granted":false}
        {"granted":false}
        {"granted":false}"#]]
    .assert_eq(&answers.join("\n"));
}

/// Our answer to the oldest request of a draft agent, as the agent gets it.
fn answer(conversation: &mut TranslatedConversation, official: &str) -> String {
    let method = "session/request_permission";
    let id = conversation.pending.answer(method);
    let written = conversation.agent.write_result(&id, method, official);
    written.expect("an answer").into_owned()
}

#[test]
fn a_response_to_an_unknown_request_grants_nothing() {
    let always = r#"{"outcome":{"outcome":"selected","optionId":"always"}}"#;
    let mut conversation = TranslatedConversation::in_session();
    assert_eq!(answer(&mut conversation, always), r#"{"granted":false}"#);
}

#[test]
fn an_official_request_gets_an_official_response() {
    let mut conversation = TranslatedConversation::in_session();
    let request = r#"{"sessionId":"s","toolCall":{"toolCallId":"c"},
        "options":[{"optionId":"once","name":"No","kind":"reject_once"},
            {"optionId":"yes","name":"Yes","kind":"allow_once"}]}"#;
    for chosen in ["once", "yes"] {
        let id = conversation.pending.call("session/request_permission");
        let call = Call::request(&id, "session/request_permission", Some(request));
        let (_, official) = one(conversation.agent.read_call(call).expect("a call"));
        assert_eq!(value(&official), value(request));
        let result = format!(r#"{{"outcome":{{"outcome":"selected","optionId":"{chosen}"}}}}"#);
        assert_eq!(answer(&mut conversation, &result), result);
    }
}

#[test]
fn a_changed_response_overrides_the_kept_one() {
    let mut conversation = TranslatedConversation::in_session();
    for (kept, chosen, expected) in [
        (
            r#"{"granted":true,"remember":true,"scope":"always"}"#,
            "once",
            r#"{"granted":true,"remember":false,"scope":"once"}"#,
        ),
        (
            r#"{"granted":true,"remember":true,"scope":"always"}"#,
            "reject",
            r#"{"granted":false}"#,
        ),
        (
            r#"{"granted":false,"remember":true}"#,
            "once",
            r#"{"granted":true,"remember":false,"scope":"once"}"#,
        ),
        (
            r#"{"granted":true,"scope":"x_new"}"#,
            "once",
            r#"{"granted":true,"scope":"x_new"}"#,
        ),
    ] {
        conversation.pass(
            "agent session/request_permission",
            r#"{"sessionId": "s", "operation": "x_new", "resource": "r"}"#,
        );
        let outcome = format!(r#"{{"outcome":"selected","optionId":"{chosen}"}}"#);
        let meta = format!(r#"{{"attache.dialect":{kept}}}"#);
        let result = format!(r#"{{"outcome":{outcome},"_meta":{meta}}}"#);
        assert_eq!(answer(&mut conversation, &result), expected);
    }
}

#[test]
fn a_changed_request_overrides_the_kept_one() {
    let mut conversation = TranslatedConversation::in_session();
    let draft = r#"{"sessionId":"s","operation":"file_write","resource":"/a","reason":"why","toolCallId":"c"}"#;
    let (official, _) = conversation.pass("agent session/request_permission", draft);
    let mut official = value(&official);
    official["toolCall"]["_meta"] = serde_json::json!({ "seen": true });
    let written = conversation.written("client session/request_permission", &official.to_string());
    assert_eq!(written[0], value(draft));
    official["toolCall"]["title"] = "Delete everything".into();
    official["toolCall"]["kind"] = "delete".into();
    official["toolCall"]["locations"][0]["path"] = "/".into();
    check_written(
        &mut conversation,
        "client session/request_permission",
        &official.to_string(),
        expect![[r#"
            {
              "sessionId":"s",
              "operation":"file_delete",
              "resource":"/",
              "reason":"Delete everything",
              "toolCallId":"c"
            }"#]],
    );
}

#[test]
fn requests_for_a_draft_client() {
    let mut conversation = TranslatedConversation::in_session();
    conversation.pass(
        "agent session/update",
        r#"{
          "sessionId": "s",
          "type": "tool_call",
          "data": {"id": "a", "tool": "fs/read_text_file", "input": {"path": "/a"}}
        }"#,
    );
    check_written(
        &mut conversation,
        "client session/update",
        r#"{
          "sessionId": "s",
          "update": {
            "sessionUpdate": "tool_call",
            "toolCallId": "c",
            "title": "Edit the parser",
            "kind": "edit",
            "locations": [{"path": "/p/parser.rs", "line": 3}]
          }
        }"#,
        expect![[r#"
            {
              "sessionId":"s",
              "type":"tool_call",
              "data":{
                "id":"c",
                "tool":"Edit the parser",
                "kind":"edit",
                "input":{},
                "status":"pending",
                "location":{"path":"/p/parser.rs","line":3}
              }
            }"#]],
    );
    check_written(
        &mut conversation,
        "client session/request_permission",
        r#"{"sessionId": "s", "toolCall": {"toolCallId": "a"}, "options": []}"#,
        expect![[r#"
            {
              "sessionId":"s",
              "operation":"file_read",
              "resource":"/a",
              "reason":"Read /a",
              "toolCallId":"a"
            }"#]],
    );
    check_written(
        &mut conversation,
        "client session/request_permission",
        r#"{"sessionId": "s", "toolCall": {"toolCallId": "c"}, "options": []}"#,
        expect![[r#"
            {
              "sessionId":"s",
              "operation":"file_write",
              "resource":"/p/parser.rs",
              "reason":"Edit the parser",
              "toolCallId":"c"
            }"#]],
    );
}

#[test]
fn requests_about_new_tool_calls() {
    let mut conversation = TranslatedConversation::in_session();
    check_written(
        &mut conversation,
        "client session/request_permission",
        r#"{
          "sessionId": "s",
          "toolCall": {
            "toolCallId": "d",
            "title": "Run cargo test",
            "kind": "execute",
            "rawInput": {"command": "cargo test"}
          },
          "options": []
        }"#,
        expect![[r#"
            {
              "sessionId":"s",
              "operation":"terminal_execute",
              "resource":"cargo test",
              "reason":"Run cargo test",
              "toolCallId":"d"
            }"#]],
    );
    check_written(
        &mut conversation,
        "client session/request_permission",
        r#"{"sessionId": "s", "toolCall": {"toolCallId": "e", "title": "Think"}, "options": []}"#,
        expect![[
            r#"{"sessionId":"s","operation":"mcp_tool","resource":"Think","toolCallId":"e"}"#
        ]],
    );
}

/// Asks a draft client with `options`, each `id:kind` or `id:kind:scope`, and compares the option that its answer
/// chooses; none if the request counts as cancelled.
fn check_choice(options: &str, answer: &str, chosen: Option<&str>) {
    let list: Vec<String> = options.split(' ').map(option).collect();
    let call = r#"{"toolCallId":"c"}"#;
    let list = list.join(",");
    let request = format!(r#"{{"sessionId":"s","toolCall":{call},"options":[{list}]}}"#);
    let mut conversation = TranslatedConversation::in_session();
    one(conversation
        .client
        .write_call(super::call("session/request_permission", &request))
        .expect("a call"));
    let result = conversation
        .client
        .read_result(id(), "session/request_permission", answer);
    let outcome = &value(&result.expect("a result"))["outcome"];
    assert_eq!(
        outcome["optionId"].as_str(),
        chosen,
        "{options} {answer} {outcome}"
    );
}

fn option(text: &str) -> String {
    let mut parts = text.split(':');
    let [id, kind, scope] = [(); 3].map(|()| parts.next().unwrap_or_default());
    let meta = match scope {
        "" => "{}".to_owned(),
        scope => format!(r#"{{"attache.dialect":{{"scope":"{scope}"}}}}"#),
    };
    format!(r#"{{"optionId":"{id}","name":"n","kind":"{kind}","_meta":{meta}}}"#)
}

#[test]
fn a_grant_never_grows() {
    let usual = "y:allow_once a:allow_always n:reject_once";
    check_choice(usual, r#"{"granted":true}"#, Some("y"));
    check_choice(usual, r#"{"granted":true,"scope":"session"}"#, Some("y"));
    check_choice(usual, r#"{"granted":true,"scope":"always"}"#, Some("a"));
    check_choice(usual, r#"{"granted":true,"remember":true}"#, Some("y"));
    check_choice("a:allow_always", r#"{"granted":true,"scope":"once"}"#, None);
    check_choice(
        "y:allow_once",
        r#"{"granted":true,"scope":"always"}"#,
        Some("y"),
    );
    let scoped = "y:allow_once s:allow_always:session";
    check_choice(scoped, r#"{"granted":true,"scope":"session"}"#, Some("s"));
    check_choice(scoped, r#"{"granted":true,"scope":"workspace"}"#, Some("y"));
    check_choice(
        "s:reject_once:session",
        r#"{"granted":true,"scope":"session"}"#,
        None,
    );
}

#[test]
fn a_refusal_refuses() {
    check_choice(
        "y:allow_once n:reject_once",
        r#"{"granted":false}"#,
        Some("n"),
    );
    check_choice("y:allow_once", r#"{"granted":false}"#, None);
    let both = "n:reject_once x:reject_always";
    check_choice(both, r#"{"granted":false}"#, Some("n"));
    check_choice(both, r#"{"granted":false,"remember":true}"#, Some("x"));
}

#[test]
fn two_pending_requests_use_their_own_options() {
    let mut conversation = TranslatedConversation::in_session();
    let ids = [Id::from(1), Id::from(2)];
    let options = [
        "a:allow_once:once n:reject_once",
        "b:allow_once m:reject_once",
    ];
    for (id, options) in ids.iter().zip(options) {
        let list: Vec<String> = options.split(' ').map(option).collect();
        let call = r#"{"toolCallId":"c"}"#;
        let list = list.join(",");
        let request = format!(r#"{{"sessionId":"s","toolCall":{call},"options":[{list}]}}"#);
        let call = Call::request(id, "session/request_permission", Some(&request));
        one(conversation.client.write_call(call).expect("a call"));
    }
    let [first, second] = ids;
    for (id, answer, chosen) in [
        (second, r#"{"granted":true}"#, "b"),
        (first, r#"{"granted":false}"#, "n"),
    ] {
        let result = conversation
            .client
            .read_result(&id, "session/request_permission", answer);
        let result = value(&result.expect("a result"));
        assert_eq!(result["outcome"]["optionId"], chosen);
    }
}
