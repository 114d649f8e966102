//! Tests of servers over the older transport, HTTP with server-sent events.

use std::sync::Arc;

use attache::v1;
use attache_mcp::{ServerEvent, ServerStatus};
use expect_test::expect;
use tokio::io::{AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Mutex, mpsc};

use crate::fake::{Act, Fake};
use crate::http::{read, write};
use crate::test_session::{CANARY, TestSession};
use crate::trials;

trials!(
    a_server_of_the_old_kind_works,
    a_server_that_sends_us_elsewhere_is_refused,
    the_end_of_the_stream_is_the_end_of_the_server,
    an_event_that_is_too_long_ends_the_server,
);

type Events = Arc<Mutex<Option<mpsc::Sender<String>>>>;

/// Starts a server that announces this endpoint, and returns its address.
async fn serve(endpoint: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let events = Events::default();
    let fake = Arc::new(Mutex::new(Fake::new("")));
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let (events, fake) = (Arc::clone(&events), Arc::clone(&fake));
            tokio::spawn(answer(BufReader::new(stream), endpoint, events, fake));
        }
    });
    format!("http://{address}/sse?key={CANARY}")
}

async fn answer(
    mut stream: BufReader<TcpStream>,
    endpoint: &str,
    events: Events,
    fake: Arc<Mutex<Fake>>,
) {
    let request = read(&mut stream).await.unwrap();
    if request.authorization.as_deref() != Some(CANARY) {
        return write(&mut stream, "401 Unauthorized", "text/plain", "").await;
    }
    if request.line.starts_with("GET /sse") {
        let (sender, mut said) = mpsc::channel::<String>(64);
        *events.lock().await = Some(sender);
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";
        let first = format!("{head}: hello\n\nevent: endpoint\ndata: {endpoint}\n\n");
        stream.write_all(first.as_bytes()).await.unwrap();
        while let Some(said) = said.recv().await {
            let event = format!("event: message\r\ndata: {said}\r\n\r\n");
            if stream.write_all(event.as_bytes()).await.is_err() {
                break;
            }
        }
        return;
    }
    assert!(
        request.line.starts_with("POST /messages?session=1 "),
        "{}",
        request.line
    );
    let message = serde_json::from_slice(&request.body).unwrap();
    let acts = fake.lock().await.take(&message);
    write(&mut stream, "202 Accepted", "text/plain", "Accepted").await;
    for act in acts {
        let mut events = events.lock().await;
        match act {
            Act::Say(said) => events.as_ref().unwrap().send(said).await.unwrap(),
            Act::Die | Act::Flood(_) => *events = None,
        }
    }
}

async fn open(endpoint: &'static str) -> TestSession {
    let header = v1::HttpHeader::new("Authorization", CANARY);
    let server = v1::McpServerSse::new("fake", serve(endpoint).await, [header]);
    TestSession::open(vec![v1::McpServer::Sse(server)]).await
}

async fn a_server_of_the_old_kind_works() {
    let desk = open("/messages?session=1").await;
    assert!(
        matches!(desk.status(), ServerStatus::Ready { tools: 24, .. }),
        "{:?}",
        desk.status()
    );
    assert_eq!(desk.call_with("echo", r#"{"text":"hi"}"#).await, "hi");
    assert_eq!(desk.call("steps").await, "done");
    expect![[r#"{"action":"decline"}"#]].assert_eq(&desk.call("elicit").await);
    desk.servers.close().await;
}

async fn a_server_that_sends_us_elsewhere_is_refused() {
    let desk = open("http://elsewhere.example/messages").await;
    let reason = "the stream of events names an address elsewhere";
    assert_eq!(desk.status(), ServerStatus::Failed(reason.to_owned()));
}

async fn the_end_of_the_stream_is_the_end_of_the_server() {
    let mut desk = open("/messages?session=1").await;
    let why = "the MCP server `fake` failed: the connection has ended";
    assert_eq!(desk.call("die").await, format!("failed: {why}"));
    assert!(matches!(desk.event().await, ServerEvent::Ended { .. }));
    assert_eq!(desk.call("echo").await, format!("failed: {why}"));
}

async fn an_event_that_is_too_long_ends_the_server() {
    let desk = open("/messages?session=1").await;
    expect!["failed: the MCP server `fake` failed: the connection has ended"]
        .assert_eq(&desk.call("huge").await);
}
