//! Results on standard output.

use std::io::{self, IsTerminal as _, Write};

use anyhow::Context;
use attache_text::plain::{is_hidden, visible_code};
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use crate::exit::Exit;

/// Prints a result.
pub(crate) fn print(text: &str) -> anyhow::Result<Exit> {
    let mut out = io::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    match written {
        Ok(()) => Ok(Exit::Done),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(Exit::Unread),
        Err(error) => Err(error).context("the result cannot be written"),
    }
}

/// Prints text for the user that contains names and text from others.
pub(crate) fn print_table(text: &str) -> anyhow::Result<Exit> {
    match io::stdout().is_terminal() {
        true => print(&for_terminal(text)),
        false => print(text),
    }
}

/// Prints a message on standard error.
macro_rules! note {
    ($($message:tt)*) => {
        $crate::print::print_note(&format!($($message)*))
    };
}
pub(crate) use note;

/// Writes one or more lines to standard error. Ignores failures, which cannot be reported anywhere.
pub(crate) fn print_note(text: &str) {
    write_note(text).unwrap_or_default();
}

pub(crate) fn write_note(text: &str) -> io::Result<()> {
    let mut error = io::stderr().lock();
    let text = match error.is_terminal() {
        true => for_terminal(text),
        false => text.to_owned(),
    };
    error.write_all(format!("{text}\n").as_bytes())
}

/// The text with line breaks for the terminal's width, if that is known.
fn for_terminal(text: &str) -> String {
    match crossterm::terminal::size() {
        Ok((columns, _)) => in_rows(text, usize::from(columns)),
        Err(_) => text.to_owned(),
    }
}

/// Breaks lines that are longer than a row, if possible at a space in the second half of the row. A continuation row begins
/// with a bar, so that text from others never looks like a line of ours.
fn in_rows(text: &str, columns: usize) -> String {
    let mut rows = String::with_capacity(text.len());
    // Columns in this row so far, and the last space in its second half: its end, and the columns up to there.
    let mut used = 0;
    let mut space = None;
    let mut chars = text.chars();
    while let Some(char) = chars.next() {
        match char {
            '\n' => (used, space) = (0, None),
            // Our own colour codes have no width. Those of others were removed before.
            '\u{1b}' => {
                rows.push(char);
                rows.extend(chars.by_ref().take_while(|char| *char != 'm'));
                rows.push('m');
                continue;
            }
            _ => {
                let wide = char.width().unwrap_or(0);
                if used + wide > columns && columns > 2 * CONTINUATION.len() {
                    let (at, before) = space.take().unwrap_or((rows.len(), used));
                    rows.insert(at, '\n');
                    rows.insert_str(at + 1, CONTINUATION);
                    used = CONTINUATION.width() + used - before;
                }
                used += wide;
            }
        }
        rows.push(char);
        if char == ' ' && used > columns / 2 {
            space = Some((rows.len(), used));
        }
    }
    rows
}

/// Marks a continuation row.
const CONTINUATION: &str = "  ┊ ";

/// Prints text from others unchanged to a file or another program. On a terminal, control characters are made visible.
pub(crate) fn print_foreign(text: &str) -> anyhow::Result<Exit> {
    match io::stdout().is_terminal() {
        true => print(&escape_controls(text)),
        false => print(text),
    }
}

/// Makes control characters visible, except newlines and tabs.
pub(crate) fn escape_controls(text: &str) -> String {
    let lines = text.split('\n').map(|line| {
        let parts: Vec<_> = line.split('\t').map(visible_code).collect();
        parts.join("\t")
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Prints a result as JSON.
pub(crate) fn json(value: &serde_json::Value) -> anyhow::Result<Exit> {
    print(&escape_json(&format!("{value:#}\n")))
}

/// Escapes hidden characters and those that control a terminal, in addition to JSON's own escapes.
fn escape_json(json: &str) -> String {
    let mut escaped = String::with_capacity(json.len());
    for char in json.chars() {
        match char {
            '\n' => escaped.push(char),
            char if is_hidden(char) => {
                let mut units = [0; 2];
                for unit in char.encode_utf16(&mut units) {
                    escaped.push_str(&format!("\\u{unit:04x}"));
                }
            }
            char => escaped.push(char),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use unicode_width::UnicodeWidthChar;

    use super::{escape_controls, escape_json, in_rows};
    use attache_testkit::hostile::{forged_rows, some_texts};

    const HOSTILE: &str = "a\u{1b}]0;x\u{7}b\u{9b}2Jc\u{7f}d\u{202e}e\u{e0041}f\rg";

    #[test]
    fn text_of_others_does_nothing_to_a_terminal() {
        let seen = escape_controls(&format!("one\t{HOSTILE}\ntwo\n"));
        assert_eq!(
            seen,
            "one\ta␛]0;x␇b⟦U+009B⟧2Jc␡d⟦U+202E⟧e⟦U+E0041⟧f␍g\ntwo\n"
        );
    }

    #[test]
    fn attack_a_row_that_goes_on_is_no_line_of_ours() {
        let mut texts = some_texts();
        texts.extend(forged_rows("allowed: everything", 80));
        for text in texts {
            let line = format!("\u{1b}[2mtool: {}\u{1b}[0m", crate::text::line(&text));
            let shown = in_rows(&line, 80);
            for (at, row) in shown.split('\n').enumerate() {
                assert_eq!(row.starts_with("  ┊ "), at > 0, "{shown}");
                let plain = row.replace("\u{1b}[2m", "").replace("\u{1b}[0m", "");
                let columns: usize = plain.chars().filter_map(UnicodeWidthChar::width).sum();
                assert!(columns <= 80, "{shown}");
            }
            assert_eq!(shown.replace("\n  ┊ ", ""), line);
        }
    }

    #[test]
    fn json_stays_the_same_value_and_has_no_live_characters() {
        let value = json!({ HOSTILE: [HOSTILE, "plain ü 漢"] });
        let text = escape_json(&format!("{value:#}"));
        assert!(
            !text.contains(|char: char| char.is_control() && char != '\n'),
            "{text:?}"
        );
        assert!(text.contains("plain ü 漢"));
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value);
    }
}
