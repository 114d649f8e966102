//! Files that are safe to keep.
//!
//! [`private`] makes and opens files and directories that only their owner can use, and [`BackgroundWriter`] writes in their
//! order things that nobody wants to wait for. What is in the files is the caller's business.

mod background;
pub mod private;

pub use background::{BackgroundWriter, QueueLimits};
