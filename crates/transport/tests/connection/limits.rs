//! The smallest limits that can work, and what happens beyond them.

use std::collections::VecDeque;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};

use attache_transport::{CallError, Delivery, IncomingCall, Options, connect};
use tokio::io::{AsyncRead, ReadBuf};

use crate::support::{
    IN_TURN, MEDIA, Medium, call, code, empty, eventually, limited, next_request, notification,
    request, response, within,
};

fn tiny() -> Options {
    limited(|limits| {
        limits.outbound = 1;
        limits.inbound = 1;
        limits.in_flight = 1;
    })
}

#[tokio::test]
async fn one_byte_of_room_and_one_call_at_a_time_is_enough() {
    for medium in MEDIA {
        let [(one, _inbox), (other, mut calls)] = medium.pair(tiny);
        let answers = tokio::spawn(async move {
            let mut told = 0;
            while let Some(incoming) = calls.next().await {
                match incoming {
                    IncomingCall::Request(id, _) => {
                        assert!(other.respond(&id, IN_TURN, Ok(&empty())))
                    }
                    IncomingCall::Notification(_) => told += 1,
                }
            }
            told
        });
        let mut tasks = Vec::new();
        for _ in 0..20 {
            let one = one.clone();
            tasks.push(tokio::spawn(async move {
                for _ in 0..10 {
                    one.notify("told", &empty(), IN_TURN).await.unwrap();
                    let asked = one.call("asked", &empty(), IN_TURN, Delivery::AtOnce).await;
                    assert_eq!(asked.unwrap().as_str(), "{}");
                }
            }));
        }
        for task in tasks {
            within(task).await.unwrap();
        }
        one.close();
        assert_eq!(within(answers).await.unwrap(), 200, "{medium:?}");
    }
}

#[tokio::test]
async fn calls_beyond_the_limit_wait_for_their_turn() {
    let (link, _inbox, mut wire) = Medium::Pipes.connect(limited(|limits| limits.in_flight = 2));
    let mut calls = Vec::new();
    for _ in 0..5 {
        calls.push(call(&link, Delivery::AtOnce).await);
    }
    for id in 1..=5 {
        if id > 2 {
            wire.send(response(id - 2)).await;
        }
        assert!(wire.line().await.contains(&format!("\"id\":{id},")));
    }
    wire.send(response(4) + &response(5)).await;
    for call in calls {
        within(call).await.unwrap().unwrap();
    }
}

#[tokio::test]
async fn a_dropped_call_makes_room_for_a_waiting_one_while_writing_is_blocked() {
    let (link, inbox, mut wire) = Medium::Memory(1).connect(limited(|limits| limits.in_flight = 1));
    let first = call(&link, Delivery::AtOnce).await;
    let second = call(&link, Delivery::AtOnce).await;
    first.abort();
    assert!(within(first).await.unwrap_err().is_cancelled());
    for _ in 0..10 {
        tokio::task::yield_now().await;
    }
    second.abort();
    assert!(within(second).await.unwrap_err().is_cancelled());
    drop((link, inbox));
    let said = wire.rest().await;
    assert_eq!(said.matches("\"ask\"").count(), 2, "{said}");
    assert_eq!(said.matches("$/cancel_request").count(), 2, "{said}");
}

#[tokio::test]
async fn requests_beyond_the_limit_are_rejected_and_the_rest_is_served() {
    for medium in MEDIA {
        let (link, mut inbox, mut wire) = medium.connect(limited(|limits| limits.in_flight = 2));
        wire.send(request(1, "a") + &request(2, "b") + &request(3, "c"))
            .await;
        let refused = wire.line().await;
        assert!(
            refused.contains("\"id\":3,") && refused.contains("overloaded"),
            "{refused}"
        );
        assert_eq!(code(&refused), Some(-32603));
        let (first, _) = next_request(&mut inbox).await;
        next_request(&mut inbox).await;
        assert!(link.respond(&first, IN_TURN, Ok(&empty())));
        assert_eq!(wire.line().await + "\n", response(1));
        wire.send(request(4, "d")).await;
        assert_eq!(next_request(&mut inbox).await.1, "d");
        assert_eq!(link.counts().overloaded, 1);
    }
}

#[tokio::test]
async fn outgoing_messages_respect_the_frame_limit() {
    let long = "exact".repeat(200);
    let whole = notification(&long).trim_end().len();
    for (limit, fits) in [(whole - 1, false), (whole, true), (whole + 1, true)] {
        let (link, _inbox, mut wire) =
            Medium::Pipes.connect(limited(|limits| limits.frame = limit));
        let sent = link.notify(&long, &empty(), IN_TURN).await;
        if fits {
            sent.unwrap();
            assert_eq!(wire.line().await + "\n", notification(&long));
        } else {
            let Err(CallError::TooLarge(too_large)) = sent else {
                panic!("{sent:?}");
            };
            assert_eq!((too_large.size, too_large.limit), (whole, limit));
        }
        link.notify("m", &empty(), IN_TURN).await.unwrap();
        assert_eq!(wire.line().await + "\n", notification("m"));
    }
}

#[tokio::test]
async fn a_response_over_the_frame_limit_becomes_an_error() {
    let (link, mut inbox, mut wire) = Medium::Pipes.connect(limited(|limits| limits.frame = 1000));
    wire.send(request(1, "big")).await;
    let (id, _) = next_request(&mut inbox).await;
    let big = attache_rpc::json::Raw::of(&"x".repeat(1000));
    assert!(link.respond(&id, IN_TURN, Ok(&big)));
    let answer = wire.line().await;
    assert!(
        answer.contains("frame_too_large") && code(&answer) == Some(-32603),
        "{answer}"
    );
    wire.check_alive(&link, &mut inbox).await;
}

#[tokio::test]
async fn the_buffer_of_a_long_message_is_released() {
    let long = |bytes: usize| notification(&"x".repeat(bytes));
    for first in [long(4 << 20), long(40 << 20)] {
        let room = Arc::new(AtomicUsize::new(0));
        let text = first + &notification("next");
        let pieces = text.as_bytes().chunks(64 << 10).map(<[u8]>::to_vec);
        let read = Pieces {
            pieces: pieces.collect(),
            room: Arc::clone(&room),
        };
        let (_link, mut inbox) = connect(read, tokio::io::sink(), Options::default());
        loop {
            let incoming = within(inbox.next()).await.unwrap();
            if incoming.call().method() == "next" {
                break;
            }
        }
        eventually(|| room.load(Ordering::Relaxed) <= 128 << 10).await;
    }
}

/// A stream that delivers pieces, then nothing more, and records the size of the buffer it was last read into.
struct Pieces {
    pieces: VecDeque<Vec<u8>>,
    room: Arc<AtomicUsize>,
}

impl AsyncRead for Pieces {
    fn poll_read(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.room.store(buffer.remaining(), Ordering::Relaxed);
        let Some(piece) = self.pieces.front_mut() else {
            return Poll::Pending;
        };
        let some = piece.len().min(buffer.remaining());
        buffer.put_slice(&piece[..some]);
        piece.drain(..some);
        if piece.is_empty() {
            self.pieces.pop_front();
        }
        Poll::Ready(Ok(()))
    }
}
