//! The settings of a connection.

use std::fmt;
use std::time::Duration;

use attache_rpc::{Call, Framing, Limits, NonJsonLines, SessionKey, Translator};

/// The settings of a connection.
pub struct Options {
    /// Size and count limits for the connection.
    pub limits: Limits,
    /// How outgoing messages are framed. Default: lines. The framing of incoming messages is detected from the first bytes.
    pub framing: Framing,
    /// How lines that are not JSON are treated. Default: each gets an error response.
    pub non_json_lines: NonJsonLines,
    /// How long a call waits for its response while the program takes nothing from the inbox. Then it fails with
    /// [`CallError::Stalled`](crate::CallError::Stalled). Default: 30 seconds.
    pub stall: Duration,
    /// How long the program may still respond to open requests after the peer has closed its side. Default: 2 seconds.
    pub grace: Duration,
    /// Finds the session of each call. Default: no call belongs to a session.
    pub session_index: Box<dyn SessionIndex>,
    /// What the peer is, such as `agent`, for the log. Default: `peer`.
    pub peer: &'static str,
    /// What carries the bytes, such as `stdio`, for the log. Default: `stream`.
    pub transport: &'static str,
    /// Translates between the peer's message shapes and ours. Default: none.
    pub translator: Option<Box<dyn Translator>>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            limits: Limits::default(),
            framing: Framing::Lines,
            non_json_lines: NonJsonLines::Reject,
            stall: Duration::from_secs(30),
            grace: Duration::from_secs(2),
            session_index: Box::new(NoSessions),
            peer: "peer",
            transport: "stream",
            translator: None,
        }
    }
}

/// Finds the session of a call before the call is queued. A cancellation can then take effect while the request that it
/// cancels still waits in the inbox.
pub trait SessionIndex: Send {
    /// Returns the effect of a call on the requests of its session. The connection asks for every received call, so
    /// check the name of the method before you read the params.
    fn session_effect(&self, call: &Call) -> SessionEffect;
}

/// The effect of a call on the requests of its session. Returned by [`SessionIndex::session_effect`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionEffect {
    /// The call belongs to no session.
    None,
    /// The request belongs to a session.
    BelongsTo(SessionKey),
    /// The notification cancels the open requests of a session.
    Cancels(SessionKey),
}

struct NoSessions;

impl SessionIndex for NoSessions {
    fn session_effect(&self, _: &Call) -> SessionEffect {
        SessionEffect::None
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("limits", &self.limits)
            .field("framing", &self.framing)
            .field("non_json_lines", &self.non_json_lines)
            .finish_non_exhaustive()
    }
}
