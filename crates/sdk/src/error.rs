//! Errors of requests and notifications to the peer.

use std::fmt;

use attache_rpc::json;
use attache_rpc::{Error, TooLarge};
use attache_schema::error::ErrorCode;
use attache_transport as transport;
use attache_transport::CloseReason;

/// Why a request or notification to the peer failed.
#[derive(Debug, Clone, PartialEq)]
pub enum CallError {
    /// The peer does not advertise the capability that the method requires. Nothing was sent.
    NotOffered {
        /// Name of the method.
        method: &'static str,
        /// Path of the capability that the method requires.
        capability: &'static str,
    },
    /// The method requires `initialize` first. Nothing was sent.
    NotInitialized {
        /// Name of the method.
        method: &'static str,
    },
    /// The name of a custom method must start with `_`. Nothing was sent.
    NotAnExtension,
    /// The peer uses a protocol version that this library does not support.
    Version(u16),
    /// The peer responded with an error.
    Refused(Error),
    /// The peer responded with a result that does not match the method.
    Unreadable {
        /// Name of the method.
        method: &'static str,
        /// The mismatch and its position.
        fault: json::DecodeError,
    },
    /// The peer's response is not a valid JSON-RPC response.
    Malformed(String),
    /// The connection ended before the response arrived.
    Closed(CloseReason),
    /// The message is longer than the limit. Nothing was sent.
    TooLarge(TooLarge),
    /// The response cannot be delivered, because no task takes the calls that came before it.
    Stalled,
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

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CallError::NotOffered { method, capability } => {
                write!(f, "{method} needs `{capability}`, which the peer does not advertise")
            }
            CallError::NotInitialized { method } => {
                write!(f, "{method} needs an initialized connection")
            }
            CallError::NotAnExtension => {
                f.write_str("the name of an extension method must start with `_`")
            }
            CallError::Version(version) => write!(
                f,
                "the peer uses protocol version {version}; only version 1 is supported"
            ),
            CallError::Unreadable { method, fault } => write!(f, "{method}: {fault}"),
            CallError::Refused(error) => error.fmt(f),
            CallError::Malformed(reason) => {
                write!(f, "the peer's response is malformed: {reason}")
            }
            CallError::Closed(why) => why.fmt(f),
            CallError::TooLarge(TooLarge { size, limit }) => {
                write!(f, "the message has {size} bytes, the limit is {limit}")
            }
            CallError::Stalled => f.write_str(
                "the response waits in the inbox behind calls that are not being handled; keep handling calls while you wait, for example in another task",
            ),
        }
    }
}

impl std::error::Error for CallError {}

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

/// The error to send when a request of the peer failed because of this error, without details that are of no use to it.
impl From<CallError> for Error {
    fn from(error: CallError) -> Self {
        match error {
            CallError::Refused(error) => error,
            other => attache_schema::error::internal(&other.to_string()),
        }
    }
}
