//! Proof that the reader refuses what is no JSON, that the writer writes what every reader reads, and that no
//! envelope, however it is made, gets another answer than the one it deserves.

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
