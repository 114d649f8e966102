//! The early bridge to the Claude CLI, row by row: first the bridge's message, then its official form.

use super::call_translator::TranslatedConversation;
use crate::{Dialect, Role};

fn check(method: &str, peers: &str, official: &str) {
    TranslatedConversation::new(Dialect::Bridge, Role::Agent).reads(method, peers, official);
    TranslatedConversation::new(Dialect::Bridge, Role::Agent).writes(method, official, official);
}

fn check_update(peers: &str, official: &str) {
    let of_session = |update| format!(r#"{{"sessionId":"s","update":{update}}}"#);
    check("session/update", &of_session(peers), &of_session(official));
}

#[test]
fn bare_tool_content_is_wrapped() {
    check_update(
        r#"{"sessionUpdate":"tool_call_update","toolCallId":"t","content":[{"type":"text","text":"a"},
            {"type":"content","content":{"type":"text","text":"b"}},{"type":"terminal","terminalId":"t1"}]}"#,
        r#"{"sessionUpdate":"tool_call_update","toolCallId":"t","content":[
            {"type":"content","content":{"type":"text","text":"a"}},
            {"type":"content","content":{"type":"text","text":"b"}},{"type":"terminal","terminalId":"t1"}]}"#,
    );
}

#[test]
fn tool_kinds() {
    for (theirs, ours) in [("write", "edit"), ("command", "execute")] {
        check_update(
            &format!(
                r#"{{"sessionUpdate":"tool_call","toolCallId":"t","title":"T","kind":"{theirs}"}}"#
            ),
            &format!(
                r#"{{"sessionUpdate":"tool_call","toolCallId":"t","title":"T","kind":"{ours}",
                    "_meta":{{"attache.dialect":{{"kind":"{theirs}"}}}}}}"#
            ),
        );
    }
}

#[test]
fn plan_entries_without_priority() {
    check_update(
        r#"{"sessionUpdate":"plan","entries":[{"id":"1","content":"a","status":"pending"},
            {"content":"b","priority":"low","status":"pending"}]}"#,
        r#"{"sessionUpdate":"plan","entries":[{"content":"a","priority":"medium","status":"pending",
                "_meta":{"attache.dialect":{"id":"1"}}},
            {"content":"b","priority":"low","status":"pending"}]}"#,
    );
}

#[test]
fn media_types() {
    let theirs = r#"{"type":"image","data":"aa","mediaType":"image/png"}"#;
    let ours = r#"{"type":"image","data":"aa","mimeType":"image/png"}"#;
    for chunk in [
        "agent_message_chunk",
        "user_message_chunk",
        "agent_thought_chunk",
    ] {
        let of = |image| format!(r#"{{"sessionUpdate":"{chunk}","content":{image}}}"#);
        check_update(&of(theirs), &of(ours));
    }
    check(
        "session/prompt",
        &format!(r#"{{"sessionId":"s","prompt":[{theirs}]}}"#),
        &format!(r#"{{"sessionId":"s","prompt":[{ours}]}}"#),
    );
    check(
        "session/request_permission",
        &format!(
            r#"{{"sessionId":"s","toolCall":{{"toolCallId":"t","content":[{theirs}]}},"options":[]}}"#
        ),
        &format!(
            r#"{{"sessionId":"s","toolCall":{{"toolCallId":"t","content":
                [{{"type":"content","content":{ours}}}]}},"options":[]}}"#
        ),
    );
}
