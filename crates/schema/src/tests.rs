//! Proof that the types are right: against the official ones, against the documents of every dialect, against hostile input.

mod border;
mod bridge;
mod construct;
mod detect;
mod documents;
mod draft;
mod error;
mod hostile;
mod hostile_borders;
mod json_schema;
mod kept;
mod legacy;
mod leniency;
mod methods;
pub(crate) mod official;
mod oracle;
mod pharo;
mod rules;
pub(crate) mod sample;
mod traffic;
mod traps;
