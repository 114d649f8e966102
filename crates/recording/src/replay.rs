//! One side of a recorded conversation, played to a peer that lives.
//!
//! [`ReplayPlayer`] decides what is said next and what is waited for, without a clock or a stream. [`play`] gives it both.

mod connection;
mod fault;
mod matching;
mod player;

pub use connection::{ReplayEnd, ReplaySpeed, play};
pub use fault::{FaultInjector, FaultSyntaxError};
pub use player::{ReplayPlayer, ReplayStep};
