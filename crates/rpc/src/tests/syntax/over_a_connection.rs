//! All syntax cases through framing, envelope and endpoint: valid JSON arrives byte for byte, invalid JSON is answered once,
//! and the next message works.

use super::super::outbox::messages;
use super::super::pair::TestEndpoint;
use super::implementation_defined::{self, Choice};
use super::{accepted, rejected, shown};
use crate::{Error, Event, Framing, Id, Limits, NonJsonLines};

const FRAMINGS: [Framing; 2] = [Framing::Lines, Framing::Headers];

/// An endpoint that accepts any number of malformed lines.
struct Wire {
    end: TestEndpoint,
    framing: Framing,
}

impl Wire {
    fn new(framing: Framing) -> Self {
        let limits = Limits {
            malformed: usize::MAX,
            ..Limits::default()
        };
        let mut wire = Wire {
            end: TestEndpoint::new(limits, framing, NonJsonLines::Reject),
            framing,
        };
        // A stream that begins with a byte order mark is another matter.
        wire.send(&[b"{\"jsonrpc\":\"2.0\",\"method\":\"first\"}"]);
        assert_eq!(wire.end.events().len(), 1);
        wire
    }

    fn send(&mut self, parts: &[&[u8]]) {
        let message = parts.concat();
        if self.framing == Framing::Headers {
            self.end
                .feed(format!("Content-Length: {}\r\n\r\n", message.len()).as_bytes());
            self.end.feed(&message);
        } else {
            self.end.feed(&message);
            self.end.feed(b"\n");
        }
    }

    /// Whether a text can be sent at all: a line cannot contain a line break.
    fn takes(&self, text: &[u8]) -> bool {
        self.framing == Framing::Headers || !text.contains(&b'\n')
    }

    fn accepts(&mut self, text: &[u8]) {
        let what = shown(&text[..text.len().min(80)]);
        self.send(&[
            b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"m\",\"params\":[",
            text,
            b"]}",
        ]);
        match &self.end.events()[..] {
            [Event::Request(_, call)] => {
                let params = call.params().expect("params").as_bytes();
                assert_eq!(params, [b"[", text, b"]"].concat(), "{what}");
            }
            other => panic!("{what}: {other:?}"),
        }
        assert!(self.end.respond(&Id::from(7), "1"));
        let call = self.end.call("m", "{}");
        self.end.sent();
        let head = format!("{{\"jsonrpc\":\"2.0\",\"id\":{},\"result\":", call.0);
        self.send(&[head.as_bytes(), text, b"}"]);
        match &self.end.events()[..] {
            [Event::Response(id, Ok(payload))] if *id == call => {
                assert_eq!(payload.as_str().as_bytes(), text.trim_ascii(), "{what}");
            }
            other => panic!("{what}: {other:?}"),
        }
        assert_eq!(self.answered(), [0; 0], "{what}");
        // Alone, the text is JSON but not a message.
        self.send(&[text]);
        assert_eq!(self.answered(), [Error::INVALID_REQUEST], "{what}");
        assert!(self.end.events().is_empty(), "{what}");
    }

    fn refuses(&mut self, text: &[u8]) {
        let what = shown(&text[..text.len().min(80)]);
        let call = self.end.call("m", "{}");
        self.end.sent();
        self.send(&[
            b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"m\",\"params\":{\"a\":",
            text,
            b"}}",
        ]);
        assert_eq!(self.answered(), [Error::PARSE], "params: {what}");
        self.send(&[b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":", text, b"}"]);
        // If only characters are invalid, the id is known and the call ends.
        match &self.answered()[..] {
            [] => assert!(self.end.events().len() <= 1, "result: {what}"),
            codes => assert_eq!(codes, [Error::PARSE], "result: {what}"),
        }
        self.send(&[text]);
        let blank = match self.framing {
            Framing::Lines => text.trim_ascii().is_empty(),
            Framing::Headers => text.is_empty(),
        };
        let alone: &[i32] = if blank { &[] } else { &[Error::PARSE] };
        assert_eq!(self.answered(), alone, "{what}");
        assert!(self.end.events().is_empty(), "{what}");
        self.end.endpoint.forget(call);
    }

    /// The codes of the error responses, which must have the id `null` or the id of the request that was sent.
    fn answered(&mut self) -> Vec<i32> {
        let answers = messages(&self.end.sent());
        let codes = answers
            .iter()
            .map(|answer| match crate::Message::parse_str(answer) {
                Ok(crate::Message::Failure { id, error }) if id.is_null() || id == 7.into() => {
                    error.code
                }
                other => panic!("{other:?}"),
            });
        codes.collect()
    }
}

#[test]
fn valid_json_arrives_byte_for_byte() {
    for framing in FRAMINGS {
        let mut wire = Wire::new(framing);
        for text in accepted::CASES {
            if wire.takes(text.as_bytes()) {
                wire.accepts(text.as_bytes());
            }
        }
    }
}

#[test]
fn invalid_json_is_answered_once_and_the_next_message_works() {
    for framing in FRAMINGS {
        let mut wire = Wire::new(framing);
        let bytes = rejected::cases()
            .map(str::as_bytes)
            .chain(rejected::not_utf_8());
        for text in bytes {
            if wire.takes(text) {
                wire.refuses(text);
            }
        }
        wire.accepts(b"{}");
    }
}

#[test]
fn implementation_defined_cases_are_treated_alike_everywhere() {
    for framing in FRAMINGS {
        let mut wire = Wire::new(framing);
        let short = implementation_defined::CASES
            .iter()
            .map(|(text, choice)| (text.to_vec(), *choice));
        for (text, choice) in short.chain(implementation_defined::long_cases()) {
            match choice {
                Choice::Accept => wire.accepts(&text),
                Choice::Refuse => wire.refuses(&text),
            }
        }
    }
}

#[test]
fn cases_with_line_breaks_need_headers() {
    let all = accepted::CASES.iter().copied().chain(rejected::cases());
    let broken: Vec<&str> = all.filter(|text| text.contains('\n')).collect();
    assert_eq!(broken, WITH_LINE_BREAKS);
}

const WITH_LINE_BREAKS: &[&str] = &[
    "\n1",
    "\r\n 1\t\r\n",
    "[\n]",
    "{\r\n\"a\":\r\n[\r\n1\r\n]\r\n}",
    "1 ,\n2",
    "\"\n\"",
    "\"a\nb\"",
    "\"\\\n\"",
    "{\"a\nb\":1}",
    "// a\n1",
    "[1,//\n2]",
    "[\n1,\n2",
    "[1\n,\n2\n",
];
