//! Two ends of a connection within one process.

use tokio::io::{DuplexStream, ReadHalf, WriteHalf};

/// One end: what is read from it the other end has written.
pub type Pipe = (ReadHalf<DuplexStream>, WriteHalf<DuplexStream>);

/// Two ends that are joined, with room for so many bytes on the way in each direction.
pub fn pipes(capacity: usize) -> (Pipe, Pipe) {
    let (one, other) = tokio::io::duplex(capacity);
    (tokio::io::split(one), tokio::io::split(other))
}
