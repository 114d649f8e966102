//! Responses that are delivered after all earlier messages.

use std::time::Duration;

use attache_transport::{CallError, Delivery};
use tokio::time::{Instant, advance, sleep};

use crate::support::{MEDIA, call, connected, next_method, notification, response, within};

#[tokio::test]
async fn an_in_order_response_waits_only_for_earlier_messages() {
    for medium in MEDIA {
        let (link, mut inbox, mut wire) = medium.connect(Default::default());
        let in_order = call(&link, Delivery::InOrder).await;
        let at_once = call(&link, Delivery::AtOnce).await;
        wire.line().await;
        wire.line().await;
        let said =
            notification("one") + &notification("two") + &response(1) + &notification("three");
        wire.send(said + &response(2)).await;
        assert_eq!(within(at_once).await.unwrap().unwrap(), "{}");
        for before in ["one", "two"] {
            assert!(!in_order.is_finished(), "{medium:?}: before {before}");
            assert_eq!(next_method(&mut inbox).await, before);
        }
        assert_eq!(next_method(&mut inbox).await, "three");
        assert_eq!(within(in_order).await.unwrap().unwrap(), "{}");
    }
}

#[tokio::test]
async fn an_in_order_response_is_delivered_while_the_inbox_waits() {
    let (link, mut inbox, mut wire) = connected();
    let consumer = tokio::spawn(async move { inbox.next().await });
    let waiting = call(&link, Delivery::InOrder).await;
    wire.line().await;
    wire.send(response(1)).await;
    assert_eq!(within(waiting).await.unwrap().unwrap(), "{}");
    drop(wire);
    assert!(within(consumer).await.unwrap().is_none());
}

#[tokio::test(start_paused = true)]
async fn an_in_order_response_fails_as_stalled_if_the_inbox_is_not_read() {
    let (link, mut inbox, mut wire) = connected();
    let begun = Instant::now();
    let waiting = call(&link, Delivery::InOrder).await;
    wire.line().await;
    wire.send(notification("one") + &response(1)).await;
    assert_eq!(waiting.await.unwrap(), Err(CallError::Stalled));
    assert!(begun.elapsed() <= Duration::from_secs(61));
    assert_eq!(next_method(&mut inbox).await, "one");
    wire.check_alive(&link, &mut inbox).await;
}

#[tokio::test(start_paused = true)]
async fn a_slow_consumer_does_not_stall_calls() {
    let (link, mut inbox, mut wire) = connected();
    let waiting = call(&link, Delivery::InOrder).await;
    wire.line().await;
    for _ in 0..100 {
        wire.send(notification("update")).await;
    }
    wire.send(response(1)).await;
    for _ in 0..100 {
        sleep(Duration::from_secs(5)).await;
        assert_eq!(next_method(&mut inbox).await, "update");
    }
    tokio::spawn(async move { inbox.next().await });
    assert_eq!(waiting.await.unwrap().unwrap(), "{}");
}

#[tokio::test(start_paused = true)]
async fn a_slow_response_does_not_count_as_stalled() {
    let (link, mut inbox, mut wire) = connected();
    let waiting = call(&link, Delivery::InOrder).await;
    wire.line().await;
    advance(Duration::from_secs(3600)).await;
    wire.send(notification("one") + &response(1)).await;
    sleep(Duration::from_secs(20)).await;
    assert!(!waiting.is_finished());
    assert_eq!(next_method(&mut inbox).await, "one");
    tokio::spawn(async move { inbox.next().await });
    assert_eq!(waiting.await.unwrap().unwrap(), "{}");
}
