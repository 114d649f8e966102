//! Texts that every JSON reader must accept.

use super::{is_json, read, serde_accepts};

#[test]
fn all_cases_are_accepted() {
    for text in CASES {
        assert!(is_json(text.as_bytes()), "rejected {text:?}");
        assert!(
            serde_accepts(text.as_bytes()),
            "serde_json refuses {text:?}"
        );
    }
}

#[test]
fn accepted_cases_are_kept_unchanged() {
    for text in CASES {
        let raw = read(text.as_bytes()).expect("JSON");
        let same: serde_json::Value = serde_json::from_str(text).expect("JSON");
        let kept: serde_json::Value = serde_json::from_str(raw.as_str()).expect("JSON");
        assert_eq!(kept, same, "{text:?}");
        if !text.contains(['\n', '\r']) {
            assert_eq!(raw.as_str(), text.trim_matches([' ', '\t']));
        }
        assert!(!raw.as_str().contains(['\n', '\r']), "{text:?}");
    }
}

pub(super) const CASES: &[&str] = &[
    // words
    "null",
    "true",
    "false",
    // whole numbers
    "0",
    "-0",
    "1",
    "-1",
    "10",
    "1234567890",
    "9007199254740993",
    "-9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "123456789012345678901234567890",
    // fractions and exponents
    "0.0",
    "-0.0",
    "0.1",
    "10.01",
    "1.000000000000000000000000000001",
    "1e1",
    "1E1",
    "1e+1",
    "1E-1",
    "0e0",
    "0E+0",
    "-0e-0",
    "1.5e3",
    "1e00",
    "1e0001",
    "1e-400",
    "2.2250738585072011e-308",
    // white space: four kinds and no other
    " 1",
    "1 ",
    "\t1",
    "\n1",
    "\r1",
    "\r\n 1\t\r\n",
    "[ ]",
    "[\n]",
    "{ }",
    "{\t}",
    "[ 1 , 2 ]",
    "{ \"a\" : 1 , \"b\" : 2 }",
    "{\r\n\"a\":\r\n[\r\n1\r\n]\r\n}",
    // arrays
    "[]",
    "[[]]",
    "[[],[]]",
    "[1]",
    "[null]",
    "[1,\"a\",true,null,{},[]]",
    "[[[[[[[[]]]]]]]]",
    "[\"\"]",
    "[{}]",
    // objects
    "{}",
    "{\"a\":1}",
    "{\"\":1}",
    "{\"a\":{\"a\":{\"a\":{}}}}",
    "{\"a\":1,\"b\":2,\"c\":3}",
    "{\"a b\":1}",
    "{\"\\u0061\":1}",
    "{\"é\":1}",
    "{\"\\n\":1}",
    "{\"a\":[],\"b\":{}}",
    "{\"__proto__\":{}}",
    // strings
    "\"\"",
    "\" \"",
    "\"a\"",
    "\"/\"",
    "\"\u{7f}\"",
    "\"é\"",
    "\"漢字\"",
    "\"🦀\"",
    "\"\u{80}\u{ffff}\u{10ffff}\"",
    "\"\u{2028}\u{2029}\"",
    "\"\u{feff}\"",
    "\"{}[],:\"",
    "\"12345678\"",
    "\"1234567\\\"90123456\"",
    // escapes
    "\"\\\"\"",
    "\"\\\\\"",
    "\"\\/\"",
    "\"\\b\\f\\n\\r\\t\"",
    "\"\\u0000\"",
    "\"\\u0020\"",
    "\"\\u00e9\"",
    "\"\\u00E9\"",
    "\"\\uD83e\\uDd80\"",
    "\"\\ud800\\udc00\"",
    "\"\\udbff\\udfff\"",
    "\"\\ufffe\\uffff\"",
    "\"\\\\u0041\"",
    "\"\\\\\\\"\"",
    "\"a\\u000ab\"",
    // more numbers
    "-123",
    "123.456789",
    "-1.5E-2",
    "1E22",
    "123e45",
    "123E+45",
    "20e1",
    "0e+1",
    "-0.000000000000000000000000000000000000000000000000000001",
    "9007199254740992",
    "[-0]",
    "4.9e-324",
    // more arrays and objects
    "[1,null,null,null,2]",
    "[[1],[[2]],[[[3]]]]",
    "[ [] ]",
    " [1]",
    "[2] ",
    "{\"a\":\"b\",\"a\":\"c\"}",
    "{\"a\":\"b\",\"a\":\"b\"}",
    "{\"a\\u0000b\":1}",
    "{\"min\":-1e-28,\"max\":1.0e+28}",
    "{\"long\":\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\",\"x\":[{}]}",
    "{\"a\":[],\"a\":{}}",
    // more strings
    "[\"a\"]",
    " [ \"a\" ]",
    "\"a/*b*/c//d\"",
    "\"\\\\a\"",
    "\"\\\\n\"",
    "\"\\u0012\"",
    "\"\\uFFFF\"",
    "\"\\ud834\\udd1e\"",
    "\"\\u0060\\u012a\\u12ab\"",
    "\"\u{3c0}\"",
    "\"\u{e000}\"",
    "\"a\u{a0}b\"",
    "\"\u{200b}\"",
    "\"\\u0022\"",
    "\"\\u005C\"",
    "\"asd \"",
    "\"\\u2028\\u2029\"",
    "\"\\ud83d\\ude39\\ud83d\\udc8d\"",
    "\"\u{10fffe}\"",
    "\"\u{7f}\\u007f\"",
];
