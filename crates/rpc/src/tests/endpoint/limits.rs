//! The limits for a peer: pending requests, waiting bytes, and message size.

use super::super::pair::{Pair, TestEndpoint, raw};
use super::{failure, request};
use crate::{Event, Framing, Id, Limits, NonJsonLines, SendOptions, SessionKey};

fn small(outbound: usize) -> TestEndpoint {
    let limits = Limits {
        frame: 1000,
        outbound,
        ..Limits::default()
    };
    TestEndpoint::new(limits, Framing::Lines, NonJsonLines::Reject)
}

#[test]
fn requests_over_the_limit_are_rejected_and_none_is_lost() {
    let mut end = TestEndpoint::default();
    for id in 1..=1030 {
        end.feed(&request(&id.to_string()));
    }
    assert_eq!(end.events().len(), 1024);
    let overloaded = |id: u64| {
        let data = r#"{"kind":"overloaded","limit":1024}"#;
        failure(
            &id.to_string(),
            -32603,
            "too many requests are in progress",
            data,
        )
    };
    assert_eq!(
        end.lines(),
        [1025, 1026, 1027, 1028, 1029, 1030].map(overloaded)
    );
    assert_eq!(end.endpoint.counts().overloaded, 6);
    for id in 1..=1024 {
        assert!(end.respond(&Id::from(id), "1"), "{id}");
    }
    assert!(!end.respond(&Id::from(1025), "1"));
    assert_eq!(end.lines().len(), 1024);
    end.feed(&request("1025"));
    assert_eq!(end.event_lines(), ["request 1025 m -"]);
}

#[test]
fn calls_to_the_peer_are_limited_too() {
    let limits = Limits {
        in_flight: 2,
        ..Limits::default()
    };
    let mut pair = Pair::new(&limits, Framing::Lines);
    assert!(pair.left.endpoint.may_call());
    pair.left.call("m", "{}");
    pair.left.call("m", "{}");
    assert!(!pair.left.endpoint.may_call());
    pair.settle();
    assert!(pair.right.respond(&Id::from(1), "{}"));
    pair.settle();
    assert!(pair.left.endpoint.may_call());
}

#[test]
fn urgent_messages_have_room_when_ordinary_ones_do_not() {
    let mut end = small(1000);
    let room = |end: &TestEndpoint| {
        [crate::Urgency::Ordinary, crate::Urgency::Urgent]
            .map(|urgency| end.endpoint.has_room(urgency))
    };
    assert_eq!(room(&end), [true, true]);
    assert!(end.endpoint.has_sent_all());
    let long = format!("[\"{}\"]", "x".repeat(900));
    end.call("m", &long);
    end.call("m", &long);
    assert_eq!(room(&end), [false, true]);
    for _ in 0..100 {
        end.call("m", &long);
    }
    assert_eq!(room(&end), [false, false]);
    end.sent();
    assert_eq!(room(&end), [true, true]);
    assert!(end.endpoint.has_sent_all());
}

#[test]
fn a_response_over_the_limit_becomes_an_error() {
    let mut end = small(1 << 20);
    for (length, fits) in [(960, true), (1000, false), (100_000, false)] {
        end.feed(&request("7"));
        end.events();
        assert!(end.respond(&Id::from(7), &format!("\"{}\"", "x".repeat(length))));
        let lines = end.lines();
        let data = r#"{"kind":"frame_too_large","limit":1000}"#;
        let error = failure("7", -32603, "the response is longer than the limit", data);
        assert_eq!(lines.len(), 1);
        assert_eq!(lines[0] != error, fits, "{length}");
        assert!(!end.respond(&Id::from(7), "1"), "answered");
    }
}

#[test]
fn a_call_over_the_limit_is_not_sent() {
    let mut end = small(1 << 20);
    let params = raw(&format!("[\"{}\"]", "x".repeat(1000)));
    let options = SendOptions::of(SessionKey::CONNECTION);
    assert!(end.endpoint.call("m", &params, options).is_err());
    assert!(end.endpoint.notify("m", &params, options).is_err());
    assert_eq!(end.lines(), [""; 0]);
    assert_eq!(end.endpoint.end(), []);
    end.call("m", "{}");
    assert_eq!(
        end.lines(),
        [r#"{"jsonrpc":"2.0","id":1,"method":"m","params":{}}"#]
    );
}

#[test]
fn a_message_over_the_limit_is_answered_once_and_the_next_one_works() {
    let mut end = small(1 << 20);
    for piece in vec![b'x'; 100_000].chunks(777) {
        end.feed(piece);
    }
    end.feed(b"\n");
    end.feed(&request("7"));
    let data = r#"{"kind":"frame_too_large","limit":1000}"#;
    let error = failure("null", -32600, "the message is longer than the limit", data);
    assert_eq!(end.lines(), [error]);
    assert_eq!(end.event_lines(), ["request 7 m -"]);
    assert_eq!(end.endpoint.counts().malformed, 1);
}

#[test]
fn a_request_over_the_limit_is_rejected_with_its_id() {
    let long = "x".repeat(2000);
    let cases = [
        (
            format!(r#"{{"jsonrpc":"2.0","id":7,"method":"m","params":["{long}"]}}"#),
            "7",
        ),
        (
            format!(r#"{{"id":"a\u0062","params":["{long}"],"method":"m"}}"#),
            r#""a\u0062""#,
        ),
        (
            format!(r#" {{ "method" : "m" , "id" : -1.5 , "params" : {{"é":"{long}"}}}}"#),
            "-1.5",
        ),
        // It is unknown whether the id belongs to a request or a response.
        (
            format!(r#"{{"jsonrpc":"2.0","method":"m","params":["{long}"],"id":7}}"#),
            "null",
        ),
        (
            format!(r#"{{"id":7,"note":"{long}","method":"m"}}"#),
            "null",
        ),
        (
            format!(r#"{{"id":7,"id":8,"method":"m","params":["{long}"]}}"#),
            "null",
        ),
        (format!(r#"{{"id":"{long}","method":"m"}}"#), "null"),
        (
            format!(r#"{{"params":{{"id":7,"x":"{long}"}},"method":"m"}}"#),
            "null",
        ),
        (format!(r#"[{{"id":7,"method":"m"}},"{long}"]"#), "null"),
        (long.clone(), "null"),
    ];
    for (message, id) in cases {
        for size in [1, 100, message.len()] {
            let mut end = small(1 << 20);
            for piece in message.as_bytes().chunks(size) {
                end.feed(piece);
            }
            end.feed(b"\n");
            let data = r#"{"kind":"frame_too_large","limit":1000}"#;
            let error = failure(id, -32600, "the message is longer than the limit", data);
            assert_eq!(end.lines(), [error], "{}", &message[..40]);
            end.feed(&request("9"));
            assert_eq!(end.event_lines(), ["request 9 m -"]);
        }
    }
}

#[test]
fn the_id_of_a_message_over_the_limit_is_read_completely_or_not_at_all() {
    // Wherever the beginning ends, a part of an id is never taken for one.
    let message = r#"{"method":"m","id":12345e6,"params":"x"}"#;
    let limits = Limits::default();
    let end = message.find(",\"params").unwrap();
    for length in 0..=message.len() {
        let found = crate::Malformed::too_long(&message.as_bytes()[..length], &limits).id;
        let expected = (length > end).then_some("12345e6");
        assert_eq!(found.as_ref().map(Id::as_str), expected, "{length}");
    }
}

#[test]
fn a_response_over_the_limit_ends_its_call() {
    for member in ["\"result\"", "\"error\""] {
        let mut end = small(1 << 20);
        end.call("m", "{}");
        end.call("m", "{}");
        end.lines();
        let long = "x".repeat(2000);
        end.feed(format!("{{\"jsonrpc\":\"2.0\",\"id\":1,{member}:[\"{long}\"]}}\n").as_bytes());
        assert_eq!(end.lines(), [""; 0], "an answer is not answered");
        let [Event::Response(call, Err(lost))] = &end.events()[..] else {
            panic!("{member}");
        };
        assert_eq!(call.0, 1);
        assert_eq!(
            lost.to_string(),
            "the response is malformed: the message is longer than the limit"
        );
        // A response that matches no call ends no call.
        end.feed(format!("{{\"id\":2,\"note\":[\"{long}\"],{member}:1}}\n").as_bytes());
        assert!(end.events().is_empty());
        assert_eq!(end.endpoint.end().len(), 1);
    }
}

#[test]
fn a_frame_limit_too_small_for_an_error_is_raised() {
    let limits = Limits {
        frame: 1,
        id: 1000,
        ..Limits::default()
    };
    let mut end = TestEndpoint::new(limits, Framing::Lines, NonJsonLines::Reject);
    let id = format!("\"{}\"", "i".repeat(1000));
    end.feed(&request(&id));
    end.feed(&request(&id));
    assert_eq!(end.events().len(), 1, "and the second was refused");
    let call = end.call("m", "{}");
    end.endpoint.cancel(call);
    assert_eq!(end.lines().len(), 3);
}

#[test]
fn requests_are_rejected_until_the_peer_reads_its_responses() {
    let mut end = small(1000);
    let long = format!("\"{}\"", "x".repeat(900));
    for id in 1..=4 {
        end.feed(&request(&id.to_string()));
        if !end.events().is_empty() {
            assert!(end.respond(&Id::from(id), &long));
        }
    }
    let reason = "responses to earlier requests have not been read";
    let refused = failure("4", -32603, reason, r#"{"kind":"overloaded"}"#);
    assert_eq!(end.lines()[3], refused, "nothing is lost");
    end.feed(&request("5"));
    assert_eq!(end.event_lines(), ["request 5 m -"]);
}

/// Simulates a peer that sends the same line again and again and never reads. Returns the number of waiting bytes.
fn flood(end: &mut TestEndpoint, line: impl Fn(u64) -> Vec<u8>, result: &str) -> (usize, String) {
    for number in 0..1_000_000 {
        end.feed(&line(number));
        for event in end.events() {
            match event {
                Event::Request(id, _) => assert!(end.respond(&id, result)),
                Event::Fatal(fatal) => {
                    return (end.endpoint.outbox().unwritten(), fatal.to_string());
                }
                _ => {}
            }
        }
    }
    panic!(
        "never given up, with {} bytes",
        end.endpoint.outbox().unwritten()
    );
}

#[test]
fn a_peer_that_sends_endless_requests_and_never_reads_is_disconnected() {
    let outbound = 10_000;
    let most = 2 * outbound + (64 << 10) + 3000;
    let flooded = "the peer keeps sending requests but does not read the responses";
    let long = format!("\"{}\"", "x".repeat(900));
    // Requests that are answered at once, and one that is never answered and whose id is reused.
    for result in ["1", &long] {
        let (bytes, why) = flood(&mut small(outbound), |n| request(&n.to_string()), result);
        assert!(bytes < most, "{bytes}");
        assert_eq!(why, flooded);
    }
    let mut end = small(outbound);
    end.feed(&request("7"));
    end.events();
    let (bytes, why) = flood(&mut end, |_| request("7"), "1");
    assert!(bytes < most, "{bytes}");
    assert_eq!(why, flooded);
}

#[test]
fn a_peer_that_sends_garbage_and_never_reads_is_disconnected() {
    let limits = Limits {
        outbound: 10_000,
        malformed: usize::MAX,
        ..Limits::default()
    };
    let mut end = TestEndpoint::new(limits, Framing::Lines, NonJsonLines::Reject);
    let (bytes, why) = flood(&mut end, |_| b"garbage\n".to_vec(), "1");
    assert!(bytes < 20_000 + (64 << 10) + 1000, "{bytes}");
    assert_eq!(
        why,
        "the peer keeps sending requests but does not read the responses"
    );
}

#[test]
fn a_peer_that_causes_translator_replies_and_never_reads_is_disconnected() {
    let mut end = small(10_000);
    let answer = format!("\"{}\"", "x".repeat(900));
    let given_up = (0..1000).find_map(|_| end.endpoint.send_back(&answer));
    assert!(matches!(
        given_up,
        Some(Event::Fatal(crate::FatalError::UnreadResponses))
    ));
    assert!(end.endpoint.outbox().unwritten() < 20_000 + (64 << 10) + 2000);
    end.sent();
    assert!(end.endpoint.send_back(&answer).is_none(), "it has read");
}

#[test]
fn one_long_waiting_message_does_not_disconnect_the_peer() {
    let limits = Limits {
        frame: 1 << 20,
        outbound: 1000,
        ..Limits::default()
    };
    let mut end = TestEndpoint::new(limits, Framing::Lines, NonJsonLines::Reject);
    end.call("m", &format!("[\"{}\"]", "x".repeat(1 << 19)));
    end.feed(b"garbage\n");
    end.feed(&request("7"));
    end.feed(&request("7"));
    assert_eq!(end.event_lines(), ["request 7 m -"]);
    assert_eq!(end.lines().len(), 3);
}

#[test]
fn a_slow_peer_that_reads_eventually_is_not_disconnected() {
    let mut end = small(10_000);
    for round in 0..100 {
        for number in 0..200 {
            end.feed(&request(&number.to_string()));
            end.feed(&request(&number.to_string()));
            for event in end.events() {
                match event {
                    Event::Request(id, _) => assert!(end.respond(&id, "{}")),
                    other => panic!("round {round}: {other:?}"),
                }
            }
        }
        assert_eq!(end.lines().len(), 400, "every request has its answer");
    }
}
