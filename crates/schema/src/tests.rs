//! Proof that the types are right: against the official ones, against the seeds, against hostile input.

pub(crate) mod sample;
