//! JSON-RPC 2.0 as a value: messages, ids, errors, one end of a conversation, and the JSON reader and writer under
//! them.
//!
//! Nothing here does I/O, starts a task or reads a clock, and no message of a protocol above JSON-RPC is named: a
//! session is no more than a key under which messages keep their order.

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
