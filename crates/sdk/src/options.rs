//! How a connection is to be.

use std::time::Duration;

use attache_rpc::{Framing, Limits};
use attache_schema::dialect::Dialect;
use attache_transport as transport;

/// The settings of a connection. The defaults fit an editor and its agent.
#[derive(Debug, Clone)]
pub struct Options {
    /// What the peer may cost.
    pub limits: Limits,
    /// How messages are written. How they are read is told by how the stream begins.
    pub framing: Framing,
    /// The dialect that the peer speaks. `None` lets its first messages tell, and is the official one if they do not.
    pub dialect: Option<Dialect>,
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
            dialect: None,
            stall: transport.stall,
            grace: transport.grace,
        }
    }
}
