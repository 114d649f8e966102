//! Errors of requests and notifications to the peer.

use attache_rpc::json;
use attache_rpc::{Error, TooLarge};
use attache_schema::error::ErrorCode;
use attache_transport as transport;
use attache_transport::CloseReason;
use thiserror::Error as ThisError;

/// Why a request or notification to the peer failed.
#[derive(Debug, Clone, PartialEq, ThisError)]
#[non_exhaustive]
pub enum CallError {
    /// The peer does not advertise the capability that the method requires. Nothing was sent.
    #[error("{method} needs `{capability}`, which the peer does not advertise")]
    NotOffered {
        /// Name of the method.
        method: &'static str,
        /// Path of the capability that the method requires.
        capability: &'static str,
    },
    /// The method requires `initialize` first. Nothing was sent.
    #[error("{method} needs an initialized connection")]
    NotInitialized {
        /// Name of the method.
        method: &'static str,
    },
    /// The name of a custom method must start with `_`. Nothing was sent.
    #[error("the name of an extension method must start with `_`")]
    NotAnExtension,
    /// The peer uses a protocol version that this library does not support.
    #[error("the peer uses protocol version {0}; only version 1 is supported")]
    Version(u16),
    /// The peer responded with an error.
    #[error("{0}")]
    Refused(Error),
    /// The peer responded with a result that does not match the method.
    #[error("{method}: {fault}")]
    Unreadable {
        /// Name of the method.
        method: &'static str,
        /// The mismatch and its position.
        fault: json::DecodeError,
    },
    /// The peer's response is not a valid JSON-RPC response.
    #[error("the peer's response is malformed: {0}")]
    Malformed(String),
    /// The connection ended before the response arrived.
    #[error("{0}")]
    Closed(CloseReason),
    /// The message is longer than the limit. Nothing was sent.
    #[error("the message has {} bytes, the limit is {}", .0.size, .0.limit)]
    TooLarge(TooLarge),
    /// The response cannot be delivered, because no task takes the calls that came before it.
    #[error(
        "the response waits in the inbox behind calls that are not being handled; keep handling calls while you wait, for example in another task"
    )]
    Stalled,
    /// The connection failed in a way that has no variant of its own here.
    #[error("{0}")]
    Transport(transport::CallError),
}

impl CallError {
    /// The error in the peer's response; `None` if the request failed for another reason.
    pub fn refusal(&self) -> Option<&Error> {
        match self {
            CallError::Refused(error) => Some(error),
            _ => None,
        }
    }

    /// Whether the request failed because the peer requires a login first.
    pub fn requires_login(&self) -> bool {
        self.refusal().map(ErrorCode::of) == Some(ErrorCode::AuthRequired)
    }
}

impl From<transport::CallError> for CallError {
    fn from(error: transport::CallError) -> Self {
        match error {
            transport::CallError::Refused(error) => CallError::Refused(error),
            transport::CallError::Malformed(reason) => CallError::Malformed(reason),
            transport::CallError::Closed(why) => CallError::Closed(why),
            transport::CallError::TooLarge(size) => CallError::TooLarge(size),
            transport::CallError::Stalled => CallError::Stalled,
            unknown => CallError::Transport(unknown),
        }
    }
}

/// The error to send when a request of the peer failed because of this error, without details that are of no use to it.
impl From<CallError> for Error {
    fn from(error: CallError) -> Self {
        match error {
            CallError::Refused(error) => error,
            other => attache_schema::error::internal(&other.to_string()),
        }
    }
}
