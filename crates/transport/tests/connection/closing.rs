//! Closing a connection, and dropping its handle or its inbox.

use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use attache_transport::{CallError, CloseReason, Delivery, Options, connect};
use tokio::io::AsyncWrite;
use tokio::runtime::Handle;
use tokio::time::{Sleep, sleep};

use crate::support::{
    IN_TURN, MEDIA, Medium, call, code, connected, empty, eventually, notification, request,
    response, within,
};

#[tokio::test]
async fn without_an_inbox_requests_are_rejected_and_calls_still_work() {
    for medium in MEDIA {
        let (link, inbox, mut wire) = medium.connect(Options::default());
        wire.send(request(7, "queued")).await;
        drop(inbox);
        wire.send(notification("unheard") + &request(8, "late"))
            .await;
        for id in [7, 8] {
            let refused = wire.line().await;
            assert_eq!(code(&refused), Some(-32601), "{refused}");
            assert!(refused.contains(&format!("\"id\":{id},")), "{refused}");
        }
        for (number, delivery) in [(1, Delivery::AtOnce), (2, Delivery::InOrder)] {
            let waiting = call(&link, delivery).await;
            wire.line().await;
            wire.send(response(number)).await;
            assert_eq!(within(waiting).await.unwrap().unwrap(), "{}");
        }
    }
}

#[tokio::test]
async fn a_response_behind_unread_calls_is_delivered_when_the_inbox_is_dropped() {
    let (link, inbox, mut wire) = connected();
    let waiting = call(&link, Delivery::InOrder).await;
    wire.line().await;
    wire.send(notification("before") + &response(1)).await;
    wire.send(request(1, "mark")).await;
    drop(inbox);
    assert_eq!(within(waiting).await.unwrap().unwrap(), "{}");
}

#[tokio::test]
async fn dropping_a_full_inbox_resumes_reading() {
    let options = crate::support::limited(|limits| limits.inbound = 1);
    let (link, inbox, mut wire) = Medium::Memory(64).connect(options);
    wire.send(notification("one")).await;
    let sender = tokio::spawn(async move {
        for _ in 0..100 {
            wire.send(notification("more")).await;
        }
        wire
    });
    tokio::task::yield_now().await;
    drop(inbox);
    let mut wire = within(sender).await.unwrap();
    wire.send(request(1, "last")).await;
    assert_eq!(code(&wire.line().await), Some(-32601));
    drop(link);
}

#[tokio::test]
async fn queued_messages_are_written_before_the_end() {
    for medium in MEDIA {
        let tasks = Handle::current().metrics().num_alive_tasks();
        let (link, inbox, mut wire) = medium.connect(Options::default());
        let mut said = String::new();
        for number in 0..500 {
            let method = format!("said-{number}");
            link.notify(&method, &empty(), IN_TURN).await.unwrap();
            said += &notification(&method);
        }
        drop(inbox);
        drop(link);
        assert_eq!(wire.rest().await, said, "{medium:?}");
        eventually(|| Handle::current().metrics().num_alive_tasks() == tasks).await;
    }
}

#[tokio::test]
async fn a_peer_that_never_stops_sending_does_not_keep_a_closed_connection_open() {
    for medium in MEDIA {
        let (link, inbox, mut wire) = medium.connect(Options::default());
        let metrics = Handle::current().metrics();
        let tasks = metrics.num_alive_tasks();
        let enough = Arc::new(AtomicBool::new(false));
        let flood = tokio::spawn({
            let enough = Arc::clone(&enough);
            async move {
                while !enough.load(Ordering::Relaxed) && wire.offer(notification("on and on")).await
                {
                }
                wire
            }
        });
        for _ in 0..50 {
            tokio::task::yield_now().await;
        }
        drop((link, inbox));
        eventually(|| metrics.num_alive_tasks() < tasks).await;
        enough.store(true, Ordering::Relaxed);
        flood.abort();
    }
}

#[tokio::test]
async fn close_releases_waiting_senders() {
    let options = crate::support::limited(|limits| limits.outbound = 1);
    let (link, _inbox, _wire) = Medium::Memory(1).connect(options);
    link.notify("first", &empty(), IN_TURN).await.unwrap();
    let waiting = tokio::spawn({
        let link = link.clone();
        async move { link.notify("second", &empty(), IN_TURN).await }
    });
    tokio::task::yield_now().await;
    link.close();
    let outcome = within(waiting).await.unwrap();
    assert_eq!(outcome, Err(CallError::Closed(CloseReason::ClosedLocally)));
}

#[tokio::test]
async fn close_works_while_reading_waits_for_room() {
    let options = crate::support::limited(|limits| limits.inbound = 1);
    let (link, mut inbox, mut wire) = Medium::Memory(64 << 10).connect(options);
    let waiting = call(&link, Delivery::AtOnce).await;
    wire.send(notification("one") + &notification("two")).await;
    wire.line().await;
    link.close();
    let outcome = within(waiting).await.unwrap();
    assert_eq!(outcome, Err(CallError::Closed(CloseReason::ClosedLocally)));
    assert!(within(inbox.next()).await.is_some());
    assert!(within(inbox.next()).await.is_none());
}

/// A stream that buffers bytes until it is flushed, which takes a second.
struct Lazy {
    held: Vec<u8>,
    flushing: Option<Pin<Box<Sleep>>>,
    out: Arc<Mutex<Vec<u8>>>,
}

impl AsyncWrite for Lazy {
    fn poll_write(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.held.extend_from_slice(bytes);
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let second = || Box::pin(sleep(Duration::from_secs(1)));
        let flushing = self.flushing.get_or_insert_with(second);
        ready!(flushing.as_mut().poll(cx));
        self.flushing = None;
        let held = std::mem::take(&mut self.held);
        self.out.lock().unwrap().extend(held);
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll_flush(cx)
    }
}

#[tokio::test(start_paused = true)]
async fn flush_returns_only_when_everything_is_written() {
    let out = Arc::default();
    let write = Lazy {
        held: Vec::new(),
        flushing: None,
        out: Arc::clone(&out),
    };
    let (read, _peer) = tokio::io::duplex(64);
    let (link, _inbox) = connect(read, write, Options::default());
    let mut said = String::new();
    for round in 0..20 {
        let method = format!("round-{round}");
        link.notify(&method, &empty(), IN_TURN).await.unwrap();
        said += &notification(&method);
        sleep(Duration::from_millis(100 * round)).await;
        within(link.flush()).await;
        assert_eq!(*out.lock().unwrap(), said.as_bytes(), "round {round}");
    }
}

#[tokio::test]
async fn a_peer_that_never_reads_does_not_keep_a_closed_connection_open() {
    for medium in MEDIA {
        let options = Options::default().grace(Duration::from_millis(50));
        let metrics = Handle::current().metrics();
        let tasks = metrics.num_alive_tasks();
        let (link, inbox, wire) = medium.connect(options);
        for _ in 0..2000 {
            let method = "x".repeat(100);
            link.notify(&method, &empty(), IN_TURN).await.unwrap();
        }
        drop((link, inbox));
        eventually(|| metrics.num_alive_tasks() == tasks).await;
        drop(wire);
    }
}

#[tokio::test(start_paused = true)]
async fn a_slow_peer_gets_all_messages_of_a_closed_connection() {
    let (link, inbox, mut wire) = Medium::Memory(100).connect(Options::default());
    let mut said = String::new();
    for number in 0..100 {
        let method = number.to_string();
        link.notify(&method, &empty(), IN_TURN).await.unwrap();
        said += &notification(&method);
    }
    drop((link, inbox));
    let mut got = String::new();
    for _ in 0..100 {
        sleep(Duration::from_millis(500)).await;
        got += &(wire.line().await + "\n");
    }
    assert_eq!(got, said);
}

#[tokio::test]
async fn ten_thousand_connections_leak_nothing() {
    let metrics = Handle::current().metrics();
    let tasks = metrics.num_alive_tasks();
    for round in 0..10_000 {
        let medium = if round % 4 == 0 {
            Medium::Pipes
        } else {
            Medium::Memory(256)
        };
        let (link, inbox, mut wire) = medium.connect(Options::default());
        match round % 3 {
            0 => {
                link.notify("m", &empty(), IN_TURN).await.unwrap();
                drop((link, inbox));
                assert_eq!(wire.rest().await, notification("m"));
            }
            1 => {
                drop(wire);
                assert_eq!(within(link.closed()).await, CloseReason::PeerClosed);
            }
            _ => drop((inbox, wire, link)),
        }
    }
    eventually(|| metrics.num_alive_tasks() == tasks).await;
    let files = std::fs::read_dir("/proc/self/fd").unwrap().count();
    assert!(files < 2000, "{files} files are open");
}

/// A stream that panics when it is read.
struct Panics;

impl tokio::io::AsyncRead for Panics {
    fn poll_read(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
        _: &mut tokio::io::ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        panic!("not expected");
    }
}

#[tokio::test]
async fn a_stream_that_panics_ends_the_connection() {
    let (_silent, write) = tokio::io::duplex(64);
    let (link, mut inbox) = connect(Panics, write, Options::default());
    assert!(within(inbox.next()).await.is_none());
    let called = link.call("m", &empty(), IN_TURN, Delivery::AtOnce).await;
    assert_eq!(
        called.unwrap_err(),
        CallError::Closed(CloseReason::TaskFailed)
    );
}
