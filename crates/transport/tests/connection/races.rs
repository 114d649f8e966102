//! Many concurrent tasks on several threads, to detect lost wake-ups.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use attache_transport::{CallError, Delivery, Inbox, IncomingCall, Options, PeerHandle};

use crate::support::{IN_TURN, Medium, empty, limited, notification, request, response, within};

fn answer_all(link: PeerHandle, mut inbox: Inbox) -> tokio::task::JoinHandle<usize> {
    tokio::spawn(async move {
        let mut told = 0;
        while let Some(incoming) = inbox.next().await {
            match incoming {
                IncomingCall::Request(id, _) => {
                    link.respond(&id, IN_TURN, Ok(&empty()));
                }
                IncomingCall::Notification(_) => told += 1,
            }
        }
        told
    })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn both_sides_send_calls_and_notifications_with_hardly_any_room() {
    for medium in [Medium::Memory(1), Medium::Memory(100), Medium::Pipes] {
        let options = || {
            limited(|limits| {
                limits.outbound = 100;
                limits.inbound = 100;
                limits.in_flight = 3;
            })
        };
        let mut tasks = Vec::new();
        let mut listening = Vec::new();
        let mut links = Vec::new();
        for (link, inbox) in medium.pair(options) {
            listening.push(answer_all(link.clone(), inbox));
            for _ in 0..8 {
                let link = link.clone();
                tasks.push(tokio::spawn(async move {
                    for round in 0..60 {
                        let delivery = match round % 2 {
                            0 => Delivery::AtOnce,
                            _ => Delivery::InOrder,
                        };
                        link.notify("told", &empty(), IN_TURN).await.unwrap();
                        link.call("asked", &empty(), IN_TURN, delivery)
                            .await
                            .unwrap();
                    }
                }));
            }
            links.push(link);
        }
        for task in tasks {
            within(task).await.unwrap();
        }
        for link in links {
            link.close();
        }
        for told in listening {
            within(told).await.unwrap();
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn calls_of_many_tasks_respect_the_limit_of_pending_calls() {
    let (link, _inbox, mut wire) =
        Medium::Memory(64 << 10).connect(limited(|limits| limits.in_flight = 1));
    let (tasks, each) = (16, 60);
    for _ in 0..tasks {
        let link = link.clone();
        tokio::spawn(async move {
            for _ in 0..each {
                link.call("ask", &empty(), IN_TURN, Delivery::AtOnce)
                    .await
                    .unwrap();
            }
        });
    }
    for id in 1..=tasks * each {
        assert!(wire.line().await.contains(&format!("\"id\":{id},")));
        let early = tokio::time::timeout(Duration::from_micros(50), wire.line()).await;
        assert!(
            early.is_err(),
            "a second call while one is under way: {early:?}"
        );
        wire.send(response(id)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn dropped_calls_never_strand_calls_waiting_for_a_slot() {
    let (link, _inbox, mut wire) =
        Medium::Memory(256).connect(limited(|limits| limits.in_flight = 2));
    let ended = Arc::new(AtomicUsize::new(0));
    let mut tasks = Vec::new();
    for task in 0..32 {
        let (link, ended) = (link.clone(), Arc::clone(&ended));
        tasks.push(tokio::spawn(async move {
            for round in 0..40 {
                let params = empty();
                let call = link.call("ask", &params, IN_TURN, Delivery::AtOnce);
                let patience = Duration::from_micros(200 * (task + round) % 1500);
                if let Ok(outcome) = tokio::time::timeout(patience, call).await {
                    assert_eq!(outcome.unwrap().as_str(), "{}");
                }
                ended.fetch_add(1, Ordering::Relaxed);
            }
        }));
    }
    let peer = tokio::spawn(async move {
        loop {
            let line = wire.line().await;
            let Some((_, rest)) = line.split_once("\"id\":") else {
                continue;
            };
            let id = rest[..rest.find(',').unwrap()].to_owned();
            if id.parse::<u64>().unwrap() % 3 != 0 {
                wire.send(response(id)).await;
            }
        }
    });
    for task in tasks {
        within(task).await.unwrap();
    }
    assert_eq!(ended.load(Ordering::Relaxed), 32 * 40);
    peer.abort();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn cancelling_next_at_any_moment_loses_no_message() {
    let options = limited(|limits| limits.inbound = 200);
    let (link, mut inbox, mut wire) = Medium::Memory(128).connect(options);
    let count = 4000;
    let sender = tokio::spawn(async move {
        for number in 0..count {
            wire.send(notification(&number.to_string())).await;
        }
        wire
    });
    let mut number = 0;
    let take_all = async {
        while number < count {
            let next = tokio::select! {
                next = inbox.next() => next,
                () = tokio::task::yield_now() => continue,
            };
            assert_eq!(next.unwrap().call().method(), number.to_string());
            number += 1;
        }
    };
    within(take_all).await;
    drop(sender.await.unwrap());
    assert!(within(inbox.next()).await.is_none());
    drop(link);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn closing_at_any_moment_ends_every_call_and_every_task() {
    for round in 0..300 {
        let medium = if round % 3 == 0 {
            Medium::Pipes
        } else {
            Medium::Memory(64)
        };
        let mut options = limited(|limits| {
            limits.inbound = 100;
            limits.outbound = 100;
            limits.in_flight = 4;
        });
        options.grace = Duration::from_millis(5);
        let (link, inbox, mut wire) = medium.connect(options);
        let mut calls = Vec::new();
        for number in 0..8 {
            let link = link.clone();
            calls.push(tokio::spawn(async move {
                let delivery = [Delivery::AtOnce, Delivery::InOrder][number % 2];
                link.call("ask", &empty(), IN_TURN, delivery).await
            }));
        }
        let peer = tokio::spawn(async move {
            for number in 0..5 {
                if !wire.offer(request(number, "ask") + &response(number)).await {
                    return;
                }
            }
        });
        match round % 4 {
            0 => link.close(),
            1 => drop(inbox),
            _ => {}
        }
        for _ in 0..round % 7 {
            tokio::task::yield_now().await;
        }
        link.close();
        for call in calls {
            let outcome = within(call).await.unwrap();
            let fair = matches!(outcome, Ok(_) | Err(CallError::Closed(_)));
            assert!(fair, "round {round}: {outcome:?}");
        }
        within(peer).await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn flush_always_returns() {
    let (link, _inbox, mut wire) = Medium::Memory(512).connect(Options::default());
    let mut tasks = Vec::new();
    for _ in 0..8 {
        let link = link.clone();
        tasks.push(tokio::spawn(async move {
            for _ in 0..300 {
                link.notify("said", &empty(), IN_TURN).await.unwrap();
                link.flush().await;
            }
        }));
    }
    let reader = tokio::spawn(async move {
        for _ in 0..8 * 300 {
            wire.line().await;
        }
        wire
    });
    for task in tasks {
        within(task).await.unwrap();
    }
    within(reader).await.unwrap();
}
