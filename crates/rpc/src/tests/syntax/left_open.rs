//! What the standard leaves to each reader, with our choice.

mod table;

pub(super) use table::{CASES, Choice, long_cases};

use super::{is_json, read, serde_accepts, walk};
use crate::Message;
use crate::json::{self, Object, Raw, Reader};

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
fn all_of_them() {
    let short = CASES.iter().map(|(text, choice)| (text.to_vec(), *choice));
    for (text, choice) in short.chain(long_cases()) {
        let start = super::shown(&text[..text.len().min(80)]);
        assert_eq!(is_json(&text), choice == Choice::Accept, "{start}");
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
