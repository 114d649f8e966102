//! Framing: messages are recognized in whatever pieces the bytes arrive.

use std::time::Duration;

use attache_rpc::Framing;
use attache_transport::{CloseReason, IncomingCall, Options};

use crate::support::{IN_TURN, MEDIA, Medium, empty, next_method, notification, request, within};

/// Sends parts as separate writes, closes, and compares the methods that arrive with those expected.
async fn check(parts: &[&[u8]], methods: &[&str], end: CloseReason) {
    for medium in MEDIA {
        let options = Options::default().grace(Duration::from_millis(50));
        let (link, mut inbox, mut wire) = medium.connect(options);
        let parts: Vec<Vec<u8>> = parts.iter().map(|part| part.to_vec()).collect();
        let sender = tokio::spawn(async move {
            for part in parts {
                if !wire.offer(part).await {
                    return wire;
                }
                tokio::task::yield_now().await;
            }
            wire.close_write().await;
            wire
        });
        let mut got = Vec::new();
        while let Some(incoming) = within(inbox.next()).await {
            if let IncomingCall::Request(id, _) = &incoming {
                link.respond(id, IN_TURN, Ok(&empty()));
            }
            got.push(incoming.call().method().to_owned());
        }
        assert_eq!(got, methods, "{medium:?}");
        assert_eq!(link.closed().await, end, "{medium:?}");
        drop((link, inbox));
        within(sender).await.unwrap();
    }
}

fn headed(body: &str) -> String {
    let body = body.trim_end();
    format!("Content-Length: {}\r\n\r\n{body}", body.len())
}

fn broken(parts: &[u8]) -> CloseReason {
    let mut splitter = attache_rpc::Splitter::new(1 << 20);
    let mut buffer = bytes::BytesMut::from(parts);
    loop {
        match splitter.next(&mut buffer) {
            Ok(Some(_)) => {}
            Ok(None) => return CloseReason::Framing(splitter.end(&mut buffer).unwrap_err()),
            Err(broken) => return CloseReason::Framing(broken),
        }
    }
}

#[tokio::test]
async fn one_byte_at_a_time() {
    let text = notification("a") + &request(1, "b");
    let bytes: Vec<&[u8]> = text.as_bytes().chunks(1).collect();
    check(&bytes, &["a", "b"], CloseReason::PeerClosed).await;
}

#[tokio::test]
async fn several_messages_in_one_write() {
    let text = notification("a") + &notification("b") + &request(1, "c") + &notification("d");
    check(
        &[text.as_bytes()],
        &["a", "b", "c", "d"],
        CloseReason::PeerClosed,
    )
    .await;
}

#[tokio::test]
async fn carriage_returns_and_blank_lines() {
    let text = (notification("a") + "\r\n   \n\n\t\n" + &notification("b")).replace('\n', "\r\n");
    check(&[text.as_bytes()], &["a", "b"], CloseReason::PeerClosed).await;
}

#[tokio::test]
async fn the_last_message_needs_no_line_break() {
    let text = notification("a") + notification("b").trim_end();
    check(&[text.as_bytes()], &["a", "b"], CloseReason::PeerClosed).await;
}

#[tokio::test]
async fn an_end_inside_a_message_drops_it_and_ends_cleanly() {
    let b = notification("b");
    for cut in [1, 10, b.len() - 2] {
        let text = notification("a") + &b[..cut];
        check(&[text.as_bytes()], &["a"], CloseReason::PeerClosed).await;
    }
}

#[tokio::test]
async fn headers_are_read_in_any_pieces() {
    let text = headed(&notification("a"))
        + "Content-Type: application/json; charset=utf-8\r\n"
        + &headed(&request(1, "b"));
    check(&[text.as_bytes()], &["a", "b"], CloseReason::PeerClosed).await;
    let bytes: Vec<&[u8]> = text.as_bytes().chunks(1).collect();
    check(&bytes, &["a", "b"], CloseReason::PeerClosed).await;
}

#[tokio::test]
async fn an_end_inside_a_message_with_headers_is_reported() {
    let text = headed(&notification("a"));
    let body = notification("a").trim_end().len();
    for missing in [3, body, body + 2, body + 3] {
        let cut = &text.as_bytes()[..text.len() - missing];
        check(&[cut], &[], broken(cut)).await;
    }
}

#[tokio::test]
async fn a_bare_line_after_headers_ends_the_connection() {
    let text = headed(&notification("a")) + &notification("b");
    check(&[text.as_bytes()], &["a"], broken(text.as_bytes())).await;
}

#[tokio::test]
async fn headers_after_lines_are_lines_that_are_no_messages() {
    let text = notification("a") + "Content-Length: 5\r\n\r\n" + &notification("b");
    check(&[text.as_bytes()], &["a", "b"], CloseReason::PeerClosed).await;
}

#[tokio::test]
async fn headers_are_written_if_configured_and_either_framing_is_read() {
    for medium in MEDIA {
        let options = Options::default().framing(Framing::Headers);
        let (link, mut inbox, mut wire) = medium.connect(options);
        wire.send(notification("plain")).await;
        assert_eq!(next_method(&mut inbox).await, "plain");
        link.notify("told", &empty(), IN_TURN).await.unwrap();
        let expected = headed(&notification("told"));
        let got = wire.bytes(expected.len()).await;
        assert_eq!(String::from_utf8(got).unwrap(), expected);
    }
}

#[tokio::test]
async fn two_connections_talk_in_headers() {
    let options = || Options::default().framing(Framing::Headers);
    let [(one, _one_inbox), (other, mut inbox)] = Medium::Pipes.pair(options);
    let answers = tokio::spawn(async move {
        while let Some(incoming) = inbox.next().await {
            if let IncomingCall::Request(id, _) = incoming {
                other.respond(&id, IN_TURN, Ok(&empty()));
            }
        }
    });
    for _ in 0..100 {
        let params = empty();
        let asked = one.call("m", &params, IN_TURN, attache_transport::Delivery::AtOnce);
        assert_eq!(within(asked).await.unwrap().as_str(), "{}");
    }
    one.close();
    within(answers).await.unwrap();
}
