//! Hostile text, generated: every character of the input can be read back from what is shown.

use attache_testkit::hostile::texts;

use super::{
    visible, visible_changed_line, visible_command, visible_lines, visible_quote, visible_word,
    visible_words,
};

#[test]
fn every_character_can_be_read_back() {
    for text in texts() {
        let shown = visible(&text);
        assert!(!shown.contains(is_raw), "{text:?} became {shown:?}");
        assert_eq!(read_back(&shown), text, "{text:?} became {shown:?}");
        let lines = visible_lines(&text);
        assert_eq!(lines.matches('\n').count(), text.matches('\n').count());
        assert_eq!(read_back(&lines), text, "{text:?} became {lines:?}");
    }
}

/// A space at the end of a line can be seen, and counted.
#[test]
fn no_line_of_a_change_ends_with_a_blank() {
    let ends = [
        "",
        " ",
        "  ",
        "   ",
        "    ",
        &" ".repeat(50),
        "x ",
        "\t ",
        "\r ",
    ];
    for text in texts() {
        for end in ends {
            let line = format!("{}{end}", text.replace('\n', ""));
            let shown = visible_changed_line(&line);
            assert!(!shown.ends_with(' '), "{line:?} became {shown:?}");
            assert_eq!(read_back(&shown), line, "{line:?} became {shown:?}");
        }
    }
}

/// Where no shell line can stand, a word alone is a word too.
#[test]
fn a_word_alone_is_one_word() {
    for text in texts() {
        for line in [vec![text.clone()], vec!["git".to_owned(), text.clone()]] {
            let shown = visible_words(&line);
            assert_eq!(words(&shown), line, "{line:?} became {shown:?}");
        }
    }
}

#[test]
fn no_run_of_blanks_is_shown_as_blanks() {
    for text in texts() {
        let shown = visible(&text);
        assert!(!shown.contains("    "), "{text:?} became {shown:?}");
        let quoted = visible_quote(&text);
        let inner = quoted.strip_prefix('“').and_then(|it| it.strip_suffix('”'));
        assert_eq!(inner.unwrap().find(['“', '”', '┊']), None, "{quoted:?}");
    }
}

#[test]
fn every_single_character_is_accounted_for() {
    for char in '\0'..=char::MAX {
        let text = format!("a{char}b");
        let shown = visible(&text);
        assert!(!shown.contains(is_raw), "{text:?} became {shown:?}");
        assert_eq!(read_back(&shown), text, "{text:?} became {shown:?}");
    }
}

#[test]
fn words_are_told_apart() {
    let texts = texts();
    for pair in texts.windows(2) {
        let [first, second] = pair else { continue };
        let shown = visible_command([first, second]);
        assert!(!shown.contains(is_raw), "{pair:?} became {shown:?}");
        assert_eq!(words(&shown), [first.clone(), second.clone()], "{shown:?}");
        let joined = format!("{first} {second}");
        assert_ne!(visible_word(&joined), shown, "{pair:?} looks like one word");
    }
}

/// Whether a character must never reach a terminal.
fn is_raw(char: char) -> bool {
    char != '\n' && (char.is_control() || super::is_hidden(char))
}

/// The text behind the signs.
fn read_back(shown: &str) -> String {
    let mut text = String::new();
    let mut rest = shown;
    while let Some(char) = rest.chars().next() {
        rest = &rest[char.len_utf8()..];
        match char {
            '⏎' => text.push('\n'),
            '␡' => text.push('\u{7f}'),
            '\u{2400}'..='\u{241f}' => text.extend(char::from_u32(u32::from(char) - 0x2400)),
            '␠' => text.push(' '),
            '⟦' => {
                let (code, after) = rest.split_once('⟧').unwrap();
                rest = after;
                if let Some(count) = code.strip_prefix('×') {
                    let last = text.chars().next_back().unwrap();
                    let count: usize = count.parse().unwrap();
                    text.extend(std::iter::repeat_n(last, count - 1));
                    continue;
                }
                let code = u32::from_str_radix(code.strip_prefix("U+").unwrap(), 16).unwrap();
                text.push(char::from_u32(code).unwrap());
            }
            other => text.push(other),
        }
    }
    text
}

/// The words of a command line as a shell would split it, with the signs read back.
fn words(shown: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut is_quoted = false;
    let mut chars = shown.chars();
    while let Some(char) = chars.next() {
        let word = words.last_mut().unwrap();
        match char {
            '\'' => is_quoted = !is_quoted,
            '\\' if !is_quoted => word.extend(chars.next()),
            ' ' if !is_quoted => words.push(String::new()),
            other => word.push(other),
        }
    }
    words.iter().map(|word| read_back(word)).collect()
}
