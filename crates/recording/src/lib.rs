//! Conversations on file: recording what passes, reading it again, judging, comparing, playing it back.
//!
//! A recording is a file of JSON lines, described in `docs/trace.md`. [`RecordingWriter`] writes one from a thread of its own,
//! [`RecordingReader`] reads one in order, [`RecordIndex`] finds any place in a large one.

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
