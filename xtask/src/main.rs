//! The project's own commands, run as `cargo xtask <command>`.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a task runner talks to people"
)]

mod api;
mod attacks;
mod bench;
mod cargo;
mod ci;
mod interop;
mod package;
mod pictures;
mod terminal;
mod tidy;
mod tour;

use std::env;
use std::path::PathBuf;
use std::process::ExitCode;

use api::Snapshots;

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
    if let Some(outcome) = api::run_as_rustdoc(&words) {
        return outcome;
    }
    match words.as_slice() {
        ["api"] => api::run(&root()?, Snapshots::Compare),
        ["api", "--update"] => api::run(&root()?, Snapshots::Update),
        ["attacks", "agent", script] => attacks::run_agent(script.as_ref()),
        ["attacks", rest @ ..] => attacks::run(&root()?, rest),
        ["bench", rest @ ..] => bench::run(&root()?, rest),
        ["ci"] => ci::run(&root()?),
        ["interop", rest @ ..] => interop::run(&root()?, rest),
        ["package"] => package::run(&root()?),
        ["pictures"] => pictures::run(&root()?),
        ["tidy"] => tidy::run(&root()?),
        ["tour"] => tour::run(&root()?),
        [] | ["--help" | "-h" | "help"] => {
            print!("{HELP}");
            Ok(())
        }
        other => Err(format!("unknown command `{}`\n\n{HELP}", other.join(" "))),
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

  ci        run formatting, lints, `tidy`, `package`, tests, documentation and `api`; needs only a Rust toolchain
  api       compare the public API of the libraries with docs/api, which shows every change of it to reviewers. --update
            writes it there
  attacks   run generated command lines against random policies: denied programs must not run, denied files must not be
            read. --all runs thousands of lines, --seed N other lines, --binary FILE uses an existing binary
  bench     measure messages, conversations, frames, starts and judged programs; name one to run only that: `codec`,
            `engine`, `screen`, `record`, `trace`, `start`, `exec`, `verdict`, `journal`, `agent` or `build`. --quick measures less
  interop   run our agent and client and those of interop/ with each other. --install-only stops after the installation,
            `rules` tests program rules with real agents, `claude` runs only the scenarios of `attache claude`, and
            `claude WORD` only those with the word in their name
  package   check that every crate could be published
  pictures  draw real runs of the binary as images in docs/images; needs tmux
  tidy      check the rules of this repository that the compiler does not check
  tour      run an example agent in the terminal UI, to see what the client can show
";
