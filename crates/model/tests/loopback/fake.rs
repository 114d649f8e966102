//! A provider on loopback that sends scripted responses, byte for byte.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;

/// A provider that sends one reply per request, in order, on any number of connections.
pub(crate) struct Fake {
    pub(crate) url: String,
    state: Arc<State>,
}

struct State {
    replies: Mutex<Vec<Reply>>,
    received: Mutex<Vec<Received>>,
    connections: Mutex<usize>,
    closed: Notify,
}

/// A request as it was received.
#[derive(Clone)]
pub(crate) struct Received {
    pub(crate) head: String,
    pub(crate) body: String,
}

/// A scripted reply.
pub(crate) struct Reply {
    status: u16,
    headers: String,
    pieces: Vec<Vec<u8>>,
    end: End,
}

/// How a reply ends.
#[derive(Clone, Copy)]
pub(crate) enum End {
    /// The reply is complete.
    Whole,
    /// The connection is closed in the middle of the reply.
    Broken,
    /// The reply has neither a length nor an end mark, so closing the connection looks like its end.
    Open,
    /// The reply never ends.
    Hanging,
}

impl Reply {
    pub(crate) fn status(status: u16, body: &str) -> Reply {
        Reply {
            status,
            headers: "content-type: application/json\r\n".to_owned(),
            pieces: vec![body.as_bytes().to_vec()],
            end: End::Whole,
        }
    }

    /// A stream of server-sent events with these data.
    pub(crate) fn events<T: AsRef<str>>(data: &[T]) -> Reply {
        let text: String = data
            .iter()
            .map(|data| format!("data: {}\n\n", data.as_ref()))
            .collect();
        Reply::text(&text)
    }

    /// A stream with this raw text.
    pub(crate) fn text(text: &str) -> Reply {
        Reply {
            status: 200,
            headers: "content-type: text/event-stream; charset=utf-8\r\n".to_owned(),
            pieces: vec![text.as_bytes().to_vec()],
            end: End::Whole,
        }
    }

    pub(crate) fn header(mut self, name: &str, value: &str) -> Reply {
        self.headers.push_str(&format!("{name}: {value}\r\n"));
        self
    }

    pub(crate) fn end(mut self, end: End) -> Reply {
        self.end = end;
        self
    }

    /// Sends each byte in its own chunk.
    pub(crate) fn byte_by_byte(mut self) -> Reply {
        self.pieces = self
            .pieces
            .concat()
            .into_iter()
            .map(|byte| vec![byte])
            .collect();
        self
    }
}

impl Fake {
    pub(crate) async fn start(replies: impl IntoIterator<Item = Reply>) -> Fake {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let state = Arc::new(State {
            replies: Mutex::new(replies.into_iter().collect()),
            received: Mutex::default(),
            connections: Mutex::default(),
            closed: Notify::new(),
        });
        let serving = state.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                *serving.connections.lock().expect("no panic") += 1;
                tokio::spawn(serve(stream, serving.clone()));
            }
        });
        Fake { url, state }
    }

    pub(crate) fn received(&self) -> Vec<Received> {
        self.state.received.lock().expect("no panic").clone()
    }

    pub(crate) fn connections(&self) -> usize {
        *self.state.connections.lock().expect("no panic")
    }

    /// Waits until a client has closed the connection of a reply that never ends.
    pub(crate) async fn closed(&self) {
        let closed = self.state.closed.notified();
        tokio::time::timeout(Duration::from_secs(10), closed)
            .await
            .expect("closed in time");
    }
}

async fn serve(mut stream: TcpStream, state: Arc<State>) {
    while let Some(request) = receive(&mut stream).await {
        state.received.lock().expect("no panic").push(request);
        let reply = {
            let mut replies = state.replies.lock().expect("no panic");
            match replies.is_empty() {
                true => Reply::status(500, "no reply is left"),
                false => replies.remove(0),
            }
        };
        let end = reply.end;
        if send(&mut stream, reply).await.is_none() {
            return;
        }
        match end {
            End::Whole => {}
            End::Broken | End::Open => return,
            End::Hanging => {
                let mut byte = [0];
                while matches!(stream.read(&mut byte).await, Ok(1..)) {}
                state.closed.notify_one();
                return;
            }
        }
    }
}

async fn receive(stream: &mut TcpStream) -> Option<Received> {
    let mut bytes = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&bytes);
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| {
                line.to_lowercase()
                    .strip_prefix("content-length: ")?
                    .parse()
                    .ok()
            });
            if body.len() >= length.unwrap_or(0) {
                return Some(Received {
                    head: head.to_owned(),
                    body: body.to_owned(),
                });
            }
        }
        let mut buffer = vec![0; 64 << 10];
        match stream.read(&mut buffer).await {
            Ok(0) | Err(_) => return None,
            Ok(count) => bytes.extend_from_slice(&buffer[..count]),
        }
    }
}

async fn send(stream: &mut TcpStream, reply: Reply) -> Option<()> {
    let framing = match reply.end {
        End::Open => "connection: close\r\n",
        End::Whole | End::Broken | End::Hanging => "transfer-encoding: chunked\r\n",
    };
    let head = format!(
        "HTTP/1.1 {} X\r\n{}{framing}\r\n",
        reply.status, reply.headers
    );
    stream.write_all(head.as_bytes()).await.ok()?;
    for piece in reply.pieces.iter().filter(|piece| !piece.is_empty()) {
        let chunk = match reply.end {
            End::Open => piece.clone(),
            End::Whole | End::Broken | End::Hanging => {
                [format!("{:x}\r\n", piece.len()).as_bytes(), piece, b"\r\n"].concat()
            }
        };
        stream.write_all(&chunk).await.ok()?;
        stream.flush().await.ok()?;
    }
    if matches!(reply.end, End::Whole) {
        stream.write_all(b"0\r\n\r\n").await.ok()?;
    }
    Some(())
}
