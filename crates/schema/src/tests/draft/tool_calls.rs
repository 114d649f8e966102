//! Tool calls and their states.

use expect_test::expect;

use super::updates::{check_update, check_written_update};
use super::*;

#[test]
fn calls() {
    let mut talk = Talk::in_session();
    check_update(
        &mut talk,
        "tool_call",
        r#"{
          "id": "tc_123",
          "tool": "fs/read_text_file",
          "input": {"path": "/p/auth.ts"},
          "status": "pending"
        }"#,
        expect![],
    );
    check_update(
        &mut talk,
        "tool_call",
        r#"{
          "id": "a",
          "tool": "grep",
          "input": {},
          "status": "in_progress",
          "requiresPermission": true
        }"#,
        expect![],
    );
    check_update(
        &mut talk,
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
        expect![],
    );
}

#[test]
fn calls_for_a_draft_client() {
    let mut talk = Talk::in_session();
    check_written_update(
        &mut talk,
        r#"{
          "sessionUpdate": "tool_call",
          "toolCallId": "c",
          "title": "Reading the parser",
          "kind": "read",
          "status": "pending",
          "locations": [{"path": "/a", "line": 1}, {"path": "/b"}]
        }"#,
        expect![],
    );
    check_written_update(
        &mut talk,
        r#"{
          "sessionUpdate": "tool_call",
          "toolCallId": "c",
          "title": "Looking",
          "name": "fs/read_text_file",
          "kind": "search",
          "rawInput": {"path": "/a"}
        }"#,
        expect![],
    );
    check_written_update(
        &mut talk,
        r#"{
          "sessionUpdate": "tool_call_update",
          "toolCallId": "c",
          "title": null,
          "locations": [],
          "rawOutput": {"a": 1}
        }"#,
        expect![],
    );
}

#[test]
fn statuses() {
    let mut talk = Talk::in_session();
    check_update(
        &mut talk,
        "tool_call_update",
        r#"{"id": "a", "status": "awaiting_permission"}"#,
        expect![],
    );
    check_update(
        &mut talk,
        "tool_call_update",
        r#"{"id": "a", "status": "in_progress"}"#,
        expect![],
    );
    check_update(&mut talk, "tool_call_update", r#"{"id": "a", "status": "denied"}"#, expect![]);
    check_update(
        &mut talk,
        "tool_call_update",
        r#"{"id": "a", "status": "cancelled", "duration": 45}"#,
        expect![],
    );
    check_update(
        &mut talk,
        "tool_call_update",
        r#"{"id": "a", "status": "failed", "error": "no such file"}"#,
        expect![],
    );
}

#[test]
fn a_status_that_somebody_has_changed_is_not_the_kept_one() {
    let mut talk = Talk::in_session();
    check_written_update(
        &mut talk,
        r#"{
          "sessionUpdate": "tool_call_update",
          "toolCallId": "a",
          "status": "completed",
          "_meta": {"attache.dialect": {"status": "denied"}}
        }"#,
        expect![],
    );
}
