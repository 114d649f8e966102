//! Tests that the reader rejects invalid JSON, that other readers understand what the writer writes, and that every
//! envelope, valid or not, gets the right response.

mod depth;
mod endpoint;
mod envelope;
mod framing;
mod members;
mod oracle;
mod outbox;
mod pair;
mod round_trip;
mod syntax;
