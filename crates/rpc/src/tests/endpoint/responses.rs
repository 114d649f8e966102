//! Requests and responses: each request is delivered once and answered once, whatever the ids.

use super::super::pair::{Pair, TestEndpoint, raw};
use super::{failure, request};
use crate::{
    CallFailure, Error, Event, Framing, Id, Limits, NonJsonLines, SendOptions, SessionKey,
};

fn asked(end: &mut TestEndpoint) -> Vec<Id> {
    let events = end.events().into_iter();
    let ids = events.map(|event| match event {
        Event::Request(id, _) => id,
        other => panic!("{other:?}"),
    });
    ids.collect()
}

#[test]
fn both_ends_can_use_the_same_ids_at_once() {
    let mut pair = Pair::default();
    for number in 0..3 {
        pair.left.call("l", &format!("[{number}]"));
        pair.right.call("r", &format!("[{number}]"));
    }
    pair.settle();
    for (end, name, theirs) in [(&mut pair.left, "a", "r"), (&mut pair.right, "b", "l")] {
        let events = end.events();
        assert_eq!(events.len(), 3);
        for (index, event) in events.iter().enumerate() {
            let Event::Request(id, call) = event else {
                panic!("{event:?}");
            };
            assert_eq!(id.as_str(), (index + 1).to_string());
            assert_eq!(call.method(), theirs);
            assert!(end.respond(id, &format!("\"{name}{index}\"")));
        }
    }
    pair.settle();
    let seen = |name| [1, 2, 3].map(|id| format!("answered {id}: \"{name}{}\"", id - 1));
    assert_eq!(pair.left.event_lines(), seen("b"));
    assert_eq!(pair.right.event_lines(), seen("a"));
}

#[test]
fn a_second_response_is_not_sent() {
    let mut end = TestEndpoint::default();
    end.feed(&request("7"));
    let ids = asked(&mut end);
    assert!(end.respond(&ids[0], "1"));
    assert!(!end.respond(&ids[0], "2"));
    let error = Error::new(1, "late");
    let options = SendOptions::of(SessionKey::CONNECTION);
    assert!(!end.endpoint.respond::<u64>(&ids[0], options, Err(&error)));
    assert!(!end.respond(&Id::from(8), "1"));
    assert_eq!(end.lines(), [r#"{"jsonrpc":"2.0","id":7,"result":1}"#]);
    assert_eq!(end.endpoint.open_requests(), 0);
}

#[test]
fn a_response_repeats_the_id_as_it_was_received() {
    let ids = [
        "1.0",
        "1e2",
        "18446744073709551616",
        r#""a\/b""#,
        r#""\u0061""#,
        "null",
        r#""""#,
    ];
    for id in ids {
        let mut end = TestEndpoint::default();
        end.feed(&request(id));
        let asked = asked(&mut end);
        assert!(end.respond(&asked[0], "true"));
        let expected = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":true}}"#);
        assert_eq!(end.lines(), [expected]);
    }
}

#[test]
fn stray_responses_are_counted_and_dropped() {
    let mut end = TestEndpoint::default();
    end.call("m", "{}");
    let answers = [
        ("1", "answered 1: 5"),
        ("1", ""),
        ("2", ""),
        ("0", ""),
        ("\"1\"", ""),
        ("1.0", ""),
        ("-1", ""),
        ("null", ""),
        ("99999999999999999999", ""),
    ];
    for (index, (id, seen)) in answers.iter().enumerate() {
        end.feed(format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":5}}\n").as_bytes());
        assert_eq!(end.event_lines().concat(), *seen, "{id}");
        assert_eq!(end.endpoint.counts().stray_responses, index, "{id}");
    }
    let error = br#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"no"}}"#;
    end.feed(&[&error[..], b"\n"].concat());
    assert_eq!(end.event_lines(), [""; 0]);
    assert_eq!(end.endpoint.counts().stray_responses, answers.len());
    assert_eq!(end.lines().len(), 1, "the call alone");
}

#[test]
fn the_response_to_a_forgotten_call_is_dropped() {
    let mut end = TestEndpoint::default();
    let call = end.call("m", "{}");
    end.endpoint.forget(call);
    end.feed(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":5}\n");
    assert_eq!(end.event_lines(), [""; 0]);
    assert_eq!(end.endpoint.counts().stray_responses, 1);
    assert_eq!(end.endpoint.end(), []);
}

#[test]
fn a_pending_id_is_rejected_and_free_again_after_the_response() {
    let duplicate = |id| {
        let reason = "a request with this id is still in progress";
        failure(id, -32600, reason, r#"{"kind":"duplicate_id"}"#)
    };
    // The same string may be escaped in another way, and is answered the way it came.
    for (first, second) in [("7", "7"), (r#""a/b""#, r#""a\/b""#), ("null", "null")] {
        let mut end = TestEndpoint::default();
        end.feed(&request(first));
        end.feed(&request(second));
        let ids = asked(&mut end);
        assert_eq!(ids.len(), 1);
        assert_eq!(end.lines(), [duplicate(second)]);
        assert!(end.respond(&ids[0], "1"));
        end.feed(&request(second));
        let again = asked(&mut end);
        assert_eq!(again, ids);
        // The id of the first request does not answer the second.
        assert!(end.endpoint.is_cancelled(&ids[0]) && !end.endpoint.is_cancelled(&again[0]));
        assert!(!end.respond(&ids[0], "1"));
        assert!(end.respond(&again[0], "2"));
        assert_eq!(end.lines().len(), 2);
    }
}

#[test]
fn a_peer_that_reads_no_responses_gets_short_ones() {
    let limits = Limits {
        outbound: 1 << 20,
        frame: 1 << 20,
        ..Limits::default()
    };
    let mut end = TestEndpoint::new(limits.clone(), Framing::Lines, NonJsonLines::Reject);
    for id in 0..100 {
        end.feed(&request(&id.to_string()));
    }
    let long = format!("\"{}\"", "x".repeat(1 << 19));
    for id in asked(&mut end) {
        assert!(end.respond(&id, &long));
    }
    let most = 4 * limits.outbound + 2 * limits.frame + 100 * (64 << 10);
    assert!(end.endpoint.outbox().unwritten() <= most);
}

#[test]
fn requests_with_different_ids_are_pending_side_by_side() {
    let mut end = TestEndpoint::default();
    let ids = ["1", "\"1\"", "1.0", "null", "\"null\""];
    for id in ids {
        end.feed(&request(id));
    }
    let texts: Vec<String> = asked(&mut end).iter().map(Id::to_string).collect();
    assert_eq!(texts, ids);
    for id in ids {
        assert!(
            end.respond(&crate::json::from_str(id).expect(id), "1"),
            "{id}"
        );
    }
}

#[test]
fn a_response_may_arrive_before_the_request_counts_as_written() {
    let mut end = TestEndpoint::default();
    end.call("m", "{}");
    let chunk = end.endpoint.outbox().pop().expect("the request");
    end.feed(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n");
    assert_eq!(end.event_lines(), ["answered 1: {}"]);
    end.endpoint.outbox().mark_written(chunk);
    assert_eq!(end.endpoint.outbox().unwritten(), 0);
}

#[test]
fn an_error_response_reaches_the_caller() {
    let mut pair = Pair::default();
    let call = pair.left.call("m", "[]");
    pair.settle();
    let ids = asked(&mut pair.right);
    let error = Error::new(-32602, "no").data(raw(r#"{"a":[1]}"#));
    let options = SendOptions::of(SessionKey::CONNECTION);
    assert!(
        pair.right
            .endpoint
            .respond::<u64>(&ids[0], options, Err(&error))
    );
    pair.settle();
    let events = pair.left.events();
    assert!(
        matches!(&events[..], [Event::Response(id, Err(CallFailure::Refused(refused)))]
            if *id == call && *refused == error),
        "{events:?}"
    );
}

#[test]
fn the_end_of_the_stream_fails_every_call_once() {
    let mut end = TestEndpoint::default();
    let calls: Vec<_> = (0..1000).map(|_| end.call("m", "{}")).collect();
    end.feed(&request("1"));
    end.feed(b"{\"jsonrpc\":\"2.0\",\"id\":5,\"result\":1}\n");
    // A last line without its line break counts, a part of one does not.
    end.feed(b"{\"jsonrpc\":\"2.0\",\"id\":6,\"result\":1}");
    end.close();
    assert_eq!(end.events().len(), 3);
    let lost = end.endpoint.end();
    assert_eq!(lost.len(), 998);
    let expected = calls.iter().filter(|call| ![5, 6].contains(&call.0));
    assert!(lost.iter().eq(expected), "in order and once");
    assert_eq!(end.endpoint.end(), []);
    assert!(
        end.respond(&Id::from(1), "1"),
        "the other end may still read"
    );
    end.feed(b"{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":1}\n");
    assert_eq!(end.event_lines(), [""; 0]);
}

#[test]
fn a_message_cut_off_by_the_end_of_the_stream_is_dropped_and_counted() {
    for part in [
        "{",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"resu",
        "{}",
        "\u{feff}x",
    ] {
        let mut end = TestEndpoint::default();
        end.call("m", "{}");
        end.lines();
        end.feed(part.as_bytes());
        end.close();
        assert_eq!(end.event_lines(), [""; 0]);
        assert_eq!(end.lines(), [""; 0], "no answer to {part}");
        assert_eq!(end.endpoint.counts().malformed, 1);
        assert_eq!(end.endpoint.end().len(), 1);
    }
}
