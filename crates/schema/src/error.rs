//! Errors: what each code means, and how to make the ones we send. Their data names kinds and sizes, not the input, with
//! three exceptions: a method that is not there (its first 128 characters), and the id of a session or the address of a
//! resource that is not there (the first 1024).

use attache_rpc::Error;
use attache_rpc::json::{self, Object, Raw};

use crate::v1::{PromptResponse, SessionId, StopReason};

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

/// The text was not JSON: what is wrong, and at which byte.
pub fn parse_error(fault: &json::Error) -> Error {
    let mut data = of_kind(fault.problem().kind());
    data.put("offset", &(fault.offset() as u64));
    explained(ErrorCode::ParseError, &fault.to_string(), &data)
}

/// There is no such method. A long name is cut.
pub fn method_not_found(method: &str) -> Error {
    plain(ErrorCode::MethodNotFound).data(one("method", &cut(method, MAX_NAME)))
}

/// The parameters do not fit: where, and what was expected.
pub fn invalid_params(fault: &json::Error) -> Error {
    let mut data = of_kind(fault.problem().kind());
    data.put("path", &fault.path_text());
    explained(ErrorCode::InvalidParams, &fault.to_string(), &data)
}

/// The parameters fit their type and still cannot be meant; `reason` must not repeat them.
pub fn unusable_params(reason: &str) -> Error {
    explained(ErrorCode::InvalidParams, reason, &of_kind("unusable"))
}

/// The request came at the wrong time, such as before `initialize`. The kind is a word for programs, such as
/// `not_initialized`.
pub fn invalid_request(kind: &str, reason: &str) -> Error {
    explained(ErrorCode::InvalidRequest, reason, &of_kind(kind))
}

/// We failed; `reason` is for the person who reads the log of the peer.
pub fn internal(reason: &str) -> Error {
    explained(ErrorCode::InternalError, reason, &of_kind("internal"))
}

/// The request was cancelled, by the peer or by ourselves. A cancelled prompt is no error: it ends with the stop
/// reason `cancelled`, see [`prompt_outcome`].
pub fn cancelled() -> Error {
    plain(ErrorCode::RequestCancelled)
}

/// A login is needed first.
pub fn auth_required() -> Error {
    plain(ErrorCode::AuthRequired)
}

/// There is no such session. A long id is cut.
pub fn session_not_found(session: &SessionId) -> Error {
    plain(ErrorCode::ResourceNotFound).data(one("sessionId", &cut(session.as_str(), MAX_ADDRESS)))
}

/// There is no such file or other resource. A long address is cut.
pub fn resource_not_found(uri: &str) -> Error {
    plain(ErrorCode::ResourceNotFound).data(one("uri", &cut(uri, MAX_ADDRESS)))
}

/// How a turn that we have cancelled ended: whatever error the abort made of it, it was cancelled. A turn that ended
/// before the cancellation reached it keeps its own reason.
pub fn prompt_outcome(answer: Result<PromptResponse, Error>) -> PromptResponse {
    answer.unwrap_or_else(|_| PromptResponse::new(StopReason::Cancelled))
}

/// How `session/close` or `session/delete` ended: what is not there is closed and deleted.
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
