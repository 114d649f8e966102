//! The lines of a recorded stream, parts of which may be missing.

use attache_text::Line;

use super::RecordedLine;

/// The current line.
#[derive(Debug)]
pub(super) struct StreamLines {
    lines: attache_text::LineSplitter,
    /// The beginning of this line was lost, so the rest is useless.
    is_torn: bool,
}

impl Default for StreamLines {
    fn default() -> Self {
        StreamLines {
            lines: attache_text::LineSplitter::new(MAX_LINE, KEPT_OF_LONG_LINE),
            is_torn: false,
        }
    }
}

impl StreamLines {
    /// Adds a piece of the stream, and emits the lines that end in it.
    pub(super) fn push(&mut self, piece: &[u8], mut found: impl FnMut(RecordedLine)) {
        self.lines.push(piece, |line| {
            if !std::mem::take(&mut self.is_torn) {
                found(recorded_line(line));
            }
        });
    }

    /// The last line, if the stream did not end with a line break.
    pub(super) fn end(&mut self) -> Option<RecordedLine> {
        let line = self.lines.finish().filter(|_| !self.is_torn);
        self.is_torn = false;
        line.map(|line| RecordedLine {
            unfinished: true,
            ..recorded_line(line)
        })
    }

    /// Notes that part of the stream is missing from here. Returns the bytes that are useless without it.
    pub(super) fn mark_torn(&mut self) -> Vec<u8> {
        self.is_torn = true;
        self.lines.discard()
    }
}

fn recorded_line(line: Line<'_>) -> RecordedLine {
    RecordedLine {
        cut: line.is_cut().then_some(line.size),
        bytes: line.bytes.into_owned(),
        ..RecordedLine::default()
    }
}

/// The longest line that is kept completely.
pub(super) const MAX_LINE: usize = 16 << 20;
/// The number of bytes that are kept of a longer line.
const KEPT_OF_LONG_LINE: usize = 64 << 10;
