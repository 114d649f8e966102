//! Text for places where a user decides or reviews. Nothing is dropped, and nothing looks like something else: control
//! characters, line ends, direction marks and hidden characters appear as signs.
//!
//! The mapping is unambiguous. C0 controls become their control picture (`␛`, `␇`, `␉`, `␍`), a line end becomes `⏎`,
//! and every other character that would act, hide or pass for a plain space becomes its code point (`⟦U+202E⟧`). If the
//! input itself contains a sign, that sign is shown as its code point too (`⟦U+23CE⟧`), so each sign on the screen has
//! one meaning. A mark that takes a column on some terminals and none on others is also shown as its code point,
//! because it could cover the next character. A run of blanks, or of one sign, is counted: 40 spaces are `␠⟦×40⟧`, so
//! that nothing is pushed out of sight.

use std::borrow::Cow;
use std::fmt::Write as _;

use unicode_width::UnicodeWidthChar;

use super::clusters::{MARKS, is_emoji, is_prefix, split_clusters};
use super::is_hidden;
use crate::shell;

/// Shows a text on one line, with signs for everything that would be invisible or misleading.
pub fn visible(text: &str) -> Cow<'_, str> {
    make_visible(text, BLANKS)
}

/// Shows a line of code, or other text that is aligned with spaces, like [`visible`], but keeps its indentation.
pub fn visible_code(line: &str) -> Cow<'_, str> {
    make_visible(line, INDENTATION)
}

/// Shows a line of a change, like [`visible_code`], with the spaces at its end as signs: `␠`.
pub fn visible_changed_line(line: &str) -> Cow<'_, str> {
    let text = line.trim_end_matches(' ');
    match line.len() - text.len() {
        0 => visible_code(line),
        count @ 1..=BLANKS => Cow::Owned(visible_code(text).into_owned() + &"␠".repeat(count)),
        count => {
            let mut shown = visible_code(text).into_owned();
            push_run(&mut shown, ' ', count);
            Cow::Owned(shown)
        }
    }
}

/// Shows a text in quotation marks. Quotation marks within the text are shown as code points, so they cannot end the
/// quotation.
pub fn visible_quote(text: &str) -> String {
    let mut quote = String::from('“');
    for char in visible(text).chars() {
        match is_quotation_mark(char) {
            true => push_sign(&mut quote, char),
            false => quote.push(char),
        }
    }
    quote.push('”');
    quote
}

/// Shows a text with at most this many spaces in a row.
fn make_visible(text: &str, spaces: usize) -> Cow<'_, str> {
    if is_ascii_text(text) && longest_gap(text) <= spaces {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    let mut around = CharContext::default();
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        let most = match char {
            ' ' => spaces,
            _ if is_sign_always(char) => BLANKS,
            _ => usize::MAX,
        };
        let more = match most {
            usize::MAX => 0,
            _ => chars.clone().take_while(|next| *next == char).count(),
        };
        if more >= most {
            chars.nth(more - 1);
            push_run(&mut shown, char, more + 1);
            around = CharContext::default();
        } else if around.keeps(char, chars.peek().copied()) {
            shown.push(char);
        } else {
            push_sign(&mut shown, char);
        }
    }
    Cow::Owned(split_clusters(shown, push_sign))
}

/// Shows a text on several lines: `\n` stays a line end, and everything else, including tabs and `\r`, is shown like in
/// [`visible_code`].
pub fn visible_lines(text: &str) -> Cow<'_, str> {
    let is_kept = |line: &str| is_ascii_text(line) && longest_gap(line) <= INDENTATION;
    if text.split('\n').all(is_kept) {
        return Cow::Borrowed(text);
    }
    let lines: Vec<Cow<'_, str>> = text.split('\n').map(visible_code).collect();
    Cow::Owned(lines.join("\n"))
}

/// Shows a text as one word of a command. Quoted as for a shell if its beginning and end would not be clear otherwise.
pub fn visible_word(word: &str) -> Cow<'_, str> {
    let is_bare = |char: char| shell::is_plain_char(char) || char == '^' || char.is_alphanumeric();
    let shown = visible(word);
    if !word.is_empty() && word.chars().all(is_bare) && shown == word {
        return shown;
    }
    Cow::Owned(shell::single_quoted(&shown))
}

/// Shows a command and its arguments, with clear word boundaries. A single word is taken for a whole shell command line and
/// stays unquoted.
pub fn visible_command<S: AsRef<str>>(words: impl IntoIterator<Item = S>) -> String {
    let mut words = words.into_iter().peekable();
    let Some(first) = words.next() else {
        return String::new();
    };
    if words.peek().is_none() {
        return visible(first.as_ref()).into_owned();
    }
    let mut line = visible_word(first.as_ref()).into_owned();
    for word in words {
        line.push(' ');
        line.push_str(&visible_word(word.as_ref()));
    }
    line
}

/// Shows words of a command, each with clear boundaries, also if there is only one.
pub fn visible_words<S: AsRef<str>>(words: impl IntoIterator<Item = S>) -> String {
    let words = words.into_iter();
    let words: Vec<String> = words
        .map(|word| visible_word(word.as_ref()).into_owned())
        .collect();
    words.join(" ")
}

/// Shows at most `most` characters of the beginning, like [`visible`], and returns the number of characters that are left
/// out. Always show that number to the user.
pub fn visible_start(text: &str, most: usize) -> (Cow<'_, str>, usize) {
    match text.char_indices().nth(most) {
        None => (visible(text), 0),
        Some((end, _)) => (visible(&text[..end]), text[end..].chars().count()),
    }
}

/// Whether a character is always shown as a sign.
fn is_sign_always(char: char) -> bool {
    let is_blank = char != ' ' && (char.is_whitespace() || char == '\u{2800}');
    let is_own_sign = matches!(char, '⏎' | '⟦' | '⟧' | GUTTER | '\u{2400}'..='\u{2426}');
    let is_noncharacter = u32::from(char) & 0xfffe == 0xfffe;
    is_hidden(char) || is_blank || is_own_sign || is_noncharacter || is_prefix(char)
}

fn push_sign(shown: &mut String, char: char) {
    match char {
        '\n' => shown.push('⏎'),
        '\0'..='\u{1f}' => shown.extend(char::from_u32(0x2400 + u32::from(char))),
        '\u{7f}' => shown.push('␡'),
        // Writing to a text cannot fail.
        other => write!(shown, "⟦U+{:04X}⟧", u32::from(other)).unwrap_or_default(),
    }
}

/// Appends a run of one character: its sign once, and the length of the run.
fn push_run(shown: &mut String, char: char, count: usize) {
    match char {
        ' ' => shown.push('␠'),
        char => push_sign(shown, char),
    }
    // Writing to a text cannot fail.
    write!(shown, "⟦×{count}⟧").unwrap_or_default();
}

/// Whether a character is a double quotation mark, or looks like one.
fn is_quotation_mark(char: char) -> bool {
    matches!(
        char,
        '\u{201c}'..='\u{201f}' | '\u{275d}' | '\u{275e}' | '\u{301d}'..='\u{301f}' | '\u{ff02}'
    ) || matches!(
        char,
        '\u{2033}' | '\u{2036}' | '\u{2ba}' | '\u{2ee}' | '\u{5f4}' | '\u{3003}' | '\u{1f676}'
            ..='\u{1f678}'
    )
}

/// The length of the longest run of spaces.
fn longest_gap(text: &str) -> usize {
    let (mut longest, mut gap) = (0, 0);
    for byte in text.bytes() {
        gap = match byte {
            b' ' => gap + 1,
            _ => 0,
        };
        longest = longest.max(gap);
    }
    longest
}

fn is_ascii_text(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' '..=b'~'))
}

/// The context that decides whether a character without a width is visible.
#[derive(Default)]
struct CharContext {
    before: Option<char>,
    /// The number of characters without a width since the last one with a width.
    marks: usize,
}

impl CharContext {
    /// Whether a character can be shown unchanged. Accents stay on their letter, and emoji stay whole. A character without a
    /// width that would be invisible is shown as a sign.
    fn keeps(&mut self, char: char, next: Option<char>) -> bool {
        let has_base = self.before.is_some() && self.marks < MARKS;
        let is_kept = match char {
            _ if is_sign_always(char) => false,
            '\u{200c}' => false,
            '\u{200d}' => {
                has_base && self.before.is_some_and(is_emoji) && next.is_some_and(is_emoji)
            }
            '\u{fe0e}' | '\u{fe0f}' => self.marks == 0 && self.before.is_some_and(is_emoji),
            '\u{fe00}'..='\u{fe0f}' => false,
            '\u{1160}'..='\u{11ff}' | '\u{d7b0}'..='\u{d7fb}' => {
                has_base && self.before.is_some_and(is_hangul)
            }
            _ if char.width() == Some(0) => has_base && self.before != Some(' '),
            _ => true,
        };
        match (is_kept, char.width()) {
            (false, _) => (self.before, self.marks) = (None, 0),
            (true, Some(0)) => self.marks += 1,
            (true, _) => (self.before, self.marks) = (Some(char), 0),
        }
        is_kept
    }
}

fn is_hangul(char: char) -> bool {
    matches!(char, '\u{1100}'..='\u{11ff}' | '\u{a960}'..='\u{a97c}' | '\u{ac00}'..='\u{d7a3}')
}

/// The mark in front of each row of untrusted text. Untrusted text cannot contain this character itself.
pub const GUTTER: char = '┊';
/// Maximum length of a run of blanks in a value that is shown unchanged, and of a run of spaces in a line of code.
const BLANKS: usize = 3;
const INDENTATION: usize = 40;

#[cfg(test)]
mod attack;

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::{
        visible, visible_command, visible_lines, visible_quote, visible_start, visible_word,
    };

    fn check(shown: &str, expected: &Expect) {
        expected.assert_eq(shown);
    }

    #[test]
    fn an_escape_sequence_hides_nothing() {
        check(
            &visible("echo hi \x1b]; echo PWNED; echo \x07"),
            &expect!["echo hi ␛]; echo PWNED; echo ␇"],
        );
        check(
            &visible("\x1b[2J\u{9b}31m\u{9d}0;t\u{9c} a\x08b\x7f\0"),
            &expect!["␛[2J⟦U+009B⟧31m⟦U+009D⟧0;t⟦U+009C⟧ a␈b␡␀"],
        );
    }

    #[test]
    fn a_line_end_does_not_look_like_a_space() {
        check(
            &visible("# list files\nrm -rf ~\r\n\tx\u{2028}y\u{85}z"),
            &expect!["# list files⏎rm -rf ~␍⏎␉x⟦U+2028⟧y⟦U+0085⟧z"],
        );
        check(
            &visible("rm\u{a0}-rf\u{3000}x\u{2800}y\u{200b}z"),
            &expect!["rm⟦U+00A0⟧-rf⟦U+3000⟧x⟦U+2800⟧y⟦U+200B⟧z"],
        );
    }

    #[test]
    fn direction_marks_and_joiners_are_shown() {
        check(
            &visible("a\u{202e}txt.exe\u{2066}b\u{200d}c\u{fe0f}\u{200c}\u{e0041}"),
            &expect!["a⟦U+202E⟧txt.exe⟦U+2066⟧b⟦U+200D⟧c⟦U+FE0F⟧⟦U+200C⟧⟦U+E0041⟧"],
        );
    }

    #[test]
    fn a_sign_in_the_input_is_shown_as_its_code_point() {
        check(
            &visible("⏎ ␛ ⟦U+000A⟧"),
            &expect!["⟦U+23CE⟧ ⟦U+241B⟧ ⟦U+27E6⟧U+000A⟦U+27E7⟧"],
        );
    }

    #[test]
    fn long_runs_of_blanks_are_counted() {
        check(
            &visible(&format!("ls{}rm -rf ~ a   b    c", " ".repeat(500))),
            &expect!["ls␠⟦×500⟧rm -rf ~ a   b␠⟦×4⟧c"],
        );
        check(
            &visible("a\n\n\n\n\nb\u{2800}\u{2800}\u{2800}\u{2800}\u{3164}\u{a0} \u{a0}"),
            &expect!["a⏎⟦×5⟧b⟦U+2800⟧⟦×4⟧⟦U+3164⟧⟦U+00A0⟧ ⟦U+00A0⟧"],
        );
        check(
            &visible_lines(&format!(
                "{0}x = 1;{0}// note{0}{0}{0}{0}{0}{0}",
                " ".repeat(8)
            )),
            &expect!["        x = 1;        // note␠⟦×48⟧"],
        );
    }

    #[test]
    fn quotation_marks_in_the_text_cannot_end_the_quotation() {
        check(
            &visible_quote("Sure”, Allow once “ ＂x\""),
            &expect!["“Sure⟦U+201D⟧, Allow once ⟦U+201C⟧ ⟦U+FF02⟧x\"”"],
        );
    }

    #[test]
    fn accents_and_emoji_stay_readable() {
        for text in [
            "é e\u{301} naïve",
            "👩\u{200d}👩\u{200d}👧 ❤\u{fe0f} 👍🏽",
            "日本語 한글 \u{1112}\u{1161}\u{11ab}",
            "שלום",
        ] {
            assert_eq!(visible(text), text);
        }
        check(&visible("\u{301}a \u{301}"), &expect!["⟦U+0301⟧a ⟦U+0301⟧"]);
        check(
            &visible("a\u{1161}b\u{1bca0}"),
            &expect!["a⟦U+1161⟧b⟦U+1BCA0⟧"],
        );
        let accents = "a\u{301}\u{302}\u{303}\u{304}";
        assert_eq!(
            visible(&format!("{accents}\u{305}\u{306}")),
            format!("{accents}⟦U+0305⟧⟦U+0306⟧")
        );
    }

    #[test]
    fn command_words_have_visible_boundaries() {
        check(
            &visible_command([
                "git",
                "commit",
                "-m",
                "it's done",
                "",
                "a\nb",
                "$HOME",
                "x=1",
            ]),
            &expect!["git commit -m 'it'\\''s done' '' 'a⏎b' '$HOME' x=1"],
        );
        assert_eq!(visible_command(["echo hi; ls\n"]), "echo hi; ls⏎");
        assert_eq!(visible_word("été"), "été");
        assert_eq!(visible_word("a⏎"), "'a⟦U+23CE⟧'");
    }

    #[test]
    fn visible_lines_keeps_lines_and_visible_start_counts_the_rest() {
        check(
            &visible_lines("one\r\ntwo\tx\n"),
            &expect![[r#"
                one␍
                two␉x
            "#]],
        );
        assert_eq!(visible_start("abcdef", 4), ("abcd".into(), 2));
        assert_eq!(visible_start("a\n", 2), ("a⏎".into(), 0));
    }
}
