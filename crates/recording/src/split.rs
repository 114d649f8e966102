//! Lines out of pieces of a stream, each with no more memory than a line may have.

use memchr::memchr;

use super::Said;

/// What is known of the line that has begun.
#[derive(Debug, Default)]
pub(super) struct Lines {
    begun: Vec<u8>,
    /// How long it is, which is more than is kept once it is too long.
    size: u64,
    state: State,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum State {
    #[default]
    Whole,
    /// Only its beginning is kept.
    TooLong,
    /// Its beginning was lost, so that the rest of it says nothing.
    Torn,
}

impl Lines {
    /// Takes a piece of the stream and gives the lines that end in it.
    pub(super) fn push(&mut self, mut piece: &[u8], mut found: impl FnMut(Said)) {
        while let Some(end) = memchr(b'\n', piece) {
            if self.size == 0 && self.state == State::Whole && end <= LONGEST {
                found(Said::whole(&piece[..end]));
            } else {
                self.extend(&piece[..end]);
                if let Some(said) = self.take() {
                    found(said);
                }
            }
            piece = &piece[end + 1..];
        }
        self.extend(piece);
    }

    /// What the stream ended with, if not with a line break.
    pub(super) fn end(&mut self) -> Option<Said> {
        let said = self.take()?;
        let unfinished = said.size() > 0;
        unfinished.then_some(Said { unfinished, ..said })
    }

    /// Part of the stream is missing from here. Gives the bytes that are worth nothing without it.
    pub(super) fn tear(&mut self) -> Vec<u8> {
        self.state = State::Torn;
        self.size = 0;
        std::mem::take(&mut self.begun)
    }

    fn extend(&mut self, piece: &[u8]) {
        self.size += piece.len() as u64;
        if self.state != State::Whole {
            return;
        }
        if self.begun.len() + piece.len() > LONGEST {
            self.state = State::TooLong;
            let room = KEPT.saturating_sub(self.begun.len());
            self.begun
                .extend_from_slice(&piece[..room.min(piece.len())]);
            self.begun.truncate(KEPT);
            self.begun.shrink_to_fit();
        } else {
            self.begun.extend_from_slice(piece);
        }
    }

    fn take(&mut self) -> Option<Said> {
        let size = std::mem::take(&mut self.size);
        let bytes = std::mem::take(&mut self.begun);
        let cut = match std::mem::take(&mut self.state) {
            State::Whole => None,
            State::TooLong => Some(size),
            State::Torn => return None,
        };
        Some(Said {
            bytes,
            cut,
            ..Said::default()
        })
    }
}

/// The longest line that is kept whole.
pub(super) const LONGEST: usize = 16 << 20;
/// How much is kept of one that is longer.
const KEPT: usize = 64 << 10;
