//! The output for unusual conversations.

use expect_test::{Expect, expect};

use crate::arguments::{self, Arguments, Command, Source};
use crate::{Failure, explain};

/// Lines as they are, or members of a message of version 2.0.
fn check(lines: &[&str], expect: Expect) {
    let lines: String = lines
        .iter()
        .map(|line| match line.starts_with('"') {
            true => format!("{{\"jsonrpc\":\"2.0\",{line}}}\n"),
            false => format!("{line}\n"),
        })
        .collect();
    check_bytes(lines.as_bytes(), expect);
}

/// The same after a valid `initialize`.
fn check_talk(lines: &[&str], expect: Expect) {
    check(&[&[HELLO, WELCOME], lines].concat(), expect);
}

fn check_bytes(input: &[u8], expect: Expect) {
    let mut out = Vec::new();
    if let Err(Failure::Unusable(error)) = explain(input, "input", &mut out) {
        out.extend(error.bytes());
        out.push(b'\n');
    }
    let text = String::from_utf8(out).expect("text");
    let text = text.strip_prefix(INTRODUCTION).unwrap_or(&text);
    // The first line keeps the indentation of the others.
    expect.assert_eq(&format!("line\n{text}"));
}

const HELLO: &str = r#""id":1,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{"fs":{"readTextFile":true},"terminal":true},"clientInfo":{"name":"e","version":"1"}}"#;
const WELCOME: &str = r#""id":1,"result":{"protocolVersion":1,"authMethods":[],"agentInfo":{"name":"a","version":"1"}}"#;
const INTRODUCTION: &str = "  1  -> initialize  (request 1)
       the client speaks the official dialect
  2  <- initialize  (response to 1)
       the agent speaks the official dialect
";

#[test]
fn both_sides_count_from_the_same_number() {
    check_talk(
        &[
            r#""id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[]}"#,
            r#""id":2,"method":"fs/read_text_file","params":{"sessionId":"s","path":"/a"}"#,
            r#""id":2,"result":{"content":"text"}"#,
            r#""id":2,"result":{"stopReason":"end_turn"}"#,
            r#""id":3,"method":"session/prompt","params":{"sessionId":"s","prompt":[]}"#,
            r#""id":3,"method":"fs/read_text_file","params":{"sessionId":"s","path":"/a"}"#,
            r#""id":3,"result":{"stopReason":"end_turn"}"#,
            r#""id":3,"error":{"code":-32002,"message":"no"}"#,
        ],
        expect![[r#"
            line
              3  -> session/prompt  (request 2)
              4  <- fs/read_text_file  (request 2)
              5  -> fs/read_text_file  (response to 2)
              6  <- session/prompt  (response to 2)
              7  -> session/prompt  (request 3)
              8  <- fs/read_text_file  (request 3)
              9  <- session/prompt  (response to 3)
             10  -> fs/read_text_file  (response to 3)  (failed: -32002 Resource not found)
        "#]],
    );
}

#[test]
fn a_line_may_tell_who_says_it() {
    check_talk(
        &[
            r#"{"from":"agent","message":{"jsonrpc":"2.0","id":1,"method":"_ask"}}"#,
            r#"{"from":"client","message":{"jsonrpc":"2.0","id":1,"method":"_ask"}}"#,
            r#"{"from":"client","message":{"jsonrpc":"2.0","id":1,"result":1}}"#,
            r#"{"from":"agent","message":{"jsonrpc":"2.0","id":1,"result":2}}"#,
            r#"{"from":"agent","message":{"jsonrpc":"2.0","id":1,"result":2}}"#,
            r#"{"from":"agent","message":{"jsonrpc":"2.0","id":9,"method":"session/prompt","params":{}}}"#,
            r#"{"from":"nobody","message":{}}"#,
        ],
        expect![[r#"
            line
              3  <- _ask  (request 1)
              4  -> _ask  (request 1)
              5  -> _ask  (response to 1)
              6  <- _ask  (response to 1)
              7  <- a response  (to 1)
                   ! there is no pending request for this response
              8  <- session/prompt  (request 9)
                   ! `session/prompt` is for the client to send (answer with -32601: Method not found)
              9  -- not a message
                   ! from: expected "client" or "agent"
        "#]],
    );
}

#[test]
fn cancelling_is_for_both() {
    check_talk(
        &[
            r#""id":2,"method":"fs/read_text_file","params":{"sessionId":"s","path":"/a"}"#,
            r#""method":"$/cancel_request","params":{"requestId":2}"#,
            r#""method":"$/cancel_request","params":{}"#,
            r#""method":"$/progress","params":{}"#,
        ],
        expect![[r#"
            line
              3  <- fs/read_text_file  (request 2)
              4  <- $/cancel_request
              5  -- $/cancel_request
                   the sender is not shown; assuming the client
                   ! params.requestId: missing (a notification gets no response)
              6  -- $/progress
                   the sender is not shown; assuming the client
                   unknown; it may be ignored
        "#]],
    );
}

#[test]
fn another_version_is_not_explained() {
    check(
        &[
            r#""id":1,"method":"initialize","params":{"protocolVersion":2,"info":{"name":"e","version":"1"},"capabilities":{}}"#,
            r#""id":1,"result":{"protocolVersion":2,"info":{"name":"a","version":"1"},"capabilities":{}}"#,
            r#""id":2,"method":"session/new","params":{"odd":1}"#,
            r#""id":3,"method":"initialize","params":{"protocolVersion":2,"clientInfo":{"name":"e","version":"1"}}"#,
            r#""id":3,"result":{"protocolVersion":1,"agentInfo":{"name":"a","version":"1"}}"#,
            r#""id":4,"method":"session/new","params":{"cwd":"a","mcpServers":[]}"#,
        ],
        expect![[r#"
            line
              1  -> initialize  (request 1)
                   protocol version 2; this program only explains version 1
              2  <- initialize  (response to 1)
                   protocol version 2; this program only explains version 1
              3  -> session/new  (request 2)
              4  -> initialize  (request 3)
                   protocol version 2; this program only explains version 1
              5  <- initialize  (response to 3)
                   both agree on protocol version 1
                   the agent's dialect is not shown; assuming official
              6  -> session/new  (request 4)
                   ! session/new params.cwd: the path is relative; send the absolute path (rule 68, MUST)
        "#]],
    );
}

#[test]
fn the_first_session_tells_the_dialect() {
    check(
        &[
            r#""id":1,"method":"initialize","params":{"protocolVersion":1,"clientInfo":{"name":"e","version":"1"}}"#,
            r#""id":2,"method":"session/new","params":{"workingDirectory":"/p"}"#,
            r#""id":2,"error":{"code":-32002,"message":"no"}"#,
        ],
        expect![[r#"
            line
              1  -> initialize  (request 1)
                   the client's dialect is not shown; assuming official
              2  -> session/new  (request 2)
                   the client speaks the draft dialect
                   officially: session/new {"cwd":"/p","mcpServers":[]}
              3  <- session/new  (response to 2)  (failed: -32002 Resource not found)
        "#]],
    );
}

#[test]
fn a_bad_request_is_still_answered() {
    check_talk(
        &[
            r#""id":2,"method":"session/new","params":{"cwd":7}"#,
            r#""id":2,"error":{"code":-32000,"message":"\u001b[31mno"}"#,
            r#""id":3,"method":"session/new","params":{"cwd":7}"#,
            r#""id":3,"result":{}"#,
            r#"{"id":4,"method":"session/new"}"#,
            r#""id":4,"error":{"code":-32600,"message":"no"}"#,
            r#""id":5,"result":{}"#,
        ],
        expect![[r#"
            line
              3  -> session/new  (request 2)
                   ! params.cwd: expected a string, found a number (answer with -32602: Invalid params)
              4  <- session/new  (response to 2)  (failed: -32000 Authentication required)
              5  -> session/new  (request 3)
                   ! params.cwd: expected a string, found a number (answer with -32602: Invalid params)
              6  <- session/new  (response to 3)
                   ! result.sessionId: missing
              7  -- not a message
                   ! jsonrpc: missing; every message has "jsonrpc":"2.0" (answer with -32600: Invalid request)
              8  -- a response  (to 4)  (failed: -32600 Invalid request)
                   it responds to a line that was not a message
              9  -- a response  (to 5)
                   ! there is no pending request for this response
        "#]],
    );
}

#[test]
fn calls_of_the_wrong_kind() {
    check_talk(
        &[
            r#""method":"session/prompt","params":{}"#,
            r#""id":2,"method":"session/update","params":{}"#,
            r#""id":3,"method":"session/prmopt","params":{}"#,
            r#""id":null,"method":"session/list""#,
            r#""id":5,"method":"proxy/initialize","params":{}"#,
        ],
        expect![[r#"
            line
              3  -> session/prompt
                   ! `session/prompt` is a request and needs an id (a notification gets no response)
              4  <- session/update  (request 2)
                   ! `session/update` is a notification and has no id (answer with -32601: Method not found)
              5  -- session/prmopt  (request 3)
                   the sender is not shown; assuming the client
                   ! extension method: the protocol has no such method; start a custom method with _ (rule 174, MUST) (answer with -32601: Method not found)
              6  -> session/list  (request null)
                   ! request id: the id is null, so no response can be matched; send a number or a string (rule B1, SHOULD)
                   ! session/list params: needs agentCapabilities.sessionCapabilities.list, which was not advertised; do not send it (rule 78, MUST)
              7  -- proxy/initialize  (request 5)
                   the sender is not shown; assuming the client
                   between a proxy and its conductor, which this program does not explain
        "#]],
    );
}

#[test]
fn a_request_before_initialize() {
    check(
        &[
            r#""id":1,"method":"session/new","params":{"cwd":"/p","mcpServers":[]}"#,
            r#""id":2,"method":"session/new","params":{"cwd":"/p","mcpServers":[]}"#,
        ],
        expect![[r#"
            line
              1  -> session/new  (request 1)
                   ! session/new: `initialize` comes first (rule 24, MUST)
              2  -> session/new  (request 2)
        "#]],
    );
}

#[test]
fn nothing_reaches_the_terminal_but_text() {
    check_talk(
        &[
            "\"method\":\"_\\u001b[2J\\n\u{9b}31m\\u202e\"",
            "\"id\":\"\u{9b}\",\"method\":\"session/list\"",
            r#""method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"\u0007"}}"#,
        ],
        expect![[r#"
            line
              3  -- _\u{1b}[2J\n\u{9b}31m\u{202e}
                   the sender is not shown; assuming the client
              4  -> session/list  (request "\u{9b}")
                   ! session/list params: needs agentCapabilities.sessionCapabilities.list, which was not advertised; do not send it (rule 78, MUST)
              5  <- session/update
                   ! session/update params.update.sessionUpdate: the update is not defined; put custom data in _meta or a custom method (rule B3, SHOULD)
                   update: \u{7}
        "#]],
    );
}

#[test]
fn what_is_no_message() {
    check_talk(
        &[
            "",
            "[{}]",
            r#"{"jsonrpc":"1.0","id":1,"method":"x"}"#,
            r#"{"id":1,"method":"x"}"#,
            "  \"id\": 1,",
            "{",
        ],
        expect![[r#"
            line
              4  -- not a message
                   ! ACP has no batches; send each message on its own line (answer with -32600: Invalid request)
              5  -- not a message
                   ! jsonrpc: expected "2.0" (answer with -32600: Invalid request)
              6  -- not a message
                   ! jsonrpc: missing; every message has "jsonrpc":"2.0" (answer with -32600: Invalid request)
              7  -- not a message
                   ! only part of a message; write one message per line (answer with -32700: Parse error)
              8  -- not a message
                   ! only part of a message; write one message per line (answer with -32700: Parse error)
        "#]],
    );
    check(
        &[],
        expect![[r#"
            line
            no messages
        "#]],
    );
    check(
        &["", "{", "  \"id\": 1", "}"],
        expect![[r#"
            line
            input: line 2 contains only part of a message; write one message per line, as `jq -c .` does
        "#]],
    );
}

#[test]
fn bytes_that_are_no_text() {
    let cancel = r#"{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}"#;
    let marked = format!("\u{feff}{cancel}\r\n");
    let input = [marked.as_bytes(), b"\xff\n", cancel.as_bytes()].concat();
    check_bytes(
        &input,
        expect![[r#"
            line
              1  -> session/cancel
                   ! the message starts with a byte order mark; omit it
              2  -- not a message
                   ! not UTF-8 at byte 0 (answer with -32700: Parse error)
              3  -> session/cancel
        "#]],
    );
}

#[test]
fn arguments() {
    let read = |arguments: &[&str]| arguments::read(arguments.iter().map(|&text| text.into()));
    let arguments = |source, strict| Ok(Command::Explain(Arguments { source, strict }));
    assert_eq!(read(&[]), arguments(Source::Sample, false));
    assert_eq!(read(&["--strict", "-"]), arguments(Source::Stdin, true));
    assert_eq!(read(&["a"]), arguments(Source::File("a".into()), false));
    assert_eq!(read(&["a", "-h"]), Ok(Command::Help));
    assert_eq!(read(&["--version"]), Ok(Command::Version));
    assert_eq!(
        read(&["--colour"]),
        Err("unknown option --colour".to_owned())
    );
    assert_eq!(read(&["a", "b"]), Err("give a single file".to_owned()));
}
