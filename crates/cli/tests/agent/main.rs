//! `attache agent` from outside: the real binary over pipes, which is killed, runs out of disk space, and loses its
//! client.

#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot go on ends here"
)]

mod data;
mod environment_attack;
mod exit;
mod kills;
mod peer;
mod record;
