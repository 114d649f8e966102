//! Observes the wire: passes every line to listeners, and counts lines that are not messages.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use attache::rpc::{Frame, Splitter};
use bytes::BytesMut;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::Notify;

use super::setup::{LineDirection, LineListener};
use crate::event::Event;
use attache_text::plain;

/// The agent's output, observed.
pub(super) struct ObservedReader<R> {
    read: R,
    lines: LineListeners,
    inspector: LineInspector,
}

/// The agent's input, observed.
pub(super) struct ObservedWriter<W> {
    write: W,
    lines: LineListeners,
}

/// Lines that are not messages: their number, the first one, and the number at the last report. Clones share the count.
#[derive(Debug, Clone, Default)]
pub(super) struct InvalidLines(Arc<SharedCounts>);

#[derive(Debug, Default)]
struct SharedCounts {
    seen: Mutex<InvalidLineCounts>,
    more: Notify,
}

#[derive(Debug, Default)]
struct InvalidLineCounts {
    count: u64,
    first: String,
    reported: u64,
}

impl<R> ObservedReader<R> {
    pub(super) fn new(read: R, listeners: &[LineListener], invalid_lines: &InvalidLines) -> Self {
        ObservedReader {
            read,
            lines: LineListeners::new(LineDirection::FromAgent, listeners),
            inspector: LineInspector::new(invalid_lines),
        }
    }
}

impl<W> ObservedWriter<W> {
    pub(super) fn new(write: W, listeners: &[LineListener]) -> Self {
        let lines = LineListeners::new(LineDirection::ToAgent, listeners);
        ObservedWriter { write, lines }
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for ObservedReader<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.read).poll_read(context, buffer);
        if let Poll::Ready(Ok(())) = read {
            let new = &buffer.filled()[before..];
            self.lines.push(new);
            self.inspector.inspect(new);
        }
        read
    }
}

impl<W: AsyncWrite + Unpin> AsyncWrite for ObservedWriter<W> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.write).poll_write(context, bytes);
        if let Poll::Ready(Ok(count)) = written {
            self.lines.push(&bytes[..count]);
        }
        written
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.write).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.write).poll_shutdown(context)
    }
}

/// Splits bytes into lines for the listeners. Without listeners nothing is copied.
struct LineListeners {
    direction: LineDirection,
    listeners: Vec<LineListener>,
    splitter: Splitter,
    rest: BytesMut,
}

impl LineListeners {
    fn new(direction: LineDirection, listeners: &[LineListener]) -> LineListeners {
        LineListeners {
            direction,
            listeners: listeners.to_vec(),
            splitter: Splitter::new(LONGEST),
            rest: BytesMut::new(),
        }
    }

    fn push(&mut self, bytes: &[u8]) {
        if self.listeners.is_empty() {
            return;
        }
        self.rest.extend_from_slice(bytes);
        while let Ok(Some(frame)) = self.splitter.next(&mut self.rest) {
            if let Frame::Message(line) = frame {
                let line = line.trim_ascii();
                for listener in self.listeners.iter().filter(|_| !line.is_empty()) {
                    listener(self.direction, line);
                }
            }
        }
    }
}

/// Checks how each line begins: a message is an object with quoted names, or a list of such objects.
struct LineInspector {
    invalid_lines: InvalidLines,
    state: LineState,
}

enum LineState {
    LineStart,
    /// After the bracket of a message, or of a line such as `[info] ready`.
    AfterBracket(u8),
    /// Inside a message.
    Message,
    /// Inside a line that is not a message, with its beginning.
    Invalid(Vec<u8>),
    /// The agent sends messages with headers, so lines cannot be checked.
    Headers,
}

impl LineInspector {
    fn new(invalid_lines: &InvalidLines) -> LineInspector {
        LineInspector {
            invalid_lines: invalid_lines.clone(),
            state: LineState::LineStart,
        }
    }

    fn inspect(&mut self, mut bytes: &[u8]) {
        while let Some(first) = bytes.first() {
            match &mut self.state {
                LineState::Headers => return,
                LineState::LineStart => match first {
                    b'\n' | b'\r' | b' ' | b'\t' => bytes = &bytes[1..],
                    b'{' | b'[' => {
                        self.state = LineState::AfterBracket(*first);
                        bytes = &bytes[1..];
                    }
                    b'C' | b'c' if is_header(bytes) => self.state = LineState::Headers,
                    _ => self.state = LineState::Invalid(Vec::new()),
                },
                LineState::AfterBracket(bracket) => match (*bracket, first) {
                    (_, b' ' | b'\t') => bytes = &bytes[1..],
                    (b'{', b'"' | b'}') | (b'[', b'{' | b']') => self.state = LineState::Message,
                    (bracket, _) => self.state = LineState::Invalid(vec![bracket]),
                },
                state => {
                    let end = memchr::memchr(b'\n', bytes);
                    let line = &bytes[..end.unwrap_or(bytes.len())];
                    if let LineState::Invalid(kept) = state {
                        let room = KEPT.saturating_sub(kept.len()).min(line.len());
                        kept.extend_from_slice(&line[..room]);
                        if end.is_some() {
                            self.invalid_lines.add(kept);
                        }
                    }
                    if end.is_some() {
                        self.state = LineState::LineStart;
                    }
                    bytes = &bytes[line.len()..];
                }
            }
        }
    }
}

impl InvalidLines {
    pub(super) fn count(&self) -> u64 {
        self.lock().count
    }

    /// Waits for the next report: the first line, then the tenth, the hundredth and so on.
    pub(super) async fn next(&self) -> Event {
        loop {
            if let Some(event) = self.next_report() {
                return event;
            }
            self.0.more.notified().await;
        }
    }

    fn next_report(&self) -> Option<Event> {
        let mut seen = self.lock();
        if seen.count < seen.reported.saturating_mul(10).max(1) {
            return None;
        }
        // The first line is always reported alone, even if there are more by now.
        seen.reported = match seen.reported {
            0 => 1,
            _ => seen.count,
        };
        Some(Event::InvalidOutput {
            count: seen.reported,
            line: seen.first.clone(),
        })
    }

    fn add(&self, line: &[u8]) {
        let mut seen = self.lock();
        seen.count += 1;
        if seen.count == 1 {
            let text = String::from_utf8_lossy(line);
            seen.first = plain::line(text.trim_end()).into_owned();
        }
        drop(seen);
        self.0.more.notify_one();
    }

    fn lock(&self) -> MutexGuard<'_, InvalidLineCounts> {
        self.0.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn is_header(bytes: &[u8]) -> bool {
    let name = b"content-";
    bytes.len() >= name.len() && bytes[..name.len()].eq_ignore_ascii_case(name)
}

const LONGEST: usize = 64 << 20;
const KEPT: usize = 200;
