//! Scripted peers, conversations that people can read, and normalised traces.
//!
//! A [`Script`] is a conversation as text. An [`Actor`] plays one side of it over any stream of bytes; a [`Tap`]
//! stands between two ends and records a [`Trace`], which is written as a script again. Recordings on disk and the
//! conformance checks build on it and are crates of their own.

mod actor;
mod heard;
pub mod hostile;
mod memory;
mod pattern;
mod script;
mod scripted;
mod side;
mod tap;
#[cfg(test)]
mod tests;
mod trace;
mod value;

pub use actor::{Actor, Difference};
pub use heard::Heard;
pub use script::{Script, ScriptError};
pub use scripted::{Scripted, scripted_agent, scripted_client};
pub use side::Side;
pub use tap::Tap;
pub use trace::{Entry, Event, Finding, Judge, Trace, kind_of_id};
pub use value::Value;
