//! Malformed lines: which are answered, which are not, and that the next message works.

use super::super::pair::TestEndpoint;
use super::{check, failure};
use crate::{Framing, Limits, NonJsonLines};

fn refusal(id: &str, code: i32, reason: &str) -> String {
    let (title, data) = match code {
        -32700 => ("Parse error", r#"{"kind":"not_json"}"#),
        _ => ("Invalid request", r#"{"kind":"not_a_message"}"#),
    };
    failure(id, code, &format!("{title}: {reason}"), data)
}

#[test]
fn a_malformed_request_is_answered_with_its_id_if_readable() {
    let no_json = "not JSON: expected true, false or null";
    let version = "jsonrpc: expected \"2.0\"";
    let params = "params: expected an object or an array";
    let id = "id: expected a number, a string or null, not too long";
    check(
        NonJsonLines::Reject,
        &[
            ("nonsense", &[], &[&refusal("null", -32700, no_json)]),
            ("{}", &[], &[&refusal("null", -32600, version)]),
            (
                r#"{"id":7,"method":"m"}"#,
                &[],
                &[&refusal("7", -32600, version)],
            ),
            (
                r#"{"jsonrpc":"2.0","id":"a","method":"m","params":1}"#,
                &[],
                &[&refusal("\"a\"", -32600, params)],
            ),
            (
                r#"{"jsonrpc":"2.0","id":{},"method":"m"}"#,
                &[],
                &[&refusal("null", -32600, id)],
            ),
            (
                r#"{"jsonrpc":"2.0","id":null,"method":"m"}"#,
                &["request null m -"],
                &[],
            ),
        ],
    );
}

#[test]
fn a_batch_is_rejected_as_a_whole() {
    let array = refusal("null", -32600, "expected an object, found an array");
    let one = r#"{"jsonrpc":"2.0","id":1,"method":"m"}"#;
    let many = format!("[{one}{}]", format!(",{one}").repeat(10_000));
    let batches = [
        "[]",
        "[1,2,3]",
        "[[]]",
        &format!("[{one}]"),
        r#"[{"jsonrpc":"2.0","method":"m"}]"#,
        r#"[{"jsonrpc":"2.0","id":1,"result":5}]"#,
        &many,
    ];
    for batch in batches {
        check(NonJsonLines::Reject, &[(batch, &[], &[&array])]);
        check(NonJsonLines::Skip, &[(batch, &[], &[&array])]);
    }
}

#[test]
fn a_malformed_notification_is_never_answered() {
    let rows = [
        r#"{"method":"m"}"#,
        r#"{"jsonrpc":"1.0","method":"m"}"#,
        r#"{"jsonrpc":"2.0","method":"m","params":1}"#,
        r#"{"jsonrpc":"2.0","method":"m","params":"a"}"#,
        r#"{"jsonrpc":"2.0","method":"m","method":"m"}"#,
        r#"{"jsonrpc":"2.0","method":"$/cancel_request","params":1}"#,
    ];
    for row in rows {
        check(NonJsonLines::Reject, &[(row, &[], &[])]);
    }
}

#[test]
fn a_malformed_response_fails_only_its_call() {
    let lost = |reason: &str| format!("lost 1: the response is malformed: {reason}");
    let both = lost("a response has either a result or an error");
    let none = lost("neither method, result nor error");
    let version = lost("jsonrpc: expected \"2.0\"");
    check(
        NonJsonLines::Reject,
        &[
            (
                r#"{"jsonrpc":"2.0","id":1,"result":1,"error":{}}"#,
                &[&both],
                &[],
            ),
            (r#"{"jsonrpc":"2.0","id":1}"#, &[&none], &[]),
            (r#"{"jsonrpc":"2.0","id":1,"error":null}"#, &[&none], &[]),
            (r#"{"id":1,"result":1}"#, &[&version], &[]),
            // Ids that match no call.
            (r#"{"jsonrpc":"2.0","id":2}"#, &[], &[]),
            (r#"{"jsonrpc":"2.0","id":"1"}"#, &[], &[]),
            (r#"{"jsonrpc":"2.0","id":1,"id":1,"result":1}"#, &[], &[]),
            (r#"{"jsonrpc":"2.0","result":1}"#, &[], &[]),
            // Valid but unusual responses.
            (
                r#"{"jsonrpc":"2.0","id":1,"result":1,"error":null}"#,
                &["answered 1: 1"],
                &[],
            ),
            (
                r#"{"jsonrpc":"2.0","id":1,"error":{"code":"E"}}"#,
                &["lost 1:  (-32603)"],
                &[],
            ),
            // A request is answered, whatever other members it has.
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"m","result":1}"#,
                &[],
                &[&refusal(
                    "1",
                    -32600,
                    "a message is either a request or a response",
                )],
            ),
        ],
    );
}

#[test]
fn the_malformed_response_that_exceeds_the_limit_ends_the_connection() {
    let limits = Limits {
        malformed: 0,
        ..Limits::default()
    };
    let mut end = TestEndpoint::new(limits, Framing::Lines, NonJsonLines::Reject);
    let call = end.call("m", "{}");
    end.feed(b"{\"jsonrpc\":\"2.0\",\"id\":1}\n");
    assert_eq!(
        end.event_lines(),
        ["fatal: the peer sends too many lines that are not messages"]
    );
    assert_eq!(end.endpoint.end(), [call]);
}

#[test]
fn banners_are_skipped_if_configured() {
    let lines = [
        "Welcome to the shell!",
        "total 12",
        "[INFO] starting",
        "{oops",
        "\u{1b}[32mready\u{1b}[0m",
        "-bash: no job control",
    ];
    for line in lines {
        check(NonJsonLines::Skip, &[(line, &[], &[])]);
    }
    let mut end = TestEndpoint::new(Limits::default(), Framing::Lines, NonJsonLines::Skip);
    for _ in 0..64 {
        end.feed(b"Welcome\n\xff\xfe\n\n");
    }
    assert_eq!((end.event_lines(), end.lines()), (vec![], vec![]));
    assert_eq!(end.endpoint.counts().malformed, 128);
    // The sender of valid JSON may be waiting for a response.
    let version = refusal("null", -32600, "jsonrpc: expected \"2.0\"");
    check(
        NonJsonLines::Skip,
        &[(r#"{"level":"info"}"#, &[], &[&version])],
    );
}

#[test]
fn a_request_with_an_invalid_character_is_answered_with_its_id() {
    let line = r#"{"jsonrpc":"2.0","id":900,"method":"m","params":{"title":"lone \ud800 x"}}"#;
    let refused = refusal("900", -32700, "not JSON: half of a surrogate pair");
    for non_json_lines in [NonJsonLines::Reject, NonJsonLines::Skip] {
        check(non_json_lines, &[(line, &[], &[&refused])]);
    }
}

#[test]
fn bytes_that_are_not_utf_8_are_answered_and_the_next_line_works() {
    let not_utf_8 = refusal("7", -32700, "not UTF-8");
    let parts: &[&[u8]] = &[
        b"\xff",
        b"\xc0\x80",
        b"\xed\xa0\x80",
        b"\xe2\x82",
        b"\xf5\x80\x80\x80",
    ];
    for part in parts {
        let mut end = TestEndpoint::default();
        end.feed(b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"");
        end.feed(part);
        end.feed(b"\"}\n{\"jsonrpc\":\"2.0\",\"id\":8,\"method\":\"m\"}\n");
        assert_eq!(end.lines(), [&*not_utf_8]);
        assert_eq!(end.event_lines(), ["request 8 m -"]);
    }
    let mut end = TestEndpoint::default();
    end.feed(b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"\0\"}\n");
    let control = "not JSON: a control character in a string";
    assert_eq!(end.lines(), [refusal("null", -32700, control)]);
}

#[test]
fn malformed_lines_over_the_limit_end_the_connection() {
    for non_json_lines in [NonJsonLines::Reject, NonJsonLines::Skip] {
        for line in [
            "garbage\n",
            "{\"jsonrpc\":\"2.0\",\"id\":9}\n",
            "{\"method\":\"m\"}\n",
            "[]\n",
        ] {
            let limits = Limits {
                malformed: 5,
                ..Limits::default()
            };
            let mut end = TestEndpoint::new(limits, Framing::Lines, non_json_lines);
            end.feed(line.repeat(5).as_bytes());
            assert_eq!(end.event_lines(), [""; 0], "{line}");
            end.feed(line.as_bytes());
            let fatal = "fatal: the peer sends too many lines that are not messages";
            assert_eq!(end.event_lines(), [fatal], "{line}");
        }
    }
}
