//! Queued messages in one string, with the session of each.

use super::SessionKey;

#[derive(Debug, Default)]
pub(super) struct Buffer {
    pub(super) text: String,
    /// For each run of messages of one session: the session and the end of the run.
    marks: Vec<(SessionKey, usize)>,
}

impl Buffer {
    /// Records the session of the message that was just appended.
    pub(super) fn mark(&mut self, session: SessionKey) {
        let end = self.text.len();
        match self.marks.last_mut() {
            Some((last, at)) if *last == session => *at = end,
            _ => self.marks.push((session, end)),
        }
    }

    /// Drops an incomplete message, left by an encoder that panicked.
    pub(super) fn drop_unmarked(&mut self) {
        let end = self.marks.last().map_or(0, |(_, end)| *end);
        self.text.truncate(end);
    }

    pub(super) fn contains(&self, session: SessionKey) -> bool {
        self.marks.iter().any(|(of, _)| *of == session)
    }

    /// Splits the buffer into the messages of one session and the others.
    pub(super) fn partition(self, session: SessionKey) -> (Buffer, Buffer) {
        let (mut of_session, mut others) = (Buffer::default(), Buffer::default());
        if !self.contains(session) {
            return (of_session, self);
        }
        let mut start = 0;
        for (of, end) in self.marks {
            let part = if of == session {
                &mut of_session
            } else {
                &mut others
            };
            part.text.push_str(&self.text[start..end]);
            part.mark(of);
            start = end;
        }
        (of_session, others)
    }

    pub(super) fn clear(&mut self) {
        self.text.clear();
        self.marks.clear();
    }
}
