//! Helpers for files that must be private, durable, or written in the background.
//!
//! [`private`] creates and opens files and directories that only their owner can access. [`BackgroundWriter`] writes items in
//! order without making the caller wait. This crate knows nothing about the contents of files.

mod background;
pub mod private;

pub use background::{BackgroundWriter, QueueLimits};
