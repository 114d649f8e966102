//! The project's own commands, run as `cargo xtask <command>`.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a task runner talks to people"
)]

mod attacks;
mod bench;
mod cargo;
mod ci;
mod interop;
mod pictures;
mod terminal;
mod tidy;
mod tour;

use std::env;
use std::path::PathBuf;
use std::process::ExitCode;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), String> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["attacks", "agent", script] => attacks::play(script.as_ref()),
        ["attacks", rest @ ..] => attacks::run(&root()?, rest),
        ["bench", rest @ ..] => bench::run(&root()?, rest),
        ["ci"] => ci::run(&root()?),
        ["interop", rest @ ..] => interop::run(&root()?, rest),
        ["pictures"] => pictures::run(&root()?),
        ["tidy"] => tidy::run(&root()?),
        ["tour"] => tour::run(&root()?),
        [] | ["--help" | "-h" | "help"] => {
            print!("{HELP}");
            Ok(())
        }
        other => Err(format!("no command `{}`\n\n{HELP}", other.join(" "))),
    }
}

fn root() -> Result<PathBuf, String> {
    let xtask =
        env::var_os("CARGO_MANIFEST_DIR").ok_or("not started by cargo; run `cargo xtask`")?;
    let mut root = PathBuf::from(xtask);
    root.pop();
    Ok(root)
}

const HELP: &str = "\
Usage: cargo xtask <command>

  ci       formatting, lints, tidy, tests and documentation; a Rust toolchain is all it needs
  attacks  random policies against generated command lines: what is denied must not run and must not be read; --all for
           thousands of lines, --seed N for others, --binary FILE for a binary that is already built
  bench    what codec and engine cost next to the official crates, frames, starts and judged programs; `codec`, `engine`,
           `screen`, `start`, `exec` or `verdict` for one, --quick for less
  interop  our agent and client, and those of interop/, each with each; --install-only stops before that, `rules` has
           real agents run denied programs, `claude` plays the scenarios of `attache claude` alone, and `claude WORD`
           those with the word in their names
  pictures draws real runs of the binary into docs/images; needs tmux
  tidy     the rules of this repository that no compiler checks
  tour     talk to an example agent on the screen: what the client can show
";
