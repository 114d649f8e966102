//! Values that are split, nested and repeated, and values that are not hidden.

use std::collections::BTreeMap;
use std::ffi::OsString;

use expect_test::{Expect, expect};
use proptest::prelude::*;

use super::WithheldValues;

fn map(variables: &[(&str, &str)]) -> BTreeMap<OsString, OsString> {
    let pairs = variables.iter().copied();
    pairs
        .map(|(name, value)| (name.into(), value.into()))
        .collect()
}

fn values(withheld: &[(&str, &str)]) -> WithheldValues {
    WithheldValues::of(&map(&[]), &map(withheld))
}

fn check(withheld: &[(&str, &str)], text: &str, expected: &Expect) {
    expected.assert_eq(&values(withheld).replace(text));
}

/// The output of a stream for these chunks.
fn streamed(values: &WithheldValues, pieces: &[&[u8]]) -> String {
    let mut stream = values.stream();
    let mut out = Vec::new();
    for piece in pieces {
        out.extend_from_slice(&stream.push(piece));
    }
    out.extend(stream.finish());
    String::from_utf8(out).unwrap()
}

#[test]
fn values_are_replaced_by_the_name_of_their_variable() {
    let withheld = [
        ("OPENAI_API_KEY", "sk-canary-0001"),
        ("DATABASE_URL", "postgres://app:hunter2hunter2@db/app"),
        ("PGPASSWORD", "hunter2hunter2"),
    ];
    check(
        &withheld,
        "key=sk-canary-0001; url=postgres://app:hunter2hunter2@db/app pw hunter2hunter2\n",
        &expect![[r#"
            key=[OPENAI_API_KEY withheld]; url=[DATABASE_URL withheld] pw [PGPASSWORD withheld]
        "#]],
    );
    check(&withheld, "sk-canary-000", &expect!["sk-canary-000"]);
}

/// As bytes, split anywhere, and as programs print them that print text.
#[cfg(unix)]
#[test]
fn values_that_are_not_utf_8_are_replaced() {
    use std::os::unix::ffi::OsStringExt as _;
    let bytes = b"\xa9canary\xff-0001".to_vec();
    let value = OsString::from_vec(bytes.clone());
    let marks = OsString::from_vec(vec![0xff; 9]);
    let withheld = BTreeMap::from([("API_KEY".into(), value), ("OTHER_KEY".into(), marks)]);
    let values = WithheldValues::of(&map(&[]), &withheld);
    for cut in 0..bytes.len() {
        let (head, tail) = bytes.split_at(cut);
        let said = streamed(&values, &[b"key=", head, tail, b"\n"]);
        assert_eq!(said, "key=[API_KEY withheld]\n", "{cut}");
    }
    expect!["key=[API_KEY withheld] \u{fffd}\u{fffd}\u{fffd}\u{fffd}"].assert_eq(
        &values.replace("key=\u{fffd}canary\u{fffd}-0001 \u{fffd}\u{fffd}\u{fffd}\u{fffd}"),
    );
    let half = BTreeMap::from([(
        "API_KEY".into(),
        OsString::from_vec(b"\xa9canary-0001".to_vec()),
    )]);
    // The value begins in the middle of a character of this text.
    let values = WithheldValues::of(&map(&[]), &half);
    expect!["\u{fffd}[API_KEY withheld]!"].assert_eq(&values.replace("\u{a9}canary-0001!"));
}

#[test]
fn the_password_of_a_proxy_that_is_passed_is_replaced() {
    let passed = map(&[("https_proxy", "http://me:p%40ssword1@proxy.example:3128/")]);
    let values = WithheldValues::of(&passed, &map(&[]));
    expect!["http://[password of https_proxy withheld]@proxy.example:3128/ [password of https_proxy withheld]"]
        .assert_eq(&values.replace("http://me:p%40ssword1@proxy.example:3128/ p@ssword1"));
}

#[test]
fn words_numbers_paths_and_passed_values_stay() {
    let passed = map(&[("USER", "developer7")]);
    let withheld = map(&[
        ("NODE_ENV", "production"),
        ("BUILD_NUMBER", "1234567890"),
        ("RELEASE_DATE", "2026-11-18"),
        ("OLDPWD", "/usr/share/doc"),
        ("EXTRA_PATH", "/usr/local/bin:/opt/x"),
        ("KUBECONFIG", "~/.kube/config"),
        ("SUDO_USER", "developer7"),
        ("SHORT_KEY", "abc1234"),
        ("ADMIN_PIN", "87654321"),
        ("ADMIN_PASSWORD", "swordfish"),
        ("PHRASE", "correct horse battery staple"),
        ("ODD_KEY", "/Zm9vYmFy+x/4="),
    ]);
    let values = WithheldValues::of(&passed, &withheld);
    let text = "production 1234567890 2026-11-18 /usr/share/doc /usr/local/bin:/opt/x ~/.kube/config developer7 abc1234\n\
        87654321 swordfish correct horse battery staple /Zm9vYmFy+x/4=";
    expect![[r#"
        production 1234567890 2026-11-18 /usr/share/doc /usr/local/bin:/opt/x ~/.kube/config developer7 abc1234
        [ADMIN_PIN withheld] [ADMIN_PASSWORD withheld] [PHRASE withheld] [ODD_KEY withheld]"#]]
    .assert_eq(&values.replace(text));
}

#[test]
fn values_in_json_are_replaced_in_texts_and_names() {
    let values = values(&[("TOKEN", "canary-\"quoted\"")]);
    let mut value = serde_json::json!({ "canary-\"quoted\"": ["x canary-\"quoted\"", 1, null] });
    values.replace_in(&mut value);
    expect![[r#"{"[TOKEN withheld]":["x [TOKEN withheld]",1,null]}"#]]
        .assert_eq(&value.to_string());
}

/// Two splits at every position, for self-similar values that make a search stumble.
#[test]
fn attack_a_value_split_at_any_two_places_is_replaced() {
    let withheld = [
        ("A_KEY", "abcabcabcabd"),
        ("B_KEY", "abcabcab"),
        ("C_KEY", "cabdcabdX9"),
        ("D_KEY", "aaaaaaaab"),
        ("E_KEY", "multi\nline\nväl"),
    ];
    let values = values(&withheld);
    let text =
        "abcabcabcabcabd abcabcabcabdcabdX9 aaaaaaaaaaaaab abcabcaabcabcab multi\nline\nväl ab";
    let whole = values.replace(text).into_owned();
    for (_, value) in withheld {
        assert!(!whole.contains(value), "{whole}");
    }
    let bytes = text.as_bytes();
    for first in 0..=bytes.len() {
        for second in first..=bytes.len() {
            let pieces = [&bytes[..first], &bytes[first..second], &bytes[second..]];
            assert_eq!(streamed(&values, &pieces), whole, "{first} {second}");
        }
    }
    let single: Vec<&[u8]> = bytes.chunks(1).collect();
    assert_eq!(streamed(&values, &single), whole);
}

#[test]
fn only_a_possible_beginning_of_a_value_waits() {
    let values = values(&[("A_KEY", "sk-canary-0001")]);
    let mut stream = values.stream();
    assert_eq!(&*stream.push(b"Password: "), b"Password: ");
    assert_eq!(&*stream.push(b"tasks"), b"task");
    assert_eq!(stream.short_pending(), b"s");
    assert_eq!(&*stream.push(b"k-can"), b"");
    assert_eq!(stream.short_pending(), b"");
    assert_eq!(&*stream.push(b"dy\n"), b"sk-candy\n");
    assert_eq!(stream.finish(), b"");
}

#[test]
fn the_number_and_size_of_values_are_limited() {
    let names: Vec<(String, String)> = (0..2000)
        .map(|number| (format!("VAR_{number}"), format!("value-{number:020}")))
        .collect();
    let mut withheld: Vec<(&str, &str)> = names.iter().map(|(a, b)| (&**a, &**b)).collect();
    let long = "x1".repeat(100_000);
    withheld.extend([("Z_TOKEN", "canary-of-z"), ("LONG", &long)]);
    let values = values(&withheld);
    assert_eq!(format!("{values:?}"), "WithheldValues(512)");
    assert_eq!(values.replace("canary-of-z"), "[Z_TOKEN withheld]");
}

proptest! {
    #[test]
    fn attack_pieces_of_any_size_give_what_the_whole_gives(
        values in prop::collection::vec("[ab1]{8,12}", 1..6),
        text in "[ab1 ]{0,80}",
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..8),
    ) {
        let names: Vec<String> = (0..values.len()).map(|index| format!("V{index}_KEY")).collect();
        let withheld: Vec<(&str, &str)> =
            names.iter().zip(&values).map(|(name, value)| (&**name, &**value)).collect();
        let found = WithheldValues::of(&map(&[]), &map(&withheld));
        let text = format!("{text}{}{text}", values[0]);
        let whole = found.replace(&text).into_owned();
        for value in &values {
            prop_assert!(!whole.contains(value.as_str()));
        }
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(text.len() + 1)).collect();
        cuts.extend([0, text.len()]);
        cuts.sort_unstable();
        let pieces: Vec<&[u8]> =
            cuts.windows(2).map(|pair| &text.as_bytes()[pair[0]..pair[1]]).collect();
        prop_assert_eq!(streamed(&found, &pieces), whole);
    }
}
