//! A full inbox stops reading from the peer, and nothing else.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use attache_rpc::Urgency;
use attache_transport::{CallError, Delivery, Options};

use crate::support::{
    IN_TURN, MEDIA, Medium, call, connected, empty, limited, next_method, notification, response,
    stable, within,
};

#[tokio::test]
async fn a_full_inbox_stops_the_peer_until_it_is_emptied() {
    for medium in MEDIA {
        let (_link, mut inbox, mut wire) = medium.connect(limited(|l| l.inbound = 4 << 10));
        // More messages than fit into the inbox, one read and any pipe together.
        let count = (512 << 10) / notification("m").len();
        let sent = Arc::new(AtomicUsize::new(0));
        let sender = tokio::spawn({
            let sent = Arc::clone(&sent);
            async move {
                for number in 0..count {
                    wire.send(notification(&number.to_string())).await;
                    sent.store(number + 1, Ordering::Relaxed);
                }
                wire
            }
        });
        let stopped_at = stable(&sent).await;
        assert!(stopped_at < count / 2, "{medium:?} took {stopped_at}");
        for number in 0..count {
            assert_eq!(next_method(&mut inbox).await, number.to_string());
        }
        within(sender).await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn calls_behind_a_full_inbox_fail_as_stalled_and_the_connection_stays_open() {
    let options = limited(|limits| {
        limits.inbound = 1;
        limits.in_flight = 2;
    });
    let (link, mut inbox, mut wire) = Medium::Memory(64 << 10).connect(options);
    let first = call(&link, Delivery::AtOnce).await;
    let second = call(&link, Delivery::InOrder).await;
    let third = call(&link, Delivery::AtOnce).await;
    wire.line().await;
    wire.line().await;
    wire.send(notification("one") + &notification("two")).await;
    let begun = tokio::time::Instant::now();
    for call in [first, second] {
        assert_eq!(within_hour(call).await.unwrap(), Err(CallError::Stalled));
    }
    assert!(begun.elapsed() >= Duration::from_secs(30));
    assert!(begun.elapsed() <= Duration::from_secs(61));
    for id in [1, 2] {
        let line = wire.line().await;
        assert!(line.contains("$/cancel_request") && line.contains(&format!("{id}}}}}")));
    }
    assert!(
        wire.line().await.contains("\"id\":3,"),
        "the slots are free"
    );
    assert_eq!(next_method(&mut inbox).await, "one");
    assert_eq!(next_method(&mut inbox).await, "two");
    wire.send(response(3)).await;
    assert_eq!(within(third).await.unwrap().unwrap(), "{}");
    wire.check_alive(&link, &mut inbox).await;
}

async fn within_hour<F: Future>(future: F) -> F::Output {
    let done = tokio::time::timeout(Duration::from_secs(3600), future).await;
    done.expect("it takes for ever")
}

#[tokio::test]
async fn dropping_next_loses_nothing() {
    for medium in MEDIA {
        let (_link, mut inbox, mut wire) = medium.connect(Options::default());
        let sender = tokio::spawn(async move {
            for number in 0..500 {
                wire.send(notification(&number.to_string())).await;
                if number % 7 == 0 {
                    tokio::task::yield_now().await;
                }
            }
            wire
        });
        let mut number = 0;
        while number < 500 {
            let next = tokio::select! {
                biased;
                next = inbox.next() => next,
                () = tokio::task::yield_now() => continue,
            };
            assert_eq!(next.unwrap().call().method(), number.to_string());
            number += 1;
        }
        sender.await.unwrap();
    }
}

#[tokio::test]
async fn sending_works_while_the_inbox_is_full() {
    let (link, _inbox, mut wire) = Medium::Memory(1 << 10).connect(limited(|l| l.inbound = 1));
    wire.send(notification("one") + &notification("two")).await;
    for urgency in [Urgency::Ordinary, Urgency::Urgent] {
        let mut send_options = IN_TURN;
        send_options.urgency = urgency;
        within(link.notify("out", &empty(), send_options))
            .await
            .unwrap();
        assert_eq!(wire.line().await + "\n", notification("out"));
    }
}

/// A short message keeps the whole read buffer in memory that contains it.
#[tokio::test(start_paused = true)]
async fn bytes_between_messages_count_toward_the_limit() {
    let options = limited(|limits| limits.inbound = 10_000);
    let (_link, _inbox, mut wire) = Medium::Memory(64).connect(options);
    let padded = notification("m") + &"\n".repeat(4000);
    let mut sent = 0;
    let second = Duration::from_secs(1);
    while sent < 100 && tokio::time::timeout(second, wire.offer(&padded)).await == Ok(true) {
        sent += 1;
    }
    assert!((2..=4).contains(&sent), "{sent} were read");
}

#[tokio::test]
async fn dropped_bytes_of_a_read_buffer_are_not_kept_in_memory() {
    let (_link, mut inbox, mut wire) = connected();
    for (dropped, is_alone) in [(100, false), (10_000, true)] {
        let filler = "x".repeat(dropped);
        let stray = format!("{{\"jsonrpc\":\"2.0\",\"id\":99,\"result\":\"{filler}\"}}\n");
        wire.send(stray + &notification("m")).await;
        let incoming = within(inbox.next()).await.unwrap();
        let line = incoming.call().line().as_bytes();
        assert_eq!(line.is_unique(), is_alone, "{dropped} were dropped");
    }
}
