//! Our reader and `serde_json` agree on any text, except for two intended differences:
//!
//! - A number that does not fit an `f64` (`1e400`) is valid JSON. `serde_json` converts it at once and fails. Our reader keeps
//!   the text, and only decoding it as a number fails.
//! - Our reader allows 128 levels of nesting, `serde_json` allows 127.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::Value;

use crate::json::{self, Object, Raw};

fn agree(text: &[u8]) -> Result<(), TestCaseError> {
    let ours = json::from_slice::<Raw>(text);
    let theirs = serde_json::from_slice::<Value>(text);
    match (ours, theirs) {
        (Ok(raw), Ok(value)) => {
            let kept: Value = serde_json::from_str(raw.as_str()).expect("what was JSON still is");
            prop_assert_eq!(kept, value);
        }
        (Err(error), Err(_)) => prop_assert!(error.is_syntax()),
        (Ok(_), Err(error)) => {
            let reason = error.to_string();
            let wanted = reason.starts_with("number out of range")
                || reason.starts_with("recursion limit exceeded");
            prop_assert!(wanted, "only serde_json refuses: {}", reason);
        }
        (Err(error), Ok(_)) => prop_assert!(false, "only we refuse: {error}"),
    }
    Ok(())
}

/// Members and scalars as both read them.
fn agree_on_meaning(text: &str) -> Result<(), TestCaseError> {
    let theirs = serde_json::from_str::<BTreeMap<String, Value>>(text);
    if let (Ok(ours), Ok(theirs)) = (Object::parse(text), theirs) {
        let mut members = BTreeMap::new();
        for (name, value) in ours.iter() {
            let value: Value = serde_json::from_str(value).expect("JSON");
            prop_assert!(
                members.insert(name.to_owned(), value).is_none(),
                "two of one name"
            );
        }
        prop_assert_eq!(members, theirs);
    }
    let ours = json::from_str::<String>(text).ok();
    prop_assert_eq!(ours, serde_json::from_str::<String>(text).ok());
    let ours = json::from_str::<u64>(text).ok();
    prop_assert_eq!(ours, serde_json::from_str::<u64>(text).ok());
    let ours = json::from_str::<bool>(text).ok();
    prop_assert_eq!(ours, serde_json::from_str::<bool>(text).ok());
    Ok(())
}

/// Pieces that make a text that is nearly JSON.
const PIECES: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "\\",
    "\"a\"",
    "\"\\n\"",
    "\"\\ud83e\\udd80\"",
    "\"\\ud800\"",
    "\\u00",
    "\"é\"",
    "0",
    "1",
    "-",
    "-0",
    "12",
    ".",
    ".5",
    "e",
    "E+",
    "e400",
    "1e400",
    "null",
    "true",
    "false",
    "nul",
    " ",
    "\n",
    "\t",
    "\r",
    "\u{c}",
    "\u{a0}",
    "\u{feff}",
    "\0",
    "\u{1f}",
    "\u{7f}",
    "/",
    "\"abcdefghijklmnop\"",
    "\"a\":",
    "\"\":",
    "{}",
    "[]",
    "{\"a\":1}",
    "[1,2]",
];

pub(super) fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<i32>().prop_map(|number| Value::from(f64::from(number) / 64.0)),
        any::<String>().prop_map(Value::from),
        "[ -~]{0,40}".prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 48, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec((any::<String>(), inner), 0..6)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// A change to a text: what is done, where, and with which byte.
fn any_change() -> impl Strategy<Value = (u8, prop::sample::Index, u8)> {
    let awkward = prop::sample::select(
        b"\"\\{}[],:0-.eE+ntf \n\r\t\0\x1f\x7f\x80\xbf\xc3\xed\xf0\xff".to_vec(),
    );
    (
        0..5u8,
        any::<prop::sample::Index>(),
        prop_oneof![awkward, any::<u8>()],
    )
}

fn change(text: &mut Vec<u8>, (what, place, byte): (u8, prop::sample::Index, u8)) {
    let place = place.index(text.len() + 1);
    match what {
        0 => text.insert(place, byte),
        1 if place < text.len() => {
            text.remove(place);
        }
        2 if place < text.len() => text[place] = byte,
        3 if place < text.len() => text[place] ^= 1 << (byte % 8),
        4 => text.truncate(place),
        _ => {}
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn readers_agree_on_pieces_of_json(pieces in prop::collection::vec(prop::sample::select(PIECES), 0..16)) {
        let text = pieces.concat();
        agree(text.as_bytes())?;
        agree_on_meaning(&text)?;
    }

    #[test]
    fn readers_agree_on_any_text(text in any::<String>()) {
        agree(text.as_bytes())?;
        agree_on_meaning(&text)?;
    }

    #[test]
    fn readers_agree_on_any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
        agree(&bytes)?;
    }

    #[test]
    fn readers_agree_on_strings_of_escapes(inside in r#"(\\["\\/bfnrtu]|\\u[0-9a-fA-F]{4}|\\ud[89ab][0-9a-f]{2}|[ -~]|é){0,12}"#) {
        let text = format!("\"{inside}\"");
        agree(text.as_bytes())?;
        agree_on_meaning(&text)?;
    }

    #[test]
    fn on_numbers(text in "-?[0-9]{0,4}(\\.[0-9]{0,3})?([eE][+-]?[0-9]{0,4})?") {
        agree(text.as_bytes())?;
        if text != "-0" {
            let ours = json::from_str::<i64>(&text).ok();
            prop_assert_eq!(ours, serde_json::from_str::<i64>(&text).ok());
        }
        let ours = json::from_str::<f64>(&text).ok();
        prop_assert_eq!(ours.is_some(), serde_json::from_str::<f64>(&text).is_ok());
        prop_assert_eq!(ours, text.parse().ok().filter(|number: &f64| ours.is_some() && number.is_finite()));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn readers_agree_on_values_with_changed_bytes(
        value in any_value(),
        pretty in any::<bool>(),
        changes in prop::collection::vec(any_change(), 1..4),
    ) {
        let text = if pretty { serde_json::to_vec_pretty(&value) } else { serde_json::to_vec(&value) };
        let mut text = text.expect("a value");
        for one in changes {
            change(&mut text, one);
        }
        agree(&text)?;
        if let Ok(text) = std::str::from_utf8(&text) {
            agree_on_meaning(text)?;
        }
    }
}
