//! Write an agent, a client or a proxy for the Agent Client Protocol.
//!
#![doc = include_str!("../docs/book.md")]

pub mod agent;
pub mod book;
mod call;
mod calls;
pub mod client;
mod connection;
mod diagnostics;
mod error;
mod options;
pub mod proxy;
mod reply;
mod session_index;
#[cfg(test)]
mod tests;
mod trace_context;
pub mod transcript;
mod turns;

pub use attache_process as process;
pub use attache_rpc::{self as rpc, Error, Framing, Limits, Translator, json};
pub use attache_schema::call::Extension;
pub use attache_schema::{self as schema, v1};
pub use attache_transport::{self as transport, CloseReason, Tap, TapEvent, pipes};

pub use agent::{AgentCalls, ClientHandle};
pub use call::{AgentCall, ClientCall};
pub use client::{AgentHandle, ClientCalls};
pub use connection::{IgnoredNotification, IgnoredNotifications};
pub use error::{CallError, CallErrorKind, Role};
pub use options::Options;
pub use reply::Reply;
pub use trace_context::{TraceContext, TraceparentError};
pub use transcript::Transcript;

/// What each handle may send, as tests.
#[cfg(doctest)]
#[doc = include_str!("tests/directions.md")]
struct Directions;

/// The examples of the README and of VERSIONING.md, run as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
#[doc = include_str!("../../../VERSIONING.md")]
struct Readme;

/// The example of the package's page, run as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct PackageReadme;
