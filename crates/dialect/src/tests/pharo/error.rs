//! Error codes.

use super::{agent, client};

#[test]
fn errors() {
    check_error(
        "authenticate",
        r#"{"code":-32001,"message":"no","data":{"reason":"Invalid API key"}}"#,
        r#"{"code":-32000,"message":"no","data":{"reason":"Invalid API key","attache.dialect":{"meaning":"auth_failed"}}}"#,
    );
    check_error(
        "authenticate",
        r#"{"code":-32002,"message":"no"}"#,
        r#"{"code":-32602,"message":"no","data":{"attache.dialect":{"meaning":"invalid_auth_method"}}}"#,
    );
    check_error(
        "fs/read_text_file",
        r#"{"code":-32003,"message":"no","data":{"uri":"file:///a"}}"#,
        r#"{"code":-32002,"message":"no","data":{"uri":"file:///a"}}"#,
    );
    check_error(
        "session/prompt",
        r#"{"code":-32005,"message":"no","data":{"sessionId":"s"}}"#,
        r#"{"code":-32002,"message":"no","data":{"sessionId":"s"}}"#,
    );
    check_error(
        "session/prompt",
        r#"{"code":-32005,"message":"no"}"#,
        r#"{"code":-32002,"message":"no","data":{"attache.dialect":{"meaning":"session_not_found"}}}"#,
    );
    for (theirs, ours, name) in [
        (-32004, -32603, "permission_denied"),
        (-32006, -32600, "invalid_session_state"),
        (-32007, -32601, "capability_not_supported"),
    ] {
        check_error(
            "session/prompt",
            &format!(r#"{{"code":{theirs},"message":"no"}}"#),
            &format!(
                r#"{{"code":{ours},"message":"no","data":{{"attache.dialect":{{"meaning":"{name}"}}}}}}"#
            ),
        );
    }
    for data in [r#""text""#, "{}"] {
        check_error(
            "session/prompt",
            &format!(r#"{{"code":-32004,"message":"no","data":{data}}}"#),
            &format!(
                r#"{{"code":-32603,"message":"no","data":
                    {{"attache.dialect":{{"meaning":"permission_denied","data":{data}}}}}}}"#
            ),
        );
    }
    for code in [-32700, -32600, -32601, -32602, -32603, -32800, 7] {
        let error = format!(r#"{{"code":{code},"message":"no","data":"text"}}"#);
        check_error("session/prompt", &error, &error);
    }
}

#[test]
fn a_number_alone_does_not_decide() {
    agent().reads_error(
        "fs/read_text_file",
        r#"{"code":-32002,"message":"File not found"}"#,
        r#"{"code":-32002,"message":"File not found"}"#,
    );
    client().writes_error(
        "session/prompt",
        r#"{"code":-32603,"message":"mine"}"#,
        r#"{"code":-32004,"message":"mine"}"#,
    );
    client().writes_error(
        "session/prompt",
        r#"{"code":-32004,"message":"mine","data":{"reason":"permission_denied"}}"#,
        r#"{"code":-32055,"message":"mine","data":{"reason":"permission_denied"}}"#,
    );
}

/// An error that is read, and written back as it was.
fn check_error(method: &str, peers: &str, official: &str) {
    agent().reads_error(method, peers, official);
    client().writes_error(method, peers, official);
}
