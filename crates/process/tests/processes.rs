//! Custody of real processes. The tests need a `main` of their own, since this executable is also the guard, and
//! the owner that gets killed.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that meets the unexpected stops; clippy does not see that these are tests"
)]

#[cfg(target_os = "linux")]
#[path = "processes/linux.rs"]
mod suite;

#[cfg(target_os = "linux")]
fn main() -> std::process::ExitCode {
    suite::main()
}

#[cfg(not(target_os = "linux"))]
#[allow(clippy::print_stderr, reason = "who runs the tests should know")]
fn main() {
    eprintln!("skipped: the tests of custody need Linux");
}
