//! Errors of requests and notifications to the peer.

use std::borrow::Cow;
use std::fmt;

use attache_rpc::json::{self, Object, Raw};
use attache_rpc::{Error, TooLarge};
use attache_schema::error::ErrorCode;
use attache_transport as transport;
use attache_transport::CloseReason;

/// Why a request or notification to the peer failed: the [kind](Self::kind) of failure, and the message that failed.
#[derive(Debug, Clone, PartialEq)]
pub struct CallError(Box<FailedCall>);

/// Agent or client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The program that does the work.
    Agent,
    /// The program in front of the user, such as an editor.
    Client,
}

/// Why a request or notification to the peer failed, without the message. See [`CallError`].
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum CallErrorKind {
    /// The peer does not advertise the capability that the method requires. Nothing was sent.
    NotOffered {
        /// Path of the capability that the method requires.
        capability: &'static str,
    },
    /// The method requires `initialize` first. Nothing was sent.
    NotInitialized,
    /// The name of a custom method must start with `_`. Nothing was sent.
    NotAnExtension,
    /// The peer uses a protocol version that this library does not support.
    Version(u16),
    /// The peer responded with an error.
    Refused(Error),
    /// The peer responded with a result that does not match the method. Contains the mismatch and its position.
    Unreadable(json::DecodeError),
    /// The params of a typed extension cannot be written. Nothing was sent.
    Unwritable(json::EncodeError),
    /// The peer's response is not a valid JSON-RPC response.
    Malformed(String),
    /// The connection ended before the response arrived.
    Closed(CloseReason),
    /// The message is longer than the limit. Nothing was sent.
    TooLarge(TooLarge),
    /// The program takes no calls, and the response can't arrive before it does: the response is behind calls in the
    /// inbox, or the peer waits for the response to a request of its own.
    Stalled,
    /// The connection failed in a way that has no variant of its own here.
    Transport(transport::CallError),
}

#[derive(Debug, Clone, PartialEq)]
struct FailedCall {
    peer: Role,
    method: Cow<'static, str>,
    session: Option<String>,
    kind: CallErrorKind,
}

impl CallError {
    #[cold]
    pub(crate) fn new(
        peer: Role,
        method: Cow<'static, str>,
        session: Option<String>,
        kind: CallErrorKind,
    ) -> Self {
        CallError(Box::new(FailedCall {
            peer,
            method,
            session,
            kind,
        }))
    }

    /// The kind of failure.
    pub fn kind(&self) -> &CallErrorKind {
        &self.0.kind
    }

    /// Converts into the kind of failure.
    pub fn into_kind(self) -> CallErrorKind {
        self.0.kind
    }

    /// Whom the message was for.
    pub fn peer(&self) -> Role {
        self.0.peer
    }

    /// Name of the method.
    pub fn method(&self) -> &str {
        &self.0.method
    }

    /// Id of the session that the message was about, if any.
    pub fn session(&self) -> Option<&str> {
        self.0.session.as_deref()
    }

    /// Position of the mistake in a message, if that is what failed: in the peer's result, such as `result.sessionId`, or
    /// in our params, such as `params.cwd`, if the peer says so.
    pub fn position(&self) -> Option<String> {
        match self.kind() {
            CallErrorKind::Unreadable(fault) => Some(fault.path_text()),
            CallErrorKind::Refused(error) => error.data.as_ref()?.string_member("path"),
            CallErrorKind::NotOffered { .. }
            | CallErrorKind::NotInitialized
            | CallErrorKind::NotAnExtension
            | CallErrorKind::Version(_)
            | CallErrorKind::Unwritable(_)
            | CallErrorKind::Malformed(_)
            | CallErrorKind::Closed(_)
            | CallErrorKind::TooLarge(_)
            | CallErrorKind::Stalled
            | CallErrorKind::Transport(_) => None,
        }
    }

    /// The error in the peer's response; `None` if the request failed for another reason.
    pub fn refusal(&self) -> Option<&Error> {
        match self.kind() {
            CallErrorKind::Refused(error) => Some(error),
            _ => None,
        }
    }

    /// Whether the request failed because the peer requires a login first.
    pub fn requires_login(&self) -> bool {
        self.refusal().map(ErrorCode::of) == Some(ErrorCode::AuthRequired)
    }

    /// Whether the connection ended before the response arrived.
    pub fn is_closed(&self) -> bool {
        matches!(self.kind(), CallErrorKind::Closed(_))
    }

    /// The error to pass on to another peer: the error in this peer's response, unchanged. A request that failed for
    /// another reason becomes an internal error.
    ///
    /// Without this, [`Reply::fail`](crate::Reply::fail) and `?` make an internal error of every [`CallError`], because
    /// the code of a response says something about its own request only.
    pub fn forward_refusal(self) -> Error {
        match self.0.kind {
            CallErrorKind::Refused(error) => error,
            _ => self.into(),
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Role::Agent => "agent",
            Role::Client => "client",
        })
    }
}

impl fmt::Display for FailedCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} to the {}", self.method, self.peer)?;
        if let Some(session) = &self.session {
            let shown: String = session.escape_debug().take(MAX_SHOWN).collect();
            write!(f, " in session `{shown}`")?;
        }
        write!(f, " failed: {}", self.kind)
    }
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for CallError {}

impl fmt::Display for CallErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CallErrorKind::NotOffered { capability } => {
                write!(f, "the peer does not advertise `{capability}`")
            }
            CallErrorKind::NotInitialized => {
                f.write_str("the connection is not initialized; send `initialize` first")
            }
            CallErrorKind::NotAnExtension => {
                f.write_str("the name of an extension method must start with `_`")
            }
            CallErrorKind::Version(version) => {
                write!(f, "the peer uses protocol version {version}; only version 1 is supported")
            }
            CallErrorKind::Refused(error) => error.fmt(f),
            CallErrorKind::Unreadable(fault) => fault.fmt(f),
            CallErrorKind::Unwritable(error) => error.fmt(f),
            CallErrorKind::Malformed(reason) => {
                write!(f, "the peer's response is malformed: {reason}")
            }
            CallErrorKind::Closed(why) => why.fmt(f),
            CallErrorKind::Transport(error) => error.fmt(f),
            CallErrorKind::TooLarge(size) => {
                write!(f, "the message has {} bytes, the limit is {}", size.size, size.limit)
            }
            CallErrorKind::Stalled => f.write_str(
                "no task takes the peer's calls, and the response can't arrive before they are handled; keep taking \
                 calls while you wait, for example with `until` or in another task",
            ),
        }
    }
}

impl std::error::Error for CallErrorKind {}

impl From<transport::CallError> for CallErrorKind {
    fn from(error: transport::CallError) -> Self {
        match error {
            transport::CallError::Refused(error) => CallErrorKind::Refused(error),
            transport::CallError::Malformed(reason) => CallErrorKind::Malformed(reason),
            transport::CallError::Closed(why) => CallErrorKind::Closed(why),
            transport::CallError::TooLarge(size) => CallErrorKind::TooLarge(size),
            transport::CallError::Stalled => CallErrorKind::Stalled,
            unknown => CallErrorKind::Transport(unknown),
        }
    }
}

/// The error to send when a request of the peer failed because of this error: an internal error, with the method that
/// failed, and the code and message of its response, as data. To pass a response's error on, use
/// [`CallError::forward_refusal`].
impl From<CallError> for Error {
    fn from(error: CallError) -> Self {
        let mut data = Object::default();
        data.put("method", error.method());
        match error.kind() {
            CallErrorKind::Refused(refusal) => {
                data.put("code", &refusal.code);
                data.put("message", refusal.message.as_str());
            }
            other => data.put("message", other.to_string().as_str()),
        }
        attache_schema::error::internal(&error.to_string()).data(Raw::of(&data))
    }
}

/// Characters of a session's id in a sentence.
const MAX_SHOWN: usize = 64;
