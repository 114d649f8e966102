//! Replays one side of a recorded conversation to a live peer.
//!
//! [`ReplayPlayer`] decides which message is sent next and which one to wait for, without a clock or a stream. [`play`]
//! connects it with both.

mod connection;
mod fault;
mod matching;
mod player;

pub use connection::{ReplayEnd, ReplaySpeed, play};
pub use fault::{FaultInjector, FaultSyntaxError};
pub use player::{ReplayPlayer, ReplayStep};
