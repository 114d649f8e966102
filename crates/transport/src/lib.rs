//! Runs a JSON-RPC connection over a byte stream in each direction. This crate never decodes params or results.
//!
//! [`connect`] starts two tasks, one that reads and one that writes. Requests and notifications from the peer arrive in
//! the [`Inbox`], in the order in which they were sent. Send requests, notifications and responses with the
//! [`PeerHandle`]. A transport that carries messages rather than bytes, such as WebSocket, presents itself as a stream of
//! lines.

mod diagnostics;
mod driver;
mod inbox;
mod memory;
mod options;
mod outgoing_translator;
mod peer_handle;
mod reader;
mod relay_inbox;
mod stdio;
mod tap;
mod writer;

/// The example of the package's page, run as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

pub use diagnostics::ShortenedText;
pub use driver::{connect, connect_relay};
pub use inbox::{Inbox, IncomingCall};
pub use memory::{Pipe, pipes};
pub use options::{Options, SessionEffect, SessionIndex};
pub use peer_handle::{CallError, CloseReason, Delivery, PeerHandle, PendingCall};
pub use relay_inbox::{RelayInbox, RelayedMessage};
pub use stdio::{BlockingStdio, StdioInput, StdioOutput, blocking_stdio, stdio};
pub use tap::{Tap, TapEvent};
