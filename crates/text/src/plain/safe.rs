//! Makes untrusted text safe to show: it cannot control the terminal, be invisible, or change direction.

use std::borrow::Cow;

use super::screen_line::ScreenLine;
use super::{Token, cap_clusters, is_plain, tokens};

/// Makes a text safe to show on one line: line ends and tabs become spaces, escape sequences are removed, and other
/// characters that control a terminal or are invisible become `�`.
pub fn line(text: &str) -> Cow<'_, str> {
    if is_safe(text) && !text.contains(['\n', '\t']) {
        return cap_clusters(text);
    }
    Cow::Owned(lines(text).replace(['\n', '\t'], " "))
}

/// Makes a text safe to show on several lines, like [`line()`], but with tabs kept. All kinds of line ends become `\n`.
pub fn lines(text: &str) -> Cow<'_, str> {
    if is_safe(text) {
        return cap_clusters(text);
    }
    let mut safe = String::with_capacity(text.len());
    let mut tokens = tokens(text).peekable();
    while let Some(token) = tokens.next() {
        match token {
            Token::Text(text) => push_joined(&mut safe, text),
            Token::Control('\r') if tokens.peek() == Some(&Token::Control('\n')) => {}
            Token::Control('\r' | '\n') | Token::Hidden('\u{2028}' | '\u{2029}') => safe.push('\n'),
            Token::Control('\t') => safe.push('\t'),
            Token::Sequence(_) => {}
            Token::Control(_) | Token::Hidden(_) => safe.push(MARK),
        }
    }
    Cow::Owned(cap_clusters(&safe).into_owned())
}

/// Makes text one line of at most `limit` characters, and `…` if something is left out. Runs of white space become one space; escape
/// sequences, control characters and hidden characters are removed.
pub fn one_line(text: &str, limit: usize) -> String {
    let mut line = String::new();
    let mut length = 0;
    let mut is_gap = false;
    for token in tokens(text) {
        match token {
            Token::Text(text) => {
                for char in text.chars() {
                    if char.is_whitespace() {
                        is_gap = true;
                        continue;
                    }
                    let is_spaced = is_gap && length > 0;
                    if length + usize::from(is_spaced) + 1 > limit {
                        line.push('…');
                        return line;
                    }
                    if is_spaced {
                        line.push(' ');
                        length += 1;
                    }
                    line.push(char);
                    length += 1;
                    is_gap = false;
                }
            }
            Token::Control(char) | Token::Hidden(char) => is_gap |= char.is_whitespace(),
            Token::Sequence(_) => {}
        }
    }
    line
}

/// Renders a command's output into the lines that a terminal would show: a carriage return overwrites the line, a backspace
/// goes back, and tabs are expanded. Of the escape sequences, only those that erase within a line have an effect. Very long
/// lines are cut.
pub fn render_output(text: &str) -> Vec<String> {
    let mut shown = Vec::new();
    for line in text.split('\n') {
        if is_plain(line) && !line.contains('\t') && line.len() <= ScreenLine::LIMIT {
            shown.push(cap_clusters(&without_stray_joiners(line)).into_owned());
        } else {
            shown.push(render_line(line));
        }
    }
    if shown.last().is_some_and(String::is_empty) {
        shown.pop();
    }
    shown
}

fn render_line(line: &str) -> String {
    let mut screen = ScreenLine::default();
    for token in tokens(line) {
        match token {
            Token::Text(text) => screen.write(&without_stray_joiners(text)),
            Token::Control('\r') => screen.go_to_start(),
            Token::Control('\u{8}') => screen.go_back(),
            Token::Control('\t') => screen.tab(),
            Token::Control(_) => {}
            Token::Hidden(_) => screen.write("\u{fffd}"),
            Token::Sequence(sequence) => erase(&mut screen, sequence),
        }
    }
    cap_clusters(&screen.text()).into_owned()
}

fn erase(screen: &mut ScreenLine, sequence: &str) {
    let what = sequence
        .strip_prefix("\u{1b}[")
        .or(sequence.strip_prefix('\u{9b}'));
    match what {
        Some("K" | "0K") => screen.erase_rest(),
        Some("2K") => screen.erase(),
        _ => {}
    }
}

fn is_safe(text: &str) -> bool {
    is_plain(text) && !text.contains(is_joiner)
}

fn without_stray_joiners(text: &str) -> Cow<'_, str> {
    if text.is_ascii() || !text.contains(is_joiner) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len());
    push_joined(&mut safe, text);
    Cow::Owned(safe)
}

/// Keeps joiners and variation selectors where emoji and scripts need them, and replaces them elsewhere.
fn push_joined(safe: &mut String, text: &str) {
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        let before = safe.chars().next_back();
        let fits = match char {
            '\u{200c}' | '\u{200d}' => is_joined(before) && is_joined(chars.peek().copied()),
            _ if is_joiner(char) => is_varied(before),
            _ => true,
        };
        safe.push(if fits { char } else { MARK });
    }
}

fn is_joined(char: Option<char>) -> bool {
    let is_script = |char: char| !char.is_ascii() && !char.is_whitespace() && char != MARK;
    char.is_some_and(|char| is_script(char) && !matches!(char, '\u{200c}' | '\u{200d}'))
}

fn is_varied(before: Option<char>) -> bool {
    matches!(before, Some('#' | '*' | '0'..='9'))
        || is_joined(before) && !before.is_some_and(is_joiner)
}

fn is_joiner(char: char) -> bool {
    matches!(char, '\u{200c}' | '\u{200d}' | '\u{fe00}'..='\u{fe0f}')
}

const MARK: char = '\u{fffd}';

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use proptest::prelude::*;

    use super::{line, lines, one_line, render_output};

    fn check(shown: &[String], expected: &Expect) {
        expected.assert_eq(&shown.join("\n"));
    }

    #[test]
    fn one_line_is_cut_to_its_width() {
        let check = |text: &str, expected: &str| assert_eq!(one_line(text, 12), expected);
        check("  plain\n", "plain");
        check("a \r\n\t b\u{1b}[31mred\u{202e}\u{2028}c", "a bred c");
        check("a name that goes on", "a name that…");
        check("exactly 12 c", "exactly 12 c");
        check(&"é".repeat(13), &format!("{}…", "é".repeat(12)));
        check("", "");
    }

    #[test]
    fn a_progress_bar_shows_its_last_state() {
        check(
            &render_output(
                "fetch\r\n 10%\r 50%\r100% done\n\x1b[2K\rnext\nlong line\rshort\x1b[K\nab\u{8}c\n",
            ),
            &expect![[r#"
                fetch
                100% done
                next
                short
                ac"#]],
        );
    }

    #[test]
    fn a_shorter_overwrite_leaves_the_rest_as_a_terminal_does() {
        check(
            &render_output("abcdef\rXY\n日本語\rx\na\tb\n"),
            &expect![[r#"
                XYcdef
                x 本語
                a       b"#]],
        );
    }

    #[test]
    fn sequences_are_removed_whole() {
        check(
            &render_output(
                "\x1b[1;31mred\x1b[0m \x1b]8;;http://evil\x1b\\link\x1b]8;;\x07 \x1b]52;c;aGk=\x07end\n",
            ),
            &expect!["red link end"],
        );
        assert_eq!(line("a\x1b]0;title\x07b\x1b[31m"), "ab");
    }

    #[test]
    fn invisible_and_direction_characters_are_marked() {
        assert_eq!(line("a\u{202e}b\u{200b}c\u{e0041}d\u{7}e"), "a�b�c�d�e");
        assert_eq!(line("one\ntwo\tthree"), "one two three");
        assert_eq!(
            lines("one\r\ntwo\rthree\u{2028}four"),
            "one\ntwo\nthree\nfour"
        );
        assert_eq!(line("pay\u{200d}pal \u{fe0f}x"), "pay�pal �x");
    }

    #[test]
    fn emoji_and_scripts_keep_their_joiners() {
        for text in ["👩‍👩‍👧 ❤️ 1️⃣", "می‌خواهم", "क्‍ष"] {
            assert_eq!(line(text), text);
            assert_eq!(render_output(text), [text]);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(10_000))]

        #[test]
        fn nothing_acts_on_a_terminal(text in hostile()) {
            let mut shown: Vec<String> = render_output(&text);
            shown.push(line(&text).into_owned());
            shown.extend(lines(&text).split('\n').map(|line| line.replace('\t', " ")));
            for line in shown {
                let mut seen = TerminalActions::default();
                vte::Parser::new().advance(&mut seen, line.as_bytes());
                prop_assert_eq!(seen.actions, 0, "{:?} became {:?}", text, line);
            }
        }
    }

    fn hostile() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            3 => any::<char>().prop_map(String::from),
            3 => "[ -~]{0,6}",
            2 => prop::sample::select(SEQUENCES).prop_map(str::to_owned),
            2 => (0u32..0xa0).prop_filter_map("a character", char::from_u32).prop_map(String::from),
        ];
        prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
    }

    #[derive(Default)]
    struct TerminalActions {
        actions: usize,
    }

    impl vte::Perform for TerminalActions {
        fn execute(&mut self, _: u8) {
            self.actions += 1;
        }

        fn hook(&mut self, _: &vte::Params, _: &[u8], _: bool, _: char) {
            self.actions += 1;
        }

        fn osc_dispatch(&mut self, _: &[&[u8]], _: bool) {
            self.actions += 1;
        }

        fn csi_dispatch(&mut self, _: &vte::Params, _: &[u8], _: bool, _: char) {
            self.actions += 1;
        }

        fn esc_dispatch(&mut self, _: &[u8], _: bool, _: u8) {
            self.actions += 1;
        }
    }

    const SEQUENCES: &[&str] = &[
        "\x1b[", "\x1b]0;", "\x1bP", "\x1b", "\u{9b}", "\u{9d}", "\x07", "\x1b\\", "\r", "\n",
        "\t", "\u{8}", "\x1b[2J", "\x1b[31m", "\u{202e}", "\u{200d}", "\u{fe0f}", "👩", "日",
        "\u{301}",
    ];
}
