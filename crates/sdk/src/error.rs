//! How a call can fail.

use attache_rpc::json;
use attache_rpc::{Error, TooLarge};
use attache_schema::error::ErrorCode;
use attache_transport as transport;
use attache_transport::CloseReason;
use thiserror::Error as ThisError;

/// Why a call of ours has no result.
#[derive(Debug, Clone, PartialEq, ThisError)]
pub enum CallError {
    /// The peer has not said that it can be called this way. Nothing was sent.
    #[error("{method} needs `{capability}`, which the peer has not offered")]
    NotOffered {
        /// The method.
        method: &'static str,
        /// What the peer would have had to offer.
        capability: &'static str,
    },
    /// Nothing may be said before `initialize`. Nothing was sent.
    #[error("{method} needs an initialized connection")]
    NotInitialized {
        /// The method.
        method: &'static str,
    },
    /// The name of a method outside the protocol starts with `_`. Nothing was sent.
    #[error("the name of an extension method starts with `_`")]
    NotAnExtension,
    /// The peer speaks a version that we do not.
    #[error("the peer speaks version {0} of the protocol, we speak version 1")]
    Version(u16),
    /// The peer answered with an error.
    #[error("{0}")]
    Refused(Error),
    /// The peer answered with a result that does not fit the method.
    #[error("{method}: {fault}")]
    Unreadable {
        /// The method.
        method: &'static str,
        /// What does not fit, and where.
        fault: json::DecodeError,
    },
    /// The peer's response is not a valid JSON-RPC response.
    #[error("the peer's response is malformed: {0}")]
    Malformed(String),
    /// The connection ended before the answer came.
    #[error("{0}")]
    Closed(CloseReason),
    /// The message is longer than the limit. Nothing was sent.
    #[error("the message has {} bytes, the limit is {}", .0.size, .0.limit)]
    TooLarge(TooLarge),
    /// The answer cannot be given, since nobody takes what came before it.
    #[error(
        "the response waits in the inbox behind calls that are not being handled; keep handling calls while you wait, for example in another task"
    )]
    Stalled,
}

impl CallError {
    /// The peer's error, if it is one.
    pub fn refusal(&self) -> Option<&Error> {
        match self {
            CallError::Refused(error) => Some(error),
            _ => None,
        }
    }

    /// Whether the peer wants a login first.
    pub fn wants_login(&self) -> bool {
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
        }
    }
}

/// What to tell the peer when its request failed because ours did: that, without details it has no use for.
impl From<CallError> for Error {
    fn from(error: CallError) -> Self {
        match error {
            CallError::Refused(error) => error,
            other => attache_schema::error::internal(&other.to_string()),
        }
    }
}
