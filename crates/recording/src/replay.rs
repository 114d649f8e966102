//! One side of a recorded conversation, played to a peer that lives.
//!
//! [`Player`] decides what is said next and what is waited for, without a clock or a stream. [`play`] gives it both.

mod fault;
mod likeness;
mod player;
mod stage;

pub use fault::{BadFault, Faults};
pub use player::{Player, Step};
pub use stage::{Outcome, Pace, play};
