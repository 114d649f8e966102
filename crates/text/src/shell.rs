//! Quotes words and command lines for a POSIX shell.

use std::borrow::Cow;

/// Quotes a word, so that a shell reads it as one literal word. A word that needs no quotes is returned unchanged. NUL
/// characters, which a shell cannot represent, are kept.
pub fn quote(word: &str) -> Cow<'_, str> {
    match is_plain(word) {
        true => Cow::Borrowed(word),
        false => Cow::Owned(single_quoted(word)),
    }
}

/// Puts a word in single quotes, even if it needs no quotes.
pub fn single_quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// Joins a command and its arguments into a line for a shell, with quotes where needed. A command that a shell would read as
/// an assignment is quoted.
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

/// Whether every shell reads the word literally without quotes. Does not check whether the word would be an assignment in
/// front of a command.
pub fn is_plain(word: &str) -> bool {
    // zsh replaces `=name` by the path of the program.
    !word.is_empty() && !word.starts_with('=') && word.chars().all(is_plain_char)
}

/// Whether every shell reads a character literally without quotes.
pub fn is_plain_char(char: char) -> bool {
    char.is_ascii_alphanumeric() || "_-./=:,+@%".contains(char)
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::process::Command;

    use expect_test::{Expect, expect};
    use proptest::prelude::*;

    use super::{join, quote, single_quoted};

    fn check(words: &[&str], expected: &Expect) {
        expected.assert_eq(&join(words));
    }

    #[test]
    fn only_words_that_need_quotes_are_quoted() {
        check(
            &[
                "git",
                "commit",
                "-m",
                "it's done",
                "--author=A <a@b>",
                "a/b.c:1,2%+@_",
            ],
            &expect![[r#"git commit -m 'it'\''s done' '--author=A <a@b>' a/b.c:1,2%+@_"#]],
        );
        check(
            &["echo", "", "$HOME", "~", "a\nb", "größe", "=ls"],
            &expect![[r#"
            echo '' '$HOME' '~' 'a
            b' 'größe' '=ls'"#]],
        );
    }

    #[test]
    fn a_command_that_looks_like_an_assignment_is_quoted() {
        check(&["A=b", "C=d"], &expect!["'A=b' C=d"]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        /// Checks many words in one run of `sh`, because starting `sh` takes longer than reading the words.
        #[test]
        fn sh_reads_every_quoted_word_unchanged(words in prop::collection::vec(word(), 1..60)) {
            let line = format!("printf '%s\\0' {}", join_arguments(&words));
            let printed = sh(&line);
            let expected: Vec<u8> = words.iter().flat_map(|word| [word.as_bytes(), b"\0"].concat()).collect();
            prop_assert_eq!(printed, expected, "{}", line);
        }
    }

    fn join_arguments(words: &[String]) -> String {
        let quoted = words
            .iter()
            .enumerate()
            .map(|(index, word)| match index % 2 {
                0 => quote(word).into_owned(),
                _ => single_quoted(word),
            });
        quoted.collect::<Vec<_>>().join(" ")
    }

    fn sh(line: &str) -> Vec<u8> {
        let output = Command::new("sh").args(["-c", line]).output().expect("sh");
        assert!(output.status.success(), "{line:?}: {output:?}");
        output.stdout
    }

    /// A word without NUL, which no argument of a program can contain.
    fn word() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            2 => any::<char>().prop_filter("no NUL", |char| *char != '\0').prop_map(String::from),
            2 => "[ -~]{0,5}",
            3 => prop::sample::select(TRAPS).prop_map(str::to_owned),
        ];
        prop::collection::vec(piece, 0..6).prop_map(|pieces| pieces.concat())
    }

    const TRAPS: &[&str] = &[
        "'", "''", "\"", "\\", "$HOME", "$(id)", "`id`", "~", "~root", "*", "?", "[a-z]", "{a,b}",
        "#", "!", "!!", "\n", "\r\n", "\t", " ", ";", "|", "&", "<", ">", "(", ")", "=", "A=b",
        "-n", "--", "%", "%1", "^", "\u{a0}", "\u{2028}", "é", "日",
    ];
}
