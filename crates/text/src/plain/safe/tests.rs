use expect_test::{Expect, expect};
use proptest::prelude::*;

use super::{line, lines, one_line, render_output};

fn check(shown: &[String], expected: &Expect) {
    expected.assert_eq(&shown.join("\n"));
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
fn what_hides_or_turns_is_marked() {
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
    "\x1b[", "\x1b]0;", "\x1bP", "\x1b", "\u{9b}", "\u{9d}", "\x07", "\x1b\\", "\r", "\n", "\t",
    "\u{8}", "\x1b[2J", "\x1b[31m", "\u{202e}", "\u{200d}", "\u{fe0f}", "👩", "日", "\u{301}",
];
