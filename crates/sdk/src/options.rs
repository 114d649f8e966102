//! The settings of a connection.

use std::fmt;
use std::time::Duration;

use attache_rpc::{Framing, Limits, Translator};
use attache_transport::{self as transport, Tap};

/// The settings of a connection. The defaults fit an editor and its agent.
#[non_exhaustive]
pub struct Options {
    /// Size and count limits for this connection.
    pub limits: Limits,
    /// How outgoing messages are framed. The framing of incoming messages is detected from the first bytes.
    pub framing: Framing,
    /// Translates between the official protocol and a peer that speaks a dialect. Default: none.
    pub translator: Option<Box<dyn Translator>>,
    /// Shows all messages of the connection to a debugging program. Default: none.
    pub tap: Option<Tap>,
    /// How long a call waits while the program takes no calls, if its response waits behind calls, or (on a client) if the
    /// agent waits for the response to a request of its own. Then it fails with
    /// [`CallErrorKind::Stalled`](crate::CallErrorKind::Stalled). Default: 30 seconds.
    pub stall: Duration,
    /// How long the program may still respond to open requests after the peer has closed its side. Default: 2 seconds.
    pub grace: Duration,
}

impl Default for Options {
    fn default() -> Self {
        let transport = transport::Options::default();
        Options {
            limits: transport.limits,
            framing: transport.framing,
            translator: None,
            tap: None,
            stall: transport.stall,
            grace: transport.grace,
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

    /// Sets [`stall`](Options#structfield.stall).
    #[must_use]
    pub fn stall(mut self, value: Duration) -> Self {
        self.stall = value;
        self
    }

    /// Sets [`grace`](Options#structfield.grace).
    #[must_use]
    pub fn grace(mut self, value: Duration) -> Self {
        self.grace = value;
        self
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("limits", &self.limits)
            .field("framing", &self.framing)
            .field("stall", &self.stall)
            .field("grace", &self.grace)
            .finish_non_exhaustive()
    }
}
