//! Malformed messages.

use super::{check, check_members};
use crate::Message;

#[test]
fn invalid_json_is_a_parse_error() {
    check(&[
        ("", "-32700 id -: not JSON: the text ends inside a value"),
        ("   ", "-32700 id -: not JSON: the text ends inside a value"),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"m""#,
            "-32700 id -: not JSON: the text ends inside a value",
        ),
        ("{}{}", "-32700 id -: not JSON: text after the value"),
    ]);
    let texts = [
        "nonsense",
        "total 12",
        "-bash: no such file",
        "[1,2",
        "[1,]",
        "\"abc",
        "tru",
        "12ab",
        "[1] [2]",
        r#"{"jsonrpc":"2.0","id":1,"method":"m"} {"jsonrpc":"2.0","id":2,"method":"m"}"#,
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\0\"}",
        r#"{"jsonrpc":"2.0","id":"\ud800","method":"m"}"#,
        r#"{"jsonrpc":"2.0","id":01,"method":"m"}"#,
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":nul}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"m",}"#,
        r#"{jsonrpc:"2.0"}"#,
    ];
    for text in texts {
        let malformed = Message::parse(text.as_bytes()).expect_err(text);
        assert_eq!(
            malformed.code,
            crate::Error::PARSE,
            "{text}: {}",
            malformed.reason
        );
        assert_eq!(
            (malformed.id, malformed.probable_kind),
            (None, crate::ProbableKind::Request),
            "{text}"
        );
    }
}

/// The sender may wait for the response.
#[test]
fn a_message_with_invalid_characters_keeps_its_id() {
    use crate::ProbableKind::{Request, Response};
    let cases: [(&[u8], _, _); 7] = [
        (
            br#"{"jsonrpc":"2.0","id":1,"method":"\ud800"}"#,
            Some(1),
            Request,
        ),
        (
            br#"{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":"\udc00"}}"#,
            Some(1),
            Request,
        ),
        (
            br#"{"method":"m","params":{"a":"\ud800\ud800"},"jsonrpc":"2.0","id":1}"#,
            Some(1),
            Request,
        ),
        (
            b"{\"method\":\"m\",\"params\":[\"\xff\"],\"jsonrpc\":\"2.0\",\"id\":1}",
            Some(1),
            Request,
        ),
        (
            br#"{"jsonrpc":"2.0","method":"m","params":["\ud800"]}"#,
            None,
            Request,
        ),
        (
            br#"{"jsonrpc":"2.0","id":1,"result":"\ud800"}"#,
            Some(1),
            Response,
        ),
        (
            b"{\"jsonrpc\":\"2.0\",\"id\":\"\xff\",\"method\":\"m\"}",
            None,
            Request,
        ),
    ];
    for (line, id, probable_kind) in cases {
        let text = String::from_utf8_lossy(line);
        let malformed = Message::parse(line).expect_err(&text);
        assert_eq!(malformed.code, crate::Error::PARSE, "{text}");
        assert_eq!(malformed.id, id.map(crate::Id::from), "{text}");
        assert_eq!(malformed.probable_kind, probable_kind, "{text}");
    }
}

#[test]
fn json_that_is_not_an_object_is_an_invalid_request() {
    check(&[
        ("[]", "-32600 id -: expected an object, found an array"),
        (
            r#"[{"jsonrpc":"2.0","id":1,"method":"m"}]"#,
            "-32600 id -: expected an object, found an array",
        ),
        (
            "[[],[1]]",
            "-32600 id -: expected an object, found an array",
        ),
        ("null", "-32600 id -: expected an object, found null"),
        ("true", "-32600 id -: expected an object, found a boolean"),
        ("-1.5e3", "-32600 id -: expected an object, found a number"),
        ("\"m\"", "-32600 id -: expected an object, found a string"),
    ]);
}

#[test]
fn a_batch_of_any_size_is_rejected_as_a_whole() {
    let batch = format!(
        "[{}0]",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\"},".repeat(20_000)
    );
    check(&[(&batch, "-32600 id -: expected an object, found an array")]);
}

#[test]
fn a_repeated_member_is_malformed() {
    // A proxy that takes the first and an endpoint that takes the last would see two messages.
    let twice = "a member of the message occurs twice";
    check_members(&[
        (
            r#""id":1,"method":"a","method":"b""#,
            &format!("-32600 id 1: {twice}"),
        ),
        (
            r#""id":1,"method":"a","params":{},"params":{}"#,
            &format!("-32600 id 1: {twice}"),
        ),
        (
            r#""id":1,"method":"a","\u006dethod":"a""#,
            &format!("-32600 id 1: {twice}"),
        ),
        (
            r#""id":1,"method":"a","params":null,"params":{}"#,
            &format!("-32600 id 1: {twice}"),
        ),
        (
            r#""jsonrpc":"2.0","id":1,"method":"a""#,
            &format!("-32600 id 1: {twice}"),
        ),
        (
            r#""id":1,"result":1,"result":1"#,
            &format!("-32600 id 1 answer: {twice}"),
        ),
        (
            r#""id":1,"error":{},"error":{}"#,
            &format!("-32600 id 1 answer: {twice}"),
        ),
        (
            r#""method":"a","method":"a""#,
            &format!("-32600 id - notification: {twice}"),
        ),
        // It is unknown which of the two ids the peer waits for.
        (
            r#""id":1,"id":2,"method":"a""#,
            &format!("-32600 id -: {twice}"),
        ),
        (
            r#""id":1,"id":1,"method":"a""#,
            &format!("-32600 id -: {twice}"),
        ),
        (
            r#""id":1,"id":null,"id":2,"method":"a""#,
            &format!("-32600 id -: {twice}"),
        ),
        (
            r#""id":1,"id":2,"result":1"#,
            &format!("-32600 id - answer: {twice}"),
        ),
    ]);
}

#[test]
fn an_id_of_the_wrong_type_is_malformed() {
    let bad = "id: expected a number, a string or null, not too long";
    for id in ["true", "false", "{}", "[]", "[1]", "{\"id\":1}"] {
        check_members(&[
            (
                &format!(r#""id":{id},"method":"m""#),
                &format!("-32600 id -: {bad}"),
            ),
            (
                &format!(r#""id":{id},"result":1"#),
                &format!("-32600 id - answer: {bad}"),
            ),
        ]);
    }
}

#[test]
fn an_id_over_the_limit_is_malformed() {
    let bad = "-32600 id -: id: expected a number, a string or null, not too long";
    let text = format!("\"{}\"", "i".repeat(257));
    let huge = "1".repeat(100_000);
    check_members(&[
        (&format!(r#""id":{text},"method":"m""#), bad),
        (&format!(r#""id":{huge},"method":"m""#), bad),
    ]);
}

#[test]
fn a_wrong_or_missing_version_is_malformed() {
    let bad = "jsonrpc: expected \"2.0\"";
    for version in [
        "\"1.0\"",
        "\"2\"",
        "2.0",
        "2",
        "null",
        "[\"2.0\"]",
        "\" 2.0\"",
        "\"2.0 \"",
    ] {
        check(&[
            (
                &format!(r#"{{"jsonrpc":{version},"id":7,"method":"m"}}"#),
                &format!("-32600 id 7: {bad}"),
            ),
            (
                &format!(r#"{{"id":"a","jsonrpc":{version},"result":1}}"#),
                &format!("-32600 id \"a\" answer: {bad}"),
            ),
        ]);
    }
    check(&[
        (r#"{"id":7,"method":"m"}"#, &format!("-32600 id 7: {bad}")),
        (
            r#"{"method":"m"}"#,
            &format!("-32600 id - notification: {bad}"),
        ),
        (
            r#"{"id":1.0,"error":{}}"#,
            &format!("-32600 id 1.0 answer: {bad}"),
        ),
        ("{}", &format!("-32600 id -: {bad}")),
    ]);
}

#[test]
fn params_of_the_wrong_type_are_malformed() {
    for params in ["1", "\"a\"", "true", "false", "-0.5e7"] {
        check_members(&[
            (
                &format!(r#""id":7,"method":"m","params":{params}"#),
                "-32600 id 7: params: expected an object or an array",
            ),
            (
                &format!(r#""method":"m","params":{params}"#),
                "-32600 id - notification: params: expected an object or an array",
            ),
        ]);
    }
}

#[test]
fn a_method_of_the_wrong_type_is_malformed() {
    for method in ["1", "null", "{}", "[\"m\"]", "true"] {
        check_members(&[
            (
                &format!(r#""id":7,"method":{method}"#),
                "-32600 id 7: method: expected a string",
            ),
            (
                &format!(r#""id":7,"method":{method},"result":1"#),
                "-32600 id 7: method: expected a string",
            ),
        ]);
    }
}

#[test]
fn each_malformed_message_gets_the_right_error_response() {
    let rows = [
        (
            "nonsense",
            r#"null {"code":-32700,"message":"Parse error: not JSON: expected true, false or null","data":{"kind":"not_json"}}"#,
        ),
        (
            r#"{"jsonrpc":"2.0","id":"a","method":1}"#,
            r#""a" {"code":-32600,"message":"Invalid request: method: expected a string","data":{"kind":"not_a_message"}}"#,
        ),
        (r#"{"jsonrpc":"2.0","id":7,"error":1}"#, "none"),
    ];
    for (text, expected) in rows {
        let malformed = Message::parse(text.as_bytes()).expect_err(text);
        let answer = malformed.error_response().map(|(id, error)| {
            let error = crate::json::to_string(&error);
            format!("{id} {error}")
        });
        assert_eq!(answer.as_deref().unwrap_or("none"), expected, "{malformed}");
    }
}
