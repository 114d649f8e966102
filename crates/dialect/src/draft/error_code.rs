//! The error codes of the draft, as far as the number alone misleads: two of them are official codes with another
//! meaning, and the official code for what is not there says less than the draft wants to know.

use attache_rpc::Error;
use attache_rpc::json::Object;
use attache_schema::error::ErrorCode;

use crate::Dialect;
use crate::error_code::{self, ErrorMeaning};

/// An error of the draft, with the official code.
pub(super) fn read(error: Error) -> Error {
    match official_meaning(&error) {
        Some(meaning) => error_code::official(meaning, error),
        None => error_code::read(Dialect::Draft, error),
    }
}

/// An official error, with the draft's code.
pub(super) fn write(error: Error) -> Error {
    if is_about_session(&error) {
        let error = error_code::official(ErrorMeaning::SessionNotFound, error);
        return error_code::write(Dialect::Draft, error);
    }
    error_code::write(Dialect::Draft, error)
}

/// What the code means if the peer, although it speaks the draft, has plainly meant the official one.
fn official_meaning(error: &Error) -> Option<ErrorMeaning> {
    let message = error.message.to_lowercase();
    match ErrorCode::of(error) {
        ErrorCode::AuthRequired => {
            let says_so = message.contains("auth") && !message.contains("session");
            (says_so || has(error, "authMethods")).then_some(ErrorMeaning::AuthRequired)
        }
        ErrorCode::ResourceNotFound => {
            let says_so = message.contains("not found") || has(error, "uri");
            says_so.then_some(ErrorMeaning::ResourceNotFound)
        }
        _ => None,
    }
}

/// Whether it is a session that is not there, where only the message says so.
fn is_about_session(error: &Error) -> bool {
    ErrorCode::of(error) == ErrorCode::ResourceNotFound
        && error.data.is_none()
        && error.message.to_lowercase().contains("session")
}

fn has(error: &Error, name: &str) -> bool {
    let data = error.data.as_ref();
    data.is_some_and(|data| Object::parse(data.as_str()).is_ok_and(|data| data.has(name)))
}
