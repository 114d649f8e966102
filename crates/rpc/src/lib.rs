//! JSON-RPC 2.0 as a value: messages, ids, errors, one endpoint of a connection, and the JSON reader and writer they are
//! built on.
//!
//! This crate does no I/O, starts no task and reads no clock. It knows nothing about the protocol above JSON-RPC: a
//! session is only a key, and messages with the same key keep their order.

mod endpoint;
mod error;
mod frame;
mod id;
mod inbound_message;
pub mod json;
mod limits;
mod message;
mod outbox;
mod repair;
#[cfg(test)]
mod tests;
mod translator;

/// The example of the package's page, run as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

pub use endpoint::{
    CallFailure, CallId, Endpoint, EndpointCounts, Event, FatalError, NonJsonLines,
};
pub use error::Error;
pub use frame::{Frame, Framing, FramingError, Splitter};
pub use id::Id;
pub use inbound_message::{Call, InboundMessage, Payload};
pub use limits::Limits;
pub use message::{
    Malformed, Message, ProbableKind, write_failure, write_notification, write_request,
    write_response,
};
pub use outbox::{Chunk, Outbox, SendOptions, SessionKey, TooLarge, Urgency};
pub use translator::{MessageReplacement, Translation, Translator};
