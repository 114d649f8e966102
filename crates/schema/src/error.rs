//! Error codes and their meanings, and functions that create the errors we send. Their data never repeats input, with
//! three exceptions: the name of an unknown method (up to 128 characters), and a session id or URI that was not found
//! (up to 1024 characters).

use attache_rpc::Error;
use attache_rpc::json::{self, Object, Raw};

use crate::v1::{PromptResponse, SessionId, StopReason};

/// The meaning of an error's code.
///
/// See [Error handling](https://agentclientprotocol.com/protocol/v1/overview#error-handling).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorCode {
    /// The message is not valid JSON (-32700).
    ParseError,
    /// The message is not a valid request, or it came at the wrong time (-32600).
    InvalidRequest,
    /// The method is not known (-32601).
    MethodNotFound,
    /// The parameters are not valid (-32602).
    InvalidParams,
    /// An internal error of the receiver (-32603).
    InternalError,
    /// The request was cancelled (-32800).
    RequestCancelled,
    /// The user has to log in first (-32000).
    AuthRequired,
    /// A file, session or other resource was not found (-32002).
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

    /// The meaning of an error.
    pub fn of(error: &Error) -> Self {
        ErrorCode::from(error.code)
    }

    /// The standard message for the code.
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

/// Creates the error for a message that is not valid JSON. The data has the kind of the problem and its byte offset.
pub fn parse_error(fault: &json::DecodeError) -> Error {
    let mut data = of_kind(fault.problem().kind());
    data.put("offset", &(fault.offset() as u64));
    explained(ErrorCode::ParseError, &fault.to_string(), &data)
}

/// Creates the error for an unknown method. A long name is cut.
pub fn method_not_found(method: &str) -> Error {
    plain(ErrorCode::MethodNotFound).data(one("method", &cut(method, MAX_NAME)))
}

/// Creates the error for parameters that are not valid. The data has the path of the member and the kind of the
/// problem.
pub fn invalid_params(fault: &json::DecodeError) -> Error {
    let mut data = of_kind(fault.problem().kind());
    data.put("path", &fault.path_text());
    explained(ErrorCode::InvalidParams, &fault.to_string(), &data)
}

/// Creates the error for parameters that have the right types but cannot be used. `reason` must not repeat them.
pub fn unusable_params(reason: &str) -> Error {
    explained(ErrorCode::InvalidParams, reason, &of_kind("unusable"))
}

/// Creates the error for a request at the wrong time, such as before `initialize`. `kind` is for programs, such as
/// `not_initialized`.
pub fn invalid_request(kind: &str, reason: &str) -> Error {
    explained(ErrorCode::InvalidRequest, reason, &of_kind(kind))
}

/// Creates the error for an internal failure. `reason` is for people who read the log of the peer.
pub fn internal(reason: &str) -> Error {
    explained(ErrorCode::InternalError, reason, &of_kind("internal"))
}

/// Creates the error for a request that the peer or this side has cancelled. A cancelled prompt is not an error: it
/// ends with the stop reason `cancelled`, see [`prompt_outcome`].
pub fn cancelled() -> Error {
    plain(ErrorCode::RequestCancelled)
}

/// Creates the error for a request that needs a login first.
pub fn auth_required() -> Error {
    plain(ErrorCode::AuthRequired)
}

/// Creates the error for a session that was not found. A long id is cut.
pub fn session_not_found(session: &SessionId) -> Error {
    plain(ErrorCode::ResourceNotFound).data(one("sessionId", &cut(session.as_str(), MAX_ADDRESS)))
}

/// Creates the error for a file or other resource that was not found. A long URI is cut.
pub fn resource_not_found(uri: &str) -> Error {
    plain(ErrorCode::ResourceNotFound).data(one("uri", &cut(uri, MAX_ADDRESS)))
}

/// The response to a prompt that the client has cancelled: an error becomes the stop reason `cancelled`. A turn that
/// ended before the cancellation arrived keeps its own stop reason.
pub fn prompt_outcome(answer: Result<PromptResponse, Error>) -> PromptResponse {
    answer.unwrap_or_else(|_| PromptResponse::new(StopReason::Cancelled))
}

/// The result of `session/close` or `session/delete`. A session that was not found counts as closed or deleted.
pub fn removal_outcome<T: Default>(answer: Result<T, Error>) -> Result<T, Error> {
    match answer {
        Err(error) if ErrorCode::of(&error) == ErrorCode::ResourceNotFound => Ok(T::default()),
        other => other,
    }
}

const MAX_NAME: usize = 128;
const MAX_ADDRESS: usize = 1024;

fn cut(text: &str, length: usize) -> String {
    text.chars().take(length).collect()
}

fn plain(code: ErrorCode) -> Error {
    Error::new(code.into(), code.title())
}

fn explained(code: ErrorCode, reason: &str, data: &Object<'_>) -> Error {
    Error::new(code.into(), format!("{}: {reason}", code.title())).data(Raw::of(data))
}

fn of_kind(kind: &str) -> Object<'static> {
    let mut data = Object::default();
    data.put("kind", kind);
    data
}

fn one(name: &'static str, value: &str) -> Raw {
    let mut object = Object::default();
    object.put(name, value);
    Raw::of(&object)
}
