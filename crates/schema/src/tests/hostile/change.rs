//! Changes to a text: to its bytes, and to the values in it.

use serde_json::Value;

use crate::json::Raw;
use crate::tests::sample::SampleSource;

/// Changes some bytes: one flipped, one put in, a few removed, repeated or moved, or all behind them cut off.
pub(super) fn bytes(text: &mut Vec<u8>, source: &mut SampleSource<'_>) {
    if text.is_empty() {
        return;
    }
    let at = place(source, text.len());
    let end = (at + 1 + usize::from(source.byte() % 16)).min(text.len());
    match source.byte() % 8 {
        0 => text[at] ^= 1 << (source.byte() % 8),
        1 => text[at] = source.byte(),
        2 => text.insert(at, source.byte()),
        3 => text.insert(at, *source.pick(AWKWARD)),
        4 => {
            text.drain(at..end);
        }
        5 => {
            let part = text[at..end].repeat(1 + usize::from(source.byte() % 3));
            text.splice(at..at, part);
        }
        6 => {
            let part: Vec<u8> = text.drain(at..end).collect();
            let to = place(source, text.len() + 1);
            text.splice(to..to, part);
        }
        _ => text.truncate(at),
    }
}

/// Replaces a value with another one.
pub(super) fn values(text: &str, source: &mut SampleSource<'_>) -> String {
    let Ok(mut whole) = serde_json::from_str::<Value>(text) else {
        return text.to_owned();
    };
    let chosen = choose(&mut whole, source);
    let other = instead(chosen, source);
    *chosen = Value::from(HOLE);
    whole
        .to_string()
        .replacen(&Value::from(HOLE).to_string(), &other, 1)
}

/// A value inside, or the whole.
fn choose<'v>(value: &'v mut Value, source: &mut SampleSource<'_>) -> &'v mut Value {
    let length = match &*value {
        Value::Array(items) => items.len(),
        Value::Object(members) => members.len(),
        _ => 0,
    };
    if length == 0 || source.byte().is_multiple_of(4) {
        return value;
    }
    let index = place(source, length);
    let inside = match value {
        Value::Array(items) => items.get_mut(index),
        Value::Object(members) => members.values_mut().nth(index),
        _ => None,
    };
    choose(inside.expect("as many as there are"), source)
}

/// The JSON text to put in a value's place.
fn instead(value: &Value, source: &mut SampleSource<'_>) -> String {
    let text = value.to_string();
    match source.byte() % 7 {
        0 => format!("[{text}]"),
        1 => format!("{{\"{}\":{text}}}", source.pick(NAMES)),
        2 => nested(&text, source),
        3 => [&*text; 3].join(","),
        4 => with_another_member(value, source),
        _ => (*source.pick(ODD)).to_owned(),
    }
}

/// Repeats a member, before or behind the others, with another value. A value that is not an object becomes another
/// list.
fn with_another_member(value: &Value, source: &mut SampleSource<'_>) -> String {
    let Value::Object(members) = value else {
        return format!("[{},{value}]", source.pick(ODD));
    };
    let known = members.keys().nth(place(source, members.len().max(1)));
    let name = Raw::of(known.map_or("", String::as_str));
    let member = format!("{}:{}", name.as_str(), source.pick(ODD));
    let inside = value.to_string();
    let inside = &inside[1..inside.len() - 1];
    let between = if inside.is_empty() { "" } else { "," };
    if source.byte().is_multiple_of(2) {
        format!("{{{member}{between}{inside}}}")
    } else {
        format!("{{{inside}{between}{member}}}")
    }
}

fn nested(text: &str, source: &mut SampleSource<'_>) -> String {
    let depth = usize::from(source.byte());
    let name = source.pick(NAMES);
    if source.byte().is_multiple_of(2) {
        format!("{}{text}{}", "[".repeat(depth), "]".repeat(depth))
    } else {
        format!(
            "{}{text}{}",
            format!("{{\"{name}\":").repeat(depth),
            "}".repeat(depth)
        )
    }
}

fn place(source: &mut SampleSource<'_>, length: usize) -> usize {
    let high = usize::from(source.byte()) << 8;
    (high | usize::from(source.byte())) % length
}

const HOLE: &str = "\u{e000}hole\u{e000}";
const AWKWARD: &[u8] = b"\"\\{}[],:0-.eE+ntfu \n\r\t\0\x1f\x7f\x80\xc3\xed\xff";
const NAMES: &[&str] = &[
    "type",
    "_meta",
    "content",
    "",
    "a",
    "sessionUpdate",
    "value",
    "error",
];

/// Values that few decoders expect.
const ODD: &[&str] = &[
    "null",
    "true",
    "false",
    "0",
    "-0",
    "-1",
    "1.5",
    "1e2",
    "1e400",
    "-1e-400",
    "65536",
    "4294967296",
    "9223372036854775808",
    "18446744073709551616",
    "\"\"",
    "\"0\"",
    "\"\\u0000\"",
    "\"\\n\\r\"",
    "\"null\"",
    "\"type\"",
    "\"text\"",
    "\"select\"",
    "\"boolean\"",
    "[]",
    "[null]",
    "[[]]",
    "[{}]",
    "{}",
    "{\"\":{}}",
    "{\"type\":\"\"}",
    "{\"type\":null}",
    "{\"type\":\"text\",\"type\":\"image\"}",
    "{\"_meta\":{},\"_meta\":null}",
    "[\n1,\r\n2\n]",
    "{\"a\" :\t[ ]\n}",
    "\"\\ud800\"",
    "nul",
    "01",
];
