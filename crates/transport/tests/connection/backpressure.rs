//! Sending more than the peer reads: senders wait, no message is lost, and urgent messages go first.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use attache_rpc::json::Raw;
use attache_rpc::{SendOptions, SessionKey};
use attache_transport::{IncomingCall, Options, PeerHandle};
use bytestring::ByteString;

use crate::support::{IN_TURN, Medium, empty, limited, notification, stable, within};

/// Sends numbered notifications until stopped, and counts them.
fn chatter(link: &PeerHandle, text: &str, count: usize) -> Arc<AtomicUsize> {
    let said = Arc::new(AtomicUsize::new(0));
    let params = Raw::of(&vec![text.to_owned()]);
    tokio::spawn({
        let (link, said) = (link.clone(), Arc::clone(&said));
        async move {
            for number in 0..count {
                let method = number.to_string();
                if link.notify(&method, &params, IN_TURN).await.is_err() {
                    return;
                }
                said.store(number + 1, Ordering::Relaxed);
            }
        }
    });
    said
}

#[tokio::test(start_paused = true)]
async fn a_peer_that_stops_reading_for_a_while_stops_the_sender_and_loses_nothing() {
    let (text, outbound) = ("x".repeat(1000), 64 << 10);
    let options = limited(|limits| limits.outbound = outbound);
    let (link, _inbox, mut wire) = Medium::Memory(16 << 10).connect(options);
    let count = 2000;
    let said = chatter(&link, &text, count);
    tokio::time::sleep(Duration::from_secs(1)).await;
    let held = said.load(Ordering::Relaxed);
    assert!(
        held * text.len() <= outbound + (16 << 10) + 2 * 1100,
        "{held} are held"
    );
    tokio::time::sleep(Duration::from_secs(10)).await;
    assert_eq!(said.load(Ordering::Relaxed), held);
    for number in 0..count {
        let line = wire.line().await;
        assert!(
            line.contains(&format!("\"method\":\"{number}\"")),
            "{number}: {line}"
        );
    }
}

#[tokio::test]
async fn a_pipe_that_is_read_late_stops_the_sender_and_loses_nothing() {
    let (text, outbound) = ("x".repeat(1000), 64 << 10);
    let options = limited(|limits| limits.outbound = outbound);
    let (link, _inbox, mut wire) = Medium::Pipes.connect(options);
    let count = 1000;
    let said = chatter(&link, &text, count);
    let held = stable(&said).await;
    assert!(
        held * text.len() <= outbound + (64 << 10) + 2 * 1100,
        "{held} are held"
    );
    for number in 0..count {
        let line = wire.line().await;
        assert!(
            line.contains(&format!("\"method\":\"{number}\"")),
            "{number}: {line}"
        );
    }
}

#[tokio::test]
async fn urgent_messages_overtake_other_sessions_but_never_their_own() {
    for medium in [Medium::Memory(1000), Medium::Pipes] {
        let (link, inbox, mut wire) = medium.connect(Options::default());
        let (flood, own) = (SessionKey::named("flood"), SessionKey::named("own"));
        let filler = Raw::of(&vec!["x".repeat(1000)]);
        for number in 0..2000 {
            link.notify(&format!("flood-{number}"), &filler, SendOptions::of(flood))
                .await
                .unwrap();
            if number % 500 == 499 {
                let method = format!("own-{}", number / 500);
                link.notify(&method, &empty(), SendOptions::of(own))
                    .await
                    .unwrap();
            }
        }
        let line = ByteString::from(notification("own-4"));
        link.relay(line, SendOptions::of(own)).await.unwrap();
        link.notify("own-5", &empty(), SendOptions::urgent(own))
            .await
            .unwrap();
        link.notify("own-6", &empty(), SendOptions::of(own))
            .await
            .unwrap();
        drop((link, inbox));
        let said = wire.rest().await;
        let methods: Vec<&str> = said.lines().map(method).collect();
        let of = |prefix| {
            methods
                .iter()
                .filter(move |m| m.starts_with(prefix))
                .copied()
        };
        let expected: Vec<String> = (0..7).map(|n| format!("own-{n}")).collect();
        assert_eq!(of("own").collect::<Vec<_>>(), expected, "{medium:?}");
        let expected: Vec<String> = (0..2000).map(|n| format!("flood-{n}")).collect();
        assert_eq!(of("flood").collect::<Vec<_>>(), expected, "{medium:?}");
        let urgent_at = methods.iter().position(|m| *m == "own-5").unwrap();
        assert!(
            urgent_at < 1000,
            "{medium:?}: the urgent one came as number {urgent_at}"
        );
    }
}

fn method(line: &str) -> &str {
    let (_, rest) = line.split_once("\"method\":\"").unwrap();
    &rest[..rest.find('"').unwrap()]
}

#[tokio::test]
async fn urgent_messages_do_not_wait_for_room() {
    let (link, _inbox, _wire) = Medium::Memory(1).connect(limited(|limits| limits.outbound = 1));
    link.notify("bulk", &empty(), IN_TURN).await.unwrap();
    let urgent = SendOptions::urgent(SessionKey::named("control"));
    for _ in 0..100 {
        within(link.notify("control", &empty(), urgent))
            .await
            .unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sixty_four_tasks_never_interleave_and_each_keeps_its_order() {
    const TASKS: usize = 64;
    const EACH: usize = 10_000;
    let (link, _inbox, mut wire) = Medium::Pipes.connect(Options::default());
    for task in 0..TASKS {
        let link = link.clone();
        tokio::spawn(async move {
            for number in 0..EACH {
                let method = format!("{task}-{number}");
                link.notify(&method, &empty(), IN_TURN).await.unwrap();
            }
        });
    }
    let mut next = [0; TASKS];
    for _ in 0..TASKS * EACH {
        let line = wire.line().await;
        let (task, number) = method(&line).split_once('-').unwrap();
        let task: usize = task.parse().unwrap();
        assert_eq!(number.parse(), Ok(next[task]), "{line}");
        assert_eq!(line + "\n", notification(&format!("{task}-{}", next[task])));
        next[task] += 1;
    }
}

#[tokio::test]
async fn both_sides_can_send_much_before_either_reads() {
    for medium in [Medium::Memory(64 << 10), Medium::Pipes] {
        let sides = medium.pair(Options::default);
        let count = (12 << 20) / (64 << 10);
        let big = Raw::of(&vec!["x".repeat(64 << 10)]);
        let mut tasks = Vec::new();
        for (link, mut inbox) in sides {
            let big = big.clone();
            tasks.push(tokio::spawn(async move {
                for _ in 0..count {
                    link.notify("much", &big, IN_TURN).await.unwrap();
                }
                for _ in 0..count {
                    assert!(matches!(
                        inbox.next().await,
                        Some(IncomingCall::Notification(_))
                    ));
                }
                link.flush().await;
            }));
        }
        for task in tasks {
            within(task).await.unwrap();
        }
    }
}

#[tokio::test]
async fn an_urgent_message_does_not_overtake_its_own_session_waiting_for_room() {
    let options = limited(|limits| limits.outbound = 1);
    let (link, _inbox, mut wire) = Medium::Memory(1).connect(options);
    let session = SessionKey::named("s");
    link.notify("first", &empty(), IN_TURN).await.unwrap();
    let waiting = tokio::spawn({
        let link = link.clone();
        async move {
            link.notify("prompt", &empty(), SendOptions::of(session))
                .await
        }
    });
    tokio::task::yield_now().await;
    let urgent = tokio::spawn({
        let link = link.clone();
        async move {
            link.notify("cancel", &empty(), SendOptions::urgent(session))
                .await
        }
    });
    tokio::task::yield_now().await;
    for method in ["first", "prompt", "cancel"] {
        assert_eq!(wire.line().await + "\n", notification(method));
    }
    within(waiting).await.unwrap().unwrap();
    within(urgent).await.unwrap().unwrap();
}
