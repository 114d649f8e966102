//! Nesting: read up to the limit, rejected one level deeper, and without recursion.

use crate::json::{self, Decode, DecodeError, MAX_DEPTH, Object, Problem, Raw, RawObject, Reader};
use crate::{Error as RpcError, Message};

/// A type that contains itself, as a protocol might.
struct Nest(Vec<Nest>);

impl Decode for Nest {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Vec::decode(reader).map(Nest)
    }
}

impl Nest {
    fn depth(&self) -> usize {
        1 + self.0.iter().map(Nest::depth).max().unwrap_or(0)
    }
}

fn arrays(depth: usize) -> String {
    format!("{}{}", "[".repeat(depth), "]".repeat(depth))
}

fn objects(depth: usize) -> String {
    format!("{}0{}", "{\"a\":".repeat(depth), "}".repeat(depth))
}

fn mixed(depth: usize) -> String {
    let mut text = "{\"a\":[".repeat(depth / 2);
    text.push_str(if depth % 2 == 1 { "{}" } else { "0" });
    text.push_str(&"]}".repeat(depth / 2));
    text
}

const SHAPES: &[fn(usize) -> String] = &[arrays, objects, mixed];
const LIMIT: usize = MAX_DEPTH as usize;
/// 10^5 and 10^6 levels.
const ABSURD: &[usize] = &[100_000, 1_000_000];

fn is_too_deep<T>(read: Result<T, DecodeError>) -> bool {
    matches!(read, Err(error) if error.problem() == Problem::TooDeep && error.is_syntax())
}

#[test]
fn the_limit_is_128() {
    assert_eq!(LIMIT, 128);
    for shape in SHAPES {
        for depth in [1, 2, 63, 64, 65, LIMIT - 1, LIMIT] {
            let text = shape(depth);
            assert_eq!(
                Raw::parse(&text).map(|raw| raw.as_str().len()),
                Ok(text.len())
            );
        }
        assert!(is_too_deep(Raw::parse(&shape(LIMIT + 1))));
    }
}

#[test]
fn the_depth_limit_applies_at_every_starting_depth() {
    for shape in SHAPES {
        for (depth, fits) in [(LIMIT - 1, true), (LIMIT, false)] {
            let member = format!("{{\"a\":{}}}", shape(depth));
            assert_eq!(Object::parse(&member).is_ok(), fits);
            assert_eq!(json::from_str::<RawObject>(&member).is_ok(), fits);
            let item = format!("[{}]", shape(depth));
            assert_eq!(json::from_str::<Vec<Raw>>(&item).is_ok(), fits);
        }
    }
}

#[test]
fn sibling_brackets_do_not_add_depth() {
    let flat = format!("[{}]", vec![arrays(LIMIT - 1); 50].join(","));
    assert!(Raw::parse(&flat).is_ok());
    let flat = format!("[{}]", vec!["[[]]"; 10_000].join(","));
    assert!(Raw::parse(&flat).is_ok());
}

#[test]
fn extreme_nesting_is_rejected_by_every_reader() {
    for shape in SHAPES {
        for &depth in ABSURD {
            let text = shape(depth);
            assert!(is_too_deep(Raw::parse(&text)));
            let member = format!("{{\"a\":{text}}}");
            assert!(is_too_deep(Object::parse(&member)));
            assert!(is_too_deep(json::from_str::<RawObject>(&member)));
            assert!(is_too_deep(json::from_str::<Vec<Raw>>(&format!(
                "[{text}]"
            ))));
            assert!(is_too_deep(Reader::new(&member).tag("tag")));
        }
    }
}

#[test]
fn extreme_unclosed_nesting_is_rejected() {
    for &depth in ABSURD {
        for open in ["[", "{\"a\":", "[{\"a\":[", "[ \n"] {
            let text = open.repeat(depth);
            assert!(is_too_deep(Raw::parse(&text)));
            let malformed = Message::parse(text.as_bytes()).expect_err("no message");
            assert_eq!(malformed.code, RpcError::PARSE);
        }
    }
}

#[test]
fn a_recursive_type_needs_little_stack() {
    let read = || {
        let deepest: Nest = json::from_str(&arrays(LIMIT)).expect("within the limit");
        assert_eq!(deepest.depth(), LIMIT);
        for &depth in ABSURD {
            assert!(is_too_deep(json::from_str::<Nest>(&arrays(depth))));
        }
    };
    let thread = std::thread::Builder::new().stack_size(512 * 1024);
    let ended = thread.spawn(read).expect("a thread").join();
    assert!(ended.is_ok());
}

#[test]
fn a_message_counts_as_one_level() {
    let members = [
        "params", "result", "error", "id", "method", "jsonrpc", "other",
    ];
    for member in members {
        let text = format!("{{\"{member}\":{}}}", arrays(LIMIT - 1));
        let malformed = Message::parse(text.as_bytes()).expect_err("no version");
        assert_eq!(malformed.code, RpcError::INVALID_REQUEST, "{member}");
        for depth in [LIMIT, 100_000] {
            let text = format!("{{\"{member}\":{}}}", arrays(depth));
            let malformed = Message::parse(text.as_bytes()).expect_err("too deep");
            assert_eq!(malformed.code, RpcError::PARSE, "{member}");
            assert_eq!(malformed.reason, "nested too deep");
        }
    }
}

#[test]
fn an_error_object_with_deep_data_is_still_decoded() {
    let text = format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{{\"code\":1,\"data\":{}}}}}",
        arrays(LIMIT - 2)
    );
    let Ok(Message::Failure { error, .. }) = Message::parse(text.as_bytes()) else {
        panic!("a failure");
    };
    assert_eq!(
        error.data.map(|data| data.as_str().len()),
        Some(2 * (LIMIT - 2))
    );
}
