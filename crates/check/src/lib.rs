//! Conversations judged and kept: [`conformance`] of agents, clients and proxies, and [`record`], which keeps conversations on
//! file and plays them back.

pub mod conformance;
pub mod record;
