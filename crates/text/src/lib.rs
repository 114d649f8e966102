//! Text that is safe to show and to store.
//!
//! [`plain`] makes untrusted text safe for a terminal, [`shell`] quotes words for a shell, [`markup`] escapes text for HTML
//! and XML, [`secret`] removes keys and passwords from text, and [`LineSplitter`] splits a stream into lines. This crate does
//! no I/O.

mod lines;
pub mod markup;
pub mod plain;
pub mod secret;
pub mod shell;

pub use lines::{Line, LineSplitter};
