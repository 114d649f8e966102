//! A connection between two peers that records the traffic and does not change it.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use attache_rpc::{Frame, Splitter};
use attache_transport::{Pipe, pipes};
use bytes::{Bytes, BytesMut};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

use crate::{Side, Trace, TraceEntry, TraceEvent};

/// Records the traffic between two peers. The trace can be read while they talk.
#[derive(Clone)]
pub struct Tap {
    trace: Arc<Mutex<Trace>>,
}

impl Tap {
    /// Creates an end for the client, an end for the agent, and the tap between them, with buffers of this many bytes. A
    /// line is recorded before the receiver can see it. Must be called within a tokio runtime.
    pub fn new(capacity: usize) -> (Pipe, Pipe, Tap) {
        let (client, to_client) = pipes(capacity);
        let (agent, to_agent) = pipes(capacity);
        let tap = Tap {
            trace: Arc::default(),
        };
        tokio::spawn(pump(to_client.0, to_agent.1, tap.clone(), Side::Client));
        tokio::spawn(pump(to_agent.0, to_client.1, tap.clone(), Side::Agent));
        (client, agent, tap)
    }

    /// The traffic so far.
    pub fn trace(&self) -> Trace {
        self.lock().clone()
    }

    fn record(&self, from: Side, event: TraceEvent) {
        self.lock().push(TraceEntry { from, event });
    }

    fn lock(&self) -> MutexGuard<'_, Trace> {
        self.trace.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn pump(
    mut read: impl AsyncRead + Unpin,
    mut write: impl AsyncWrite + Unpin,
    tap: Tap,
    from: Side,
) {
    let mut splitter = Splitter::new(MAX_LINE_BYTES);
    let mut lines = BytesMut::new();
    let mut passing = BytesMut::new();
    while let Ok(1..) = read.read_buf(&mut passing).await {
        lines.extend_from_slice(&passing);
        while let Ok(Some(frame)) = splitter.next(&mut lines) {
            let line = match frame {
                Frame::Message(line) => line,
                Frame::TooLong(_) => Bytes::from_static(b"a line too long to keep"),
            };
            tap.record(from, TraceEvent::Line(line));
        }
        let passed = write.write_all(&passing).await;
        if passed.is_err() || write.flush().await.is_err() {
            return;
        }
        passing.clear();
    }
    if let Ok(Some(rest)) = splitter.end(&mut lines) {
        tap.record(from, TraceEvent::Line(rest));
    }
    tap.record(from, TraceEvent::Closed);
    // The receiver may have closed already.
    drop(write.shutdown().await);
}

impl fmt::Debug for Tap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let entries = self.lock().entries().len();
        f.debug_struct("Tap").field("entries", &entries).finish()
    }
}

const MAX_LINE_BYTES: usize = 1 << 30;
