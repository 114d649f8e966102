//! Text that is safe to show and to store.
//!
//! [`plain`] makes the text of strangers safe for a terminal, [`shell`] quotes words for a shell, [`markup`] escapes text for
//! HTML and XML, [`secret`] takes keys and passwords out of text, and [`LineSplitter`] takes lines out of pieces of a stream.
//! Nothing here does I/O.

mod lines;
pub mod markup;
pub mod plain;
pub mod secret;
pub mod shell;

pub use lines::{Line, LineSplitter};
