//! The settings of a connection.

use std::fmt;
use std::time::Duration;

use crate::Tap;
use attache_rpc::{Call, Framing, Limits, NonJsonLines, SessionKey, Translator};

/// The settings of a connection.
#[non_exhaustive]
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
    /// Whether calls also stall if the program takes nothing from the inbox while a request waits there, because the peer
    /// may need its response before it responds. Default: true.
    pub stalls_on_requests: bool,
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
    /// Shows all messages to a debugging program. Default: none.
    pub tap: Option<Tap>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            limits: Limits::default(),
            framing: Framing::Lines,
            non_json_lines: NonJsonLines::Reject,
            stall: Duration::from_secs(30),
            stalls_on_requests: true,
            grace: Duration::from_secs(2),
            session_index: Box::new(NoSessions),
            peer: "peer",
            transport: "stream",
            translator: None,
            tap: None,
        }
    }
}

impl Options {
    /// Sets [`limits`](Options#structfield.limits).
    #[must_use]
    pub fn limits(mut self, value: Limits) -> Self {
        self.limits = value;
        self
    }

    /// Sets [`framing`](Options#structfield.framing).
    #[must_use]
    pub fn framing(mut self, value: Framing) -> Self {
        self.framing = value;
        self
    }

    /// Sets [`non_json_lines`](Options#structfield.non_json_lines).
    #[must_use]
    pub fn non_json_lines(mut self, value: NonJsonLines) -> Self {
        self.non_json_lines = value;
        self
    }

    /// Sets [`stall`](Options#structfield.stall).
    #[must_use]
    pub fn stall(mut self, value: Duration) -> Self {
        self.stall = value;
        self
    }

    /// Sets [`stalls_on_requests`](Options#structfield.stalls_on_requests).
    #[must_use]
    pub fn stalls_on_requests(mut self, value: bool) -> Self {
        self.stalls_on_requests = value;
        self
    }

    /// Sets [`grace`](Options#structfield.grace).
    #[must_use]
    pub fn grace(mut self, value: Duration) -> Self {
        self.grace = value;
        self
    }

    /// Sets [`session_index`](Options#structfield.session_index).
    #[must_use]
    pub fn session_index(mut self, value: impl SessionIndex + 'static) -> Self {
        self.session_index = Box::new(value);
        self
    }

    /// Sets [`peer`](Options#structfield.peer).
    #[must_use]
    pub fn peer(mut self, value: &'static str) -> Self {
        self.peer = value;
        self
    }

    /// Sets [`transport`](Options#structfield.transport).
    #[must_use]
    pub fn transport(mut self, value: &'static str) -> Self {
        self.transport = value;
        self
    }

    /// Sets [`translator`](Options#structfield.translator).
    #[must_use]
    pub fn translator(mut self, value: impl Into<Option<Box<dyn Translator>>>) -> Self {
        self.translator = value.into();
        self
    }

    /// Sets [`tap`](Options#structfield.tap).
    #[must_use]
    pub fn tap(mut self, value: impl Into<Option<Tap>>) -> Self {
        self.tap = value.into();
        self
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
#[non_exhaustive]
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
