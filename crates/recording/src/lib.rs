//! Conversations on file: recording what passes, reading it again, judging, comparing, playing it back.
//!
//! A recording is a file of JSON lines, described in `docs/trace.md`. [`Tape`] writes one from a thread of its own,
//! [`Records`] reads one in order, [`Index`] finds any place in a large one.

mod digest;
mod entry;
mod export;
mod filter;
mod flow;
mod html;
mod index;
pub mod mock;
mod pretty;
mod reader;
mod redact;
mod relay;
pub mod replay;
mod split;
mod stats;
mod tape;
#[cfg(test)]
mod tests;
pub mod units;
mod validate;
mod verdicts;

pub use digest::{Change, diff};
pub use entry::{Header, Loss, Record, Said, Stream, What};
pub use export::{markdown, raw, script};
pub use filter::Filter;
pub use flow::{Flow, Row, Sort};
pub use html::page;
pub use index::{Index, Page, Progress};
pub use pretty::pretty;
pub use reader::{Records, records};
pub use redact::{REDACTED, redact};
pub use relay::relay;
pub use stats::{Method, Stats, Summary};
pub use tape::{Secrets, Tape};
pub use validate::{Numbered, validate};
pub use verdicts::Verdicts;
