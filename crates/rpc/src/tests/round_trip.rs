//! Values that are read can be written again, on one line, and other readers understand them.

use proptest::prelude::*;
use serde_json::Value;

use super::oracle::any_value;
use crate::json::{self, Encode, Object, Raw, write};

fn is_one_line(text: &str) -> bool {
    !text.contains(['\n', '\r'])
}

fn quoted(text: &str) -> String {
    let mut out = String::new();
    write::string(&mut out, text);
    out
}

#[test]
fn serde_json_reads_every_written_character() {
    let all: Vec<char> = (0..=0x0010_ffff).filter_map(char::from_u32).collect();
    for (index, chunk) in all.chunks(1021).enumerate() {
        let text: String = chunk.iter().collect();
        let written = quoted(&text);
        assert!(is_one_line(&written));
        let back: String = serde_json::from_str(&written).expect("JSON");
        assert_eq!(back, text, "chunk {index}");
        assert_eq!(json::from_str::<String>(&written).as_deref(), Ok(&*text));
    }
}

#[test]
fn control_characters_are_escaped_and_others_are_not() {
    let controls: String = (0..32u8).map(char::from).collect();
    assert_eq!(
        quoted(&controls),
        concat!(
            r#""\u0000\u0001\u0002\u0003\u0004\u0005\u0006\u0007\b\t\n\u000b\f\r\u000e\u000f"#,
            r#"\u0010\u0011\u0012\u0013\u0014\u0015\u0016\u0017\u0018\u0019\u001a\u001b\u001c\u001d\u001e\u001f""#,
        )
    );
    assert_eq!(
        quoted("\"\\/\u{7f}é\u{2028}🦀"),
        "\"\\\"\\\\/\u{7f}é\u{2028}🦀\""
    );
}

#[test]
fn numbers_survive_a_round_trip() {
    for number in [
        0.0,
        -0.0,
        1.0,
        0.1,
        -1.5,
        1e21,
        1e300,
        f64::MIN_POSITIVE,
        f64::MAX,
        5e-324,
    ] {
        let written = json::to_string(&number);
        let back: f64 = json::from_str(&written).expect("a number");
        assert_eq!(back.to_bits(), number.to_bits(), "{written}");
        assert!(serde_json::from_str::<f64>(&written).is_ok(), "{written}");
    }
    for number in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert_eq!(json::to_string(&number), "null");
    }
}

#[test]
fn line_breaks_between_tokens_are_removed_from_kept_text() {
    let text = "{\r\n \"a b\" : [ 1 ,\n 2 ] ,\n\"c\\\"\\\\\" : \" \\n \\\\\" , \"d\":{\n}\r}";
    let flat = r#"{"a b":[1,2],"c\"\\":" \n \\","d":{}}"#;
    assert_eq!(Raw::parse(text).expect("JSON").as_str(), flat);
    let object = Object::parse(text).expect("an object");
    assert!(
        is_one_line(&json::to_string(&object)),
        "{}",
        json::to_string(&object)
    );
    assert_eq!(
        object.to_raw().expect("JSON").as_str(),
        json::to_string(&object)
    );
    let mut built = Object::default();
    built.set("a", "[\n1\n]");
    assert_eq!(json::to_string(&built), r#"{"a":[1]}"#);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn any_value_survives_a_round_trip(value in any_value()) {
        let text = value.to_string();
        let raw = Raw::parse(&text).expect("JSON");
        prop_assert_eq!(raw.as_str(), &text);
        prop_assert_eq!(&json::to_string(&raw), &text);
        prop_assert_eq!(&Raw::from(value.clone()), &raw);
        if value.is_object() {
            let object = Object::parse(&text).expect("an object");
            prop_assert_eq!(&json::to_string(&object), &text);
        }
        let through_serde: Raw = serde_json::from_str(&text).expect("JSON");
        prop_assert_eq!(serde_json::to_string(&through_serde).expect("JSON"), text);
    }

    #[test]
    fn any_layout_is_written_on_one_line(value in any_value()) {
        let text = serde_json::to_string_pretty(&value).expect("a value").replace('\n', "\r\n");
        let raw = Raw::parse(&text).expect("JSON");
        prop_assert!(is_one_line(raw.as_str()));
        prop_assert_eq!(serde_json::from_str::<Value>(raw.as_str()).expect("JSON"), value.clone());
        if value.is_object() {
            let written = json::to_string(&Object::parse(&text).expect("an object"));
            prop_assert!(is_one_line(&written));
            prop_assert_eq!(serde_json::from_str::<Value>(&written).expect("JSON"), value);
        }
    }

    #[test]
    fn any_string_survives_a_round_trip(text in prop_oneof![any::<String>(), "[\\x00-\\x7f]{0,80}", "(.|\n|\r|\"|\\\\){0,80}"]) {
        let written = quoted(&text);
        prop_assert!(is_one_line(&written));
        prop_assert_eq!(&serde_json::from_str::<String>(&written).expect("JSON"), &text);
        prop_assert_eq!(&json::from_str::<String>(&written).expect("JSON"), &text);
        let mut object = String::from("{");
        write::member(&mut object, &text, &text);
        write::member(&mut object, &text, &vec![text.clone(), text.clone()]);
        object.push('}');
        prop_assert!(is_one_line(&object));
        prop_assert!(serde_json::from_str::<Value>(&object).is_ok());
    }

    #[test]
    fn any_number_survives_a_round_trip(number in any::<f64>(), whole in any::<i64>(), positive in any::<u64>()) {
        if number.is_finite() {
            let back: f64 = json::from_str(&json::to_string(&number)).expect("a number");
            prop_assert_eq!(back.to_bits(), number.to_bits());
        }
        prop_assert_eq!(json::from_str::<i64>(&json::to_string(&whole)), Ok(whole));
        prop_assert_eq!(json::from_str::<u64>(&json::to_string(&positive)), Ok(positive));
    }
}

#[test]
fn values_appended_one_after_another_get_their_commas() {
    let mut out = String::from("[");
    for item in [
        Raw::of("["),
        Raw::of("{"),
        Raw::of(&1u64),
        Raw::parse("[]").expect("JSON"),
    ] {
        write::comma(&mut out);
        item.encode(&mut out);
    }
    out.push(']');
    assert_eq!(out, r#"["[","{",1,[]]"#);
}
