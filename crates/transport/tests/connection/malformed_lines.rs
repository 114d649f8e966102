//! Malformed lines: which are answered, which are skipped, and when the connection is closed.

use attache_rpc::{FatalError, NonJsonLines};
use attache_transport::{CloseReason, Options};

use crate::support::{MEDIA, Medium, Wire, code, limited, next_method, notification, within};

fn skipping() -> Options {
    Options::default().non_json_lines(NonJsonLines::Skip)
}

#[tokio::test]
async fn malformed_lines_are_answered_and_the_connection_stays_open() {
    let rows: [(&[u8], i32); 8] = [
        (b"Welcome to the shell!\n", -32700),
        (b"{\"jsonrpc\":\"2.0\",\"method\":\"caf\xe9\"}\n", -32700),
        (b"{\"jsonrpc\":\"2.0\",\"method\":\"\xc0\xaf\"}\n", -32700),
        (
            b"{\"jsonrpc\":\"2.0\",\"method\":\"\xed\xa0\x80\"}\n",
            -32700,
        ),
        (b"{\"jsonrpc\":\"2.0\",\"method\":\"\xe2\x82\n", -32700),
        (b"{\"jsonrpc\":\"2.0\",\"method\":\"a\0b\"}\n", -32700),
        (b"{\"jsonrpc\":\"2.0\",\"method\":\"a\"} {}\n", -32700),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":7}\n", -32600),
    ];
    for medium in MEDIA {
        let (link, mut inbox, mut wire) = medium.connect(Options::default());
        for (line, expected) in &rows {
            wire.send(line).await;
            let answer = wire.line().await;
            let shown = String::from_utf8_lossy(line);
            assert_eq!(code(&answer), Some(*expected), "{shown}: {answer}");
            wire.check_alive(&link, &mut inbox).await;
        }
        assert_eq!(link.counts().malformed, rows.len());
    }
}

#[tokio::test]
async fn banners_are_skipped_where_configured() {
    for medium in MEDIA {
        let (link, mut inbox, mut wire) = medium.connect(skipping());
        wire.send("npm warn deprecated\n\x1b[32mready\x1b[0m\nnull and void\n")
            .await;
        wire.send(notification("first")).await;
        assert_eq!(next_method(&mut inbox).await, "first");
        wire.send("a line in the middle\n").await;
        wire.check_alive(&link, &mut inbox).await;
        assert_eq!(link.counts().malformed, 4);
    }
}

/// Sends one malformed line more than the limit, and reads the responses.
async fn send_too_many(wire: Wire) {
    let mut wire = wire;
    for _ in 0..=1000 {
        wire.offer("no message\n").await;
    }
    drop(wire);
}

#[tokio::test]
async fn the_thousand_and_first_malformed_line_ends_the_connection() {
    for options in [skipping, Options::default] {
        for medium in [Medium::Memory(64 << 10), Medium::Pipes] {
            let (link, mut inbox, mut wire) = medium.connect(options());
            for _ in 0..1000 {
                wire.send("no message\n").await;
            }
            wire.send(notification("still here")).await;
            assert_eq!(next_method(&mut inbox).await, "still here");
            let sender = tokio::spawn(send_too_many(wire));
            let why = within(link.closed()).await;
            assert_eq!(
                why,
                CloseReason::Fatal(FatalError::TooManyMalformed),
                "{medium:?}"
            );
            assert!(within(inbox.next()).await.is_none());
            sender.await.unwrap();
        }
    }
}

#[tokio::test]
async fn a_peer_that_never_reads_its_errors_is_disconnected() {
    let options = limited(|limits| {
        limits.outbound = 1 << 10;
        limits.malformed = usize::MAX;
    });
    let (link, _inbox, mut wire) = Medium::Memory(1 << 10).connect(options);
    while wire.offer("no message\n").await && link_is_open(&link).await {}
    assert_eq!(
        within(link.closed()).await,
        CloseReason::Fatal(FatalError::UnreadResponses)
    );
}

async fn link_is_open(link: &attache_transport::PeerHandle) -> bool {
    tokio::select! {
        biased;
        _ = link.closed() => false,
        () = tokio::task::yield_now() => true,
    }
}

#[tokio::test]
async fn frames_over_the_limit_by_one_byte_are_rejected() {
    for medium in MEDIA {
        let limit = 200;
        let (link, mut inbox, mut wire) = medium.connect(limited(|limits| limits.frame = limit));
        for (length, passes) in [
            (limit - 1, true),
            (limit, true),
            (limit + 1, false),
            (9 * limit, false),
        ] {
            for ending in ["\n", "\r\n"] {
                let line = padded(length);
                wire.send(line + ending).await;
                if passes {
                    assert_eq!(next_method(&mut inbox).await, "long", "{length}");
                } else {
                    let answer = wire.line().await;
                    assert_eq!(code(&answer), Some(-32600), "{answer}");
                    assert!(answer.contains("frame_too_large"), "{answer}");
                }
                wire.check_alive(&link, &mut inbox).await;
            }
        }
    }
}

fn padded(length: usize) -> String {
    let bare = r#"{"jsonrpc":"2.0","method":"long","params":[""]}"#;
    let (head, tail) = bare.split_at(bare.len() - 3);
    format!("{head}{}{tail}", "x".repeat(length - bare.len()))
}
