//! Connections within one process.

use tokio::io::{DuplexStream, ReadHalf, WriteHalf};

/// One end of an in-memory connection, as returned by [`pipes`]: the reading half and the writing half.
pub type Pipe = (ReadHalf<DuplexStream>, WriteHalf<DuplexStream>);

/// Creates an in-memory connection and returns its two ends. `capacity` is the number of bytes that each direction
/// buffers.
pub fn pipes(capacity: usize) -> (Pipe, Pipe) {
    let (one, other) = tokio::io::duplex(capacity);
    (tokio::io::split(one), tokio::io::split(other))
}
