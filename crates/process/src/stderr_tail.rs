//! The last bytes that a child wrote to standard error. A task always reads them, so that the child never blocks.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use attache_text::plain;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::sync::watch;

/// The last bytes that a child wrote to standard error. Clones share the same text.
#[derive(Debug, Clone)]
pub struct StderrTail {
    ring: Arc<Mutex<Ring>>,
    seen: watch::Receiver<u64>,
}

impl StderrTail {
    /// The current text, made safe to print: without escape sequences and control characters, and with long lines cut.
    pub fn text(&self) -> String {
        self.with(|ring| {
            let (front, back) = ring.bytes.as_slices();
            let bytes = [front, back].concat();
            plain::strip_output(whole_lines(&bytes, ring.total))
        })
    }

    /// The number of bytes that the child has written in total.
    pub fn total(&self) -> u64 {
        self.with(|ring| ring.total)
    }

    /// Waits until more than `seen` bytes have been written in total, and returns the total. Returns `None` when no more
    /// will be written.
    pub async fn more(&self, seen: u64) -> Option<u64> {
        let mut watch = self.seen.clone();
        let total = watch.wait_for(|total| *total > seen).await;
        total.ok().map(|total| *total)
    }

    /// Starts to read a child's standard error, keeping the last bytes.
    pub(super) fn of(
        pipe: impl AsyncRead + Send + Unpin + 'static,
        limit: usize,
        copy: StderrCopy,
    ) -> StderrTail {
        let ring = Arc::new(Mutex::new(Ring::default()));
        let (sender, seen) = watch::channel(0);
        tokio::spawn(read(pipe, Arc::clone(&ring), limit, copy, sender));
        StderrTail { ring, seen }
    }

    /// The empty tail of a child whose standard error is not read.
    pub(super) fn empty() -> StderrTail {
        let (_, seen) = watch::channel(0);
        StderrTail {
            ring: Arc::default(),
            seen,
        }
    }

    /// Waits until the pipe is closed, or for a short time if a process outside the tree keeps it open.
    pub(super) async fn settle(&self) {
        let mut watch = self.seen.clone();
        let closed = async { while watch.changed().await.is_ok() {} };
        tokio::time::timeout(SETTLE, closed).await.ok();
    }

    fn with<T>(&self, look: impl FnOnce(&Ring) -> T) -> T {
        look(&self.ring.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Where a child's standard error goes besides.
#[derive(Clone, Default)]
pub(super) struct StderrCopy {
    pub(super) inherits: bool,
    pub(super) see_line: Option<Arc<SeeLine>>,
}

/// Gets each line.
pub(super) type SeeLine = dyn Fn(&str) + Send + Sync;

#[derive(Debug, Default)]
struct Ring {
    bytes: VecDeque<u8>,
    total: u64,
}

async fn read(
    mut pipe: impl AsyncRead + Unpin,
    ring: Arc<Mutex<Ring>>,
    limit: usize,
    copy: StderrCopy,
    seen: watch::Sender<u64>,
) {
    let mut lines = Vec::new();
    let mut chunk = vec![0; CHUNK];
    while let Ok(count @ 1..) = pipe.read(&mut chunk).await {
        let total = {
            let mut ring = ring.lock().unwrap_or_else(PoisonError::into_inner);
            ring.push(&chunk[..count], limit);
            ring.total
        };
        seen.send_replace(total);
        if copy.inherits {
            // If our standard error cannot be written, reading continues.
            tokio::io::stderr().write_all(&chunk[..count]).await.ok();
        }
        copy.add(&mut lines, &chunk[..count]);
    }
    copy.end(&lines);
}

impl StderrCopy {
    fn add(&self, lines: &mut Vec<u8>, chunk: &[u8]) {
        let Some(see_line) = &self.see_line else {
            return;
        };
        lines.extend_from_slice(chunk);
        let mut rest = lines.as_slice();
        while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
            see_line(&line(&rest[..end]));
            rest = &rest[end + 1..];
        }
        let left = rest.len();
        lines.drain(..lines.len() - left);
        if left > LONGEST_LINE {
            self.end(lines);
            lines.clear();
        }
    }

    /// Passes on a line that has no end.
    fn end(&self, line_start: &[u8]) {
        if let Some(see_line) = self.see_line.as_ref().filter(|_| !line_start.is_empty()) {
            see_line(&line(line_start));
        }
    }
}

fn line(bytes: &[u8]) -> String {
    plain::strip_output(bytes).trim_end().to_owned()
}

impl Ring {
    fn push(&mut self, chunk: &[u8], limit: usize) {
        self.total = self.total.saturating_add(chunk.len() as u64);
        let chunk = &chunk[chunk.len().saturating_sub(limit)..];
        let excess = (self.bytes.len() + chunk.len()).saturating_sub(limit);
        self.bytes.drain(..excess);
        self.bytes.extend(chunk);
    }
}

/// Removes the rest of a line, or of a character, whose beginning was dropped.
fn whole_lines(bytes: &[u8], total: u64) -> &[u8] {
    if bytes.len() as u64 == total {
        return bytes;
    }
    match bytes.iter().position(|byte| *byte == b'\n') {
        Some(end) if end + 1 < bytes.len() => &bytes[end + 1..],
        _ => {
            let start = bytes.iter().position(|byte| byte & 0xc0 != 0x80);
            &bytes[start.unwrap_or(0)..]
        }
    }
}

const CHUNK: usize = 16 * 1024;
const LONGEST_LINE: usize = 64 * 1024;
const SETTLE: Duration = Duration::from_millis(500);
