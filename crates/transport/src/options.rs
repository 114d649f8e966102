//! How a connection is to be driven.

use std::fmt;
use std::time::Duration;

use attache_rpc::{Call, Framing, Garbage, Limits, SessionKey, Translator};

/// The settings of a connection.
pub struct Options {
    /// What the peer may cost.
    pub limits: Limits,
    /// How messages are written. How they are read is told by how the stream begins.
    pub framing: Framing,
    /// What to do with lines that are no messages.
    pub garbage: Garbage,
    /// How long calls may wait for an answer that cannot arrive because what came before it is not taken.
    pub stall: Duration,
    /// How long the peer's open requests may take to be answered once it has closed its side.
    pub grace: Duration,
    /// Tells which calls belong together.
    pub lookout: Box<dyn Lookout>,
    /// Translates messages of another shape.
    pub translator: Option<Box<dyn Translator>>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            limits: Limits::default(),
            framing: Framing::Lines,
            garbage: Garbage::Answer,
            stall: Duration::from_secs(30),
            grace: Duration::from_secs(2),
            lookout: Box::new(Blind),
            translator: None,
        }
    }
}

/// Looks at calls as they come in, before they are queued: some must act on calls that are still ahead of them.
pub trait Lookout: Send {
    /// What the call means for the requests around it. It is called for every call: decide by the method's name first.
    fn look(&self, call: &Call) -> Look;
}

/// What a call means for the requests around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Look {
    /// Nothing.
    Plain,
    /// The request belongs to a session.
    BelongsTo(SessionKey),
    /// The notification takes back the open requests of a session.
    TakesBack(SessionKey),
}

struct Blind;

impl Lookout for Blind {
    fn look(&self, _: &Call) -> Look {
        Look::Plain
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("limits", &self.limits)
            .field("framing", &self.framing)
            .field("garbage", &self.garbage)
            .finish_non_exhaustive()
    }
}
