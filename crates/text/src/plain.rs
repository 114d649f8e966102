//! Makes untrusted text safe for a terminal: removes escape sequences, control characters and bidirectional characters, and
//! cuts very long lines. Where a user decides or reviews, use [`visible`], which shows these characters as signs.

mod clusters;
mod safe;
mod screen_line;
mod visible;

use std::borrow::Cow;

pub use clusters::cap_clusters;
pub use safe::{line, lines, one_line, render_output};
pub use visible::{
    GUTTER, visible, visible_changed_line, visible_code, visible_command, visible_lines,
    visible_quote, visible_start, visible_word, visible_words,
};

/// A piece of a text, as a terminal would interpret it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Token<'a> {
    /// Ordinary text.
    Text(&'a str),
    /// An escape sequence, which may be incomplete.
    Sequence(&'a str),
    /// A control character that does not begin a sequence, including line ends and tabs.
    Control(char),
    /// A character that is invisible, or changes the direction of the text around it.
    Hidden(char),
}

/// Splits a text into tokens, as a terminal would. An escape sequence never extends past the end of its line.
pub fn tokens(text: &str) -> impl Iterator<Item = Token<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let (length, token) = match first {
            ESCAPE | '\u{9b}' | '\u{90}' | '\u{98}' | '\u{9d}' | '\u{9e}' | '\u{9f}' => {
                let length = sequence(rest);
                (length, Token::Sequence(&rest[..length]))
            }
            char if char.is_control() => (char.len_utf8(), Token::Control(char)),
            char if is_hidden(char) => (char.len_utf8(), Token::Hidden(char)),
            _ => {
                let length = rest.find(is_hidden).unwrap_or(rest.len());
                (length, Token::Text(&rest[..length]))
            }
        };
        rest = &rest[length..];
        Some(token)
    })
}

/// Whether a text is safe for a terminal unchanged. Tabs and line ends do not count as safe.
pub fn is_plain(text: &str) -> bool {
    let is_ascii = |byte: u8| matches!(byte, b' '..=b'~' | b'\n' | b'\t');
    text.bytes().all(is_ascii) || !text.contains(|char| is_hidden(char) && !is_space(char))
}

/// Removes everything that is invisible or controls a terminal. Line ends and tabs stay.
pub fn strip(text: &str) -> String {
    let mut words = String::with_capacity(text.len());
    for token in tokens(text) {
        match token {
            Token::Text(text) => words.push_str(text),
            Token::Control(char @ ('\n' | '\t')) => words.push(char),
            Token::Sequence(_) | Token::Control(_) | Token::Hidden(_) => {}
        }
    }
    match cap_clusters(&words) {
        Cow::Borrowed(_) => words,
        Cow::Owned(cap_clusters) => cap_clusters,
    }
}

/// Removes everything that is invisible or controls a terminal from a program's output, and cuts long lines. Line ends and
/// tabs stay.
pub fn strip_output(bytes: &[u8]) -> String {
    let raw = String::from_utf8_lossy(bytes).replace("\r\n", "\n");
    let mut plain = OutputLines::default();
    for token in tokens(&raw) {
        match token {
            Token::Text(text) => text.chars().for_each(|char| plain.push(char)),
            Token::Control('\t') => plain.push('\t'),
            Token::Control('\r' | '\n') | Token::Hidden('\u{2028}' | '\u{2029}') => {
                plain.end_line()
            }
            Token::Sequence(_) | Token::Control(_) | Token::Hidden(_) => {}
        }
    }
    cap_clusters(&plain.text).into_owned()
}

/// The last `count` lines that are not blank, joined into one line.
pub fn last_lines(text: &str, count: usize) -> String {
    let lines = text.lines().rev().map(str::trim);
    let mut lines: Vec<&str> = lines.filter(|line| !line.is_empty()).take(count).collect();
    lines.reverse();
    lines.join(" | ")
}

#[derive(Default)]
struct OutputLines {
    text: String,
    width: usize,
}

impl OutputLines {
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

/// Whether a character controls a terminal, is invisible, or changes the direction of the text around it.
///
/// Returns `false` for joiners and variation selectors, which emoji and some scripts need.
pub fn is_hidden(char: char) -> bool {
    char.is_control()
        || matches!(char, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}')
        || matches!(
            char,
            '\u{ad}' | '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        )
        || matches!(
            char,
            '\u{180b}'..='\u{180f}' | '\u{200b}' | '\u{3164}' | '\u{fdd0}'..='\u{fdef}' | '\u{feff}' | '\u{ffa0}'
        )
        || matches!(char, '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

fn is_space(char: char) -> bool {
    matches!(char, '\n' | '\t')
}

/// The length of the escape sequence at the start of a text.
fn sequence(text: &str) -> usize {
    let mut chars = text.chars();
    let rest = match chars.next() {
        Some(ESCAPE) => after_escape(chars.as_str()),
        Some('\u{9b}') => after_control(chars.as_str()),
        _ => after_string(chars.as_str()),
    };
    text.len() - rest.len()
}

fn after_escape(text: &str) -> &str {
    if let Some(rest) = text.strip_prefix('[') {
        after_control(rest)
    } else if let Some(rest) = text.strip_prefix(['P', 'X', ']', '^', '_']) {
        after_string(rest)
    } else {
        let rest = text.trim_start_matches(|char| matches!(char, ' '..='/'));
        rest.strip_prefix(|char| matches!(char, '0'..='~'))
            .unwrap_or(rest)
    }
}

fn after_control(text: &str) -> &str {
    let rest = text.trim_start_matches(|char| matches!(char, ' '..='?'));
    rest.strip_prefix(|char| matches!(char, '@'..='~'))
        .unwrap_or(rest)
}

// An unterminated string ends at the line end. Otherwise it would hide everything after it.
fn after_string(text: &str) -> &str {
    let end = text.find(['\u{7}', '\u{9c}', ESCAPE, '\n', '\r']);
    let rest = end.map_or("", |end| &text[end..]);
    match rest.chars().next() {
        Some(ESCAPE) => rest.strip_prefix("\u{1b}\\").unwrap_or(&rest[1..]),
        Some('\u{7}' | '\u{9c}') => rest.strip_prefix(['\u{7}', '\u{9c}']).unwrap_or(rest),
        _ => rest,
    }
}

const ESCAPE: char = '\u{1b}';
const LINE: usize = 1000;

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::strip_output;

    fn check(input: &[u8], expected: &Expect) {
        expected.assert_eq(&strip_output(input));
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
    fn control_characters_and_direction_marks_are_removed() {
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
        let cut = strip_output(&[b'x'; 5000]);
        assert_eq!(cut.chars().count(), 1001);
        assert!(cut.ends_with('…'));
    }
}
