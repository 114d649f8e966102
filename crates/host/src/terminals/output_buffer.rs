//! The end of a command's output, without the values of withheld variables. Bytes are stored as they came and decoded
//! on demand, so that characters are whole wherever the output was split.

use std::collections::VecDeque;

use crate::environment::ReplacingStream;

#[derive(Debug)]
pub(super) struct OutputBuffer {
    values: ReplacingStream,
    bytes: VecDeque<u8>,
    limit: usize,
    is_cut: bool,
    is_finished: bool,
}

impl OutputBuffer {
    pub(super) fn new(limit: usize, values: ReplacingStream) -> OutputBuffer {
        OutputBuffer {
            values,
            bytes: VecDeque::new(),
            limit,
            is_cut: false,
            is_finished: false,
        }
    }

    pub(super) fn push(&mut self, chunk: &[u8]) {
        let chunk = self.values.push(chunk);
        self.keep(&chunk);
    }

    fn keep(&mut self, chunk: &[u8]) {
        let kept = &chunk[chunk.len().saturating_sub(self.limit)..];
        let excess = (self.bytes.len() + kept.len()).saturating_sub(self.limit);
        self.is_cut |= excess > 0 || kept.len() < chunk.len();
        self.bytes.drain(..excess);
        self.bytes.extend(kept);
    }

    /// Marks the end of the output: incomplete characters are no longer expected to continue. Returns whether this is
    /// the first call.
    pub(super) fn finish(&mut self) -> bool {
        let rest = self.values.finish();
        self.keep(&rest);
        self.bytes.shrink_to_fit();
        !std::mem::replace(&mut self.is_finished, true)
    }

    pub(super) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// A copy, to be decoded after the buffer is unlocked again for its writer.
    pub(super) fn snapshot(&self) -> OutputSnapshot {
        let (front, back) = self.bytes.as_slices();
        OutputSnapshot {
            bytes: [front, back, self.values.short_pending()].concat(),
            limit: self.limit,
            is_cut: self.is_cut,
            is_finished: self.is_finished,
        }
    }
}

/// The content of a buffer at one moment.
pub(super) struct OutputSnapshot {
    bytes: Vec<u8>,
    limit: usize,
    is_cut: bool,
    is_finished: bool,
}

impl OutputSnapshot {
    /// The text, at most as long as the limit, and whether its beginning was dropped.
    pub(super) fn text(&self) -> (String, bool) {
        let whole = match self.is_cut {
            true => without_partial_character(&self.bytes),
            false => self.bytes.as_slice(),
        };
        let mut text = decode(whole, self.is_finished);
        let excess = text.len().saturating_sub(self.limit);
        // An invalid byte becomes three bytes of text, so the text may exceed the limit.
        text.drain(..text.ceil_char_boundary(excess));
        (text, self.is_cut || excess > 0)
    }
}

/// Removes the rest of a character whose beginning was dropped.
fn without_partial_character(bytes: &[u8]) -> &[u8] {
    let rest = bytes.iter().take(3);
    let rest = rest.take_while(|byte| **byte & 0xc0 == 0x80).count();
    &bytes[rest..]
}

/// Decodes text, with one replacement character per invalid sequence. An incomplete character at the end is left out.
fn decode(bytes: &[u8], is_finished: bool) -> String {
    let mut text = String::with_capacity(bytes.len());
    let mut pieces = bytes.utf8_chunks().peekable();
    while let Some(piece) = pieces.next() {
        text.push_str(piece.valid());
        let is_open = pieces.peek().is_none() && !is_finished && may_continue(piece.invalid());
        if !piece.invalid().is_empty() && !is_open {
            text.push(char::REPLACEMENT_CHARACTER);
        }
    }
    text
}

fn may_continue(bytes: &[u8]) -> bool {
    str::from_utf8(bytes).is_err_and(|error| error.error_len().is_none())
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use proptest::prelude::*;

    use super::OutputBuffer;
    use crate::environment::WithheldValues;

    fn buffer(limit: usize) -> OutputBuffer {
        OutputBuffer::new(limit, WithheldValues::default().stream())
    }

    fn check(limit: usize, chunks: &[&[u8]], expected: &Expect) {
        let mut buffer = buffer(limit);
        for chunk in chunks {
            buffer.push(chunk);
        }
        let running = buffer.snapshot().text();
        buffer.finish();
        expected.assert_eq(&format!("{running:?}\n{:?}", buffer.snapshot().text()));
    }

    #[test]
    fn the_front_is_cut_at_a_character() {
        check(
            5,
            &["aäöü".as_bytes()],
            &expect![[r#"
                ("öü", true)
                ("öü", true)"#]],
        );
        check(
            6,
            &["aä".as_bytes(), "öü".as_bytes()],
            &expect![[r#"
                ("äöü", true)
                ("äöü", true)"#]],
        );
        check(
            7,
            &["aäöü".as_bytes()],
            &expect![[r#"
                ("aäöü", false)
                ("aäöü", false)"#]],
        );
    }

    #[test]
    fn a_limit_smaller_than_a_character_keeps_nothing() {
        let nothing = expect![[r#"
            ("", true)
            ("", true)"#]];
        check(0, &[b"x"], &nothing);
        check(1, &["ä".as_bytes()], &nothing);
        check(3, &["🙂".as_bytes()], &nothing);
        check(
            0,
            &[],
            &expect![[r#"
                ("", false)
                ("", false)"#]],
        );
    }

    #[test]
    fn an_incomplete_character_is_not_replaced_yet() {
        check(
            100,
            &[b"a\xf0\x9f", b"\x99"],
            &expect![[r#"
                ("a", false)
                ("a�", false)"#]],
        );
        check(
            100,
            &[b"a\xf0\x9f\x99", b"\x82b"],
            &expect![[r#"
                ("a🙂b", false)
                ("a🙂b", false)"#]],
        );
    }

    #[test]
    fn bytes_that_are_not_text_are_replaced_once_and_stay_in_the_limit() {
        check(
            100,
            &[b"a\xff\0b\xc3(\xff"],
            &expect![[r#"
                ("a�\0b�(�", false)
                ("a�\0b�(�", false)"#]],
        );
        check(
            4,
            &[b"\xff\xff\xff"],
            &expect![[r#"
                ("�", true)
                ("�", true)"#]],
        );
    }

    #[test]
    fn text_split_at_every_boundary_is_the_same() {
        let text = "aä€🙂\u{e000}z".repeat(2);
        for first in 0..=text.len() {
            for second in first..=text.len() {
                let mut buffer = buffer(1000);
                let bytes = text.as_bytes();
                for chunk in [&bytes[..first], &bytes[first..second], &bytes[second..]] {
                    buffer.push(chunk);
                    let (shown, _) = buffer.snapshot().text();
                    assert!(text.starts_with(&shown), "{shown}");
                }
                assert_eq!(buffer.snapshot().text(), (text.clone(), false));
            }
        }
    }

    proptest! {
        #[test]
        fn the_shown_text_is_the_end_of_the_output(
            text in "\\PC{0,40}",
            cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..5),
            limit in 0_usize..60,
        ) {
            let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(text.len() + 1)).collect();
            cuts.extend([0, text.len()]);
            cuts.sort_unstable();
            let mut buffer = buffer(limit);
            for pair in cuts.windows(2) {
                buffer.push(&text.as_bytes()[pair[0]..pair[1]]);
            }
            let (shown, is_cut) = buffer.snapshot().text();
            prop_assert!(text.ends_with(&shown) && shown.len() <= limit);
            prop_assert_eq!(is_cut, shown.len() < text.len());
            let before = text[..text.len() - shown.len()].chars().next_back();
            prop_assert!(before.is_none_or(|char| shown.len() + char.len_utf8() > limit));
        }
    }
}
