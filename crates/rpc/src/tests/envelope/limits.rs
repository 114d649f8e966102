//! Custom limits, tested at their edges.

use crate::{Limits, Message};

fn read(text: &str, limits: &Limits) -> Result<(), String> {
    match Message::parse_within(text, limits) {
        Ok(_) => Ok(()),
        Err(malformed) => Err(format!("{} {}", malformed.code, malformed.reason)),
    }
}

#[test]
fn nesting() {
    for depth in [1, 2, 7, 127, 128] {
        let limits = Limits {
            depth,
            ..Limits::default()
        };
        // The message itself is one level.
        for (inside, fits) in [(depth - 1, true), (depth, false), (depth + 1, false)] {
            let params = format!(
                "{}{}",
                "[".repeat(inside as usize),
                "]".repeat(inside as usize)
            );
            let value = if inside == 0 { "null" } else { &params };
            let text = format!(r#"{{"jsonrpc":"2.0","method":"m","params":{value}}}"#);
            let expected = if fits {
                Ok(())
            } else {
                Err("-32700 nested too deep".to_owned())
            };
            assert_eq!(read(&text, &limits), expected, "{inside} within {depth}");
        }
    }
}

#[test]
fn no_limit_allows_more_nesting_than_max_depth() {
    let limits = Limits {
        depth: u32::MAX,
        ..Limits::default()
    };
    let params = format!("{}{}", "[".repeat(128), "]".repeat(128));
    let text = format!(r#"{{"jsonrpc":"2.0","method":"m","params":{params}}}"#);
    assert_eq!(
        read(&text, &limits),
        Err("-32700 nested too deep".to_owned())
    );
}

#[test]
fn the_length_of_an_id() {
    let bad = "-32600 id: expected a number, a string or null, not too long";
    for limit in [1, 5, 256] {
        let limits = Limits {
            id: limit,
            ..Limits::default()
        };
        for (length, fits) in [(limit, true), (limit + 1, false)] {
            let expected = if fits { Ok(()) } else { Err(bad.to_owned()) };
            let digits = "1".repeat(length);
            for id in [digits.clone(), format!("\"{digits}\"")] {
                let text = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"m"}}"#);
                assert_eq!(read(&text, &limits), expected, "{id} within {limit}");
            }
        }
    }
}
