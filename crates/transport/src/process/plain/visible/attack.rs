//! Hostile text, generated: every character of the input can be read back from what is shown.

use super::{visible, visible_command, visible_lines, visible_word};

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

/// What no terminal may be given.
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
            '⟦' => {
                let (code, after) = rest.split_once('⟧').unwrap();
                let code = u32::from_str_radix(code.strip_prefix("U+").unwrap(), 16).unwrap();
                text.push(char::from_u32(code).unwrap());
                rest = after;
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

/// A few thousand texts made of pieces that act, hide, reorder or look like our signs.
fn texts() -> Vec<String> {
    let mut texts: Vec<String> = Vec::new();
    for first in PIECES {
        for second in PIECES {
            texts.push(format!("ls {first}{second} x"));
            texts.push(format!("{first}; rm -rf ~{second}"));
        }
    }
    // A small generator with a fixed seed: the same texts each time.
    let mut state: u64 = 0x5eed;
    let mut next = |below: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        usize::try_from(state >> 33).unwrap() % below
    };
    for _ in 0..2000 {
        let count = next(12);
        texts.push((0..count).map(|_| PIECES[next(PIECES.len())]).collect());
    }
    texts
}

const PIECES: &[&str] = &[
    "\x1b[2J",
    "\x1b]0;x\x07",
    "\x1b]8;;http://a\x1b\\",
    "\x1b",
    "\u{9b}1A",
    "\u{9d}",
    "\x07",
    "\x08\x08",
    "\r",
    "\n",
    "\r\n",
    "\t",
    "\0",
    "\x7f",
    "\u{202e}",
    "\u{2066}",
    "\u{2069}",
    "\u{200f}",
    "\u{61c}",
    "\u{200b}",
    "\u{200d}",
    "\u{200c}",
    "\u{feff}",
    "\u{ad}",
    "\u{2028}",
    "\u{85}",
    "\u{a0}",
    "\u{3000}",
    "\u{2800}",
    "\u{3164}",
    "\u{fe0f}",
    "\u{e0041}",
    "\u{301}",
    "\u{1161}",
    "⏎",
    "␛",
    "⟦U+000A⟧",
    "'",
    "\"",
    "\\",
    " ",
    "   ",
    "$(id)",
    "`id`",
    "#",
    "echo",
    "👩\u{200d}👧",
    "é",
    "日",
    "\u{fffe}",
    "\u{1bca0}",
];
