//! Tests of servers over Streamable HTTP.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use attache::v1;
use attache_mcp::ServerStatus;
use expect_test::expect;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

use crate::fake::{Act, Fake};
use crate::test_session::{CANARY, TestSession};
use crate::trials;

trials!(
    a_server_that_answers_with_json_works,
    a_server_that_answers_with_events_works,
    a_server_that_wants_other_headers_says_so,
    a_server_that_is_not_there_says_so_without_its_address,
    what_is_no_address_is_refused,
    a_bad_header_is_named_without_its_value,
    an_answer_that_cannot_be_read_fails_at_once,
    headers_do_not_follow_a_redirect_elsewhere,
    a_stream_that_breaks_off_fails_its_call,
    a_server_without_handshake_is_found_out,
    a_session_that_the_server_has_forgotten_begins_again,
);

/// The parts of a request that the fake servers use.
pub(crate) struct Request {
    pub(crate) line: String,
    pub(crate) authorization: Option<String>,
    pub(crate) session: Option<String>,
    pub(crate) body: Vec<u8>,
}

pub(crate) async fn read(stream: &mut BufReader<TcpStream>) -> Option<Request> {
    let mut line = String::new();
    stream
        .read_line(&mut line)
        .await
        .ok()
        .filter(|read| *read > 0)?;
    let (mut length, mut authorization, mut session) = (0, None, None);
    loop {
        let mut header = String::new();
        stream.read_line(&mut header).await.ok()?;
        let Some((name, value)) = header.trim_end().split_once(": ") else {
            break;
        };
        match name.to_lowercase().as_str() {
            "content-length" => length = value.parse().unwrap(),
            "authorization" => authorization = Some(value.to_owned()),
            "mcp-session-id" => session = Some(value.to_owned()),
            _ => {}
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await.ok()?;
    Some(Request {
        line,
        authorization,
        session,
        body,
    })
}

pub(crate) async fn write(stream: &mut BufReader<TcpStream>, status: &str, kind: &str, body: &str) {
    let head = format!("HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nConnection: close\r\n");
    let length = format!("Content-Length: {}\r\n\r\n", body.len());
    let whole = [head.as_str(), length.as_str(), body].concat();
    // The client has disconnected and does not need the rest.
    stream.write_all(whole.as_bytes()).await.ok();
    stream.flush().await.ok();
}

/// Starts a server with this behaviour and returns its address.
async fn serve(manner: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let fake = Arc::new(Mutex::new(Fake::new(manner)));
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let fake = Arc::clone(&fake);
            tokio::spawn(async move {
                let mut stream = BufReader::new(stream);
                if let Some(request) = read(&mut stream).await {
                    answer(&mut stream, &request, manner, &fake).await;
                }
            });
        }
    });
    format!("http://user:{CANARY}@{address}/{CANARY}?key={CANARY}")
}

async fn answer(
    stream: &mut BufReader<TcpStream>,
    request: &Request,
    manner: &str,
    fake: &Mutex<Fake>,
) {
    if manner == "moved" {
        let elsewhere =
            "HTTP/1.1 307 x\r\nLocation: http://localhost:1/\r\nContent-Length: 0\r\n\r\n";
        stream.write_all(elsewhere.as_bytes()).await.unwrap();
        return;
    }
    if request.authorization.as_deref() != Some(&format!("Bearer {CANARY}")) {
        return write(stream, "401 Unauthorized", "text/plain", CANARY).await;
    }
    if !request.line.starts_with("POST") {
        return write(stream, "405 Method Not Allowed", "text/plain", "").await;
    }
    let message: Value = serde_json::from_slice(&request.body).unwrap();
    let acts = fake.lock().unwrap().take(&message);
    let said = acts.into_iter().filter_map(|act| match act {
        Act::Say(text) => Some(text),
        Act::Die | Act::Flood(_) => None,
    });
    let said: Vec<_> = said.collect();
    if manner == "forgets" {
        return forget(stream, request, &message, said.last()).await;
    }
    match (said.last(), manner) {
        (None, _) => write(stream, "202 Accepted", "text/plain", "").await,
        (Some(last), "modern") if last.contains("\"error\"") => {
            write(stream, "400 Bad Request", "application/json", last).await;
        }
        (Some(last), "json" | "modern") => write(stream, "200 OK", "application/json", last).await,
        (Some(_), _) => {
            let breaks = message["params"]["name"] == "never";
            let events: String = said
                .iter()
                .map(|said| format!("data: {said}\n\n"))
                .collect();
            let events = if breaks { String::new() } else { events };
            write(
                stream,
                "200 OK",
                "text/event-stream; charset=utf-8",
                &events,
            )
            .await;
        }
    }
}

/// A server whose sessions are called `s` and then `ss`. It forgets the first when a tool is called in it.
async fn forget(
    stream: &mut BufReader<TcpStream>,
    request: &Request,
    message: &Value,
    said: Option<&String>,
) {
    static BEGUN: AtomicUsize = AtomicUsize::new(0);
    if message["method"] == "initialize" {
        let session = "s".repeat(BEGUN.fetch_add(1, Ordering::Relaxed) + 1);
        let kind = format!("application/json\r\nMcp-Session-Id: {session}");
        return write(stream, "200 OK", &kind, said.unwrap()).await;
    }
    let is_call = message["method"] == "tools/call";
    match (request.session.as_deref(), said) {
        (Some("s"), _) if is_call => write(stream, "404 Not Found", "text/plain", "").await,
        (Some(_), Some(said)) => write(stream, "200 OK", "application/json", said).await,
        (Some(_), None) => write(stream, "202 Accepted", "text/plain", "").await,
        (None, _) => write(stream, "400 Bad Request", "text/plain", "").await,
    }
}

fn server(url: &str) -> v1::McpServer {
    let header = v1::HttpHeader::new("Authorization", format!("Bearer {CANARY}"));
    v1::McpServer::Http(v1::McpServerHttp::new("fake", url, [header]))
}

async fn a_server_that_answers_with_json_works() {
    let desk = TestSession::open(vec![server(&serve("json").await)]).await;
    assert!(
        matches!(desk.status(), ServerStatus::Ready { tools: 24, .. }),
        "{:?}",
        desk.status()
    );
    assert_eq!(desk.call_with("echo", r#"{"text":"hi"}"#).await, "hi");
    expect!["failed: the MCP server `fake` failed: bad token secret-in-process"]
        .assert_eq(&desk.call("refuse").await);
    desk.servers.close().await;
}

async fn a_server_that_answers_with_events_works() {
    let desk = TestSession::open(vec![server(&serve("events").await)]).await;
    assert_eq!(desk.call_with("echo", r#"{"text":"hi"}"#).await, "hi");
    assert_eq!(desk.call("steps").await, "done");
}

async fn a_server_that_wants_other_headers_says_so() {
    let url = serve("json").await;
    let none: [v1::HttpHeader; 0] = [];
    let server = v1::McpServer::Http(v1::McpServerHttp::new(
        "fake",
        url.replace(CANARY, "wrong"),
        none,
    ));
    let mut desk = TestSession::open(vec![server]).await;
    expect![[r#"
        Failed {
            server: "fake",
            reason: "the server rejected the credentials (HTTP 401); check the configured headers",
        }
    "#]]
    .assert_debug_eq(&desk.event().await);
}

async fn a_server_that_is_not_there_says_so_without_its_address() {
    let url = format!("http://user:{CANARY}@127.0.0.1:1/{CANARY}?key={CANARY}");
    let mut desk = TestSession::open(vec![server(&url)]).await;
    let seen = format!("{:?} {:?}", desk.event().await, desk.servers);
    assert!(seen.contains("Connection refused"), "{seen}");
    assert!(!seen.contains(CANARY), "{seen}");
}

async fn what_is_no_address_is_refused() {
    for url in ["nonsense", "file:///etc/passwd", "http://"] {
        let desk = TestSession::open(vec![server(url)]).await;
        assert_eq!(
            desk.status(),
            ServerStatus::Failed("the address of the server is not valid".to_owned())
        );
    }
}

async fn a_bad_header_is_named_without_its_value() {
    let url = serve("json").await;
    let header = v1::HttpHeader::new("X-Key", format!("{CANARY}\n"));
    let server = v1::McpServer::Http(v1::McpServerHttp::new("fake", url, [header]));
    let desk = TestSession::open(vec![server]).await;
    assert_eq!(
        desk.status(),
        ServerStatus::Failed("the header `X-Key` is not valid".to_owned())
    );
}

async fn an_answer_that_cannot_be_read_fails_at_once() {
    for manner in ["json", "events"] {
        let desk = TestSession::open(vec![server(&serve(manner).await)]).await;
        let huge = desk.call("huge").await;
        assert!(
            huge.contains("the answer is longer than 16 MiB"),
            "{manner} {huge}"
        );
        for tool in ["deep", "odd"] {
            let odd = desk.call(tool).await;
            assert!(
                odd.contains("the answer cannot be read"),
                "{manner} {tool} {odd}"
            );
        }
        assert_eq!(desk.call("echo").await, "nothing");
    }
}

async fn headers_do_not_follow_a_redirect_elsewhere() {
    let mut desk = TestSession::open(vec![server(&serve("moved").await)]).await;
    let seen = format!("{:?}", desk.event().await);
    assert!(seen.contains("the server answered with HTTP 307"), "{seen}");
}

async fn a_stream_that_breaks_off_fails_its_call() {
    let desk = TestSession::open(vec![server(&serve("events").await)]).await;
    let broken = desk.call("never").await;
    assert!(
        broken.starts_with("failed: the MCP server `fake` failed: "),
        "{broken}"
    );
    assert_eq!(desk.call("echo").await, "nothing");
}

async fn a_server_without_handshake_is_found_out() {
    let desk = TestSession::open(vec![server(&serve("modern").await)]).await;
    assert!(
        matches!(desk.status(), ServerStatus::Ready { .. }),
        "{:?}",
        desk.status()
    );
    assert_eq!(desk.call_with("echo", r#"{"text":"hi"}"#).await, "hi");
}

async fn a_session_that_the_server_has_forgotten_begins_again() {
    let desk = TestSession::open(vec![server(&serve("forgets").await)]).await;
    assert_eq!(desk.call_with("echo", r#"{"text":"hi"}"#).await, "hi");
}
