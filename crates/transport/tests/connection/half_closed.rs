//! Connections of which one direction ends before the other.

use std::time::Duration;

use attache_transport::{CallError, CloseReason, Delivery, Options};

use crate::support::{
    IN_TURN, MEDIA, Medium, call, connected, empty, next_request, request, response, within,
};

#[tokio::test]
async fn requests_are_answered_after_the_peer_has_closed_its_side() {
    for medium in MEDIA {
        let (link, mut inbox, mut wire) = medium.connect(Options::default());
        wire.send(request(1, "slow") + &request(2, "slow")).await;
        wire.close_write().await;
        let (first, _) = next_request(&mut inbox).await;
        let (second, _) = next_request(&mut inbox).await;
        let answering = tokio::spawn(async move {
            assert_eq!(link.closed().await, CloseReason::PeerClosed);
            for id in [second, first] {
                tokio::task::yield_now().await;
                assert!(link.respond(&id, IN_TURN, Ok(&empty())));
            }
        });
        let reading = tokio::spawn(async move { wire.rest().await });
        assert!(within(inbox.next()).await.is_none());
        assert!(answering.is_finished(), "{medium:?}");
        answering.await.unwrap();
        drop(inbox);
        assert_eq!(reading.await.unwrap(), response(2) + &response(1));
    }
}

#[tokio::test(start_paused = true)]
async fn a_missing_response_does_not_keep_the_inbox_open() {
    let (link, mut inbox, mut wire) = connected();
    wire.send(request(1, "slow")).await;
    let (id, _) = next_request(&mut inbox).await;
    wire.close_write().await;
    let begun = tokio::time::Instant::now();
    assert!(within(inbox.next()).await.is_none());
    assert!(begun.elapsed() >= Duration::from_secs(2));
    assert!(link.is_cancelled(&id));
}

#[tokio::test(start_paused = true)]
async fn a_missing_response_does_not_keep_a_looping_consumer_forever() {
    let (_link, mut inbox, mut wire) = connected();
    wire.send(request(1, "slow")).await;
    next_request(&mut inbox).await;
    wire.close_write().await;
    let mut ticks = tokio::time::interval(Duration::from_millis(100));
    let until_none = async {
        loop {
            tokio::select! {
                next = inbox.next() => break next,
                _ = ticks.tick() => {}
            }
        }
    };
    assert!(within(until_none).await.is_none());
}

#[tokio::test]
async fn calls_fail_soon_after_the_peer_stops_reading() {
    let (link, _inbox, mut wire) = Medium::Pipes.connect(Options::default());
    let written = call(&link, Delivery::AtOnce).await;
    wire.line().await;
    wire.close_read();
    let unwritten = call(&link, Delivery::AtOnce).await;
    for (name, call) in [("unwritten", unwritten), ("written", written)] {
        let soon = tokio::time::timeout(Duration::from_secs(1), call).await;
        let outcome = soon.expect(name).unwrap();
        let broken = CloseReason::Io(std::io::ErrorKind::BrokenPipe);
        assert_eq!(outcome, Err(CallError::Closed(broken)), "{name}");
    }
    let late = call(&link, Delivery::InOrder).await.await.unwrap();
    assert!(matches!(late, Err(CallError::Closed(CloseReason::Io(_)))));
    assert!(link.notify("late", &empty(), IN_TURN).await.is_err());
}

#[tokio::test]
async fn messages_are_received_after_the_peer_has_stopped_reading() {
    let (link, mut inbox, mut wire) = Medium::Pipes.connect(Options::default());
    wire.close_read();
    call(&link, Delivery::AtOnce)
        .await
        .await
        .unwrap()
        .unwrap_err();
    wire.send(request(1, "heard")).await;
    let (id, method) = next_request(&mut inbox).await;
    assert_eq!(method, "heard");
    assert!(!link.respond(&id, IN_TURN, Ok(&empty())));
    wire.close_write().await;
    assert!(within(inbox.next()).await.is_none());
}
