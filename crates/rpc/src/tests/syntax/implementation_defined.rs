//! Texts that the standard lets each reader accept or reject, with our choice.

use super::{is_json, read, serde_accepts, walk};
use crate::Message;
use crate::json::{self, Object, Raw, Reader};
use Choice::{Accept, Refuse};

/// Whether we accept a text, and whether `serde_json` does.
fn check(text: &str, ours: bool, serde: bool) {
    assert_eq!(is_json(text.as_bytes()), ours, "{text:?}");
    assert_eq!(
        serde_accepts(text.as_bytes()),
        serde,
        "serde_json: {text:?}"
    );
}

#[test]
fn all_cases_are_decided_as_listed() {
    let short = CASES.iter().map(|(text, choice)| (text.to_vec(), *choice));
    for (text, choice) in short.chain(long_cases()) {
        let start = super::shown(&text[..text.len().min(80)]);
        assert_eq!(is_json(&text), choice == Accept, "{start}");
        if let Ok(raw) = read(&text) {
            assert_eq!(raw.as_str().as_bytes(), text, "{start}");
        }
    }
}

#[test]
fn numbers_of_any_size_are_kept_as_text() {
    for text in [
        "1e400",
        "-1e400",
        "123e99999999999999999999",
        "[1e309]",
        "{\"a\":-9e999}",
    ] {
        check(text, true, false);
        assert_eq!(Raw::parse(text).expect("JSON").as_str(), text);
    }
    let long = format!("0.{}", "3".repeat(100_000));
    check(&long, true, true);
}

#[test]
fn numbers_too_small_for_a_float_are_kept_as_text() {
    check("1e-99999", true, true);
    assert_eq!(Raw::parse("1e-99999").expect("JSON").as_str(), "1e-99999");
}

#[test]
fn the_last_of_several_members_with_one_name_wins() {
    let text = r#"{"a":1,"b":2,"a":3,"\u0061":4}"#;
    check(text, true, true);
    let object = Object::parse(text).expect("an object");
    assert_eq!(object.get("a"), Some("4"));
    assert_eq!(json::to_string(&object), r#"{"b":2,"a":4}"#);
    let map: std::collections::BTreeMap<String, u32> = json::from_str(text).expect("numbers");
    assert_eq!(map.get("a"), Some(&4));
    let theirs: serde_json::Value = serde_json::from_str(text).expect("JSON");
    assert_eq!(theirs["a"], 4);
}

#[test]
fn raw_text_keeps_repeated_members() {
    let text = r#"{"a":1,"a":2}"#;
    assert_eq!(read(text.as_bytes()).expect("JSON").as_str(), text);
}

#[test]
fn names_are_compared_without_unicode_normalization() {
    // é as one character and as two.
    let object = Object::parse("{\"\u{e9}\":1,\"e\u{301}\":2}").expect("an object");
    assert_eq!(object.get("\u{e9}"), Some("1"));
    assert_eq!(object.get("e\u{301}"), Some("2"));
}

#[test]
fn a_byte_order_mark_is_rejected_by_the_reader() {
    check("\u{feff}{}", false, false);
    let malformed = Message::parse("\u{feff}{}".as_bytes()).expect_err("a mark");
    assert_eq!(malformed.code, crate::Error::PARSE);
}

#[test]
fn noncharacters_and_nul_are_accepted() {
    check("\"\u{fdd0}\u{fffe}\u{1fffe}\"", true, true);
    check("\"\\u0000\\uffff\"", true, true);
    assert_eq!(json::from_str::<String>("\"\\u0000\"").as_deref(), Ok("\0"));
}

#[test]
fn any_value_is_a_document() {
    for text in ["null", "0", "\"\"", "[]", "true"] {
        check(text, true, true);
    }
}

#[test]
fn minus_zero_decodes_as_a_signed_integer_only() {
    assert_eq!(json::from_str::<i32>("-0"), Ok(0));
    assert!(json::from_str::<u32>("-0").is_err());
    let zero: f64 = json::from_str("-0").expect("a number");
    assert!(zero.is_sign_negative());
}

#[test]
fn nesting_may_be_one_level_deeper_than_in_serde_json() {
    let text = format!("{}{}", "[".repeat(128), "]".repeat(128));
    assert!(Raw::parse(&text).is_ok());
    assert!(walk(&mut Reader::new(&text)).is_ok());
    assert!(!serde_accepts(text.as_bytes()));
    assert!(Raw::parse(&format!("[{text}]")).is_err());
}

/// The way our reader treats a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Choice {
    /// Accepted and kept as text, even if a decoder may reject the value.
    Accept,
    /// Rejected, because other readers disagree on the value.
    Refuse,
}

pub(super) const CASES: &[(&[u8], Choice)] = &[
    // numbers larger, smaller or finer than a machine has them
    (b"1e309", Accept),
    (b"-1e309", Accept),
    (b"7e7777", Accept),
    (b"-7.5E+7777", Accept),
    (b"1e99999999999999999999", Accept),
    (b"1e-500", Accept),
    (b"-3e-99999999999999999999", Accept),
    (b"0.1e00000000000000000000000000001", Accept),
    (b"18446744073709551617", Accept),
    (b"-9223372036854775809", Accept),
    (
        b"31415926535897932384626433832795028841971693993751",
        Accept,
    ),
    (
        b"-31415926535897932384626433832795028841971693993751",
        Accept,
    ),
    (
        b"3.1415926535897932384626433832795028841971693993751",
        Accept,
    ),
    (b"[-0, -0.0, -0e0]", Accept),
    // names that occur twice
    (b"{\"a\":1,\"a\":2}", Accept),
    (b"{\"a\":1,\"\\u0061\":2}", Accept),
    // noncharacters, and NUL, which ends strings in other languages
    ("\"\u{fdd0}\u{fffe}\u{1fffe}\"".as_bytes(), Accept),
    (b"\"\\ufdd0\\uffff\"", Accept),
    (b"\"\\u0000\"", Accept),
    // escapes that are half a character
    (b"\"\\ud834\"", Refuse),
    (b"\"\\uDD1E\"", Refuse),
    (b"\"\\ud834 \\udd1e\"", Refuse),
    (b"\"\\ud834\\t\\udd1e\"", Refuse),
    (b"\"\\udd1e\\ud834\"", Refuse),
    (b"\"\\ud834\\ud834\\udd1e\"", Refuse),
    (b"\"\\ud834\\udd1e\\udd1e\"", Refuse),
    (b"\"\\ud834\\ue000\"", Refuse),
    (b"\"\\ud834\\\\udd1e\"", Refuse),
    (b"\"a\\udbffb\"", Refuse),
    (b"{\"\\udc01\":1}", Refuse),
    // bytes that are not UTF-8
    (b"\"caf\xe9\"", Refuse),
    (b"\"\xc1\x81\"", Refuse),
    (b"\"\xe0\x81\x81\"", Refuse),
    (b"\"\xf0\x80\x81\x81\"", Refuse),
    (b"\"\xed\xa1\x8c\xed\xbe\xb4\"", Refuse),
    (b"\"\xf4\xbf\xbf\xbf\"", Refuse),
    (b"\"\xfc\x83\xbf\xbf\xbf\xbf\"", Refuse),
    (b"\"\x81\"", Refuse),
    (b"\"\xe6\x97\"", Refuse),
    (b"\"\\\xe5\"", Refuse),
    (b"{\"\xff\":1}", Refuse),
    (b"\xe9", Refuse),
    // other encodings
    (b"\xef\xbb\xbf{}", Refuse),
    (b"\xef\xbb\xbf[1]", Refuse),
    (b"\xff\xfe{\0}\0", Refuse),
    (b"\xfe\xff\0{\0}", Refuse),
    (b"[\0\"\0a\0\"\0]\0", Refuse),
    (b"\0[\0\"\0a\0\"\0]", Refuse),
    (b"\xff\xfe\0\0[\0\0\0]\0\0\0", Refuse),
    (b"+AHsAfQ-", Refuse),
];

/// Cases that are too long to write down.
pub(super) fn long_cases() -> Vec<(Vec<u8>, Choice)> {
    let arrays = |depth| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    let objects = |depth| format!("{}0{}", "{\"a\":".repeat(depth), "}".repeat(depth));
    let rows = [
        ("7".repeat(100_000), Accept),
        (format!("0.{}", "7".repeat(100_000)), Accept),
        (format!("1e{}", "7".repeat(100_000)), Accept),
        (format!("\"{}\"", "\\u00e9".repeat(100_000)), Accept),
        (arrays(100), Accept),
        (objects(100), Accept),
        (arrays(500), Refuse),
        (objects(500), Refuse),
        (arrays(100_000), Refuse),
        ("[".repeat(100_000), Refuse),
        ("[{\"a\":".repeat(50_000), Refuse),
    ];
    rows.map(|(text, choice)| (text.into_bytes(), choice))
        .into()
}
