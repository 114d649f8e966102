//! The wire as others see it: listeners hear every line, and lines that are no message are noticed.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use attache::rpc::{Frame, Splitter};
use bytes::BytesMut;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::Notify;

use super::setup::{LineDirection, Listener};
use crate::event::Event;
use attache_text::plain;

/// What the agent writes.
pub(super) struct Reading<R> {
    read: R,
    lines: Lines,
    garbage: Spotter,
}

/// What we write.
pub(super) struct Writing<W> {
    write: W,
    lines: Lines,
}

/// Lines that are no message: how many, the first one, and how many were told of. Clones count together.
#[derive(Debug, Clone, Default)]
pub(super) struct Garbage(Arc<Heap>);

#[derive(Debug, Default)]
struct Heap {
    seen: Mutex<Seen>,
    more: Notify,
}

#[derive(Debug, Default)]
struct Seen {
    count: u64,
    first: String,
    told: u64,
}

impl<R> Reading<R> {
    pub(super) fn new(read: R, listeners: &[Listener], garbage: &Garbage) -> Self {
        Reading {
            read,
            lines: Lines::new(LineDirection::FromAgent, listeners),
            garbage: Spotter::new(garbage),
        }
    }
}

impl<W> Writing<W> {
    pub(super) fn new(write: W, listeners: &[Listener]) -> Self {
        let lines = Lines::new(LineDirection::ToAgent, listeners);
        Writing { write, lines }
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for Reading<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.read).poll_read(context, buffer);
        if let Poll::Ready(Ok(())) = read {
            let new = &buffer.filled()[before..];
            self.lines.hear(new);
            self.garbage.look(new);
        }
        read
    }
}

impl<W: AsyncWrite + Unpin> AsyncWrite for Writing<W> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.write).poll_write(context, bytes);
        if let Poll::Ready(Ok(count)) = written {
            self.lines.hear(&bytes[..count]);
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

/// Cuts what passes into lines for those who listen. Without listeners nothing is copied.
struct Lines {
    way: LineDirection,
    listeners: Vec<Listener>,
    splitter: Splitter,
    rest: BytesMut,
}

impl Lines {
    fn new(way: LineDirection, listeners: &[Listener]) -> Lines {
        Lines {
            way,
            listeners: listeners.to_vec(),
            splitter: Splitter::new(LONGEST),
            rest: BytesMut::new(),
        }
    }

    fn hear(&mut self, bytes: &[u8]) {
        if self.listeners.is_empty() {
            return;
        }
        self.rest.extend_from_slice(bytes);
        while let Ok(Some(frame)) = self.splitter.next(&mut self.rest) {
            if let Frame::Message(line) = frame {
                let line = line.trim_ascii();
                for listener in self.listeners.iter().filter(|_| !line.is_empty()) {
                    listener(self.way, line);
                }
            }
        }
    }
}

/// Looks at how each line begins: a message is an object with names in quotation marks, or a list of such.
struct Spotter {
    garbage: Garbage,
    place: Place,
}

enum Place {
    LineStart,
    /// Behind the bracket of a message, or of something like `[info] ready`.
    OpenedSession(u8),
    /// Inside a message, or behind what is worth keeping of a line.
    Inside,
    /// Inside a line that is no message.
    Garbage(Vec<u8>),
    /// Messages have headers: lines say nothing.
    Headers,
}

impl Spotter {
    fn new(garbage: &Garbage) -> Spotter {
        Spotter {
            garbage: garbage.clone(),
            place: Place::LineStart,
        }
    }

    fn look(&mut self, mut bytes: &[u8]) {
        while let Some(first) = bytes.first() {
            match &mut self.place {
                Place::Headers => return,
                Place::LineStart => match first {
                    b'\n' | b'\r' | b' ' | b'\t' => bytes = &bytes[1..],
                    b'{' | b'[' => {
                        self.place = Place::OpenedSession(*first);
                        bytes = &bytes[1..];
                    }
                    b'C' | b'c' if is_header(bytes) => self.place = Place::Headers,
                    _ => self.place = Place::Garbage(Vec::new()),
                },
                Place::OpenedSession(bracket) => match (*bracket, first) {
                    (_, b' ' | b'\t') => bytes = &bytes[1..],
                    (b'{', b'"' | b'}') | (b'[', b'{' | b']') => self.place = Place::Inside,
                    (bracket, _) => self.place = Place::Garbage(vec![bracket]),
                },
                place => {
                    let end = memchr::memchr(b'\n', bytes);
                    let line = &bytes[..end.unwrap_or(bytes.len())];
                    if let Place::Garbage(kept) = place {
                        let room = KEPT.saturating_sub(kept.len()).min(line.len());
                        kept.extend_from_slice(&line[..room]);
                        if end.is_some() {
                            self.garbage.found(kept);
                        }
                    }
                    if end.is_some() {
                        self.place = Place::LineStart;
                    }
                    bytes = &bytes[line.len()..];
                }
            }
        }
    }
}

impl Garbage {
    pub(super) fn count(&self) -> u64 {
        self.lock().count
    }

    /// Waits until there is more to tell: the first line, then the tenth, the hundredth and so on.
    pub(super) async fn next(&self) -> Event {
        loop {
            if let Some(event) = self.news() {
                return event;
            }
            self.0.more.notified().await;
        }
    }

    fn news(&self) -> Option<Event> {
        let mut seen = self.lock();
        if seen.count < seen.told.saturating_mul(10).max(1) {
            return None;
        }
        // The first is told by itself, even if there are more by now.
        seen.told = match seen.told {
            0 => 1,
            _ => seen.count,
        };
        Some(Event::InvalidOutput {
            count: seen.told,
            line: seen.first.clone(),
        })
    }

    fn found(&self, line: &[u8]) {
        let mut seen = self.lock();
        seen.count += 1;
        if seen.count == 1 {
            let text = String::from_utf8_lossy(line);
            seen.first = plain::line(text.trim_end()).into_owned();
        }
        drop(seen);
        self.0.more.notify_one();
    }

    fn lock(&self) -> MutexGuard<'_, Seen> {
        self.0.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn is_header(bytes: &[u8]) -> bool {
    let name = b"content-";
    bytes.len() >= name.len() && bytes[..name.len()].eq_ignore_ascii_case(name)
}

const LONGEST: usize = 64 << 20;
const KEPT: usize = 200;
