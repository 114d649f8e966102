//! Tests of traces written as scripts.

use bytes::Bytes;
use expect_test::{Expect, expect};

use crate::{Side, Trace, TraceEntry, TraceEvent};

/// A trace of lines that start with `>` for the client or `<` for the agent.
fn trace(lines: &str) -> Trace {
    let mut trace = Trace::default();
    for line in lines.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let (from, line) = match line.split_at(1) {
            (">", line) => (Side::Client, line),
            (_, line) => (Side::Agent, line),
        };
        let event = match line {
            "|" => TraceEvent::Closed,
            line => TraceEvent::Line(Bytes::copy_from_slice(line.trim().as_bytes())),
        };
        trace.push(TraceEntry { from, event });
    }
    trace
}

fn check(lines: &str, expect: Expect) {
    expect.assert_eq(&trace(lines).to_string());
}

#[test]
fn responses_out_of_order_get_labels() {
    let lines = r#"
        >{"jsonrpc":"2.0","id":10,"method":"a"}
        >{"jsonrpc":"2.0","id":11,"method":"b"}
        <{"jsonrpc":"2.0","id":11,"result":1}
        <{"jsonrpc":"2.0","id":10,"result":{}}
        >{"jsonrpc":"2.0","id":"c","method":"c","params":{}}
        >{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":"c"}}
        <{"jsonrpc":"2.0","id":"c","error":{"code":-32800,"message":"no"}}
        <{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no"}}
        >not a message
        >|
    "#;
    check(
        lines,
        expect![[r#"
        -> a
        -> b @1
        <= @1 1
        <= {}
        -> c @2 {}
        .> $/cancel_request {"requestId":@2}
        <! @2 {"code":-32800,"message":"no"}
        <! {"code":-32700,"message":"no"} id null
        ~> not a message
    "#]],
    );
}

#[test]
fn values_that_differ_between_runs_are_normalised() {
    let lines = r#"
        <{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"f81d","update":{"sessionUpdate":"tool_call","toolCallId":"c-77","title":"read /tmp/.tmpX1/a.rs and file:///tmp/.tmpX2","content":[{"type":"terminal","terminalId":"t9"}]}}}
        <{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"0000","update":{"sessionUpdate":"session_info_update","updatedAt":"2025-10-29T14:22:15.123+02:00","title":"/home/x /tmp /not/tmp/a"}}}
        <{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"f81d","update":{"sessionUpdate":"tool_call_update","toolCallId":"c-78","locations":[{"path":"/tmp/.tmpX1"}]}}}
    "#;
    check(
        lines,
        expect![[r#"
        <. session/update {"sessionId":"session-1","update":{"sessionUpdate":"tool_call","toolCallId":"tool-call-1","title":"read /temp-1/a.rs and file:///temp-2","content":[{"type":"terminal","terminalId":"terminal-1"}]}}
        <. session/update {"sessionId":"session-2","update":{"sessionUpdate":"session_info_update","updatedAt":"2000-01-01T00:00:00Z","title":"/home/x /tmp /not/tmp/a"}}
        <. session/update {"sessionId":"session-1","update":{"sessionUpdate":"tool_call_update","toolCallId":"tool-call-2","locations":[{"path":"/temp-1"}]}}
    "#]],
    );
    let named = trace(lines).replacing("/home/x", "HOME").to_script();
    expect![[r#"
        <. session/update {"sessionId":$session-1="session-1","update":{"sessionUpdate":"tool_call","toolCallId":$tool-call-1="tool-call-1","title":"read /temp-1/a.rs and file:///temp-2","content":[{"type":"terminal","terminalId":$terminal-1="terminal-1"}]}}
        <. session/update {"sessionId":$session-2="session-2","update":{"sessionUpdate":"session_info_update","updatedAt":_="2000-01-01T00:00:00Z","title":"HOME /tmp /not/tmp/a"}}
        <. session/update {"sessionId":$session-1,"update":{"sessionUpdate":"tool_call_update","toolCallId":$tool-call-2="tool-call-2","locations":[{"path":"/temp-1"}]}}
    "#]].assert_eq(&named);
}

#[test]
fn numbers_and_order_are_kept() {
    let line =
        r#">{"jsonrpc":"2.0","method":"odd name","params":[1.50,1e3,"é\u0001",{"z":1,"a":null}]}"#;
    check(
        line,
        expect![[r#"
        .> "odd name" [1.50,1e3,"é\u0001",{"z":1,"a":null}]
    "#]],
    );
}

#[test]
fn an_end_before_the_last_message_is_shown() {
    check(
        "<|\n>{\"jsonrpc\":\"2.0\",\"method\":\"a\"}\n>|",
        expect![[r#"
            <|
            .> a
        "#]],
    );
}
