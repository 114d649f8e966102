//! JSON syntax, case by case: accepted, rejected, and implementation-defined texts.

mod accepted;
mod implementation_defined;
mod over_a_connection;
mod rejected;
mod strings;

use crate::json::{self, Decode, DecodeError, Raw, Reader};

/// Reads a text with every reader, and checks that all agree on whether it is JSON.
fn read(text: &[u8]) -> Result<Raw, DecodeError> {
    let raw: Result<Raw, DecodeError> = json::from_slice(text);
    let Ok(plain) = std::str::from_utf8(text) else {
        return raw;
    };
    let mut reader = Reader::new(plain);
    let skipped = reader.skip().and_then(|_| reader.end());
    assert_eq!(
        raw.is_ok(),
        skipped.is_ok(),
        "skip and Raw differ on {plain:?}"
    );
    assert_eq!(raw, Raw::parse(plain), "from_slice and from_str differ");
    // The envelope is read by member, not skipped: a third way to walk the same text.
    let message = format!("{{\"jsonrpc\":\"2.0\",\"method\":\"m\",\"other\":{plain}}}");
    let in_message = crate::Message::parse(message.as_bytes());
    assert_eq!(
        raw.is_ok(),
        in_message.is_ok(),
        "the envelope differs on {plain:?}"
    );
    let walked = walk(&mut Reader::new(plain));
    assert!(raw.is_err() || walked.is_ok(), "the walk refuses {plain:?}");
    raw
}

/// Reads a value piece by piece, as typed decoders do.
fn walk(reader: &mut Reader<'_>) -> Result<(), DecodeError> {
    match reader.kind()? {
        json::ValueKind::Null => reader.null().map(drop),
        json::ValueKind::Boolean => reader.boolean().map(drop),
        json::ValueKind::Number => reader.number().map(drop),
        json::ValueKind::String => reader.string().map(drop),
        json::ValueKind::Array => {
            let mut more = reader.open_array()?;
            while more {
                walk(reader)?;
                more = reader.more_items()?;
            }
            Ok(())
        }
        json::ValueKind::Object => {
            let mut more = reader.open_object()?;
            while more {
                reader.key()?;
                walk(reader)?;
                more = reader.more_members()?;
            }
            Ok(())
        }
    }
}

fn is_json(text: &[u8]) -> bool {
    read(text).is_ok()
}

fn shown(text: &[u8]) -> String {
    String::from_utf8_lossy(text).into_owned()
}

/// Whether `serde_json` accepts the same bytes.
fn serde_accepts(text: &[u8]) -> bool {
    serde_json::from_slice::<serde_json::Value>(text).is_ok()
}

#[test]
fn a_truncated_document_is_an_error() {
    for end in 0..DOCUMENT.len() {
        let text = &DOCUMENT.as_bytes()[..end];
        assert!(read(text).is_err(), "accepted the first {end} bytes");
        assert!(crate::Message::parse(text).is_err());
    }
    assert!(is_json(DOCUMENT.as_bytes()));
}

#[test]
fn all_readers_agree_on_a_document_with_a_missing_part() {
    for hole in 0..DOCUMENT.len() {
        let mut text = DOCUMENT.as_bytes().to_vec();
        text.remove(hole);
        assert_eq!(is_json(&text), serde_accepts(&text), "without byte {hole}");
    }
}

#[test]
fn all_readers_agree_on_a_document_with_one_changed_byte() {
    for place in 0..DOCUMENT.len() {
        for byte in *b"\"\\{}[]:,0-.eE+tn \n\0\x1f\x7f\x80\xc3\xff/u" {
            let mut text = DOCUMENT.as_bytes().to_vec();
            text[place] = byte;
            let ours = is_json(&text);
            // 9e300 with another digit in its exponent is JSON and too large for serde_json's numbers.
            let theirs = serde_accepts(&text) || shown(&text).contains("9e900");
            assert_eq!(ours, theirs, "with {byte:#x} at {place}");
        }
    }
}

#[test]
fn an_error_has_the_offset_where_it_was_detected() {
    let places = [
        ("", 0),
        ("  ", 2),
        ("[1,2,x]", 5),
        ("{\"a\":1,}", 7),
        ("\"ab\u{1}\"", 3),
        ("nul", 0),
        ("1 2", 2),
    ];
    for (text, offset) in places {
        let error = read(text.as_bytes()).expect_err("no JSON");
        assert_eq!(error.offset(), offset, "{text:?}: {error}");
        assert!(error.is_syntax());
    }
}

#[test]
fn values_of_the_wrong_type_are_rejected() {
    assert_eq!(json::from_str::<u16>("65535"), Ok(65535));
    for text in [
        "65536",
        "-1",
        "1.0",
        "1e2",
        "-0",
        "\"1\"",
        "null",
        "99999999999999999999",
    ] {
        assert!(json::from_str::<u16>(text).is_err(), "{text}");
    }
    assert_eq!(json::from_str::<i64>("-9223372036854775808"), Ok(i64::MIN));
    assert_eq!(json::from_str::<i64>("-0"), Ok(0));
    assert!(json::from_str::<i64>("9223372036854775808").is_err());
    assert_eq!(json::from_str::<u64>("18446744073709551615"), Ok(u64::MAX));
    assert!(json::from_str::<u64>("18446744073709551616").is_err());
    assert_eq!(json::from_str::<f64>("1e308"), Ok(1e308));
    assert!(json::from_str::<f64>("1e309").is_err());
    assert!(json::from_str::<f64>("-1e400").is_err());
    let tiny: f64 = json::from_str("1e-400").expect("rounds to zero");
    assert_eq!(tiny.to_bits(), 0);
    let digits = "1".repeat(100_000);
    assert!(json::from_str::<u64>(&digits).is_err());
    assert!(json::from_str::<f64>(&digits).is_err());
    assert_eq!(Raw::parse(&digits).expect("JSON").as_str(), digits);
}

#[test]
fn a_word_that_only_begins_like_a_literal_is_rejected() {
    fn refused<T: Decode>(text: &str) {
        assert!(json::from_str::<T>(text).is_err(), "{text}");
    }
    for text in [
        "tru", "truE", "true1", "nul", "nulll", "fals", "falsey", "t", "n", "f",
    ] {
        refused::<bool>(text);
        refused::<Option<bool>>(text);
        refused::<Raw>(text);
        refused::<String>(text);
    }
}

/// Every kind of token once. No prefix of it is JSON.
const DOCUMENT: &str = r#"{"a":[null,true,false,0,-1.5e+3,9e300,"x\n\u00e9\ud83e\udd80é🦀"],"":{"b" : { } , "c":[ ]},"d":"\"\\"}"#;
