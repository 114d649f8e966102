//! JSON-RPC 2.0 as data: messages, ids, errors, and the JSON reader and writer under them.
//!
//! Nothing here does I/O, starts a task or reads a clock, and no word of any protocol above JSON-RPC occurs.

mod error;
mod id;
pub mod json;
mod message;
#[cfg(test)]
mod tests;

pub use error::Error;
pub use id::Id;
pub use message::{
    Malformed, Message, write_failure, write_notification, write_request, write_response,
};
