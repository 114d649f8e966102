//! Tests of the translations: against the official types, against the documents, against hostile input, and on the
//! wire.

mod bridge;
mod call_translator;
mod connection;
mod detect;
mod documents;
mod draft;
mod hostile_peers;
mod legacy;
#[path = "../../schema/src/tests/official.rs"]
mod official;
mod pharo;
