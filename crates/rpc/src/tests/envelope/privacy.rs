//! Error responses to malformed messages repeat nothing of the message.

use proptest::prelude::*;

use crate::json::{self, Object, Raw};
use crate::{Error, Message};

/// Places for a marker in messages that are bad in some way.
const PLACES: &[&str] = &[
    "MARK",
    "\"MARK",
    "\"MARK\"",
    "[\"MARK\"]",
    "{\"MARK\":1",
    "{\"MARK\" 1}",
    "{MARK:1}",
    "{\"MARK\":MARK}",
    "{\"jsonrpc\":\"MARK\",\"id\":1,\"method\":\"m\"}",
    "{\"jsonrpc\":\"2.0\",\"id\":\"MARK\",\"method\":1}",
    "{\"jsonrpc\":\"2.0\",\"id\":[\"MARK\"],\"method\":\"m\"}",
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":[\"MARK\"]}",
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"MARK\",\"method\":\"MARK\"}",
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\",\"params\":\"MARK\"}",
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"MARK\",\"error\":{\"message\":\"MARK\"}}",
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":\"MARK\"}",
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"MARK\":1,\"method\":\"\\MARK\"}",
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\",\"params\":{\"MARK\":\"MARK\u{1}\"}}",
    "{\"jsonrpc\":\"2.0\",\"id\":MARK,\"method\":\"m\"}",
    "{\"jsonrpc\":\"2.0\"} MARK",
];

/// Six bytes of the marker in a row would be a leak.
fn repeats(text: &str, marker: &str) -> bool {
    marker
        .as_bytes()
        .windows(6)
        .any(|part| text.as_bytes().windows(6).any(|other| other == part))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(80))]

    #[test]
    fn the_reason_of_a_malformed_message_repeats_no_input(marker in "[A-Z0-9]{12,40}", before in "[A-Z]{0,9}") {
        for place in PLACES {
            let text = place.replace("MARK", &format!("{before}{marker}"));
            let malformed = Message::parse(text.as_bytes()).expect_err(&text);
            prop_assert!(!repeats(&malformed.reason, &marker), "{}", malformed.reason);
            if let Some((_, error)) = malformed.error_response() {
                let error = json::to_string(&error);
                prop_assert!(!repeats(&error, &marker), "{error}");
            }
            // The id alone is repeated, as it must be.
            if let Some(id) = malformed.id {
                let member = format!("\"id\":{id}");
                prop_assert!(text.contains(&member));
            }
        }
    }

    #[test]
    fn a_decode_error_repeats_no_input(marker in "[A-Z0-9]{12,40}") {
        for place in PLACES {
            let text = place.replace("MARK", &marker);
            let errors = [
                Raw::parse(&text).err(),
                Object::parse(&text).err(),
                json::from_str::<String>(&text).err(),
                json::from_str::<Vec<u64>>(&text).err(),
                json::from_str::<std::collections::BTreeMap<String, bool>>(&text).err(),
                json::from_str::<Error>(&text).err(),
                json::from_str::<crate::Id>(&text).err(),
            ];
            for error in errors.into_iter().flatten() {
                prop_assert!(!repeats(&error.to_string(), &marker), "{error}");
                prop_assert!(!repeats(&format!("{error:?}"), &marker), "{error:?}");
            }
        }
    }

    #[test]
    fn any_bytes_can_be_answered(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
        if let Err(malformed) = Message::parse(&bytes) {
            prop_assert!([Error::PARSE, Error::INVALID_REQUEST].contains(&malformed.code));
            prop_assert!(!malformed.reason.is_empty());
            prop_assert!(malformed.reason.len() < 100);
        }
    }
}
