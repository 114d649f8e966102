//! Texts that no JSON reader may accept.

use super::{is_json, read, serde_accepts, shown};
use crate::json::{Problem, Reader, from_slice};
use crate::{Error, Message};

/// All cases that are text.
pub(super) fn cases() -> impl Iterator<Item = &'static str> {
    let tables = [VALUES, STRUCTURE, STRINGS, SURROUNDING];
    tables.into_iter().flatten().copied()
}

/// All cases that are not UTF-8.
pub(super) fn not_utf_8() -> impl Iterator<Item = &'static [u8]> {
    NOT_UTF_8.iter().copied()
}

#[test]
fn all_cases_are_rejected() {
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

/// These cases become valid arrays inside brackets.
const CLOSES: &[&str] = &["", " ", "1,2", "1 ,\n2", "\"a\",\"b\"", "[],[]"];

/// Invalid words and numbers.
const VALUES: &[&str] = &[
    // nothing, or not one value
    "",
    " ",
    "1 2",
    "1,2",
    "1 ,\n2",
    "\"a\",\"b\"",
    "[],[]",
    "{}{}",
    "{} x",
    "null null",
    "[]]",
    "{}}",
    // words
    "nul",
    "nulL",
    "NULL",
    "Null",
    "truee",
    "True",
    "TRUE",
    "falsE",
    "undefined",
    "NaN",
    "-NaN",
    "Infinity",
    "-Infinity",
    "nan",
    "inf",
    // numbers
    "-",
    "+1",
    "--1",
    "01",
    "00",
    "-01",
    "-00",
    "007",
    "1.",
    "-1.",
    ".5",
    "-.5",
    "1.e1",
    "1e",
    "1e+",
    "1E-",
    "1ee1",
    "1e1.5",
    "1.2.3",
    "1-1",
    "0x10",
    "0b1",
    "0o7",
    "1_000",
    "1,000.5x",
    "1 000",
    "- 1",
    "1 e1",
    "1e 1",
    "1f",
    "1n",
    "1/2",
    "\u{ff11}",
    "\u{0661}",
    // words that end too soon, run on, or stand where none may
    "t",
    "tr",
    "f",
    "n",
    "truefalse",
    "null,",
    "true:",
    "[nul]",
    "[tru",
    "[truth]",
    "nil",
    "none",
    "None",
    "void",
    "yes",
    // signs, points and exponents out of place
    "+",
    "+0",
    "-+1",
    "---",
    "0-",
    "0.",
    "-0.",
    "0.e1",
    "0e",
    "0E+",
    "0.1.2",
    "2.e3",
    "2.e+3",
    "9.e-3",
    "0.3e",
    "0.3e+",
    "1.0e-",
    "1eE2",
    "e1",
    ".",
    ".e1",
    "-e1",
    "-x",
    "0a",
    "-1x",
    "1.2a",
    "0x1F",
    "1e\u{663}",
    "\u{221e}",
    "[-]",
    "[+1]",
    "[1.]",
    "[0 1]",
    "{\"a\":01}",
];

/// Invalid arrays and objects.
const STRUCTURE: &[&str] = &[
    // arrays
    "[",
    "]",
    "[1",
    "[1,",
    "[1,]",
    "[,1]",
    "[,]",
    "[1,,2]",
    "[1 2]",
    "[1;2]",
    "[1:2]",
    "[\"a\":1]",
    "[1}",
    "[}",
    "[[]",
    "[...]",
    // objects
    "{",
    "}",
    "{\"a\"",
    "{\"a\":",
    "{\"a\":1",
    "{\"a\":1,",
    "{\"a\":1,}",
    "{,\"a\":1}",
    "{,}",
    "{\"a\"}",
    "{\"a\",1}",
    "{\"a\" 1}",
    "{\"a\"=1}",
    "{\"a\"::1}",
    "{\"a\":1:2}",
    "{\"a\":1 \"b\":2}",
    "{\"a\":1;\"b\":2}",
    "{\"a\":1,,\"b\":2}",
    "{a:1}",
    "{'a':1}",
    "{1:1}",
    "{null:1}",
    "{true:1}",
    "{[]:1}",
    "{\"a\":}",
    "{:1}",
    "{\"a\":1]",
    "{]",
    // brackets that do not fit
    "[]{}",
    "[{]}",
    "{[}]",
    "()",
    "(1)",
    "<1>",
    "1]",
    "1}",
    "[1]x",
    "x{}",
    "{}#",
    "[1,[2",
    "[[[",
    "{\"a\":{\"b\":",
    "{\"a\":[}",
    "{\"a\":\"b\"}}",
    "[]1",
    "{}1",
    "[1]]",
    "{\"a\":1}]",
    // names and values out of place
    "[a]",
    "['a']",
    "[\\n]",
    "{a}",
    "{\"a\":b}",
    "{\"a\":'b'}",
    "{\"a\":\"b\",\"c\"}",
    "{\"a\":1 , , \"b\":2}",
    "[1 , ,2]",
    "{\"a\":\"b\":\"c\"}",
    "{\"a\" \"b\"}",
    "{\"a\":1 true}",
    "{{}}",
    "{\"a\":{}{}}",
    "[{}{}]",
    "[\"a\" \"b\"]",
    "[\"a\"1]",
    "[1\"a\"]",
    "{\"a\":1,2}",
    "{\"\"}",
    "{\"\":}",
    "[:]",
    "[=]",
    "*",
    "&",
    "@",
    "?",
];

/// Invalid strings.
const STRINGS: &[&str] = &[
    // strings
    "\"",
    "\"a",
    "'a'",
    "`a`",
    "a",
    "\"a\"b",
    "\"\u{0}\"",
    "\"\u{1}\"",
    "\"\t\"",
    "\"\n\"",
    "\"\r\"",
    "\"\u{1f}\"",
    "\"12345678\u{1f}\"",
    "\"a\nb\"",
    "\u{201c}a\u{201d}",
    // escapes
    "\"\\",
    "\"\\\"",
    "\"\\a\"",
    "\"\\v\"",
    "\"\\0\"",
    "\"\\x41\"",
    "\"\\'\"",
    "\"\\ \"",
    "\"\\\n\"",
    "\"\\U0041\"",
    "\"\\é\"",
    "\"\\u\"",
    "\"\\u0\"",
    "\"\\u00\"",
    "\"\\u004\"",
    "\"\\u004g\"",
    "\"\\u{41}\"",
    "\"\\u+041\"",
    "\"\\u-041\"",
    "\"\\u 041\"",
    "\"\\u00é\"",
    // halves of surrogate pairs
    "\"\\ud800\"",
    "\"\\udbff\"",
    "\"\\udc00\"",
    "\"\\udfff\"",
    "\"\\ud800x\"",
    "\"\\ud800\\n\"",
    "\"\\ud800\\u0041\"",
    "\"\\ud800\\ud800\"",
    "\"\\udc00\\ud800\"",
    "\"\\ud800\\",
    "\"\\ud800\\u",
    "\"\\ud800\\udc0",
    "\"\\ud800\\udc0x\"",
    "{\"\\ud800\":1}",
    // strings without an end
    "[\"a",
    "[\"a\"",
    "[\"a\",",
    "{\"a",
    "{\"a\":\"b",
    "{\"a\":\"b\"",
    "[\"\\",
    "\"\\u",
    "\"\\u1",
    "\"\\u12",
    "\"\\u123",
    "\"\\u1234",
    "[\"a\\\"]",
    // more characters that a string cannot contain
    "\"\u{8}\"",
    "\"\u{c}\"",
    "\"\u{b}\"",
    "[\"a\u{0}b\"]",
    "{\"a\nb\":1}",
    "{\"a\u{1}\":1}",
    "\"\\\\\\\"",
    "\"\\\u{0}\"",
    "\"\\\t\"",
    "\"\\u12 4\"",
    "\"\\u12\\u1234\"",
    "\"\\uD8xx\"",
    "\"\\e\"",
    "\"\\1\"",
    "\"\\,\"",
    "\\\"a\\\"",
    "\\",
    "\\n",
    "\\u0041",
];

/// Invalid text around a value, and texts in other formats.
const SURROUNDING: &[&str] = &[
    // white space of other languages, marks and comments
    "\u{feff}{}",
    "{}\u{feff}",
    "\u{a0}1",
    "\u{2003}1",
    "\u{2028}1",
    "\u{3000}1",
    "\u{b}1",
    "\u{c}1",
    "\u{0}",
    "1\u{0}",
    "[1\u{c}]",
    "// a\n1",
    "/* a */ 1",
    "1 # a",
    "[1] // a",
    "<xml/>",
    "total 12",
    "bash: warning: no job control",
    // more invalid text
    "\u{2060}{}",
    "\u{85}{}",
    "\u{fffd}",
    "1\u{1}",
    "[1,\u{0}]",
    "{/**/}",
    "[1,//\n2]",
    "{\"a\":/**/1}",
    "{\"a\":1}//",
    "{\"a\":1}#",
    "#!/bin/sh",
    "--- a",
    "%YAML 1.2",
    "a=1",
    "[\n1,\n2",
    "[1\n,\n2\n",
    "\u{1b}[0m",
    "\u{7f}",
];

/// Bytes that are not UTF-8.
const NOT_UTF_8: &[&[u8]] = &[
    b"\x80",
    b"\xbf",
    b"\xff",
    b"\xfe",
    b"\xc3",
    b"\xc3(",
    b"\xe2\x82",
    b"\xe2(\xa1",
    b"\xf0\x9f\xa6",
    b"\xf0(\x8c\xbc",
    // longer than need be
    b"\xc0\x80",
    b"\xc0\xaf",
    b"\xc1\xbf",
    b"\xe0\x80\x80",
    b"\xe0\x9f\xbf",
    b"\xf0\x80\x80\x80",
    b"\xf0\x8f\xbf\xbf",
    // surrogates, and beyond the last character
    b"\xed\xa0\x80",
    b"\xed\xbf\xbf",
    b"\xed\xa0\x80\xed\xb0\x80",
    b"\xf4\x90\x80\x80",
    b"\xf5\x80\x80\x80",
    b"\xf8\x88\x80\x80\x80",
];
