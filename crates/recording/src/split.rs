//! The lines of a recorded stream, parts of which may be missing.

use attache_text::Line;

use super::Said;

/// What is known of the line that has begun.
#[derive(Debug)]
pub(super) struct Lines {
    lines: attache_text::LineSplitter,
    /// The beginning of this line was lost, so that the rest of it says nothing.
    is_torn: bool,
}

impl Default for Lines {
    fn default() -> Self {
        Lines {
            lines: attache_text::LineSplitter::new(LONGEST, KEPT),
            is_torn: false,
        }
    }
}

impl Lines {
    /// Takes a piece of the stream and gives the lines that end in it.
    pub(super) fn push(&mut self, piece: &[u8], mut found: impl FnMut(Said)) {
        self.lines.push(piece, |line| {
            if !std::mem::take(&mut self.is_torn) {
                found(said(line));
            }
        });
    }

    /// What the stream ended with, if not with a line break.
    pub(super) fn end(&mut self) -> Option<Said> {
        let line = self.lines.finish().filter(|_| !self.is_torn);
        self.is_torn = false;
        line.map(|line| Said {
            unfinished: true,
            ..said(line)
        })
    }

    /// Part of the stream is missing from here. Gives the bytes that are worth nothing without it.
    pub(super) fn tear(&mut self) -> Vec<u8> {
        self.is_torn = true;
        self.lines.discard()
    }
}

fn said(line: Line<'_>) -> Said {
    Said {
        cut: line.is_cut().then_some(line.size),
        bytes: line.bytes.into_owned(),
        ..Said::default()
    }
}

/// The longest line that is kept whole.
pub(super) const LONGEST: usize = 16 << 20;
/// How much is kept of one that is longer.
const KEPT: usize = 64 << 10;
