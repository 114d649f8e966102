//! Cancelling requests.

use super::super::pair::{Pair, TestEndpoint, raw};
use super::request;
use crate::{Id, SendOptions, SessionKey};

fn cancel(params: &str) -> Vec<u8> {
    format!("{{\"jsonrpc\":\"2.0\",\"method\":\"$/cancel_request\",\"params\":{params}}}\n").into()
}

/// Params of a cancellation that arrives while requests 7, "7", "a/b" and null are pending.
fn check(rows: &[(&str, Option<&str>)]) {
    for (params, expected) in rows {
        let mut end = TestEndpoint::default();
        let ids = ["7", "\"7\"", "\"a/b\"", "null"];
        for id in ids {
            end.feed(&request(id));
        }
        end.events();
        end.feed(&cancel(params));
        let seen: Vec<String> = expected
            .iter()
            .map(|id| format!("cancelled {id}"))
            .collect();
        assert_eq!(end.event_lines(), seen, "{params}");
        assert_eq!(
            end.endpoint.counts().stray_cancellations,
            1 - seen.len(),
            "{params}"
        );
        assert_eq!(end.lines(), [""; 0], "a notification is never answered");
        // A request gets its response, cancelled or not.
        for id in ids {
            let id = crate::json::from_str::<Id>(id).expect(id);
            let taken_back =
                expected.is_some_and(|text| crate::json::from_str(text) == Ok(id.clone()));
            assert_eq!(
                end.endpoint.is_cancelled(&id),
                taken_back,
                "{id} after {params}"
            );
            assert!(end.respond(&id, "1"));
            assert!(end.endpoint.is_cancelled(&id), "nobody waits any more");
        }
    }
}

#[test]
fn a_pending_request_is_cancelled_by_its_id() {
    check(&[
        (r#"{"requestId":7}"#, Some("7")),
        (r#"{"requestId":"7"}"#, Some("\"7\"")),
        (r#"{"requestId":"a/b"}"#, Some("\"a/b\"")),
        (r#"{"requestId":"a\/b"}"#, Some(r#""a\/b""#)),
        (r#"{"requestId":null}"#, Some("null")),
        (r#"{"x":1, "request\u0049d": 7 ,"y":2}"#, Some("7")),
    ]);
}

#[test]
fn stray_cancellations_are_counted_and_dropped() {
    check(&[
        (r#"{"requestId":8}"#, None),
        (r#"{"requestId":7.0}"#, None),
        (r#"{"requestId":"b"}"#, None),
        (r#"{"requestId":true}"#, None),
        (r#"{"requestId":{}}"#, None),
        (r#"{"requestId":[7]}"#, None),
        (r#"{"id":7}"#, None),
        ("{}", None),
        ("[7]", None),
        ("[]", None),
        ("null", None),
    ]);
    let mut end = TestEndpoint::default();
    end.feed(b"{\"jsonrpc\":\"2.0\",\"method\":\"$/cancel_request\"}\n");
    assert_eq!(end.event_lines(), [""; 0]);
    assert_eq!(end.endpoint.counts().stray_cancellations, 1);
}

#[test]
fn an_answered_request_cannot_be_cancelled() {
    let mut end = TestEndpoint::default();
    end.feed(&request("7"));
    end.events();
    assert!(end.respond(&Id::from(7), "1"));
    end.feed(&cancel(r#"{"requestId":7}"#));
    assert_eq!(end.event_lines(), [""; 0]);
    assert_eq!(end.endpoint.counts().stray_cancellations, 1);
    // Its id is free for a new request, which is not cancelled.
    end.feed(&request("7"));
    assert!(!end.endpoint.is_cancelled(&Id::from(7)));
}

#[test]
fn cancel_with_an_id_is_an_ordinary_request() {
    let mut end = TestEndpoint::default();
    end.feed(&request("7"));
    end.events();
    end.feed(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"$/cancel_request\",\"params\":{\"requestId\":7}}\n");
    assert_eq!(
        end.event_lines(),
        [r#"request 1 $/cancel_request {"requestId":7}"#]
    );
    assert!(!end.endpoint.is_cancelled(&Id::from(7)));
}

#[test]
fn a_cancellation_follows_its_request_and_precedes_everything_else() {
    let mut end = TestEndpoint::default();
    let options = |name| SendOptions::of(SessionKey::named(name));
    for number in 0..3 {
        let params = raw(&format!("[{number}]"));
        end.endpoint
            .notify("a", &params, options("a"))
            .expect("short");
        end.endpoint
            .notify("b", &params, options("b"))
            .expect("short");
    }
    let call = end
        .endpoint
        .call("call", &raw("{}"), options("b"))
        .expect("short");
    end.endpoint
        .notify("a", &raw("[3]"), options("a"))
        .expect("short");
    end.endpoint
        .notify("b", &raw("[3]"), options("b"))
        .expect("short");
    end.endpoint.cancel(call);
    let methods: Vec<String> = end.lines().iter().map(|line| method(line)).collect();
    assert_eq!(
        methods,
        [
            "b",
            "b",
            "b",
            "call",
            "b",
            "$/cancel_request",
            "a",
            "a",
            "a",
            "a"
        ]
    );
}

fn method(line: &str) -> String {
    match crate::Message::parse_str(line) {
        Ok(
            crate::Message::Request { method, .. } | crate::Message::Notification { method, .. },
        ) => method.into_owned(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_ended_call_is_not_cancelled() {
    let mut pair = Pair::default();
    let call = pair.left.call("m", "{}");
    pair.settle();
    assert!(pair.right.respond(&Id::from(1), "{}"));
    pair.settle();
    pair.left.endpoint.cancel(call);
    let forgotten = pair.left.call("m", "{}");
    pair.left.endpoint.forget(forgotten);
    pair.left.endpoint.cancel(forgotten);
    assert_eq!(pair.left.lines().len(), 1, "the second call alone");
}

#[test]
fn the_requests_of_a_session_are_cancelled_together() {
    let mut end = TestEndpoint::default();
    let (a, b) = (SessionKey::named("a"), SessionKey::named("b"));
    for (id, session) in [(1, a), (2, b), (3, a), (4, SessionKey::CONNECTION)] {
        end.feed(&request(&id.to_string()));
        end.endpoint.assign(&Id::from(id), session);
    }
    end.endpoint.assign(&Id::from(9), a);
    let mut of_a: Vec<String> = end
        .endpoint
        .requests_of(a)
        .iter()
        .map(Id::to_string)
        .collect();
    of_a.sort();
    assert_eq!(of_a, ["1", "3"]);
    let taken_back =
        |end: &TestEndpoint| [1, 2, 3, 4].map(|id| end.endpoint.is_cancelled(&Id::from(id)));
    end.endpoint.cancel_requests(Some(a));
    assert_eq!(taken_back(&end), [true, false, true, false]);
    end.endpoint.cancel_requests(None);
    assert_eq!(taken_back(&end), [true; 4]);
    for id in 1..=4 {
        assert!(end.respond(&Id::from(id), "1"), "still to be answered");
    }
    assert!(end.endpoint.requests_of(a).is_empty());
}
