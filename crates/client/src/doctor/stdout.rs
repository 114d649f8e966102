//! Standard output that is inspected while it is read.

use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};

use attache_text::{Line, LineSplitter};
use serde::Deserialize;
use serde::de::IgnoredAny;
use tokio::io::{AsyncRead, ReadBuf};

use crate::agents::line as safe;

/// Passes everything through, and counts the lines that are not messages.
pub(super) struct InspectedStdout<R> {
    inner: R,
    lines: LineSplitter,
    non_protocol: NonProtocolLines,
}

/// Lines that are not messages. Clones share the count.
#[derive(Clone, Default)]
pub(super) struct NonProtocolLines(Arc<Mutex<NonProtocolCount>>);

#[derive(Default)]
struct NonProtocolCount {
    count: u64,
    first: String,
}

impl<R> InspectedStdout<R> {
    pub(super) fn new(inner: R) -> (InspectedStdout<R>, NonProtocolLines) {
        let non_protocol = NonProtocolLines::default();
        let inspected = InspectedStdout {
            inner,
            // A line too long to parse counts as a message.
            lines: LineSplitter::new(LIMIT, 0),
            non_protocol: non_protocol.clone(),
        };
        (inspected, non_protocol)
    }

    fn inspect(&mut self, bytes: &[u8]) {
        let non_protocol = &self.non_protocol;
        self.lines.push(bytes, |line| non_protocol.inspect(&line));
    }
}

impl NonProtocolLines {
    pub(super) fn count(&self) -> u64 {
        self.lock().count
    }

    /// The first such line, safe to show.
    pub(super) fn first(&self) -> String {
        self.lock().first.clone()
    }

    fn inspect(&self, line: &Line<'_>) {
        if line.is_cut() || is_protocol_line(&line.bytes) {
            return;
        }
        let mut seen = self.lock();
        seen.count += 1;
        if seen.count == 1 {
            seen.first = safe(&String::from_utf8_lossy(&line.bytes));
        }
    }

    fn lock(&self) -> MutexGuard<'_, NonProtocolCount> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for InspectedStdout<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.inner).poll_read(context, buffer))?;
        self.inspect(&buffer.filled()[before..]);
        Poll::Ready(Ok(()))
    }
}

#[derive(Deserialize)]
struct Message {
    method: Option<IgnoredAny>,
    result: Option<IgnoredAny>,
    error: Option<IgnoredAny>,
}

/// Whether a line is a message, empty, or a header.
fn is_protocol_line(bytes: &[u8]) -> bool {
    let text = bytes.trim_ascii();
    if text.is_empty() || text.starts_with(b"Content-") {
        return true;
    }
    let message = serde_json::from_slice::<Message>(text);
    message.is_ok_and(|it| it.method.is_some() || it.result.is_some() || it.error.is_some())
}

const LIMIT: usize = 256 * 1024;
