//! Tests of the types against the official types, recordings and hostile input.

mod construct;
mod draft_samples;
mod error;
mod hostile;
mod json_schema;
mod kept;
mod leniency;
mod methods;
pub(crate) mod official;
mod oracle;
mod rules;
pub(crate) mod sample;
mod traffic;
mod traps;
