//! Functions that append JSON text to a buffer, which the caller can reuse.

use super::scan::plain_end;
use super::{Encode, Members};

/// Appends a string with quotes and escapes.
pub fn string(out: &mut String, text: &str) {
    out.reserve(text.len() + 2);
    out.push('"');
    let bytes = text.as_bytes();
    let mut from = 0;
    loop {
        let end = plain_end(bytes, from);
        out.push_str(&text[from..end]);
        match bytes.get(end) {
            None => break,
            Some(&byte) => escape(out, byte),
        }
        from = end + 1;
    }
    out.push('"');
}

/// Appends a text that is known to be JSON. If the text contains a line break, the white space between its tokens is
/// removed.
pub fn raw(out: &mut String, json: &str) {
    let breaks = json.bytes().fold(false, |found, byte| {
        found | (byte == b'\n') | (byte == b'\r')
    });
    if breaks {
        without_layout(out, json);
    } else {
        out.push_str(json);
    }
}

/// Appends a comma if needed and a member's name. The name must already have its quotes and colon (`"name":`) and need
/// no escapes.
#[inline]
pub fn key(out: &mut String, quoted: &'static str) {
    comma(out);
    out.push_str(quoted);
}

/// Appends a comma if needed and a member with any name.
pub fn member<T: Encode + ?Sized>(out: &mut String, name: &str, value: &T) {
    comma(out);
    string(out, name);
    out.push(':');
    value.encode(out);
}

/// Appends an array of values.
pub fn array<'a, T: Encode + 'a>(out: &mut String, items: impl IntoIterator<Item = &'a T>) {
    out.push('[');
    for item in items {
        comma(out);
        item.encode(out);
    }
    out.push(']');
}

/// Appends an object with the members of a value.
#[inline]
pub fn object<T: Members + ?Sized>(out: &mut String, value: &T) {
    out.push('{');
    value.members(out);
    out.push('}');
}

/// Appends a comma unless an object or array has just been opened. Looks at the last byte only: no value ends with an
/// opening bracket.
#[inline]
pub fn comma(out: &mut String) {
    if !matches!(out.as_bytes().last(), Some(b'{' | b'[')) {
        out.push(',');
    }
}

#[cold]
fn control(out: &mut String, byte: u8) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    out.push_str("\\u00");
    out.push(char::from(HEX[usize::from(byte >> 4)]));
    out.push(char::from(HEX[usize::from(byte & 15)]));
}

fn escape(out: &mut String, byte: u8) {
    match byte {
        b'"' => out.push_str("\\\""),
        b'\\' => out.push_str("\\\\"),
        b'\n' => out.push_str("\\n"),
        b'\t' => out.push_str("\\t"),
        b'\r' => out.push_str("\\r"),
        8 => out.push_str("\\b"),
        12 => out.push_str("\\f"),
        _ => control(out, byte),
    }
}

/// In JSON every quote that is not escaped starts or ends a string.
#[cold]
fn without_layout(out: &mut String, json: &str) {
    let mut in_string = false;
    let mut escaped = false;
    for character in json.chars() {
        if in_string {
            in_string = escaped || character != '"';
            escaped = !escaped && character == '\\';
        } else if character.is_ascii_whitespace() {
            continue;
        } else {
            in_string = character == '"';
        }
        out.push(character);
    }
}
