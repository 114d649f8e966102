//! Tests of the store across processes: killed processes, several processes at once, and a full disk. They need a
//! `main` of their own, because this executable is also the process that is killed.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that meets the unexpected stops; clippy does not see that these are tests"
)]

#[cfg(unix)]
mod contention;
#[cfg(unix)]
mod full;
#[cfg(unix)]
mod kills;
#[cfg(unix)]
mod script;
#[cfg(unix)]
mod suite;

#[cfg(unix)]
fn main() -> std::process::ExitCode {
    suite::main()
}

#[cfg(not(unix))]
#[allow(clippy::print_stderr, reason = "who runs the tests should know")]
fn main() {
    eprintln!("skipped: the tests of the store across processes need Unix");
}
