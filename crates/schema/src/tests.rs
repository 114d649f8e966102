//! Proof that the types are right: against the official ones, against the seeds, against hostile input.

mod json_schema;
mod methods;
mod oracle;
mod rules;
pub(crate) mod sample;
