//! Checks whether agents, clients and proxies conform to the protocol; see [`conformance`]. Recordings and scripted
//! peers have their own crates, `recording` and `testkit`.

pub mod conformance;
