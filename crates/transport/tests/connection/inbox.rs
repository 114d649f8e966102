//! An inbox that is not emptied stops the peer, and nothing else.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use attache_rpc::Urgency;
use attache_transport::{CallError, Delivery, Options};

use crate::support::{
    FLOW, MEDIA, Medium, call, empty, limited, next_method, notification, response, stable, within,
};

#[tokio::test]
async fn a_full_inbox_stops_the_peer_until_it_is_emptied() {
    for medium in MEDIA {
        let (_link, mut inbox, mut wire) = medium.connect(limited(|l| l.inbound = 4 << 10));
        // More than the inbox, one reading and any pipe hold together.
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
async fn sending_goes_on_while_the_inbox_is_full() {
    let (link, _inbox, mut wire) = Medium::Memory(1 << 10).connect(limited(|l| l.inbound = 1));
    wire.send(notification("one") + &notification("two")).await;
    for urgency in [Urgency::Ordinary, Urgency::Urgent] {
        let flow = attache_rpc::Flow { urgency, ..FLOW };
        within(link.notify("out", &empty(), flow)).await.unwrap();
        assert_eq!(wire.line().await + "\n", notification("out"));
    }
}
