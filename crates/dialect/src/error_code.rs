//! Error codes: the same number has different meanings in different dialects, so the meaning is translated.
//!
//! On reading, the dialect of the connection determines the meaning of a number. On writing, the meaning noted on
//! reading does, then the keys of `data`, then the official table.

use attache_rpc::Error;
use attache_rpc::json::{Object, Raw};

use super::{Dialect, edit};

/// The meaning of an error code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ErrorMeaning {
    AuthRequired,
    AuthFailed,
    InvalidAuthMethod,
    SessionNotFound,
    ResourceNotFound,
    PermissionDenied,
    AccessDenied,
    Cancelled,
    InvalidSessionState,
    CapabilityNotSupported,
    RateLimited,
    Timeout,
}

/// Gives an error of a peer with this dialect its official code.
pub(super) fn read(dialect: Dialect, error: Error) -> Error {
    match of_code(dialect, error.code) {
        Some(meaning) => official(meaning, error),
        None => error,
    }
}

/// Gives an official error the code of the dialect.
pub(super) fn write(dialect: Dialect, error: Error) -> Error {
    let (noted, mut error) = without_note(error);
    let meanings = [noted, of_official(&error)];
    let code = meanings
        .into_iter()
        .flatten()
        .find_map(|meaning| row(meaning).code(dialect));
    // A code that the protocol leaves free may have a meaning in the dialect.
    let taken = of_code(dialect, error.code).is_some();
    error.code = code.unwrap_or(if taken { Error::INTERNAL } else { error.code });
    error
}

/// The meaning of an official error, if it has a known one.
pub(super) fn of_official(error: &Error) -> Option<ErrorMeaning> {
    let data = data_of(error);
    match error.code {
        AUTH_REQUIRED => Some(ErrorMeaning::AuthRequired),
        CANCELLED => Some(ErrorMeaning::Cancelled),
        FIRST_FREE..=LAST_FREE => of_reason(&data).or(match error.code {
            NOT_FOUND if data.has("sessionId") => Some(ErrorMeaning::SessionNotFound),
            NOT_FOUND => Some(ErrorMeaning::ResourceNotFound),
            _ => None,
        }),
        _ => None,
    }
}

/// The same error with the closest official code, and a note if that code is less specific.
pub(super) fn official(meaning: ErrorMeaning, mut error: Error) -> Error {
    let row = row(meaning);
    error.code = row.official;
    if of_official(&error) == Some(meaning) {
        return error;
    }
    noted(row.name, error)
}

/// The meaning of a code in the dialect.
fn of_code(dialect: Dialect, code: i32) -> Option<ErrorMeaning> {
    let row = TABLE.iter().find(|row| row.own(dialect) == Some(code));
    row.map(|row| row.meaning)
}

/// Older documents let implementations choose the numbers and put a word into `data`.
fn of_reason(data: &Object<'_>) -> Option<ErrorMeaning> {
    let reason = edit::string(data, "reason")?;
    let row = TABLE.iter().find(|row| row.name == reason);
    row.map(|row| row.meaning)
}

fn row(meaning: ErrorMeaning) -> &'static Row {
    &TABLE[meaning as usize]
}

/// The error with its meaning noted in the data. Data that is not an object, or that would be ambiguous without the
/// note, is kept as a whole.
fn noted(name: &str, mut error: Error) -> Error {
    let mut note = Object::default();
    note.put("meaning", name);
    let mut data = data_of(&error);
    if let Some(whole) = &error.data
        && data.is_empty()
    {
        note.put("data", whole);
    }
    data.put(edit::META_KEY, &note);
    error.data = Some(Raw::of(&data));
    error
}

fn without_note(mut error: Error) -> (Option<ErrorMeaning>, Error) {
    let mut data = data_of(&error);
    let Some(note) = data.take(edit::META_KEY) else {
        return (None, error);
    };
    let note = Object::parse(&note).unwrap_or_default();
    error.data = match note.get("data") {
        Some(whole) => Raw::parse(whole).ok(),
        None => (!data.is_empty()).then(|| Raw::of(&data)),
    };
    let name = edit::string(&note, "meaning");
    let row = TABLE.iter().find(|row| name.as_deref() == Some(row.name));
    (row.map(|row| row.meaning), error)
}

/// The members of the data; `None` if the data is not an object.
fn data_of(error: &Error) -> Object<'static> {
    let data = error.data.as_ref().map_or("{}", Raw::as_str);
    Object::parse(data).unwrap_or_default().into_owned()
}

/// A meaning with its code in each dialect.
struct Row {
    meaning: ErrorMeaning,
    name: &'static str,
    official: i32,
    draft: Option<i32>,
    pharo: Option<i32>,
}

impl Row {
    /// The code to write.
    fn code(&self, dialect: Dialect) -> Option<i32> {
        match (self.meaning, dialect) {
            // The closest code of this dialect.
            (ErrorMeaning::AuthRequired, Dialect::Pharo) => Some(PHARO_AUTH_FAILED),
            _ => self.own(dialect),
        }
    }

    /// The code with exactly this meaning.
    fn own(&self, dialect: Dialect) -> Option<i32> {
        match dialect {
            Dialect::Official | Dialect::Bridge => None,
            Dialect::Draft => self.draft,
            Dialect::Pharo => self.pharo,
        }
    }
}

const FIRST_FREE: i32 = -32099;
const LAST_FREE: i32 = -32001;
const AUTH_REQUIRED: i32 = -32000;
const NOT_FOUND: i32 = -32002;
const CANCELLED: i32 = -32800;
const PHARO_AUTH_FAILED: i32 = -32001;

/// In the order of [`ErrorMeaning`].
#[rustfmt::skip]
const TABLE: [Row; ErrorMeaning::Timeout as usize + 1] = [
    Row { meaning: ErrorMeaning::AuthRequired, name: "auth_required", official: AUTH_REQUIRED, draft: Some(-32001), pharo: None },
    Row { meaning: ErrorMeaning::AuthFailed, name: "auth_failed", official: AUTH_REQUIRED, draft: None, pharo: Some(PHARO_AUTH_FAILED) },
    Row { meaning: ErrorMeaning::InvalidAuthMethod, name: "invalid_auth_method", official: Error::INVALID_PARAMS, draft: None, pharo: Some(-32002) },
    Row { meaning: ErrorMeaning::SessionNotFound, name: "session_not_found", official: NOT_FOUND, draft: Some(-32000), pharo: Some(-32005) },
    Row { meaning: ErrorMeaning::ResourceNotFound, name: "resource_not_found", official: NOT_FOUND, draft: Some(-32004), pharo: Some(-32003) },
    Row { meaning: ErrorMeaning::PermissionDenied, name: "permission_denied", official: Error::INTERNAL, draft: Some(-32002), pharo: Some(-32004) },
    Row { meaning: ErrorMeaning::AccessDenied, name: "access_denied", official: Error::INTERNAL, draft: Some(-32005), pharo: None },
    Row { meaning: ErrorMeaning::Cancelled, name: "cancelled", official: CANCELLED, draft: Some(-32003), pharo: None },
    Row { meaning: ErrorMeaning::InvalidSessionState, name: "invalid_session_state", official: Error::INVALID_REQUEST, draft: Some(-32006), pharo: Some(-32006) },
    Row { meaning: ErrorMeaning::CapabilityNotSupported, name: "capability_not_supported", official: Error::METHOD_NOT_FOUND, draft: Some(-32007), pharo: Some(-32007) },
    Row { meaning: ErrorMeaning::RateLimited, name: "rate_limited", official: Error::INTERNAL, draft: Some(-32008), pharo: None },
    Row { meaning: ErrorMeaning::Timeout, name: "timeout", official: Error::INTERNAL, draft: Some(-32009), pharo: None },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_the_order_of_the_meanings() {
        for (index, row) in TABLE.iter().enumerate() {
            assert_eq!(row.meaning as usize, index);
        }
    }
}
