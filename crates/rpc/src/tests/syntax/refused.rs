//! What no JSON reader may accept.

mod around;
mod bytes;
mod strings;
mod structure;
mod values;

use super::{is_json, read, serde_accepts, shown};
use crate::json::{Problem, Reader, from_slice};
use crate::{Error, Message};

/// All cases that are text.
pub(super) fn cases() -> impl Iterator<Item = &'static str> {
    let tables = [
        values::CASES,
        structure::CASES,
        strings::CASES,
        around::CASES,
    ];
    tables.into_iter().flatten().copied()
}

/// Bytes that are no text.
pub(super) fn not_utf_8() -> impl Iterator<Item = &'static [u8]> {
    bytes::CASES.iter().copied()
}

#[test]
fn all_of_them() {
    for text in cases() {
        let error = read(text.as_bytes()).expect_err(text);
        assert!(error.is_syntax(), "{text:?}: {error}");
        assert!(
            !serde_accepts(text.as_bytes()),
            "serde_json accepts {text:?}"
        );
    }
}

#[test]
fn rejected_cases_are_also_rejected_inside_arrays_and_objects() {
    for text in cases() {
        assert!(
            !is_json(format!("[{text}]").as_bytes()) || CLOSES.contains(&text),
            "{text:?}"
        );
    }
}

#[test]
fn rejected_cases_are_answered_with_a_parse_error() {
    for text in cases() {
        let malformed = Message::parse(text.as_bytes()).expect_err(text);
        assert_eq!(
            malformed.code,
            Error::PARSE,
            "{text:?}: {}",
            malformed.reason
        );
        assert_eq!(malformed.id, None);
        assert_eq!(malformed.probable_kind, crate::ProbableKind::Request);
    }
}

#[test]
fn bytes_that_are_not_utf_8_are_rejected() {
    for bytes in not_utf_8() {
        for (before, after) in [
            ("\"", "\""),
            ("", ""),
            ("[\"abcdefgh", "\"]"),
            ("{\"a\":\"", "\"}"),
        ] {
            let text = [before.as_bytes(), bytes, after.as_bytes()].concat();
            let error = from_slice::<crate::json::Raw>(&text).expect_err("not UTF-8");
            assert_eq!(error.problem(), Problem::NotUtf8, "{}", shown(&text));
            assert_eq!(error.offset(), before.len());
            assert!(!serde_accepts(&text));
            let malformed = Message::parse(&text).expect_err("not UTF-8");
            assert_eq!((malformed.code, malformed.id), (Error::PARSE, None));
        }
    }
}

#[test]
fn more_members_without_an_open_object_is_an_error() {
    for text in ["]", "}", ",", "1", ""] {
        assert!(Reader::new(text).more_items().is_err(), "{text}");
        assert!(Reader::new(text).more_members().is_err(), "{text}");
    }
    let mut reader = Reader::new("[1]]");
    assert_eq!(reader.open_array(), Ok(true));
    reader.skip().expect("a number");
    assert_eq!(reader.more_items(), Ok(false));
    assert!(reader.more_items().is_err());
}

/// With a bracket around them these become arrays: nothing at all, and a list without its brackets.
const CLOSES: &[&str] = &["", " ", "1,2", "1 ,\n2", "\"a\",\"b\"", "[],[]"];
