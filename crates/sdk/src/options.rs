//! How a connection is to be.

use std::fmt;
use std::time::Duration;

use attache_rpc::{Framing, Limits, Translator};
use attache_transport as transport;

/// The settings of a connection. The defaults fit an editor and its agent.
pub struct Options {
    /// What the peer may cost.
    pub limits: Limits,
    /// How messages are written. How they are read is told by how the stream begins.
    pub framing: Framing,
    /// Translates between the official protocol and a peer that speaks a dialect of it. Default: none.
    pub translator: Option<Box<dyn Translator>>,
    /// How long calls may wait for an answer that cannot arrive because what came before it is not taken.
    pub stall: Duration,
    /// How long the peer's open requests may take to be answered once it has closed its side.
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
