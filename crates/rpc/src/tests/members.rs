//! Editing the members of objects, small ones and ones as large as a hostile peer can send.

use std::borrow::Cow;
use std::fmt::Write as _;

use crate::json::{self, Object, Raw, RawObject, Reader};

#[test]
fn members_can_be_set_taken_and_renamed() {
    let mut object = Object::parse(r#"{"a":1,"b":[2],"c":"3"}"#).expect("an object");
    object.set("b", "4");
    object.set("d", "5");
    assert_eq!(object.take("a"), Some(Cow::Borrowed("1")));
    assert_eq!(object.take("a"), None);
    object.rename("c", "e");
    object.rename("b", "e");
    object.rename("none", "f");
    object.put("g\n", "text\n");
    assert_eq!(
        json::to_string(&object),
        r#"{"b":4,"e":"3","d":5,"g\n":"text\n"}"#
    );
}

#[test]
fn a_member_with_an_empty_name_is_a_member() {
    let mut object = Object::parse(r#"{"":1,"a":2}"#).expect("an object");
    assert_eq!(object.get(""), Some("1"));
    assert!(object.take("").is_some());
    assert!(!object.is_empty());
    let raw: RawObject = json::from_str(r#"{"":1}"#).expect("an object");
    assert_eq!(raw.get("").as_ref().map(Raw::as_str), Some("1"));
}

#[test]
fn the_first_member_of_an_empty_object_gets_no_comma() {
    let mut object = Object::parse(" { } ").expect("an object");
    assert!(object.is_empty());
    assert_eq!(json::to_string(&object), "{}");
    object.set("a", "1");
    assert_eq!(json::to_string(&object), r#"{"a":1}"#);
}

#[test]
fn a_value_that_is_not_an_object_is_an_error() {
    for text in [
        "",
        "null",
        "[]",
        "\"{}\"",
        "{",
        "{}{}",
        "{\"a\"}",
        "{\"a\":1,}",
        "[{}]",
    ] {
        assert!(Object::parse(text).is_err(), "{text}");
        assert!(json::from_str::<RawObject>(text).is_err(), "{text}");
    }
}

#[test]
fn looking_up_a_tag_does_not_move_the_reader() {
    let tags = [
        (r#"{"type":"t","a":1}"#, Ok(Some("t"))),
        (r#"{"a":{"type":"no"},"type":"t"}"#, Ok(Some("t"))),
        (r#"{"a":["type"]}"#, Ok(None)),
        (r#"{}"#, Ok(None)),
        (
            r#"{"type":5}"#,
            Err("type: expected a string, found a number"),
        ),
        (
            r#"{"a":1,"type":{"type":"t"}}"#,
            Err("type: expected a string, found an object"),
        ),
        (r#"{"type":"t","type":"u"}"#, Err("type: occurs twice")),
        (
            r#"{"a":1,"type":"t","\u0074ype":"t"}"#,
            Err("type: occurs twice"),
        ),
    ];
    for (text, expected) in tags {
        let mut reader = Reader::new(text);
        let found = reader.tag("type").map_err(|error| error.to_string());
        assert_eq!(
            found,
            expected
                .map(|tag| tag.map(Cow::Borrowed))
                .map_err(str::to_owned),
            "{text}"
        );
        assert_eq!(reader.skip(), Ok(text));
        assert!(reader.end().is_ok());
    }
}

#[test]
fn without_removes_only_the_named_members() {
    let raw = Raw::parse(r#"{"a":1,"b":{"a":2},"a":3,"c":4}"#).expect("JSON");
    assert_eq!(raw.without(&["a", "c", "x"]).as_str(), r#"{"b":{"a":2}}"#);
    let list = Raw::parse("[1]").expect("JSON");
    assert_eq!(list.without(&["a"]).as_str(), "[1]");
}

#[test]
fn a_hundred_thousand_members_with_one_name_become_one() {
    let text = format!("{{{}\"a\":0}}", "\"a\":1,".repeat(100_000));
    let object = Object::parse(&text).expect("an object");
    assert_eq!(json::to_string(&object), r#"{"a":0}"#);
    let raw = Raw::parse(&text).expect("JSON");
    assert_eq!(raw.without(&["a"]).as_str(), "{}");
}

#[test]
fn a_hundred_thousand_names_are_deduplicated_quickly() {
    let text = many(100_000);
    let object = Object::parse(&text).expect("an object");
    assert_eq!(object.iter().count(), 50_000);
    assert!(object.iter().all(|(_, value)| value == "1"));
    assert_eq!(object.get("k0"), Some("1"));
}

#[test]
fn names_that_differ_only_at_the_end_are_deduplicated_quickly() {
    let common = "p".repeat(1000);
    let mut text = String::from("{");
    for index in 0..1000 {
        json::write::comma(&mut text);
        write!(text, "\"{common}{}\":0", index % 500).expect("a string");
    }
    text.push('}');
    let object = Object::parse(&text).expect("an object");
    assert_eq!(object.iter().count(), 500);
}

/// Two members for every name, the first of them with another value.
fn many(members: usize) -> String {
    let mut text = String::from("{");
    for index in 0..members {
        json::write::comma(&mut text);
        let value = index / (members / 2);
        write!(text, "\"k{}\":{value}", index % (members / 2)).expect("a string");
    }
    text.push('}');
    text
}
