//! The Agent Client Protocol as plain data: the messages of v1, the table of methods, and the rules.
//!
//! Decoding is lenient, encoding is strict. This crate does no I/O, starts no task and reads no clock.

#[macro_use]
mod macros;

pub mod call;
pub mod error;
pub mod method;
pub mod optional;
mod path;
pub mod rules;
mod secret;
#[cfg(test)]
mod tests;
pub mod v1;

/// The example of the package's page, run as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

pub use attache_rpc::json;
pub use path::FilePath;
pub use secret::Secret;

/// The object under `_meta`: extension data, kept as received.
///
/// See [Extensibility](https://agentclientprotocol.com/protocol/v1/extensibility).
pub type Meta = json::RawObject;
