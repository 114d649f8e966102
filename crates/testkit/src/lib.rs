//! Scripted peers, readable conversation scripts, and normalised traces.
//!
//! A [`Script`] is a conversation as text. A [`ScriptPlayer`] plays one side of it over any stream of bytes. A [`Tap`]
//! connects two peers and records a [`Trace`], which can be written as a script again. Recordings on disk and the
//! conformance checks build on this crate, in the crates `recording` and `check`.

mod bindings;
pub mod hostile;
mod json_value;
mod pattern;
mod player;
mod script;
mod scripted_peer;
mod side;
mod tap;
#[cfg(test)]
mod tests;
mod trace;
mod wire_message;

/// The example of the package's page, run as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

pub use json_value::JsonValue;
pub use player::{Difference, ScriptPlayer};
pub use script::{Script, ScriptError};
pub use scripted_peer::{ScriptedPeer, scripted_agent, scripted_client};
pub use side::Side;
pub use tap::Tap;
pub use trace::{RuleChecker, Trace, TraceEntry, TraceEvent, TraceViolation, kind_of_id};
pub use wire_message::WireMessage;
