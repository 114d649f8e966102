//! Size and count limits for one connection.

use crate::json::MAX_DEPTH;

/// Size and count limits for one connection. The defaults suit an editor and its agent.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Maximum bytes of one message, in either direction. A few hundred bytes are always allowed, so that an error
    /// response fits. Default: 16 MiB.
    pub frame: usize,
    /// Maximum nesting of objects and arrays in one message; values above [`MAX_DEPTH`] count as [`MAX_DEPTH`].
    /// Default: [`MAX_DEPTH`].
    pub depth: u32,
    /// Maximum bytes of a request's id. Default: 256.
    pub id: usize,
    /// Maximum number of requests that wait for their response at the same time, in each direction. Default: 1024.
    pub in_flight: usize,
    /// Bytes that may wait to be written. The message that crosses this limit is still queued. Responses are always
    /// queued, because `in_flight` limits their number; while they exceed this limit, new requests from the peer are
    /// rejected. Default: 8 MiB.
    pub outbound: usize,
    /// Bytes of received messages that may wait in the inbox. When the inbox is full, reading stops until the program
    /// takes messages from it. The message that crosses this limit is still accepted. Default: 8 MiB.
    pub inbound: usize,
    /// Number of lines that are not messages before the connection is closed. Default: 1000.
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

impl Limits {
    /// Sets [`frame`](Limits#structfield.frame).
    #[must_use]
    pub fn frame(mut self, value: usize) -> Self {
        self.frame = value;
        self
    }

    /// Sets [`depth`](Limits#structfield.depth).
    #[must_use]
    pub fn depth(mut self, value: u32) -> Self {
        self.depth = value;
        self
    }

    /// Sets [`id`](Limits#structfield.id).
    #[must_use]
    pub fn id(mut self, value: usize) -> Self {
        self.id = value;
        self
    }

    /// Sets [`in_flight`](Limits#structfield.in_flight).
    #[must_use]
    pub fn in_flight(mut self, value: usize) -> Self {
        self.in_flight = value;
        self
    }

    /// Sets [`outbound`](Limits#structfield.outbound).
    #[must_use]
    pub fn outbound(mut self, value: usize) -> Self {
        self.outbound = value;
        self
    }

    /// Sets [`inbound`](Limits#structfield.inbound).
    #[must_use]
    pub fn inbound(mut self, value: usize) -> Self {
        self.inbound = value;
        self
    }

    /// Sets [`malformed`](Limits#structfield.malformed).
    #[must_use]
    pub fn malformed(mut self, value: usize) -> Self {
        self.malformed = value;
        self
    }
}
