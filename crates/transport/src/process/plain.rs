//! Text of a stranger made safe for a terminal: no escape sequences, no control or bidirectional characters, no
//! endless lines.

use std::iter::Peekable;
use std::str::Chars;

/// The text with line ends and tabs kept, everything else that could steer a terminal removed, and long lines cut.
pub(super) fn text(bytes: &[u8]) -> String {
    let raw = String::from_utf8_lossy(bytes);
    let mut plain = Plain::default();
    let mut chars = raw.chars().peekable();
    while let Some(char) = chars.next() {
        match char {
            ESCAPE => skip_escape(&mut chars),
            '\u{9b}' => skip_control(&mut chars),
            '\u{90}' | '\u{98}' | '\u{9d}' | '\u{9e}' | '\u{9f}' => skip_string(&mut chars),
            '\r' if chars.peek() == Some(&'\n') => {}
            '\r' | '\n' | '\u{2028}' | '\u{2029}' => plain.end_line(),
            '\t' => plain.push('\t'),
            char if is_hidden(char) => {}
            char => plain.push(char),
        }
    }
    plain.text
}

/// The last lines that are not blank, on one line.
pub(super) fn last_lines(text: &str, count: usize) -> String {
    let lines = text.lines().rev().map(str::trim);
    let mut lines: Vec<&str> = lines.filter(|line| !line.is_empty()).take(count).collect();
    lines.reverse();
    lines.join(" | ")
}

#[derive(Default)]
struct Plain {
    text: String,
    width: usize,
}

impl Plain {
    fn push(&mut self, char: char) {
        self.width += 1;
        match self.width {
            width if width <= LINE => self.text.push(char),
            width if width == LINE + 1 => self.text.push('…'),
            _ => {}
        }
    }

    fn end_line(&mut self) {
        self.text.push('\n');
        self.width = 0;
    }
}

/// Whether a character acts on a terminal, hides, or changes the direction of the text around it.
pub fn is_hidden(char: char) -> bool {
    char.is_control()
        || matches!(
            char,
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
        )
        || matches!(char, '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}

fn skip_escape(chars: &mut Peekable<Chars<'_>>) {
    match chars.peek() {
        Some('[') => {
            chars.next();
            skip_control(chars);
        }
        Some('P' | 'X' | ']' | '^' | '_') => {
            chars.next();
            skip_string(chars);
        }
        _ => {
            while chars.next_if(|char| matches!(char, ' '..='/')).is_some() {}
            chars.next_if(|char| matches!(char, '0'..='~'));
        }
    }
}

fn skip_control(chars: &mut Peekable<Chars<'_>>) {
    while chars.next_if(|char| matches!(char, ' '..='?')).is_some() {}
    chars.next_if(|char| matches!(char, '@'..='~'));
}

// A string that nobody ends stops at the line end, or it would hide all that follows.
fn skip_string(chars: &mut Peekable<Chars<'_>>) {
    while let Some(char) = chars.next_if(|char| *char != '\n') {
        match char {
            '\u{7}' | '\u{9c}' => return,
            ESCAPE => {
                chars.next_if_eq(&'\\');
                return;
            }
            _ => {}
        }
    }
}

const ESCAPE: char = '\u{1b}';
const LINE: usize = 1000;

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::text;

    fn check(input: &[u8], expected: &Expect) {
        expected.assert_eq(&text(input));
    }

    #[test]
    fn escape_sequences_do_not_reach_the_terminal() {
        check(
            b"\x1b[31mred\x1b[0m \x1b[?25lhidden",
            &expect!["red hidden"],
        );
        check(
            b"a\x1b]0;title\x07b\x1b]8;;http://x\x1b\\c",
            &expect!["abc"],
        );
        check(
            "\u{9b}2Jcleared \u{9d}0;x\u{9c}y".as_bytes(),
            &expect!["cleared y"],
        );
        check(
            b"\x1bcreset \x1b(Bset \x1bP1$r\x1b\\end",
            &expect!["reset set end"],
        );
    }

    #[test]
    fn an_unfinished_sequence_hides_nothing_after_its_line() {
        check(
            b"\x1b]0;open\nnext",
            &expect![[r#"

            next"#]],
        );
        check(b"\x1b[31", &expect![""]);
        check(b"\x1b", &expect![""]);
    }

    #[test]
    fn controls_and_direction_marks_are_removed() {
        check(
            "a\u{0}b\u{8}c\u{7f}d\u{85}e\u{202e}f\u{2066}g\u{e0041}h".as_bytes(),
            &expect!["abcdefgh"],
        );
        check(
            b"10%\r20%\r\ndone",
            &expect![[r#"
                10%
                20%
                done"#]],
        );
    }

    #[test]
    fn invalid_utf8_is_replaced() {
        check(b"a\xff\xfeb", &expect!["a��b"]);
    }

    #[test]
    fn a_long_line_is_cut() {
        let cut = text(&[b'x'; 5000]);
        assert_eq!(cut.chars().count(), 1001);
        assert!(cut.ends_with('…'));
    }
}
