//! One line of a recording: the message in it, who says it if the line tells, and what is wrong if it is none.

use std::borrow::Cow;

use attache_dialect::Role;
use attache_rpc::json::{Object, from_str};
use attache_rpc::{Error, Malformed};
use attache_schema::error::ErrorCode;

/// Who says a line, if it tells, and the message's text. The error is the remark to make.
pub(crate) fn split(text: &str) -> Result<(Option<Role>, Cow<'_, str>), &'static str> {
    let Ok(mut line) = Object::parse(text) else {
        return Ok((None, Cow::Borrowed(text)));
    };
    if !line.has("from") || !line.has("message") || line.has("jsonrpc") {
        return Ok((None, Cow::Borrowed(text)));
    }
    let from: Option<String> = line.get("from").and_then(|from| from_str(from).ok());
    let from = match from.as_deref() {
        Some("client") => Role::Client,
        Some("agent") => Role::Agent,
        _ => return Err("from: expected \"client\" or \"agent\""),
    };
    let message = line.take("message").unwrap_or_default();
    Ok((Some(from), Cow::Owned(message.into_owned())))
}

/// What to say of a text that is no message.
pub(crate) fn fault(text: &str, malformed: &Malformed) -> String {
    let reason = match text.trim_start().as_bytes() {
        [b'[', ..] if malformed.code == Error::INVALID_REQUEST => {
            "ACP has no batches; send each message on a line of its own"
        }
        [b'"' | b'}' | b']', ..] | [b'{' | b'['] if malformed.code == Error::PARSE => {
            "only a part of a message; write one message a line"
        }
        _ if Object::parse(text).is_ok_and(|object| !object.has("jsonrpc")) => {
            "jsonrpc: missing; every message has \"jsonrpc\":\"2.0\""
        }
        _ => &malformed.reason,
    };
    let answer = match malformed.error_response() {
        Some((_, error)) => answer_with(&error),
        None => "it looks like an answer: it gets none".to_owned(),
    };
    format!("{reason} ({answer})")
}

/// What an error is answered with: its code and what that means, without the words of whoever made it.
pub(crate) fn answer_with(error: &Error) -> String {
    format!("answer with {}", error_with_title(error))
}

/// An error's code and what it means.
pub(crate) fn error_with_title(error: &Error) -> String {
    format!("{}: {}", error.code, ErrorCode::of(error).title())
}

/// The text without anything that moves a terminal's cursor, changes its colours or turns its writing around.
pub(crate) fn printable(text: &str) -> Cow<'_, str> {
    if !text.contains(is_unprintable) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        if is_unprintable(character) {
            out.extend(character.escape_default());
        } else {
            out.push(character);
        }
    }
    Cow::Owned(out)
}

fn is_unprintable(character: char) -> bool {
    let turns = matches!(character, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    character.is_control() || turns
}
