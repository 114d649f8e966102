//! Lines out of pieces of a stream, each with no more memory than a line may have.

use std::borrow::Cow;

use memchr::memchr;

/// What is known of the line that has partial.
#[derive(Debug)]
pub struct LineSplitter {
    longest: usize,
    kept: usize,
    partial: Vec<u8>,
    /// How long the line is so far, which is more than is kept once it is too long.
    size: u64,
}

/// A line without its line end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line<'a> {
    /// The line, or its beginning if it is too long.
    pub bytes: Cow<'a, [u8]>,
    /// How many bytes the line has.
    pub size: u64,
}

impl Line<'_> {
    /// Whether this is only the beginning of the line.
    pub fn is_cut(&self) -> bool {
        self.size > self.bytes.len() as u64
    }
}

impl LineSplitter {
    /// Lines of at most `longest` bytes. Of a longer one the first `kept` bytes are kept.
    pub fn new(longest: usize, kept: usize) -> LineSplitter {
        LineSplitter {
            longest,
            kept: kept.min(longest),
            partial: Vec::new(),
            size: 0,
        }
    }

    /// Takes the next bytes of the stream up to a line end: how many that are, and the line if it has ended. It is not
    /// copied if it lies in these bytes as a whole.
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

    /// Takes a piece of the stream and gives the lines that end in it.
    pub fn push(&mut self, mut piece: &[u8], mut found: impl FnMut(Line<'_>)) {
        while !piece.is_empty() {
            let (taken, line) = self.next_line(piece);
            line.into_iter().for_each(&mut found);
            piece = &piece[taken..];
        }
    }

    /// What the stream ended with, if not with a line end.
    pub fn finish(&mut self) -> Option<Line<'static>> {
        (self.size > 0).then(|| self.take_line())
    }

    /// Drops what has partial, and gives what was kept of it.
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
    fn of_a_long_line_the_beginning_is_kept() {
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
        fn it_does_not_matter_where_the_stream_is_cut(
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
