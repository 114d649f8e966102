//! Envelopes: how each text is read, and the response that each malformed one gets.

mod ids;
mod limits;
mod malformed;
mod privacy;
mod requests_and_responses;
mod round_trip;
mod well_formed;

use crate::{Malformed, Message, ProbableKind};

/// Describes how a text is read, in one line.
fn shown(text: &str) -> String {
    match Message::parse(text.as_bytes()) {
        Ok(message) => shown_message(&message),
        Err(Malformed {
            id,
            code,
            reason,
            probable_kind,
        }) => {
            let id = id.map_or("-".to_owned(), |id| id.to_string());
            let probable_kind = match probable_kind {
                ProbableKind::Request => "",
                ProbableKind::Notification => " notification",
                ProbableKind::Response => " answer",
            };
            format!("{code} id {id}{probable_kind}: {reason}")
        }
    }
}

fn shown_message(message: &Message<'_>) -> String {
    match message {
        Message::Request { id, method, params } => {
            format!("request {id} {method:?} {}", params.unwrap_or("-"))
        }
        Message::Notification { method, params } => {
            format!("notification {method:?} {}", params.unwrap_or("-"))
        }
        Message::Response { id, result } => format!("response {id} {result}"),
        Message::Failure { id, error } => {
            let data = error.data.as_ref().map_or("-", |data| data.as_str());
            format!("failure {id} {} {:?} {data}", error.code, error.message)
        }
    }
}

/// Checks rows of input and their expected description.
fn check(rows: &[(&str, &str)]) {
    for (text, expected) in rows {
        assert_eq!(shown(text), *expected, "{text}");
    }
}

/// The same, for the members of a message of version 2.0.
fn check_members(rows: &[(&str, &str)]) {
    for (members, expected) in rows {
        let text = format!("{{\"jsonrpc\":\"2.0\",{members}}}");
        assert_eq!(shown(&text), *expected, "{text}");
    }
}
