//! Calls that either side cancels, at any moment.

use attache_rpc::{Call, Error, SendOptions, SessionKey};
use attache_transport::{Delivery, Options, SessionEffect, SessionIndex};

use crate::support::{
    IN_TURN, MEDIA, Medium, call, code, connected, empty, limited, next_request, notification,
    request, response, within,
};

fn cancel(id: u64) -> String {
    format!(
        "{{\"jsonrpc\":\"2.0\",\"method\":\"$/cancel_request\",\"params\":{{\"requestId\":{id}}}}}\n"
    )
}

#[tokio::test]
async fn dropping_a_call_cancels_it_once_and_drops_its_late_response() {
    for medium in MEDIA {
        let (link, mut inbox, mut wire) = medium.connect(Options::default());
        let waiting = call(&link, Delivery::AtOnce).await;
        assert!(wire.line().await.contains("\"method\":\"ask\""));
        waiting.abort();
        assert!(within(waiting).await.unwrap_err().is_cancelled());
        assert_eq!(wire.line().await + "\n", cancel(1));
        wire.send(response(1)).await;
        wire.check_alive(&link, &mut inbox).await;
        assert_eq!(link.counts().stray_responses, 1);
        drop((link, inbox));
        assert_eq!(wire.rest().await, "");
    }
}

#[tokio::test]
async fn an_answered_call_is_not_cancelled() {
    let (link, inbox, mut wire) = connected();
    let answered = call(&link, Delivery::AtOnce).await;
    wire.line().await;
    wire.send(response(1)).await;
    within(answered).await.unwrap().unwrap();
    drop((link, inbox));
    assert_eq!(wire.rest().await, "");
}

#[tokio::test]
async fn a_cancellation_is_never_sent_before_its_request() {
    let (link, inbox, mut wire) = Medium::Memory(1).connect(Options::default());
    let session = SendOptions::of(SessionKey::named("other"));
    link.notify("before", &empty(), session).await.unwrap();
    let waiting = call(&link, Delivery::AtOnce).await;
    link.notify("after", &empty(), session).await.unwrap();
    waiting.abort();
    assert!(within(waiting).await.unwrap_err().is_cancelled());
    drop((link, inbox));
    let said = wire.rest().await;
    let asked = said.find("\"ask\"").unwrap();
    let taken_back = said.find("$/cancel_request").unwrap();
    assert!(asked < taken_back, "{said}");
    assert_eq!(said.matches("$/cancel_request").count(), 1, "{said}");
}

#[tokio::test]
async fn a_cancellation_is_sent_despite_a_tiny_frame_limit() {
    let (link, mut inbox, mut wire) =
        Medium::Memory(4096).connect(limited(|limits| limits.frame = 60));
    let waiting = call(&link, Delivery::AtOnce).await;
    wire.line().await;
    waiting.abort();
    assert!(within(waiting).await.unwrap_err().is_cancelled());
    assert_eq!(wire.line().await + "\n", cancel(1));
    wire.check_alive(&link, &mut inbox).await;
}

#[tokio::test]
async fn a_cancelled_request_is_visible_at_once_and_still_answered_once() {
    for medium in MEDIA {
        let (link, mut inbox, mut wire) = medium.connect(Options::default());
        wire.send(request(1, "slow")).await;
        let (id, _) = next_request(&mut inbox).await;
        assert!(!link.is_cancelled(&id));
        wire.send(cancel(1) + &cancel(1) + &cancel(99)).await;
        within(link.cancelled(&id)).await;
        let error = Error::new(-32800, "cancelled");
        assert!(link.respond::<u64>(&id, IN_TURN, Err(&error)));
        assert_eq!(code(&wire.line().await), Some(-32800));
        wire.check_alive(&link, &mut inbox).await;
        assert_eq!(link.counts().stray_cancellations, 1);
    }
}

#[tokio::test]
async fn waiting_for_cancellation_ends_when_the_request_is_answered() {
    let (link, mut inbox, mut wire) = connected();
    wire.send(request(1, "slow")).await;
    let (id, _) = next_request(&mut inbox).await;
    let watching = tokio::spawn({
        let (link, id) = (link.clone(), id.clone());
        async move { link.cancelled(&id).await }
    });
    tokio::task::yield_now().await;
    assert!(link.respond(&id, IN_TURN, Ok(&empty())));
    within(watching).await.unwrap();
}

#[tokio::test]
async fn a_cancellation_reaches_requests_in_the_inbox() {
    let options = Options::default().session_index(TurnsAndStops);
    let (link, mut inbox, mut wire) = Medium::Pipes.connect(options);
    let said =
        request(1, "turn") + &request(2, "else") + &notification("stop") + &request(3, "turn");
    wire.send(said).await;
    let mut cancelled = Vec::new();
    for _ in 0..2 {
        let (id, _) = next_request(&mut inbox).await;
        cancelled.push(link.is_cancelled(&id));
    }
    assert!(within(inbox.next()).await.is_some());
    let (id, _) = next_request(&mut inbox).await;
    cancelled.push(link.is_cancelled(&id));
    assert_eq!(cancelled, [true, false, false]);
    assert_eq!(link.open_requests(SessionKey::named("s")).len(), 2);
}

#[tokio::test]
async fn a_call_keeps_the_session_that_the_reader_has_found() {
    let options = Options::default().session_index(TurnsAndStops);
    let (_link, mut inbox, mut wire) = Medium::Pipes.connect(options);
    wire.send(request(1, "turn") + &request(2, "else") + &notification("stop"))
        .await;
    let mut sessions = Vec::new();
    for _ in 0..3 {
        sessions.push(within(inbox.next()).await.unwrap().call().session());
    }
    let found = Some(SessionKey::named("s"));
    assert_eq!(sessions, [found, None, found]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cancellation_that_races_with_the_response_is_sent_at_most_once() {
    let (link, inbox, mut wire) = Medium::Memory(64 << 10).connect(Options::default());
    let rounds = 3000;
    let (mut given, mut taken_back) = (0, 0);
    let mut seen_cancels = 0;
    for round in 1..=rounds {
        let waiting = call(&link, Delivery::AtOnce).await;
        loop {
            let line = wire.line().await;
            if line.contains("\"ask\"") {
                break;
            }
            assert!(line.contains("$/cancel_request"), "{line}");
            seen_cancels += 1;
        }
        if round % 2 == 0 {
            wire.send(response(round)).await;
            waiting.abort();
        } else {
            waiting.abort();
            wire.send(response(round)).await;
        }
        match within(waiting).await {
            Ok(outcome) => {
                assert_eq!(outcome.unwrap(), "{}");
                given += 1;
            }
            Err(stopped) => {
                assert!(stopped.is_cancelled());
                taken_back += 1;
            }
        }
    }
    let reader_done = async {
        while link.counts().stray_responses + given < usize::try_from(rounds).unwrap() - taken_back
        {
            tokio::task::yield_now().await;
        }
    };
    within(reader_done).await;
    drop((link, inbox));
    seen_cancels += wire.rest().await.matches("$/cancel_request").count();
    assert!(
        seen_cancels <= taken_back,
        "{seen_cancels} cancels of {taken_back} calls"
    );
    assert_eq!(given + taken_back, usize::try_from(rounds).unwrap());
}

/// Requests `turn` belong to the session "s", which the notification `stop` cancels.
struct TurnsAndStops;

impl SessionIndex for TurnsAndStops {
    fn session_effect(&self, call: &Call) -> SessionEffect {
        match call.method() {
            "turn" => SessionEffect::BelongsTo(SessionKey::named("s")),
            "stop" => SessionEffect::Cancels(SessionKey::named("s")),
            _ => SessionEffect::None,
        }
    }
}
