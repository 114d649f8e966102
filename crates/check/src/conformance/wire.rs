//! The lines in and out of one connection, recorded with their times. It reads while it writes, so neither side can
//! block the other forever.

use std::time::Duration;

use attache_process::StopTimeouts;
use attache_rpc::{Frame, Splitter};
use attache_testkit::Side;
use bytes::{Bytes, BytesMut};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::{Instant, timeout};

use super::{Conversation, ConversationEntry, EntryContent, PeerStreams};

pub(crate) struct Wire {
    us: Side,
    streams: PeerStreams,
    splitter: Splitter,
    buffer: BytesMut,
    /// Either stream has ended.
    ended: bool,
    finished: bool,
    start: Instant,
    pub(crate) conversation: Conversation,
}

/// The result of receiving.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WireEvent {
    /// A line; the entry that records it.
    Entry(usize),
    End,
    TimedOut,
}

impl Wire {
    pub(crate) fn new(us: Side, case: &'static str, streams: PeerStreams) -> Self {
        Wire {
            us,
            streams,
            splitter: Splitter::new(LONGEST),
            buffer: BytesMut::new(),
            ended: false,
            finished: false,
            start: Instant::now(),
            conversation: Conversation::new(case),
        }
    }

    /// Writes bytes as they are and records them as one entry. Returns whether they were written in time.
    pub(crate) async fn send(&mut self, bytes: &[u8], within: Duration) -> (usize, bool) {
        let entry = self.record_line(self.us, Bytes::copy_from_slice(bytes));
        let written = timeout(within, self.write(bytes)).await;
        (entry, matches!(written, Ok(true)))
    }

    /// Like [`Wire::send`], but a few bytes at a time.
    pub(crate) async fn send_in_pieces(&mut self, bytes: &[u8], within: Duration) -> usize {
        let entry = self.record_line(self.us, Bytes::copy_from_slice(bytes));
        let pieces = async {
            for piece in bytes.chunks(7) {
                if !self.write(piece).await {
                    return;
                }
                tokio::task::yield_now().await;
            }
        };
        // If the peer does not read, the next request times out.
        drop(timeout(within, pieces).await);
        entry
    }

    pub(crate) async fn receive(&mut self, within: Duration) -> WireEvent {
        match timeout(within, self.next()).await {
            Err(_) => WireEvent::TimedOut,
            Ok(None) => WireEvent::End,
            Ok(Some(line)) => {
                let them = self.us.other();
                WireEvent::Entry(self.record_line(them, line))
            }
        }
    }

    /// Closes our side.
    pub(crate) async fn close(&mut self, within: Duration) {
        self.record(self.us, EntryContent::End);
        // The peer may have exited already.
        drop(timeout(within, self.streams.write.shutdown()).await);
    }

    /// Stops the program under test and returns the conversation.
    pub(crate) async fn finish(mut self) -> Conversation {
        if let Some(child) = self.streams.child.take() {
            self.conversation.stderr = child.stop(STOP_TIMEOUTS).await.stderr;
        }
        self.conversation
    }

    async fn write(&mut self, bytes: &[u8]) -> bool {
        let mut rest = bytes;
        while !rest.is_empty() {
            let room = !self.ended && self.buffer.len() < LONGEST;
            tokio::select! {
                written = self.streams.write.write(rest) => match written {
                    Ok(0) | Err(_) => return false,
                    Ok(count) => rest = &rest[count..],
                },
                got = self.streams.read.read_buf(&mut self.buffer), if room => {
                    self.ended = matches!(got, Ok(0) | Err(_));
                }
            }
        }
        self.streams.write.flush().await.is_ok()
    }

    async fn next(&mut self) -> Option<Bytes> {
        loop {
            if self.finished {
                return None;
            }
            match self.splitter.next(&mut self.buffer) {
                Ok(Some(Frame::Message(line))) => return Some(line),
                Ok(Some(Frame::TooLong(_))) => return Some(Bytes::from_static(TOO_LONG)),
                Ok(None) if !self.ended => {
                    let got = self.streams.read.read_buf(&mut self.buffer).await;
                    self.ended = matches!(got, Ok(0) | Err(_));
                }
                Ok(None) | Err(_) => {
                    self.finished = true;
                    let rest = self.splitter.end(&mut self.buffer).ok().flatten();
                    self.record_end_after(rest.is_some());
                    return rest;
                }
            }
        }
    }

    fn record_end_after(&mut self, more: bool) {
        if !more {
            self.record(self.us.other(), EntryContent::End);
        }
    }

    fn record_line(&mut self, from: Side, line: Bytes) -> usize {
        let json = serde_json::from_slice(&line).ok();
        self.record(from, EntryContent::Line(line, json))
    }

    fn record(&mut self, from: Side, content: EntryContent) -> usize {
        let at = self.start.elapsed();
        self.conversation
            .entries
            .push(ConversationEntry { from, at, content });
        self.conversation.entries.len() - 1
    }
}

/// Short: the program under test has already had time to exit on its own.
pub(crate) const STOP_TIMEOUTS: StopTimeouts =
    StopTimeouts::new(Duration::from_millis(300), Duration::from_millis(300));

const LONGEST: usize = 64 << 20;
const TOO_LONG: &[u8] = b"a line too long to keep";
