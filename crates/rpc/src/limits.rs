//! What a peer may cost.

use crate::json::MAX_DEPTH;

/// How much one connection may take up. Every limit has a default that fits an editor and its agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of one message, either way. Some hundred are allowed whatever this says: an error must fit.
    pub frame: usize,
    /// Levels of nested objects and arrays, at most [`MAX_DEPTH`].
    pub depth: u32,
    /// Bytes of a request's id.
    pub id: usize,
    /// Requests that wait for their answer at the same time, each way.
    pub in_flight: usize,
    /// Bytes that wait to be written. One message more is let in than fits, and answers always are: their number is
    /// limited by `in_flight`, and while more waits than that no further request is let in.
    pub outbound: usize,
    /// Bytes that have been read and not yet been taken; then reading stops. One message more is let in than fits.
    pub inbound: usize,
    /// Lines that are no message, before the connection is given up.
    pub malformed: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            frame: 16 << 20,
            depth: MAX_DEPTH,
            id: 256,
            in_flight: 1024,
            outbound: 8 << 20,
            inbound: 8 << 20,
            malformed: 1000,
        }
    }
}
