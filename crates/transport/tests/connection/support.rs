//! A connection whose other end is read and written as raw bytes.

use std::future::Future;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use attache_rpc::json::Raw;
use attache_rpc::{Id, Limits, SendOptions, SessionKey};
use attache_transport::{
    CallError, Delivery, Inbox, IncomingCall, Options, PeerHandle, connect, pipes,
};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::net::unix::pipe;

pub(crate) const IN_TURN: SendOptions = SendOptions::of(SessionKey::CONNECTION);

type Read = Box<dyn AsyncRead + Send + Unpin>;
type Write = Box<dyn AsyncWrite + Send + Unpin>;

/// The byte stream under a connection.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Medium {
    Memory(usize),
    Pipes,
}

pub(crate) const MEDIA: [Medium; 3] = [Medium::Memory(1), Medium::Memory(64 << 10), Medium::Pipes];

impl Medium {
    pub(crate) fn ends(self) -> ((Read, Write), (Read, Write)) {
        match self {
            Medium::Memory(capacity) => {
                let ((a, b), (c, d)) = pipes(capacity);
                ((Box::new(a), Box::new(b)), (Box::new(c), Box::new(d)))
            }
            Medium::Pipes => {
                let (to_us, we_read) = pipe::pipe().unwrap();
                let (we_write, from_us) = pipe::pipe().unwrap();
                (
                    (Box::new(we_read), Box::new(we_write)),
                    (Box::new(from_us), Box::new(to_us)),
                )
            }
        }
    }

    pub(crate) fn connect(self, options: Options) -> (PeerHandle, Inbox, Wire) {
        let (ours, theirs) = self.ends();
        let (link, inbox) = connect(ours.0, ours.1, options);
        let wire = Wire {
            read: Some(BufReader::new(theirs.0)),
            write: Some(theirs.1),
        };
        (link, inbox, wire)
    }

    /// Two connections with each other.
    pub(crate) fn pair(self, options: impl Fn() -> Options) -> [(PeerHandle, Inbox); 2] {
        let (one, other) = self.ends();
        [
            connect(one.0, one.1, options()),
            connect(other.0, other.1, options()),
        ]
    }
}

/// A connection in memory with large buffers and default options.
pub(crate) fn connected() -> (PeerHandle, Inbox, Wire) {
    Medium::Memory(64 << 10).connect(Options::default())
}

pub(crate) fn limited(change: impl FnOnce(&mut Limits)) -> Options {
    let mut options = Options::default();
    change(&mut options.limits);
    options
}

/// The other end of a connection, as raw bytes.
pub(crate) struct Wire {
    read: Option<BufReader<Read>>,
    write: Option<Write>,
}

impl Wire {
    pub(crate) async fn send(&mut self, bytes: impl AsRef<[u8]>) {
        let write = self.write.as_mut().unwrap();
        write.write_all(bytes.as_ref()).await.unwrap();
        write.flush().await.unwrap();
    }

    /// Sends bytes, unless the other end is closed.
    pub(crate) async fn offer(&mut self, bytes: impl AsRef<[u8]>) -> bool {
        let write = self.write.as_mut().unwrap();
        write.write_all(bytes.as_ref()).await.is_ok()
    }

    pub(crate) async fn line(&mut self) -> String {
        let mut line = String::new();
        let read = self.read.as_mut().unwrap();
        within(read.read_line(&mut line)).await.unwrap();
        assert!(line.ends_with('\n'), "the line was cut off: {line:?}");
        line.pop();
        line
    }

    /// Everything up to the end of the stream.
    pub(crate) async fn rest(&mut self) -> String {
        let mut rest = String::new();
        let read = self.read.as_mut().unwrap();
        within(read.read_to_string(&mut rest)).await.unwrap();
        rest
    }

    pub(crate) async fn bytes(&mut self, count: usize) -> Vec<u8> {
        let mut bytes = vec![0; count];
        let read = self.read.as_mut().unwrap();
        within(read.read_exact(&mut bytes)).await.unwrap();
        bytes
    }

    pub(crate) async fn close_write(&mut self) {
        self.write.take().unwrap().shutdown().await.unwrap();
    }

    pub(crate) fn close_read(&mut self) {
        self.read = None;
    }

    /// Whether the connection still works, both ways.
    pub(crate) async fn check_alive(&mut self, link: &PeerHandle, inbox: &mut Inbox) {
        self.send(request("\"alive?\"", "alive")).await;
        let (id, method) = next_request(inbox).await;
        assert_eq!(method, "alive");
        assert!(link.respond(&id, IN_TURN, Ok(&Raw::parse("1").unwrap())));
        assert_eq!(
            self.line().await,
            r#"{"jsonrpc":"2.0","id":"alive?","result":1}"#
        );
    }
}

pub(crate) fn request(id: impl std::fmt::Display, method: &str) -> String {
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"{method}\",\"params\":{{}}}}\n")
}

pub(crate) fn notification(method: &str) -> String {
    format!("{{\"jsonrpc\":\"2.0\",\"method\":\"{method}\",\"params\":{{}}}}\n")
}

pub(crate) fn response(id: impl std::fmt::Display) -> String {
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{}}}}\n")
}

pub(crate) fn empty() -> Raw {
    Raw::parse("{}").unwrap()
}

/// Fails after a timeout, so that a test does not hang.
pub(crate) async fn within<F: Future>(future: F) -> F::Output {
    let done = tokio::time::timeout(Duration::from_secs(60), future).await;
    done.expect("it takes for ever")
}

pub(crate) async fn next_request(inbox: &mut Inbox) -> (Id, String) {
    match within(inbox.next()).await {
        Some(IncomingCall::Request(id, call)) => (id, call.method().to_owned()),
        other => panic!("expected a request, got {other:?}"),
    }
}

pub(crate) async fn next_method(inbox: &mut Inbox) -> String {
    let incoming = within(inbox.next()).await.expect("the connection ended");
    incoming.call().method().to_owned()
}

/// A call that runs by itself. It has been queued when this returns, if there is room.
pub(crate) async fn call(
    link: &PeerHandle,
    delivery: Delivery,
) -> tokio::task::JoinHandle<Result<String, CallError>> {
    let link = link.clone();
    let call = tokio::spawn(async move {
        let answer = link.call("ask", &empty(), IN_TURN, delivery).await;
        answer.map(|payload| payload.as_str().to_owned())
    });
    tokio::task::yield_now().await;
    call
}

/// The error code of an answer on the wire.
pub(crate) fn code(line: &str) -> Option<i32> {
    let (_, rest) = line.split_once("\"code\":")?;
    let end = rest.find(|c: char| c != '-' && !c.is_ascii_digit())?;
    rest[..end].parse().ok()
}

/// Polls until a condition is true.
pub(crate) async fn eventually(holds: impl Fn() -> bool) {
    within(async {
        while !holds() {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    })
    .await;
}

/// Polls a count until it no longer changes.
pub(crate) async fn stable(count: &AtomicUsize) -> usize {
    let mut before = count.load(Ordering::Relaxed);
    loop {
        tokio::time::sleep(Duration::from_millis(50)).await;
        let now = count.load(Ordering::Relaxed);
        if now == before && now > 0 {
            return now;
        }
        before = now;
    }
}
