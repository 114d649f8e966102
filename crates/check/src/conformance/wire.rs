//! Lines in and out of one connection, recorded with their times. While it writes it reads, so that neither side can
//! hold up the other for good.

use std::time::Duration;

use attache_process::Ladder;
use attache_rpc::{Frame, Splitter};
use attache_testkit::Side;
use bytes::{Bytes, BytesMut};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::{Instant, timeout};

use super::{Conversation, Ends, Said, What};

pub(crate) struct Wire {
    us: Side,
    ends: Ends,
    splitter: Splitter,
    buffer: BytesMut,
    /// Their stream has ended, or ours.
    ended: bool,
    over: bool,
    start: Instant,
    pub(crate) conversation: Conversation,
}

/// What came in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Heard {
    /// A line, which is this entry.
    Entry(usize),
    End,
    Late,
}

impl Wire {
    pub(crate) fn new(us: Side, act: &'static str, ends: Ends) -> Self {
        Wire {
            us,
            ends,
            splitter: Splitter::new(LONGEST),
            buffer: BytesMut::new(),
            ended: false,
            over: false,
            start: Instant::now(),
            conversation: Conversation::new(act),
        }
    }

    /// Says bytes as they are; they are recorded as one entry. Whether they could be said in time.
    pub(crate) async fn say(&mut self, bytes: &[u8], within: Duration) -> (usize, bool) {
        let entry = self.note(self.us, Bytes::copy_from_slice(bytes));
        let said = timeout(within, self.write(bytes)).await;
        (entry, matches!(said, Ok(true)))
    }

    /// The same, a few bytes at a time.
    pub(crate) async fn say_in_pieces(&mut self, bytes: &[u8], within: Duration) -> usize {
        let entry = self.note(self.us, Bytes::copy_from_slice(bytes));
        let pieces = async {
            for piece in bytes.chunks(7) {
                if !self.write(piece).await {
                    return;
                }
                tokio::task::yield_now().await;
            }
        };
        // A peer that does not read is found out by what comes next.
        drop(timeout(within, pieces).await);
        entry
    }

    pub(crate) async fn hear(&mut self, within: Duration) -> Heard {
        match timeout(within, self.next()).await {
            Err(_) => Heard::Late,
            Ok(None) => Heard::End,
            Ok(Some(line)) => {
                let them = self.us.other();
                Heard::Entry(self.note(them, line))
            }
        }
    }

    /// Closes our side.
    pub(crate) async fn close(&mut self, within: Duration) {
        self.record(self.us, What::End);
        // A peer that is gone needs no goodbye.
        drop(timeout(within, self.ends.write.shutdown()).await);
    }

    /// Ends what is under test and gives what was said.
    pub(crate) async fn finish(mut self) -> Conversation {
        if let Some(child) = self.ends.child.take() {
            self.conversation.stderr = child.stop(LADDER).await.stderr;
        }
        self.conversation
    }

    async fn write(&mut self, bytes: &[u8]) -> bool {
        let mut rest = bytes;
        while !rest.is_empty() {
            let room = !self.ended && self.buffer.len() < LONGEST;
            tokio::select! {
                written = self.ends.write.write(rest) => match written {
                    Ok(0) | Err(_) => return false,
                    Ok(count) => rest = &rest[count..],
                },
                got = self.ends.read.read_buf(&mut self.buffer), if room => {
                    self.ended = matches!(got, Ok(0) | Err(_));
                }
            }
        }
        self.ends.write.flush().await.is_ok()
    }

    async fn next(&mut self) -> Option<Bytes> {
        loop {
            if self.over {
                return None;
            }
            match self.splitter.next(&mut self.buffer) {
                Ok(Some(Frame::Message(line))) => return Some(line),
                Ok(Some(Frame::TooLong(_))) => return Some(Bytes::from_static(TOO_LONG)),
                Ok(None) if !self.ended => {
                    let got = self.ends.read.read_buf(&mut self.buffer).await;
                    self.ended = matches!(got, Ok(0) | Err(_));
                }
                Ok(None) | Err(_) => {
                    self.over = true;
                    let rest = self.splitter.end(&mut self.buffer).ok().flatten();
                    self.record_end_after(rest.is_some());
                    return rest;
                }
            }
        }
    }

    fn record_end_after(&mut self, more: bool) {
        if !more {
            self.record(self.us.other(), What::End);
        }
    }

    fn note(&mut self, from: Side, line: Bytes) -> usize {
        let json = serde_json::from_slice(&line).ok();
        self.record(from, What::Line(line, json))
    }

    fn record(&mut self, from: Side, what: What) -> usize {
        let at = self.start.elapsed();
        self.conversation.said.push(Said { from, at, what });
        self.conversation.said.len() - 1
    }
}

/// What is under test has had its chance to end by itself.
pub(crate) const LADDER: Ladder = Ladder {
    after_close: Duration::from_millis(300),
    after_term: Duration::from_millis(300),
};

const LONGEST: usize = 64 << 20;
const TOO_LONG: &[u8] = b"a line too long to keep";
