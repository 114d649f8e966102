//! The settings of a connection.

use std::fmt;
use std::time::Duration;

use attache_rpc::{Framing, Limits, Translator};
use attache_transport as transport;

/// The settings of a connection. The defaults fit an editor and its agent.
pub struct Options {
    /// Size and count limits for this connection.
    pub limits: Limits,
    /// How outgoing messages are framed. The framing of incoming messages is detected from the first bytes.
    pub framing: Framing,
    /// Translates between the official protocol and a peer that speaks a dialect. Default: none.
    pub translator: Option<Box<dyn Translator>>,
    /// How long a call waits for its response while the program takes no calls. Then it fails with
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
            stall: transport.stall,
            grace: transport.grace,
        }
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
