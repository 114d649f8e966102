//! Tool calls and their states.

use expect_test::expect;

use super::updates::{check_update, check_written_update};
use super::*;

#[test]
fn calls() {
    let mut conversation = TranslatedConversation::in_session();
    check_update(
        &mut conversation,
        "tool_call",
        r#"{
          "id": "tc_123",
          "tool": "fs/read_text_file",
          "input": {"path": "/p/auth.ts"},
          "status": "pending"
        }"#,
        expect![[r#"
            {
              "toolCallId":"tc_123",
              "name":"fs/read_text_file",
              "rawInput":{"path":"/p/auth.ts"},
              "status":"pending",
              "title":"Read /p/auth.ts",
              "kind":"read",
              "sessionUpdate":"tool_call"
            }"#]],
    );
    check_update(
        &mut conversation,
        "tool_call",
        r#"{
          "id": "a",
          "tool": "grep",
          "input": {},
          "status": "in_progress",
          "requiresPermission": true
        }"#,
        expect![[r#"
            {
              "toolCallId":"a",
              "name":"grep",
              "rawInput":{},
              "status":"in_progress",
              "title":"grep",
              "_meta":{"attache.dialect":{"requiresPermission":true}},
              "sessionUpdate":"tool_call"
            }"#]],
    );
    check_update(
        &mut conversation,
        "tool_call",
        r#"{
          "id": "a",
          "tool": "terminal/create",
          "input": {"command": "ls"},
          "status": "completed",
          "location": {
            "path": "src/auth.ts",
            "line": 42,
            "column": 5,
            "endLine": 55,
            "endColumn": 2
          }
        }"#,
        expect![[r#"
            {
              "toolCallId":"a",
              "name":"terminal/create",
              "rawInput":{"command":"ls"},
              "status":"completed",
              "title":"Run ls",
              "kind":"execute",
              "locations":[{"path":"/home/user/project/src/auth.ts","line":42}],
              "_meta":{
                "attache.dialect":{
                  "location":{"path":"src/auth.ts","line":42,"column":5,"endLine":55,"endColumn":2}
                }
              },
              "sessionUpdate":"tool_call"
            }"#]],
    );
}

#[test]
fn calls_for_a_draft_client() {
    let mut conversation = TranslatedConversation::in_session();
    check_written_update(
        &mut conversation,
        r#"{
          "sessionUpdate": "tool_call",
          "toolCallId": "c",
          "title": "Reading the parser",
          "kind": "read",
          "status": "pending",
          "locations": [{"path": "/a", "line": 1}, {"path": "/b"}]
        }"#,
        expect![[r#"
            tool_call {
              "id":"c",
              "tool":"Reading the parser",
              "kind":"read",
              "status":"pending",
              "input":{},
              "location":{"path":"/a","line":1}
            }"#]],
    );
    check_written_update(
        &mut conversation,
        r#"{
          "sessionUpdate": "tool_call",
          "toolCallId": "c",
          "title": "Looking",
          "name": "fs/read_text_file",
          "kind": "search",
          "rawInput": {"path": "/a"}
        }"#,
        expect![[r#"
            tool_call {
              "id":"c",
              "title":"Looking",
              "tool":"fs/read_text_file",
              "kind":"search",
              "input":{"path":"/a"},
              "status":"pending"
            }"#]],
    );
    check_written_update(
        &mut conversation,
        r#"{
          "sessionUpdate": "tool_call_update",
          "toolCallId": "c",
          "title": null,
          "locations": [],
          "rawOutput": {"a": 1}
        }"#,
        expect![[r#"
            tool_call_update {
              "id":"c",
              "title":null,
              "rawOutput":{"a":1},
              "output":{"type":"text","text":"{\"a\": 1}"}
            }"#]],
    );
}

#[test]
fn statuses() {
    let mut conversation = TranslatedConversation::in_session();
    check_update(
        &mut conversation,
        "tool_call_update",
        r#"{"id": "a", "status": "awaiting_permission"}"#,
        expect![[r#"
            {
              "toolCallId":"a",
              "_meta":{"attache.dialect":{"status":"awaiting_permission"}},
              "status":"pending",
              "sessionUpdate":"tool_call_update"
            }"#]],
    );
    check_update(
        &mut conversation,
        "tool_call_update",
        r#"{"id": "a", "status": "in_progress"}"#,
        expect![[
            r#"{"toolCallId":"a","status":"in_progress","sessionUpdate":"tool_call_update"}"#
        ]],
    );
    check_update(
        &mut conversation,
        "tool_call_update",
        r#"{"id": "a", "status": "denied"}"#,
        expect![[r#"
        {
          "toolCallId":"a",
          "_meta":{"attache.dialect":{"status":"denied"}},
          "status":"failed",
          "sessionUpdate":"tool_call_update"
        }"#]],
    );
    check_update(
        &mut conversation,
        "tool_call_update",
        r#"{"id": "a", "status": "cancelled", "duration": 45}"#,
        expect![[r#"
            {
              "toolCallId":"a",
              "_meta":{"attache.dialect":{"status":"cancelled","duration":45}},
              "status":"failed",
              "sessionUpdate":"tool_call_update"
            }"#]],
    );
    check_update(
        &mut conversation,
        "tool_call_update",
        r#"{"id": "a", "status": "failed", "error": "no such file"}"#,
        expect![[r#"
            {
              "toolCallId":"a",
              "status":"failed",
              "content":[{"type":"content","content":{"type":"text","text":"no such file"}}],
              "_meta":{"attache.dialect":{"error":"no such file"}},
              "sessionUpdate":"tool_call_update"
            }"#]],
    );
}

#[test]
fn a_changed_status_overrides_the_kept_one() {
    let mut conversation = TranslatedConversation::in_session();
    check_written_update(
        &mut conversation,
        r#"{
          "sessionUpdate": "tool_call_update",
          "toolCallId": "a",
          "status": "completed",
          "_meta": {"attache.dialect": {"status": "denied"}}
        }"#,
        expect![[r#"tool_call_update {"id":"a","status":"completed"}"#]],
    );
}
