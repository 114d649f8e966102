//! Files and terminals.

use super::{agent, check, check_result};

#[test]
fn files() {
    check(
        "fs/read_text_file",
        r#"{"sessionId":"s","path":"/a","startLine":10,"lineLimit":50}"#,
        r#"{"sessionId":"s","path":"/a","line":10,"limit":50}"#,
    );
}

#[test]
fn terminals() {
    check(
        "terminal/create",
        r#"{"sessionId":"s","command":"npm","args":["test"],"env":{"A":"1"},"cwd":"/p"}"#,
        r#"{"sessionId":"s","command":"npm","args":["test"],"env":[{"name":"A","value":"1"}],"cwd":"/p"}"#,
    );
    check(
        "terminal/wait_for_exit",
        r#"{"sessionId":"s","terminalId":"t","timeout":30000}"#,
        r#"{"sessionId":"s","terminalId":"t","_meta":{"attache.dialect":{"timeout":30000}}}"#,
    );
    let output = "terminal/output";
    check_result(
        output,
        r#"{"output":"a","exitCode":null}"#,
        r#"{"output":"a","truncated":false}"#,
    );
    check_result(
        output,
        r#"{"output":"a","exitCode":3}"#,
        r#"{"output":"a","truncated":false,"exitStatus":{"exitCode":3}}"#,
    );
    check_result(
        output,
        r#"{"output":"a","exitCode":-1}"#,
        r#"{"output":"a","truncated":false,"exitStatus":{"_meta":{"attache.dialect":{"exitCode":-1}}}}"#,
    );
    agent().writes_result(
        output,
        r#"{"output":"a","exitCode":137}"#,
        r#"{"output":"a","truncated":true,"exitStatus":{"exitCode":null,"signal":"SIGKILL"}}"#,
    );
}

#[test]
fn waiting_for_a_command() {
    let wait = "terminal/wait_for_exit";
    check_result(
        wait,
        r#"{"output":"a","exitCode":0}"#,
        r#"{"exitCode":0,"_meta":{"attache.dialect":{"output":"a"}}}"#,
    );
    check_result(
        wait,
        r#"{"output":"a","exitCode":null}"#,
        r#"{"_meta":{"attache.dialect":{"output":"a","exitCode":null}}}"#,
    );
    agent()
        .writes_result(
            wait,
            r#"{"output":"","exitCode":143}"#,
            r#"{"signal":"SIGTERM"}"#,
        )
        .writes_result(
            wait,
            r#"{"output":"","exitCode":-1}"#,
            r#"{"exitCode":null,"signal":null}"#,
        );
}
