//! A first-in, first-out queue of messages.

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

/// A line that was not copied and stays in the buffer that it was read into.
#[derive(Debug)]
pub(super) struct SharedLine {
    pub(super) line: ByteString,
    pub(super) session: SessionKey,
    /// The number of bytes that the line may keep in memory.
    pub(super) pins: usize,
}

impl Lane {
    /// Closes the open buffer and continues with an empty one.
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

    /// Removes the front of the queue. If that is the open buffer, a spare buffer replaces it.
    pub(super) fn take(&mut self, spare: &mut Vec<Buffer>) -> Option<LaneItem> {
        if self.closed.is_empty() && !self.open.text.is_empty() {
            self.close(spare.pop().unwrap_or_default());
        }
        self.closed.pop_front()
    }

    /// Moves the messages of a session to the end of another lane.
    pub(super) fn move_session(&mut self, session: SessionKey, to: &mut Lane) {
        if !self.contains(session) {
            return;
        }
        self.close(Buffer::default());
        for content in std::mem::take(&mut self.closed) {
            match content {
                LaneItem::Line(shared) if shared.session == session => to.push_shared(shared),
                LaneItem::Line(_) => self.closed.push_back(content),
                LaneItem::Buffer(buffer) => {
                    let (of_session, others) = buffer.partition(session);
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

    fn contains(&self, session: SessionKey) -> bool {
        self.open.contains(session) || self.closed.iter().any(|item| item.contains(session))
    }
}

impl LaneItem {
    pub(super) fn len(&self) -> usize {
        match self {
            LaneItem::Buffer(buffer) => buffer.text.len(),
            LaneItem::Line(shared) => shared.line.len(),
        }
    }

    fn contains(&self, session: SessionKey) -> bool {
        match self {
            LaneItem::Buffer(buffer) => buffer.contains(session),
            LaneItem::Line(shared) => shared.session == session,
        }
    }
}
