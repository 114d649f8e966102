//! The Agent Client Protocol as plain data: the messages of v1, the table of methods, the rules, and the dialects.
//!
//! Everything is read with tolerance and written to the letter. Nothing here does I/O.

#[macro_use]
mod macros;

mod build;
pub mod call;
pub mod dialect;
pub mod error;
pub mod method;
mod path;
pub mod rules;
mod secret;
#[cfg(test)]
mod tests;
pub mod v1;

/// The examples of the page on dialects, run as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/dialects.md")]
struct Dialects;

pub use attache_rpc::json;
pub use path::FilePath;
pub use secret::Secret;

/// The object under `_meta`: data of vendors and extensions, kept as it came.
pub type Meta = json::RawObject;
