//! Every call to the peer ends once, and every request from the peer gets one response.

use attache_rpc::json::Encode;
use attache_rpc::{Error, Framing, SendOptions, SessionKey};
use attache_transport::{CallError, CloseReason, Delivery, Options};

use crate::support::{
    IN_TURN, MEDIA, Medium, call, code, connected, empty, limited, next_request, notification,
    request, response, within,
};

#[tokio::test]
async fn a_thousand_pending_calls_fail_once_each_when_the_peer_disconnects() {
    for medium in MEDIA {
        for delivery in [Delivery::AtOnce, Delivery::InOrder] {
            let (link, _inbox, mut wire) = medium.connect(Options::default());
            let mut calls = Vec::new();
            for _ in 0..1000 {
                calls.push(call(&link, delivery).await);
            }
            for _ in 0..1000 {
                wire.line().await;
            }
            drop(wire);
            for call in calls {
                let outcome = within(call).await.unwrap();
                assert_eq!(outcome, Err(CallError::Closed(CloseReason::PeerClosed)));
            }
        }
    }
}

#[tokio::test]
async fn calls_that_wait_for_room_fail_when_the_peer_disconnects() {
    let (link, _inbox, wire) = Medium::Memory(1).connect(limited(|l| l.outbound = 1));
    let mut calls = Vec::new();
    for _ in 0..100 {
        calls.push(call(&link, Delivery::AtOnce).await);
    }
    drop(wire);
    for call in calls {
        let outcome = within(call).await.unwrap();
        assert!(matches!(outcome, Err(CallError::Closed(_))), "{outcome:?}");
    }
}

#[tokio::test]
async fn pending_calls_fail_when_this_side_closes() {
    let (link, inbox, mut wire) = connected();
    let waiting = call(&link, Delivery::AtOnce).await;
    wire.line().await;
    link.close();
    let outcome = within(waiting).await.unwrap();
    assert_eq!(outcome, Err(CallError::Closed(CloseReason::ClosedLocally)));
    let late = call(&link, Delivery::AtOnce).await.await.unwrap();
    assert_eq!(late, Err(CallError::Closed(CloseReason::ClosedLocally)));
    assert_eq!(wire.rest().await, "");
    drop(inbox);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_response_just_before_the_end_is_delivered_once() {
    for round in 0..500 {
        let (link, _inbox, mut wire) = Medium::Memory(4096).connect(Options::default());
        let answered = call(&link, Delivery::AtOnce).await;
        let unanswered = call(&link, Delivery::AtOnce).await;
        let ids = [wire.line().await, wire.line().await].map(|line| id_of(&line));
        let number = link.counts().stray_responses;
        wire.send(response(&ids[0])).await;
        drop(wire);
        let outcomes = [
            within(answered).await.unwrap(),
            within(unanswered).await.unwrap(),
        ];
        let given = outcomes.iter().filter(|outcome| outcome.is_ok()).count();
        assert_eq!((given, number), (1, 0), "round {round}: {outcomes:?}");
        let ended = Err(CallError::Closed(CloseReason::PeerClosed));
        assert!(outcomes.contains(&ended), "round {round}: {outcomes:?}");
    }
}

fn id_of(line: &str) -> String {
    let (_, rest) = line.split_once("\"id\":").unwrap();
    rest[..rest.find(',').unwrap()].to_owned()
}

#[tokio::test]
async fn a_pending_id_cannot_be_reused_before_its_response() {
    for medium in MEDIA {
        let (link, mut inbox, mut wire) = medium.connect(Options::default());
        wire.send(request(1, "first") + &request(1, "second") + &request("\"1\"", "other"))
            .await;
        let refused = wire.line().await;
        assert_eq!(code(&refused), Some(-32600), "{refused}");
        assert!(
            refused.contains("duplicate_id") && refused.contains("\"id\":1,"),
            "{refused}"
        );
        let (id, method) = next_request(&mut inbox).await;
        assert_eq!(method, "first");
        assert_eq!(next_request(&mut inbox).await.1, "other");
        assert!(link.respond(&id, IN_TURN, Ok(&empty())));
        assert!(!link.respond(&id, IN_TURN, Ok(&empty())));
        assert_eq!(wire.line().await + "\n", response(1));
        wire.send(request(1, "again")).await;
        assert_eq!(next_request(&mut inbox).await.1, "again");
    }
}

#[tokio::test]
async fn stray_and_second_responses_are_dropped_and_counted() {
    let (link, mut inbox, mut wire) = connected();
    let waiting = call(&link, Delivery::AtOnce).await;
    wire.line().await;
    wire.send(response(77) + &response("\"1\"") + &response("null") + &response(1) + &response(1))
        .await;
    assert_eq!(within(waiting).await.unwrap().unwrap(), "{}");
    wire.check_alive(&link, &mut inbox).await;
    assert_eq!(link.counts().stray_responses, 4);
}

#[tokio::test]
async fn a_malformed_response_fails_its_call() {
    let rows = [
        r#"{"jsonrpc":"2.0","id":1}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":""}}"#,
    ];
    for row in rows {
        let (link, mut inbox, mut wire) = connected();
        let waiting = call(&link, Delivery::AtOnce).await;
        wire.line().await;
        wire.send(format!("{row}\n")).await;
        let outcome = within(waiting).await.unwrap();
        assert!(
            matches!(outcome, Err(CallError::Malformed(_))),
            "{row}: {outcome:?}"
        );
        wire.check_alive(&link, &mut inbox).await;
    }
}

#[tokio::test]
async fn an_error_response_reaches_its_caller() {
    let (link, _inbox, mut wire) = connected();
    let waiting = call(&link, Delivery::AtOnce).await;
    wire.line().await;
    wire.send("{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-5,\"message\":\"no\"}}\n")
        .await;
    let outcome = within(waiting).await.unwrap();
    assert_eq!(outcome, Err(CallError::Refused(Error::new(-5, "no"))));
}

/// A value whose encoder panics halfway.
struct Torn;

impl Encode for Torn {
    fn encode(&self, out: &mut String) {
        out.push_str("{\"half\":");
        panic!("no second half");
    }
}

#[tokio::test]
async fn a_panic_while_encoding_params_leaves_the_stream_intact() {
    for framing in [Framing::Lines, Framing::Headers] {
        let options = Options::default().framing(framing);
        let (link, inbox, mut wire) = Medium::Memory(64 << 10).connect(options);
        let asking = tokio::spawn({
            let link = link.clone();
            async move {
                let send_options = SendOptions::of(SessionKey::named("torn"));
                link.call("torn", &Torn, send_options, Delivery::AtOnce)
                    .await
            }
        });
        assert!(within(asking).await.unwrap_err().is_panic());
        link.notify("whole", &empty(), IN_TURN).await.unwrap();
        drop((link, inbox));
        let said = wire.rest().await;
        assert!(
            said.trim_end().ends_with(notification("whole").trim_end()),
            "{said}"
        );
        assert!(!said.contains("torn"), "{said}");
    }
}
