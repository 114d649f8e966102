//! [`conformance`] of agents, clients and proxies. Recordings on file and scripted peers are crates of their own.

pub mod conformance;
