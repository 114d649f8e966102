//! Splits a stream into lines, with limited memory for each line.

use std::borrow::Cow;

use memchr::memchr;

/// Splits a stream that arrives in pieces into lines. A line that is too long is cut, so memory stays limited.
#[derive(Debug)]
pub struct LineSplitter {
    longest: usize,
    kept: usize,
    partial: Vec<u8>,
    /// The length of the current line so far. Larger than `partial` if the line is too long.
    size: u64,
}

/// A line without its line end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line<'a> {
    /// The line, or only its beginning if the line is too long.
    pub bytes: Cow<'a, [u8]>,
    /// The length of the whole line in bytes.
    pub size: u64,
}

impl Line<'_> {
    /// Whether the line was too long, so that `bytes` is only its beginning.
    pub fn is_cut(&self) -> bool {
        self.size > self.bytes.len() as u64
    }
}

impl LineSplitter {
    /// Creates a splitter for lines of at most `longest` bytes. Of a longer line, only the first `kept` bytes are kept.
    pub fn new(longest: usize, kept: usize) -> LineSplitter {
        LineSplitter {
            longest,
            kept: kept.min(longest),
            partial: Vec::new(),
            size: 0,
        }
    }

    /// Reads bytes of the stream up to the next line end. Returns the number of bytes read, and the line if it has ended. The
    /// line is borrowed if these bytes contain all of it.
    pub fn next_line<'a>(&mut self, bytes: &'a [u8]) -> (usize, Option<Line<'a>>) {
        let Some(end) = memchr(b'\n', bytes) else {
            self.extend(bytes);
            return (bytes.len(), None);
        };
        if self.size == 0 && end <= self.longest {
            let line = Line {
                bytes: Cow::Borrowed(&bytes[..end]),
                size: end as u64,
            };
            return (end + 1, Some(line));
        }
        self.extend(&bytes[..end]);
        (end + 1, Some(self.take_line()))
    }

    /// Reads a piece of the stream, and calls `found` with each line that ends in it.
    pub fn push(&mut self, mut piece: &[u8], mut found: impl FnMut(Line<'_>)) {
        while !piece.is_empty() {
            let (taken, line) = self.next_line(piece);
            line.into_iter().for_each(&mut found);
            piece = &piece[taken..];
        }
    }

    /// Ends the stream and returns the last line, unless the stream ended with a line end.
    pub fn finish(&mut self) -> Option<Line<'static>> {
        (self.size > 0).then(|| self.take_line())
    }

    /// Drops the current, unfinished line and returns the part of it that was kept.
    pub fn discard(&mut self) -> Vec<u8> {
        self.size = 0;
        std::mem::take(&mut self.partial)
    }

    fn extend(&mut self, piece: &[u8]) {
        let was_whole = self.size <= self.longest as u64;
        self.size += piece.len() as u64;
        if self.size <= self.longest as u64 {
            self.partial.extend_from_slice(piece);
        } else if was_whole {
            let room = self.kept.saturating_sub(self.partial.len());
            self.partial
                .extend_from_slice(&piece[..room.min(piece.len())]);
            self.partial.truncate(self.kept);
            self.partial.shrink_to_fit();
        }
    }

    fn take_line(&mut self) -> Line<'static> {
        Line {
            size: std::mem::take(&mut self.size),
            bytes: Cow::Owned(std::mem::take(&mut self.partial)),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::LineSplitter;

    fn read(longest: usize, kept: usize, pieces: &[&[u8]]) -> Vec<(Vec<u8>, u64)> {
        let mut lines = LineSplitter::new(longest, kept);
        let mut found = Vec::new();
        for piece in pieces {
            lines.push(piece, |line| {
                found.push((line.bytes.into_owned(), line.size));
            });
            assert!(lines.partial.len() <= longest);
        }
        found.extend(
            lines
                .finish()
                .map(|line| (line.bytes.into_owned(), line.size)),
        );
        assert_eq!(lines.finish(), None);
        found
    }

    #[test]
    fn the_beginning_of_a_long_line_is_kept() {
        let found = read(4, 2, &[b"abcd\nabcde\n\nab", b"c", b"de", b"f\nx"]);
        let expected: [(&[u8], u64); 5] =
            [(b"abcd", 4), (b"ab", 5), (b"", 0), (b"ab", 6), (b"x", 1)];
        let found: Vec<(&[u8], u64)> = found
            .iter()
            .map(|(bytes, size)| (&bytes[..], *size))
            .collect();
        assert_eq!(found, expected);
    }

    proptest! {
        #[test]
        fn lines_do_not_depend_on_the_pieces_of_the_stream(
            text in "[ab\n]{0,40}",
            cuts in prop::collection::vec(0..40_usize, 0..6),
            longest in 0..8_usize,
            kept in 0..8_usize,
        ) {
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(text.len())).collect();
            cuts.extend([0, text.len()]);
            cuts.sort_unstable();
            let pieces: Vec<&[u8]> = cuts.windows(2).map(|cut| &text.as_bytes()[cut[0]..cut[1]]).collect();
            let kept = kept.min(longest);
            let mut expected: Vec<(Vec<u8>, u64)> = text.split('\n').map(|line| {
                let end = if line.len() > longest { kept } else { line.len() };
                (line.as_bytes()[..end].to_vec(), line.len() as u64)
            }).collect();
            // No line end, no line.
            expected.pop_if(|last| last.1 == 0);
            prop_assert_eq!(read(longest, kept, &pieces), expected);
        }
    }
}
