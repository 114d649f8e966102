//! One line of a recording: the message, its sender if the line shows it, and the problem if it is not a message.

use std::borrow::Cow;

use attache_dialect::Role;
use attache_rpc::json::{Object, from_str};
use attache_rpc::{Error, Malformed};
use attache_schema::error::ErrorCode;

/// The sender of a line, if the line shows it, and the message's text. The error is the problem to report.
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

/// The problem of a text that is not a message.
pub(crate) fn fault(text: &str, malformed: &Malformed) -> String {
    let reason = match text.trim_start().as_bytes() {
        [b'[', ..] if malformed.code == Error::INVALID_REQUEST => {
            "ACP has no batches; send each message on its own line"
        }
        [b'"' | b'}' | b']', ..] | [b'{' | b'['] if malformed.code == Error::PARSE => {
            "only part of a message; write one message per line"
        }
        _ if Object::parse(text).is_ok_and(|object| !object.has("jsonrpc")) => {
            "jsonrpc: missing; every message has \"jsonrpc\":\"2.0\""
        }
        _ => &malformed.reason,
    };
    let answer = match malformed.error_response() {
        Some((_, error)) => answer_with(&error),
        None => "it looks like a response, so it gets none".to_owned(),
    };
    format!("{reason} ({answer})")
}

/// The error response: its code and meaning, without the sender's own text.
pub(crate) fn answer_with(error: &Error) -> String {
    format!("answer with {}", error_with_title(error))
}

/// An error's code and its meaning.
pub(crate) fn error_with_title(error: &Error) -> String {
    format!("{}: {}", error.code, ErrorCode::of(error).title())
}

/// The text without control sequences and characters that change the text direction.
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
