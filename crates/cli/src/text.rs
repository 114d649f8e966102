//! Text of others, made safe to show.

use attache_client::plain;

/// One line.
pub(crate) fn line(text: &str) -> String {
    plain::line(text).into_owned()
}

/// Several lines.
pub(crate) fn lines(text: &str) -> String {
    plain::lines(text).into_owned()
}

/// The text as one word of a shell.
pub(crate) fn word(text: &str) -> String {
    let text = line(text);
    let is_plain = |char: char| char.is_alphanumeric() || "-_./=:@+,%".contains(char);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text;
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}
