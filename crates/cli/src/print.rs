//! Results on standard output.

use std::io::{self, IsTerminal as _, Write};

use anyhow::Context;
use attache::process::plain::{is_hidden, visible_code};

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

/// Prints text of others as it is, for a file or another program. A terminal gets it with everything visible that would
/// steer it.
pub(crate) fn print_foreign(text: &str) -> anyhow::Result<Exit> {
    match io::stdout().is_terminal() {
        true => print(&inert(text)),
        false => print(text),
    }
}

/// Text that does nothing to a terminal; line ends and tabs stay.
pub(crate) fn inert(text: &str) -> String {
    let lines = text.split('\n').map(|line| {
        let parts: Vec<_> = line.split('\t').map(visible_code).collect();
        parts.join("\t")
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Prints a result as JSON.
pub(crate) fn json(value: &serde_json::Value) -> anyhow::Result<Exit> {
    print(&escaped(&format!("{value:#}\n")))
}

/// JSON in which characters that steer a terminal or hide are escapes too, beyond those that JSON itself escapes.
fn escaped(json: &str) -> String {
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

    use super::{escaped, inert};

    const HOSTILE: &str = "a\u{1b}]0;x\u{7}b\u{9b}2Jc\u{7f}d\u{202e}e\u{e0041}f\rg";

    #[test]
    fn text_of_others_does_nothing_to_a_terminal() {
        let seen = inert(&format!("one\t{HOSTILE}\ntwo\n"));
        assert_eq!(
            seen,
            "one\ta␛]0;x␇b⟦U+009B⟧2Jc␡d⟦U+202E⟧e⟦U+E0041⟧f␍g\ntwo\n"
        );
    }

    #[test]
    fn json_stays_the_same_value_and_has_no_live_characters() {
        let value = json!({ HOSTILE: [HOSTILE, "plain ü 漢"] });
        let text = escaped(&format!("{value:#}"));
        assert!(
            !text.contains(|char: char| char.is_control() && char != '\n'),
            "{text:?}"
        );
        assert!(text.contains("plain ü 漢"));
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value);
    }
}
