//! A queue in which every message leaves in the order in which it came.

use std::collections::VecDeque;

use bytestring::ByteString;

use super::SessionKey;
use super::buffer::Buffer;

#[derive(Debug, Default)]
pub(super) struct Lane {
    closed: VecDeque<LaneItem>,
    /// The end of the queue, to which messages are appended.
    pub(super) open: Buffer,
}

#[derive(Debug)]
pub(super) enum LaneItem {
    Buffer(Buffer),
    Line(SharedLine),
}

/// A line that lies where it was read.
#[derive(Debug)]
pub(super) struct SharedLine {
    pub(super) line: ByteString,
    pub(super) session: SessionKey,
    /// The bytes that it may keep in memory.
    pub(super) pins: usize,
}

impl Lane {
    /// Goes on with an empty buffer.
    pub(super) fn close(&mut self, empty: Buffer) {
        self.open.drop_unmarked();
        let full = std::mem::replace(&mut self.open, empty);
        if !full.text.is_empty() {
            self.closed.push_back(LaneItem::Buffer(full));
        }
    }

    pub(super) fn push_shared(&mut self, shared: SharedLine) {
        self.close(Buffer::default());
        self.closed.push_back(LaneItem::Line(shared));
    }

    /// The front of the queue. Where it is the open buffer, a spare one takes its place.
    pub(super) fn take(&mut self, spare: &mut Vec<Buffer>) -> Option<LaneItem> {
        if self.closed.is_empty() && !self.open.text.is_empty() {
            self.close(spare.pop().unwrap_or_default());
        }
        self.closed.pop_front()
    }

    /// Moves the messages of a session to the end of another lane.
    pub(super) fn move_session(&mut self, session: SessionKey, to: &mut Lane) {
        if !self.holds(session) {
            return;
        }
        self.close(Buffer::default());
        for content in std::mem::take(&mut self.closed) {
            match content {
                LaneItem::Line(shared) if shared.session == session => to.push_shared(shared),
                LaneItem::Line(_) => self.closed.push_back(content),
                LaneItem::Buffer(buffer) => {
                    let (of_session, others) = buffer.divide(session);
                    to.append(of_session);
                    if !others.text.is_empty() {
                        self.closed.push_back(LaneItem::Buffer(others));
                    }
                }
            }
        }
    }

    fn append(&mut self, buffer: Buffer) {
        if !buffer.text.is_empty() {
            self.close(Buffer::default());
            self.closed.push_back(LaneItem::Buffer(buffer));
        }
    }

    fn holds(&self, session: SessionKey) -> bool {
        self.open.holds(session) || self.closed.iter().any(|content| content.holds(session))
    }
}

impl LaneItem {
    pub(super) fn len(&self) -> usize {
        match self {
            LaneItem::Buffer(buffer) => buffer.text.len(),
            LaneItem::Line(shared) => shared.line.len(),
        }
    }

    fn holds(&self, session: SessionKey) -> bool {
        match self {
            LaneItem::Buffer(buffer) => buffer.holds(session),
            LaneItem::Line(shared) => shared.session == session,
        }
    }
}
