//! Error codes. Two of them have another meaning in the draft.

use attache_rpc::Error;
use attache_rpc::json::Raw;
use expect_test::expect;

use super::*;

fn error(code: i32, message: &str, data: &str) -> Error {
    let error = Error::new(code, message);
    match data {
        "" => error,
        data => error.data(Raw::parse(data).expect("JSON")),
    }
}

/// The official error for a draft agent's, and the code that a draft client gets for it.
fn read(method: &str, error: Error) -> (Error, i32) {
    let mut conversation = TranslatedConversation::new();
    let official = conversation.agent.read_error(id(), method, error.clone());
    let again = conversation
        .client
        .write_error(id(), method, official.clone());
    assert_eq!((&again.message, &again.data), (&error.message, &error.data));
    (official, again.code)
}

#[test]
fn codes_of_the_draft() {
    let rows = [
        (-32000, "Session not found", r#"{"sessionId":"s"}"#),
        (-32000, "Authentication required", ""),
        (-32000, "x", r#"{"authMethods":[]}"#),
        (-32001, "Authentication required", ""),
        (-32002, "Permission denied", r#""text""#),
        (-32002, "Resource not found", r#"{"uri":"file:///a"}"#),
        (-32003, "Operation cancelled", ""),
        (-32004, "Resource not found", ""),
        (-32005, "Resource access denied", ""),
        (-32006, "Invalid session state", "[1]"),
        (-32007, "Capability not supported", ""),
        (-32008, "Rate limited", r#"{"retryAfter":3}"#),
        (-32009, "Timeout", ""),
        (-32602, "Invalid params", ""),
        (-1, "own", ""),
    ];
    let read = rows.map(|(code, message, data)| {
        let (official, again) = read("session/prompt", error(code, message, data));
        let data = official.data.as_ref().map_or("", Raw::as_str);
        format!("{code} {message} → {} {data} → {again}\n", official.code)
    });
    expect![[r#"
        -32000 Session not found → -32002 {"sessionId":"s"} → -32000
        -32000 Authentication required → -32000  → -32001
        -32000 x → -32000 {"authMethods":[]} → -32001
        -32001 Authentication required → -32000  → -32001
        -32002 Permission denied → -32603 {"attache.dialect":{"meaning":"permission_denied","data":"text"}} → -32002
        -32002 Resource not found → -32002 {"uri":"file:///a"} → -32004
        -32003 Operation cancelled → -32800  → -32003
        -32004 Resource not found → -32002  → -32004
        -32005 Resource access denied → -32603 {"attache.dialect":{"meaning":"access_denied"}} → -32005
        -32006 Invalid session state → -32600 {"attache.dialect":{"meaning":"invalid_session_state","data":[1]}} → -32006
        -32007 Capability not supported → -32601 {"attache.dialect":{"meaning":"capability_not_supported"}} → -32007
        -32008 Rate limited → -32603 {"retryAfter":3,"attache.dialect":{"meaning":"rate_limited"}} → -32008
        -32009 Timeout → -32603 {"attache.dialect":{"meaning":"timeout"}} → -32009
        -32602 Invalid params → -32602  → -32602
        -1 own → -1  → -1
    "#]]
    .assert_eq(&read.concat());
}

#[test]
fn official_codes_for_a_draft_peer() {
    let rows = [
        ("session/new", -32000, "Authentication required", ""),
        ("session/load", -32002, "Session not found", ""),
        (
            "session/prompt",
            -32002,
            "Resource not found",
            r#"{"uri":"file:///a"}"#,
        ),
        ("session/load", -32002, "Resource not found", ""),
        ("fs/read_text_file", -32002, "x", r#"{"sessionId":"s"}"#),
        ("session/prompt", -32800, "Request cancelled", ""),
        (
            "session/prompt",
            -32008,
            "x",
            r#"{"reason":"rate_limited"}"#,
        ),
        ("session/prompt", -32003, "own", ""),
        ("session/prompt", -32050, "own", ""),
        ("session/prompt", -32601, "Method not found", ""),
    ];
    let written = rows.map(|(method, code, message, data)| {
        let official = error(code, message, data);
        let draft = TranslatedConversation::new()
            .client
            .write_error(id(), method, official)
            .code;
        format!("{method} {code} {message} {data} → {draft}\n")
    });
    expect![[r#"
        session/new -32000 Authentication required  → -32001
        session/load -32002 Session not found  → -32000
        session/prompt -32002 Resource not found {"uri":"file:///a"} → -32004
        session/load -32002 Resource not found  → -32004
        fs/read_text_file -32002 x {"sessionId":"s"} → -32000
        session/prompt -32800 Request cancelled  → -32003
        session/prompt -32008 x {"reason":"rate_limited"} → -32008
        session/prompt -32003 own  → -32603
        session/prompt -32050 own  → -32050
        session/prompt -32601 Method not found  → -32601
    "#]]
    .assert_eq(&written.concat());
}
