use std::process::Command;

use expect_test::{Expect, expect};
use proptest::prelude::*;

use super::{join, quote, single_quoted};

fn check(words: &[&str], expected: &Expect) {
    expected.assert_eq(&join(words));
}

#[test]
fn only_what_a_shell_would_read_otherwise_is_quoted() {
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
fn a_command_is_no_assignment() {
    check(&["A=b", "C=d"], &expect!["'A=b' C=d"]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Many words in one run of `sh`: to start it costs more than to read them.
    #[test]
    fn sh_reads_every_word_as_it_was(words in prop::collection::vec(word(), 1..60)) {
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

/// A shell cannot be given a NUL.
fn word() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        2 => any::<char>().prop_filter("no NUL", |char| *char != '\0').prop_map(String::from),
        2 => "[ -~]{0,5}",
        3 => prop::sample::select(TRAPS).prop_map(str::to_owned),
    ];
    prop::collection::vec(piece, 0..6).prop_map(|pieces| pieces.concat())
}

const TRAPS: &[&str] = &[
    "'", "''", "\"", "\\", "$HOME", "$(id)", "`id`", "~", "~root", "*", "?", "[a-z]", "{a,b}", "#",
    "!", "!!", "\n", "\r\n", "\t", " ", ";", "|", "&", "<", ">", "(", ")", "=", "A=b", "-n", "--",
    "%", "%1", "^", "\u{a0}", "\u{2028}", "é", "日",
];
