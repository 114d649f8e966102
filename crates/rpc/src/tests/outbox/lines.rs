//! Whatever a message contains, it is written as one line, or with its exact length in the header.

use proptest::prelude::*;

use super::super::oracle::any_value;
use super::{BULK, line, messages, unbounded, written};
use crate::json::Raw;
use crate::{Error, Framing, Id, write_failure, write_notification, write_request, write_response};

fn any_framing() -> impl Strategy<Value = Framing> {
    prop_oneof![Just(Framing::Lines), Just(Framing::Headers)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn every_message_is_written_as_it_was_queued(
        framing in any_framing(),
        method in "(.|\n|\r){0,20}",
        id in "(.|\n|\r){0,20}",
        value in any_value(),
    ) {
        let mut outbox = unbounded(framing);
        let (id, value) = (Id::from(&*id), Raw::from(value));
        let pretty: serde_json::Value = serde_json::from_str(value.as_str()).expect("JSON");
        let pretty = Raw::parse(&serde_json::to_string_pretty(&pretty).expect("JSON")).expect("JSON");
        let error = Error::new(1, &*method).data(pretty.clone());
        let mut expected = Vec::new();
        let mut push = |write: &dyn Fn(&mut String)| {
            let mut text = String::new();
            write(&mut text);
            expected.push(text);
            outbox.push(BULK, |out| write(out))
        };
        prop_assert_eq!(push(&|out| write_request(out, &id, &method, &pretty)), Ok(()));
        prop_assert_eq!(push(&|out| write_notification(out, &method, &value)), Ok(()));
        prop_assert_eq!(push(&|out| write_response(out, &id, &pretty)), Ok(()));
        prop_assert_eq!(push(&|out| write_failure(out, &id, &error)), Ok(()));
        let bytes = written(&mut outbox);
        if framing == Framing::Lines {
            let breaks = bytes.iter().filter(|byte| **byte == b'\n').count();
            prop_assert_eq!(breaks, 4, "one behind each");
            prop_assert!(!bytes.contains(&b'\r'));
        }
        prop_assert_eq!(messages(&bytes), expected);
    }

    #[test]
    fn a_message_from_header_framing_becomes_a_line(value in any_value(), windows in any::<bool>()) {
        let mut pretty = serde_json::to_string_pretty(&value).expect("JSON");
        if windows {
            pretty = pretty.replace('\n', "\r\n");
        }
        for end in ["", "\n", "\r\n", "\n\n"] {
            let mut outbox = unbounded(Framing::Lines);
            prop_assert_eq!(outbox.push_line(BULK, line(&format!("{pretty}{end}"))), Ok(()));
            let bytes = written(&mut outbox);
            let breaks = bytes.iter().filter(|byte| **byte == b'\n').count();
            prop_assert_eq!(breaks, 1);
            let sent = messages(&bytes);
            let same: serde_json::Value = serde_json::from_str(&sent[0]).expect("JSON");
            prop_assert_eq!(&same, &value);
        }
    }
}

#[test]
fn a_line_is_relayed_byte_for_byte() {
    for text in ["{ \"a\" : 1.0 }\n", "{\"a\":\"\\u0061\"}\r\n", "{}   \n"] {
        let mut outbox = unbounded(Framing::Lines);
        outbox.push_line(BULK, line(text)).expect("no limit");
        assert_eq!(written(&mut outbox), text.as_bytes());
    }
}

#[test]
fn with_headers_a_message_keeps_its_layout_but_not_its_line_end() {
    let mut outbox = unbounded(Framing::Headers);
    outbox
        .push_line(BULK, line("{\n \"ä\": 1\n}\r\n"))
        .expect("no limit");
    outbox
        .push(BULK, |out| out.push_str("{}"))
        .expect("no limit");
    let expected = "Content-Length: 12\r\n\r\n{\n \"ä\": 1\n}Content-Length: 2\r\n\r\n{}";
    assert_eq!(
        String::from_utf8(written(&mut outbox)).expect("text"),
        expected
    );
}
