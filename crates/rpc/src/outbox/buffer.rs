//! Messages one behind the other in one text, with a note of whose they are.

use super::Stream;

#[derive(Debug, Default)]
pub(super) struct Buffer {
    pub(super) text: String,
    /// For each run of messages of one stream: the stream, and where the run ends.
    marks: Vec<(Stream, usize)>,
}

impl Buffer {
    /// Notes whose the message is that has just been appended.
    pub(super) fn mark(&mut self, stream: Stream) {
        let end = self.text.len();
        match self.marks.last_mut() {
            Some((last, at)) if *last == stream => *at = end,
            _ => self.marks.push((stream, end)),
        }
    }

    /// Drops what an encoder has left behind that panicked in the middle of its message.
    pub(super) fn drop_unmarked(&mut self) {
        let end = self.marks.last().map_or(0, |(_, end)| *end);
        self.text.truncate(end);
    }

    pub(super) fn holds(&self, stream: Stream) -> bool {
        self.marks.iter().any(|(of, _)| *of == stream)
    }

    /// The messages of one stream, and the others.
    pub(super) fn divide(self, stream: Stream) -> (Buffer, Buffer) {
        let (mut of_stream, mut others) = (Buffer::default(), Buffer::default());
        if !self.holds(stream) {
            return (of_stream, self);
        }
        let mut start = 0;
        for (of, end) in self.marks {
            let part = if of == stream {
                &mut of_stream
            } else {
                &mut others
            };
            part.text.push_str(&self.text[start..end]);
            part.mark(of);
            start = end;
        }
        (of_stream, others)
    }

    pub(super) fn clear(&mut self) {
        self.text.clear();
        self.marks.clear();
    }
}
