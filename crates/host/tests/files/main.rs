//! The boundary around an agent's files, on a real file system. The tests have their own `main` because this executable
//! is also the writer that is killed.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a test that meets the unexpected stops; clippy does not see that these are tests"
)]

#[cfg(target_os = "linux")]
mod entries;
#[cfg(target_os = "linux")]
mod full_disk;
#[cfg(target_os = "linux")]
mod killed_writes;
#[cfg(target_os = "linux")]
mod links;
#[cfg(target_os = "linux")]
mod other_user;
#[cfg(target_os = "linux")]
mod paths;
#[cfg(target_os = "linux")]
mod protected;
#[cfg(target_os = "linux")]
mod race;
#[cfg(target_os = "linux")]
mod reads;
#[cfg(target_os = "linux")]
mod roots;
#[cfg(target_os = "linux")]
mod suite;
#[cfg(target_os = "linux")]
mod tree;
#[cfg(target_os = "linux")]
mod writes;

#[cfg(target_os = "linux")]
fn main() -> std::process::ExitCode {
    suite::main()
}

#[cfg(not(target_os = "linux"))]
fn main() {
    eprintln!("skipped: the tests of the boundary need Linux");
}
