//! Error codes of the draft whose number alone is misleading: two are official codes with another meaning, and the
//! official "resource not found" is less specific than the codes of the draft.

use attache_rpc::Error;
use attache_rpc::json::Object;
use attache_schema::error::ErrorCode;

use crate::Dialect;
use crate::error_code::{self, ErrorMeaning};

/// Gives an error of the draft its official code.
pub(super) fn read(error: Error) -> Error {
    match official_meaning(&error) {
        Some(meaning) => error_code::official(meaning, error),
        None => error_code::read(Dialect::Draft, error),
    }
}

/// Gives an official error the draft's code.
pub(super) fn write(error: Error) -> Error {
    if is_about_session(&error) {
        let error = error_code::official(ErrorMeaning::SessionNotFound, error);
        return error_code::write(Dialect::Draft, error);
    }
    error_code::write(Dialect::Draft, error)
}

/// The meaning of the code if a draft peer has clearly used the official code.
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

/// Whether the message says that a session was not found.
fn is_about_session(error: &Error) -> bool {
    ErrorCode::of(error) == ErrorCode::ResourceNotFound
        && error.data.is_none()
        && error.message.to_lowercase().contains("session")
}

fn has(error: &Error, name: &str) -> bool {
    let data = error.data.as_ref();
    data.is_some_and(|data| Object::parse(data.as_str()).is_ok_and(|data| data.has(name)))
}
