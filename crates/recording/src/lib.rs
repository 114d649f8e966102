//! Recordings of conversations: writing, reading, validating, comparing, exporting and replaying them.
//!
//! A recording is a file of JSON lines, described in `docs/trace.md`. [`RecordingWriter`] writes one on its own thread,
//! [`RecordingReader`] reads one in order, and [`RecordIndex`] finds any record in a large one. [`mock`] contains the
//! mock agent.

mod correlator;
mod diff;
mod export;
mod filter;
mod html;
mod index;
pub mod mock;
mod pretty;
mod reader;
mod record;
mod redact;
mod relay;
pub mod replay;
mod stats;
mod stream_lines;
#[cfg(test)]
mod tests;
pub mod units;
mod validate;
mod violations;
mod writer;

pub use correlator::{Correlator, RecordKind, RecordRow};
pub use diff::{DiffLine, diff};
pub use export::{copy_lines, markdown, read_trace};
pub use filter::RecordFilter;
pub use html::html_page;
pub use index::{IndexPage, IndexProgress, RecordIndex};
pub use pretty::pretty_json;
pub use reader::{RecordingReader, open_recording};
pub use record::{Header, Loss, Record, RecordContent, RecordedLine, RecordedStream};
pub use redact::{REDACTED, redact};
pub use relay::{relay, relay_bytes};
pub use stats::{Histogram, MethodStats, RecordingStats};
pub use validate::{RecordViolation, validate};
pub use violations::ViolationIndex;
pub use writer::{RecordingWriter, Secrets};
