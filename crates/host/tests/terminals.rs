//! Terminals with real commands. The tests have their own `main` because this executable is also the guard and the
//! client that is killed.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that meets the unexpected stops; clippy does not see that these are tests"
)]

#[cfg(target_os = "linux")]
#[path = "terminals/linux.rs"]
mod suite;

#[cfg(target_os = "linux")]
fn main() -> std::process::ExitCode {
    suite::main()
}

#[cfg(not(target_os = "linux"))]
#[allow(clippy::print_stderr, reason = "who runs the tests should know")]
fn main() {
    eprintln!("skipped: the tests of terminals need Linux");
}
