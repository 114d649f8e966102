//! The queue of outgoing messages, limited in bytes. Urgent messages go first, but never change the order within a
//! session.

mod buffer;
mod lane;

use std::hash::{BuildHasher, RandomState};
use std::sync::LazyLock;

use bytestring::ByteString;
use memchr::memchr;

use crate::Framing;
use crate::json::write;
use buffer::Buffer;
use lane::{Lane, LaneItem, SharedLine};

/// The key of a session. Messages with the same key always keep their order; an urgent message may overtake messages
/// with another key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SessionKey(u64);

impl SessionKey {
    /// The key of messages that belong to no session.
    pub const CONNECTION: SessionKey = SessionKey(0);

    /// The key of the session with this id.
    pub fn named(name: &str) -> Self {
        // FNV-1a: names are short, and every message has one. The random start value is unknown to peers.
        static BEGIN: LazyLock<u64> = LazyLock::new(|| RandomState::new().hash_one("session"));
        let step = |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        let hash = name.bytes().fold(*BEGIN, step);
        SessionKey(hash.max(1))
    }
}

/// Whether a message may overtake messages of other sessions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Urgency {
    /// Sent after everything that was queued before it.
    #[default]
    Ordinary,
    /// Sent before everything else in the queue, together with the queued messages of its own session.
    Urgent,
}

/// How a message is queued: the session whose order it keeps, and whether it may overtake other sessions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct SendOptions {
    /// The session of the message. Messages of one session keep their order.
    pub session: SessionKey,
    /// Whether the message may overtake messages of other sessions.
    pub urgency: Urgency,
}

impl SendOptions {
    /// An ordinary message of a session.
    pub const fn of(session: SessionKey) -> Self {
        SendOptions {
            session,
            urgency: Urgency::Ordinary,
        }
    }

    /// An urgent message of a session.
    pub const fn urgent(session: SessionKey) -> Self {
        SendOptions {
            session,
            urgency: Urgency::Urgent,
        }
    }
}

/// One or more whole messages that are ready to be written. Read the bytes with `as_ref`, and return the chunk with
/// [`Outbox::mark_written`].
#[derive(Debug)]
pub struct Chunk(LaneItem);

/// An outgoing message is longer than the limit and was not queued.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct TooLarge {
    /// The size of the message in bytes.
    pub size: usize,
    /// The maximum size of a message in bytes.
    pub limit: usize,
}

/// The queue of outgoing messages of a connection.
#[derive(Debug)]
pub struct Outbox {
    framing: Framing,
    frame_limit: usize,
    limit: usize,
    urgent: Lane,
    bulk: Lane,
    /// Bytes that have not been written: those that wait, and those that have been taken.
    unwritten: usize,
    waiting: usize,
    /// Maximum bytes of read buffers that relayed lines, which are queued without copying, keep in memory.
    pinned: usize,
    /// Address at which the last relayed line ends. A line that starts there lies in the same read buffer.
    pinned_to: usize,
    spare: Vec<Buffer>,
    scratch: String,
}

impl Outbox {
    /// Creates an empty queue for messages of at most `frame_limit` bytes. The queue is full when `limit` bytes wait.
    pub fn new(framing: Framing, frame_limit: usize, limit: usize) -> Self {
        Outbox {
            framing,
            frame_limit,
            limit,
            urgent: Lane::default(),
            bulk: Lane::default(),
            unwritten: 0,
            waiting: 0,
            pinned: 0,
            pinned_to: 0,
            spare: Vec::new(),
            scratch: String::new(),
        }
    }

    /// Whether the queue is below its limit. A message that is pushed into a full queue is queued nevertheless.
    pub fn has_room(&self) -> bool {
        self.unwritten < self.limit
    }

    /// Whether the queue is below the higher limit for urgent messages, which therefore need not wait behind a flood of
    /// ordinary ones.
    pub fn has_urgent_room(&self) -> bool {
        self.unwritten < self.limit.saturating_mul(2).saturating_add(CHUNK)
    }

    /// The number of bytes that have not been written.
    pub fn unwritten(&self) -> usize {
        self.unwritten
    }

    /// Whether [`pop`](Self::pop) would return nothing.
    pub fn is_empty(&self) -> bool {
        self.waiting == 0
    }

    /// Queues a message. `encode` appends its text, without a line break, to the string it is given.
    pub fn push(
        &mut self,
        options: SendOptions,
        encode: impl FnOnce(&mut String),
    ) -> Result<(), TooLarge> {
        self.push_within(self.frame_limit, options, encode)
    }

    /// Queues a message of at most `limit` bytes.
    pub(crate) fn push_within(
        &mut self,
        limit: usize,
        options: SendOptions,
        encode: impl FnOnce(&mut String),
    ) -> Result<(), TooLarge> {
        if self.framing == Framing::Headers {
            return self.push_with_header(limit, options, encode);
        }
        let buffer = &mut self.lane(options).open;
        buffer.drop_unmarked();
        let start = buffer.text.len();
        encode(&mut buffer.text);
        let size = buffer.text.len() - start;
        if size > limit {
            buffer.text.truncate(start);
            buffer.text.shrink_to(CHUNK);
            return Err(TooLarge { size, limit });
        }
        buffer.text.push('\n');
        buffer.mark(options.session);
        self.queued(options, size + 1);
        Ok(())
    }

    /// Queues a whole message unchanged and, if possible, without copying it.
    ///
    /// A message that does not have exactly one line break, at its end, is copied without the line breaks between its
    /// tokens. A message is also copied if lines that are not copied could keep more than twice the queue's limit in
    /// memory: a line keeps the whole buffer alive that it was read into.
    pub fn push_line(&mut self, options: SendOptions, line: ByteString) -> Result<(), TooLarge> {
        let text = line.trim_ascii_end();
        let size = text.len();
        if self.framing == Framing::Headers {
            return self.push(options, |out| out.push_str(text));
        }
        if memchr(b'\n', line.as_bytes()) != line.len().checked_sub(1) {
            return self.push(options, |out| write::raw(out, text));
        }
        if size > self.frame_limit {
            return Err(TooLarge {
                size,
                limit: self.frame_limit,
            });
        }
        let pins = self.pins(&line);
        if self.pinned.saturating_add(pins) > self.limit.saturating_mul(2) {
            return self.push(options, |out| out.push_str(text));
        }
        self.pinned += pins;
        self.pinned_to = line.as_ptr().addr() + line.len();
        let whole = line.len();
        self.lane(options).push_shared(SharedLine {
            line,
            session: options.session,
            pins,
        });
        self.count(whole);
        Ok(())
    }

    /// The number of bytes that a line may keep in memory in addition to the previous line.
    fn pins(&self, line: &ByteString) -> usize {
        match line.as_ptr().addr() == self.pinned_to {
            true => line.len(),
            false => line.len().max(PIECE),
        }
    }

    /// Removes the next messages to write from the queue.
    pub fn pop(&mut self) -> Option<Chunk> {
        let spare = &mut self.spare;
        let urgent = self.urgent.take(spare);
        let content = urgent.or_else(|| self.bulk.take(spare))?;
        self.waiting -= content.len();
        Some(Chunk(content))
    }

    /// Returns a chunk that has been written, which makes room in the queue.
    pub fn mark_written(&mut self, chunk: Chunk) {
        self.unwritten -= chunk.0.len();
        match chunk.0 {
            LaneItem::Line(shared) => self.pinned -= shared.pins,
            LaneItem::Buffer(mut buffer) => {
                if self.spare.len() < SPARE && buffer.text.capacity() <= 2 * CHUNK {
                    buffer.clear();
                    self.spare.push(buffer);
                }
            }
        }
    }

    /// Counts a queued message, and closes its buffer when the buffer is long enough for a chunk.
    fn queued(&mut self, options: SendOptions, bytes: usize) {
        self.count(bytes);
        let lane = match options.urgency {
            Urgency::Ordinary => &mut self.bulk,
            Urgency::Urgent => &mut self.urgent,
        };
        if lane.open.text.len() >= CHUNK {
            lane.close(self.spare.pop().unwrap_or_default());
        }
    }

    fn count(&mut self, bytes: usize) {
        self.unwritten += bytes;
        self.waiting += bytes;
    }

    fn push_with_header(
        &mut self,
        limit: usize,
        options: SendOptions,
        encode: impl FnOnce(&mut String),
    ) -> Result<(), TooLarge> {
        let mut body = std::mem::take(&mut self.scratch);
        body.clear();
        encode(&mut body);
        let size = body.len();
        if size > limit {
            return Err(TooLarge { size, limit });
        }
        let buffer = &mut self.lane(options).open;
        let start = buffer.text.len();
        Framing::Headers.write(&mut buffer.text, &body);
        let total = buffer.text.len() - start;
        buffer.mark(options.session);
        self.queued(options, total);
        if body.capacity() <= CHUNK {
            self.scratch = body;
        }
        Ok(())
    }

    /// The lane for a message. Waiting messages of an urgent message's session are moved to the urgent lane first.
    fn lane(&mut self, options: SendOptions) -> &mut Lane {
        match options.urgency {
            Urgency::Ordinary => &mut self.bulk,
            Urgency::Urgent => {
                self.bulk.move_session(options.session, &mut self.urgent);
                &mut self.urgent
            }
        }
    }
}

impl AsRef<[u8]> for Chunk {
    fn as_ref(&self) -> &[u8] {
        match &self.0 {
            LaneItem::Buffer(buffer) => buffer.text.as_bytes(),
            LaneItem::Line(shared) => shared.line.as_bytes(),
        }
    }
}

/// Target size of a chunk: what a pipe takes at once, minus room for the message that fills the chunk.
const CHUNK: usize = 60 << 10;
/// Size of a read buffer, which stays in memory as long as any line in it.
const PIECE: usize = 64 << 10;
const SPARE: usize = 2;
