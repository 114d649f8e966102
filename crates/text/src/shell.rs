//! Words and lines for a POSIX shell.

use std::borrow::Cow;

/// The word as a shell takes it for one word that means nothing but itself: as it is where that is certain, in single quotes
/// otherwise. What a shell cannot be given at all, a NUL, stays in it.
pub fn quote(word: &str) -> Cow<'_, str> {
    match is_plain(word) {
        true => Cow::Borrowed(word),
        false => Cow::Owned(single_quoted(word)),
    }
}

/// The word in single quotes, whether it needs them or not.
pub fn single_quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// A command and its arguments as a line for a shell. A command that would read as an assignment is quoted.
pub fn join<S: AsRef<str>>(words: impl IntoIterator<Item = S>) -> String {
    let mut line = String::new();
    for (index, word) in words.into_iter().enumerate() {
        let word = word.as_ref();
        if index == 0 && word.contains('=') {
            line.push_str(&single_quoted(word));
            continue;
        }
        if index > 0 {
            line.push(' ');
        }
        line.push_str(&quote(word));
    }
    line
}

/// Whether every shell reads the word as itself, without quotes. An assignment in front of a command is such a word.
pub fn is_plain(word: &str) -> bool {
    // zsh replaces `=name` by the path of the program.
    !word.is_empty() && !word.starts_with('=') && word.chars().all(is_plain_char)
}

/// Whether a character of a word stands for itself in every shell.
pub fn is_plain_char(char: char) -> bool {
    char.is_ascii_alphanumeric() || "_-./=:,+@%".contains(char)
}

#[cfg(all(test, unix))]
mod tests;
