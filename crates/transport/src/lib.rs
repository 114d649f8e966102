//! Drives a JSON-RPC peer over bytes, and keeps the processes it starts in custody. It never looks into params.
//!
//! [`connect`] takes a byte stream each way and starts two tasks, one that reads and one that writes. What comes in is
//! taken from an [`Inbox`], in the order in which it came; what goes out is said through a [`PeerHandle`]. Transports that
//! carry messages rather than bytes present themselves as a stream of lines.

mod driver;
mod inbox;
mod memory;
mod options;
mod outgoing_translator;
mod peer_handle;
mod reader;
mod stdio;
mod writer;

pub use driver::connect;
pub use inbox::{Inbox, IncomingCall};
pub use memory::{Pipe, pipes};
pub use options::{Options, SessionEffect, SessionIndex};
pub use peer_handle::{CallError, CloseReason, Delivery, PeerHandle, PendingCall};
pub use stdio::{BlockingStdio, StdioInput, StdioOutput, blocking_stdio, stdio};
