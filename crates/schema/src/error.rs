//! Errors: what each code means, and how to make the ones we send. Their data names kinds and sizes, never the input.

use attache_rpc::Error;
use attache_rpc::json::{self, Object, Raw};

use crate::v1::SessionId;

/// What an error's code means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorCode {
    /// The text was not JSON (-32700).
    ParseError,
    /// The JSON was no request, or came at the wrong time (-32600).
    InvalidRequest,
    /// No such method (-32601).
    MethodNotFound,
    /// The parameters do not fit (-32602).
    InvalidParams,
    /// The receiver failed (-32603).
    InternalError,
    /// The request was cancelled (-32800).
    RequestCancelled,
    /// A login is needed first (-32000).
    AuthRequired,
    /// A file or session is not there (-32002).
    ResourceNotFound,
    /// A code that the protocol does not define.
    Other(i32),
}

impl ErrorCode {
    /// The codes that the protocol defines.
    pub const DEFINED: &[ErrorCode] = &[
        ErrorCode::ParseError,
        ErrorCode::InvalidRequest,
        ErrorCode::MethodNotFound,
        ErrorCode::InvalidParams,
        ErrorCode::InternalError,
        ErrorCode::RequestCancelled,
        ErrorCode::AuthRequired,
        ErrorCode::ResourceNotFound,
    ];

    /// The code of an error.
    pub fn of(error: &Error) -> Self {
        ErrorCode::from(error.code)
    }

    /// The sentence that goes with the code when there is no better one.
    pub fn title(self) -> &'static str {
        match self {
            ErrorCode::ParseError => "Parse error",
            ErrorCode::InvalidRequest => "Invalid request",
            ErrorCode::MethodNotFound => "Method not found",
            ErrorCode::InvalidParams => "Invalid params",
            ErrorCode::InternalError => "Internal error",
            ErrorCode::RequestCancelled => "Request cancelled",
            ErrorCode::AuthRequired => "Authentication required",
            ErrorCode::ResourceNotFound => "Resource not found",
            ErrorCode::Other(_) => "Unknown error",
        }
    }
}

impl From<i32> for ErrorCode {
    fn from(code: i32) -> Self {
        ErrorCode::DEFINED
            .iter()
            .copied()
            .find(|&defined| i32::from(defined) == code)
            .unwrap_or(ErrorCode::Other(code))
    }
}

impl From<ErrorCode> for i32 {
    fn from(code: ErrorCode) -> Self {
        match code {
            ErrorCode::ParseError => Error::PARSE,
            ErrorCode::InvalidRequest => Error::INVALID_REQUEST,
            ErrorCode::MethodNotFound => Error::METHOD_NOT_FOUND,
            ErrorCode::InvalidParams => Error::INVALID_PARAMS,
            ErrorCode::InternalError => Error::INTERNAL,
            ErrorCode::RequestCancelled => -32800,
            ErrorCode::AuthRequired => -32000,
            ErrorCode::ResourceNotFound => -32002,
            ErrorCode::Other(code) => code,
        }
    }
}

/// There is no such method. A long name is cut.
pub fn method_not_found(method: &str) -> Error {
    let shown: String = method.chars().take(MAX_NAME).collect();
    plain(ErrorCode::MethodNotFound).data(one("method", &shown))
}

/// The parameters do not fit: where, and what was expected.
pub fn invalid_params(fault: &json::Error) -> Error {
    with_reason(ErrorCode::InvalidParams, &fault.to_string())
}

/// The parameters fit their type and still cannot be meant; `reason` must not repeat them.
pub fn unusable_params(reason: &str) -> Error {
    with_reason(ErrorCode::InvalidParams, reason)
}

/// The request came at the wrong time, such as before `initialize`.
pub fn invalid_request(reason: &str) -> Error {
    with_reason(ErrorCode::InvalidRequest, reason)
}

/// We failed; `reason` is for the person who reads the log of the peer.
pub fn internal(reason: &str) -> Error {
    with_reason(ErrorCode::InternalError, reason)
}

/// The request was cancelled, by the peer or by ourselves. A cancelled prompt is no error: it ends with the stop
/// reason `cancelled`.
pub fn cancelled() -> Error {
    plain(ErrorCode::RequestCancelled)
}

/// A login is needed first.
pub fn auth_required() -> Error {
    plain(ErrorCode::AuthRequired)
}

/// There is no such session.
pub fn session_not_found(session: &SessionId) -> Error {
    plain(ErrorCode::ResourceNotFound).data(one("sessionId", session.as_str()))
}

/// There is no such file or other resource.
pub fn resource_not_found(uri: &str) -> Error {
    plain(ErrorCode::ResourceNotFound).data(one("uri", uri))
}

const MAX_NAME: usize = 128;

fn plain(code: ErrorCode) -> Error {
    Error::new(code.into(), code.title())
}

fn with_reason(code: ErrorCode, reason: &str) -> Error {
    Error::new(code.into(), format!("{}: {reason}", code.title())).data(one("reason", reason))
}

fn one(name: &'static str, value: &str) -> Raw {
    let mut object = Object::default();
    object.put(name, value);
    Raw::of(&object)
}
