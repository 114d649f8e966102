//! What a connection writes to the program's log, as a subscriber sees it.

use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use attache_rpc::json::Raw;
use attache_rpc::{Error, NonJsonLines};
use attache_transport::{CallError, Delivery};
use expect_test::{Expect, expect};
use tracing::Level;
use tracing::subscriber::DefaultGuard;

use crate::support::{
    IN_TURN, Medium, Wire, call, connected, empty, limited, next_method, next_request,
    notification, request, response,
};

/// Everything that is logged on this thread, as text.
struct CapturedLog {
    text: Arc<Mutex<Vec<u8>>>,
    _subscriber: DefaultGuard,
}

impl CapturedLog {
    fn begin(level: Level) -> CapturedLog {
        let text = Arc::new(Mutex::new(Vec::new()));
        let writer = Arc::clone(&text);
        let subscriber = tracing_subscriber::fmt()
            .with_max_level(level)
            .without_time()
            .with_writer(move || LogWriter(Arc::clone(&writer)))
            .finish();
        CapturedLog {
            text,
            _subscriber: tracing::subscriber::set_default(subscriber),
        }
    }

    /// The log so far, without the numbers of connections, which depend on other tests.
    fn text(&self) -> String {
        let text = String::from_utf8(self.text.lock().unwrap().clone()).unwrap();
        let lines =
            text.lines()
                .map(str::trim_start)
                .map(|line| match line.split_once("connection=") {
                    Some((before, after)) => {
                        let after = after.trim_start_matches(|char: char| char.is_ascii_digit());
                        format!("{before}connection=…{after}\n")
                    }
                    None => format!("{line}\n"),
                });
        lines.collect()
    }

    fn check(self, expected: &Expect) {
        expected.assert_eq(&self.text());
    }
}

struct LogWriter(Arc<Mutex<Vec<u8>>>);

impl io::Write for LogWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[tokio::test(start_paused = true)]
async fn requests_of_both_sides_have_spans_with_result_and_duration() {
    let log = CapturedLog::begin(Level::DEBUG);
    let (link, mut inbox, mut wire) = connected();
    let waiting = call(&link, Delivery::AtOnce).await;
    wire.line().await;
    wire.send(request(7, "fs/read")).await;
    tokio::time::sleep(Duration::from_millis(250)).await;
    let (id, _) = next_request(&mut inbox).await;
    tokio::time::sleep(Duration::from_millis(1500)).await;
    link.respond::<Raw>(&id, IN_TURN, Err(&Error::new(-32000, "a secret reason")));
    wire.line().await;
    wire.send(response(1)).await;
    waiting.await.unwrap().unwrap();
    wire.close_write().await;
    assert!(inbox.next().await.is_none());
    log.check(&expect![[r#"
        DEBUG connection{connection=… peer="peer" transport="stream" framing="lines" translated=false}:request{direction="received" method=fs/read id=7 queued_ms=250.0 result="error" error_code=-32000 duration_ms=1500.0}: attache_transport: request finished
        DEBUG connection{connection=… peer="peer" transport="stream" framing="lines" translated=false}:request{direction="sent" method=ask id=1 result="ok"  duration_ms=1750.0}: attache_transport: request finished
        INFO connection{connection=… peer="peer" transport="stream" framing="lines" translated=false}: attache_transport: connection ended direction="incoming" reason=the peer has closed the connection
    "#]]);
}

#[tokio::test(start_paused = true)]
async fn a_request_made_in_a_span_belongs_to_it() {
    let log = CapturedLog::begin(Level::DEBUG);
    let (link, mut inbox, mut wire) = connected();
    wire.send(request("\"a\"", "session/prompt")).await;
    let (id, _) = next_request(&mut inbox).await;
    let span = link.request_span(&id);
    let entered = span.enter();
    let params = empty();
    let pending = link.start("fs/write", &params, IN_TURN, Delivery::AtOnce);
    drop(pending.await.unwrap());
    drop(entered);
    link.respond(&id, IN_TURN, Ok(&empty()));
    assert!(link.request_span(&id).is_none());
    log.check(&expect![[r#"
        DEBUG connection{connection=… peer="peer" transport="stream" framing="lines" translated=false}:request{direction="received" method=session/prompt id="a" queued_ms=0.0}:request{direction="sent" method=fs/write id=1 result="dropped"  duration_ms=0.0}: attache_transport: request finished
        DEBUG connection{connection=… peer="peer" transport="stream" framing="lines" translated=false}:request{direction="received" method=session/prompt id="a" queued_ms=0.0 result="ok"  duration_ms=0.0}: attache_transport: request finished
    "#]]);
}

/// Everything that a peer can send, with a secret in every part that is not a method or an id.
async fn send_secrets(wire: &mut Wire) {
    for line in [
        format!("{CANARY}\n"),
        format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"m\",\"params\":{{\"key\":\"{CANARY}\n"
        ),
        format!("{{\"jsonrpc\":\"2.0\",\"id\":6,\"params\":\"{CANARY}\"}}\n"),
        format!(
            "{{\"jsonrpc\":\"2.0\",\"method\":\"m\",\"params\":{{\"{CANARY}\":\"{CANARY}\"}}}}\n"
        ),
        format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":8,\"method\":\"m\",\"params\":{{\"x\":\"{CANARY}\"}}}}\n"
        ),
        format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{{\"code\":1,\"message\":\"{CANARY}\",\"data\":\"{CANARY}\"}}}}\n"
        ),
        format!("{{\"jsonrpc\":\"2.0\",\"id\":9,\"result\":\"{CANARY}\"}}\n"),
        format!(
            "{{\"jsonrpc\":\"2.0\",\"method\":\"$/cancel_request\",\"params\":{{\"requestId\":\"{CANARY}\"}}}}\n"
        ),
        format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":10,\"method\":\"m\",\"params\":\"{}\"}}\n",
            CANARY.repeat(100)
        ),
        format!("[\"{CANARY}\"]\n"),
        format!("{{\"jsonrpc\":\"{CANARY}\",\"{CANARY}\":\"{CANARY}\"}}\n"),
    ] {
        wire.send(line).await;
    }
    let mut not_utf8 = CANARY.as_bytes().to_vec();
    not_utf8.extend(b"\xff\n");
    wire.send(not_utf8).await;
    wire.send(&CANARY.as_bytes()[..20]).await;
    wire.close_write().await;
}

#[tokio::test(start_paused = true)]
async fn attack_no_event_repeats_what_a_message_contains() {
    for non_json_lines in [NonJsonLines::Reject, NonJsonLines::Skip] {
        let log = CapturedLog::begin(Level::TRACE);
        let options = limited(|limits| limits.frame = 1000).non_json_lines(non_json_lines);
        let (link, mut inbox, mut wire) = Medium::Memory(64 << 10).connect(options);
        let asked = link.clone();
        let waiting = tokio::spawn(async move {
            let params = Raw::of(CANARY);
            asked.call("ask", &params, IN_TURN, Delivery::AtOnce).await
        });
        wire.line().await;
        send_secrets(&mut wire).await;
        while let Some(incoming) = inbox.next().await {
            if let attache_transport::IncomingCall::Request(id, _) = incoming {
                link.respond(&id, IN_TURN, Ok(&Raw::of(CANARY)));
            }
        }
        let refused = waiting.await.unwrap();
        assert!(matches!(refused, Err(CallError::Refused(_))));
        let text = log.text();
        assert!(!text.contains(&CANARY[..12]), "{text}");
        if non_json_lines == NonJsonLines::Reject {
            log.check(&expect![[r#"
                WARN connection{connection=… peer="peer" transport="stream" framing="lines" translated=false}: attache_transport: a line is not a valid message reason="not JSON: no value starts here"
                WARN connection{connection=… peer="peer" transport="stream" framing="lines" translated=false}: attache_transport: a line is not a valid message reason="not JSON: a control character in a string"
                WARN connection{connection=… peer="peer" transport="stream" framing="lines" translated=false}: attache_transport: a line is not a valid message id=6 reason="neither method, result nor error"
                WARN connection{connection=… peer="peer" transport="stream" framing="lines" translated=false}: attache_transport: a line is not a valid message id=10 reason="the message is longer than the limit"
                WARN connection{connection=… peer="peer" transport="stream" framing="lines" translated=false}: attache_transport: a line is not a valid message reason="expected an object, found an array"
                WARN connection{connection=… peer="peer" transport="stream" framing="lines" translated=false}: attache_transport: a line is not a valid message reason="jsonrpc: expected \"2.0\""
                WARN connection{connection=… peer="peer" transport="stream" framing="lines" translated=false}: attache_transport: a line is not a valid message reason="not UTF-8"
                DEBUG connection{connection=… peer="peer" transport="stream" framing="lines" translated=false}: attache_transport: responses match no pending request count=1
                DEBUG connection{connection=… peer="peer" transport="stream" framing="lines" translated=false}: attache_transport: cancellations match no pending request count=1
                WARN connection{connection=… peer="peer" transport="stream" framing="lines" translated=false}: attache_transport: a line is not a valid message reason="not JSON: no value starts here"
                INFO connection{connection=… peer="peer" transport="stream" framing="lines" translated=false}: attache_transport: connection ended direction="incoming" reason=the peer has closed the connection
                DEBUG connection{connection=… peer="peer" transport="stream" framing="lines" translated=false}:request{direction="sent" method=ask id=1 result="error" error_code=1 duration_ms=0.0}: attache_transport: request finished
                DEBUG connection{connection=… peer="peer" transport="stream" framing="lines" translated=false}:request{direction="received" method=m id=8 queued_ms=0.0 result="ok"  duration_ms=0.0}: attache_transport: request finished
            "#]]);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_long_method_is_cut_and_cannot_write_to_a_terminal() {
    let log = CapturedLog::begin(Level::DEBUG);
    let (link, mut inbox, mut wire) = connected();
    let method = format!("\\u001b]0;x\\u0007{}", "m".repeat(500));
    wire.send(request("\"\\u001b[2J\"", &method)).await;
    let (id, _) = next_request(&mut inbox).await;
    link.respond(&id, IN_TURN, Ok(&empty()));
    log.check(&expect![[r#"
        DEBUG connection{connection=… peer="peer" transport="stream" framing="lines" translated=false}:request{direction="received" method=\u{1b}]0;x\u{7}mmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmm… id="\u001b[2J" queued_ms=0.0 result="ok"  duration_ms=0.0}: attache_transport: request finished
    "#]]);
}

#[tokio::test(start_paused = true)]
async fn calls_that_nobody_takes_are_reported_once() {
    let log = CapturedLog::begin(Level::WARN);
    let (_link, mut inbox, mut wire) = connected();
    wire.send(notification("one")).await;
    tokio::time::sleep(Duration::from_secs(60)).await;
    next_method(&mut inbox).await;
    tokio::time::sleep(Duration::from_secs(60)).await;
    log.check(&expect![[r#"
         WARN connection{connection=… peer="peer" transport="stream" framing="lines" translated=false}: attache_transport: the program takes no calls from the inbox waited_ms=10000.0 bytes=45
    "#]]);
}

#[tokio::test(start_paused = true)]
async fn a_request_without_a_response_is_reported_once() {
    let log = CapturedLog::begin(Level::DEBUG);
    let (_link, mut inbox, mut wire) = connected();
    wire.send(request(1, "slow")).await;
    next_request(&mut inbox).await;
    tokio::time::sleep(Duration::from_secs(60)).await;
    log.check(&expect![[r#"
        DEBUG connection{connection=… peer="peer" transport="stream" framing="lines" translated=false}:request{direction="received" method=slow id=1 queued_ms=0.0}: attache_transport: the program has not responded to a request yet waited_ms=10000.0
    "#]]);
}

#[tokio::test(start_paused = true)]
async fn a_peer_that_does_not_read_is_reported_once_and_a_slow_one_never() {
    let log = CapturedLog::begin(Level::DEBUG);
    let options = limited(|limits| limits.outbound = 4 << 10);
    let (link, _inbox, mut wire) = Medium::Memory(64).connect(options);
    let text = Raw::of(&"x".repeat(1000));
    let sender = tokio::spawn(async move {
        for _ in 0..10 {
            link.notify("note", &text, IN_TURN).await.unwrap();
        }
        link
    });
    tokio::time::sleep(Duration::from_secs(60)).await;
    for _ in 0..10 {
        wire.line().await;
        tokio::time::sleep(Duration::from_secs(9)).await;
    }
    let _link = sender.await.unwrap();
    log.check(&expect![[r#"
        WARN connection{connection=… peer="peer" transport="stream" framing="lines" translated=false}: attache_transport: the outgoing queue is full, because the peer does not read waited_ms=10000.0 bytes=4184
        DEBUG connection{connection=… peer="peer" transport="stream" framing="lines" translated=false}: attache_transport: a message waited for room in the outgoing queue waited_ms=87000.0
        DEBUG connection{connection=… peer="peer" transport="stream" framing="lines" translated=false}: attache_transport: a message waited for room in the outgoing queue waited_ms=36000.0
    "#]]);
}

#[tokio::test(start_paused = true)]
async fn a_full_inbox_and_a_stall_are_reported() {
    let log = CapturedLog::begin(Level::DEBUG);
    let options = limited(|limits| limits.inbound = 10);
    let (_link, mut inbox, mut wire) = Medium::Memory(64 << 10).connect(options);
    wire.send(notification("one")).await;
    tokio::time::sleep(Duration::from_secs(40)).await;
    next_method(&mut inbox).await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    log.check(&expect![[r#"
        WARN connection{connection=… peer="peer" transport="stream" framing="lines" translated=false}: attache_transport: the inbox is full and the program takes nothing from it; pending calls fail waited_ms=30000.0
        DEBUG connection{connection=… peer="peer" transport="stream" framing="lines" translated=false}: attache_transport: the connection was not read, because the inbox was full waited_ms=40000.0
    "#]]);
}

const CANARY: &str = "CANARY-sk-ant-0123456789-CANARY";
