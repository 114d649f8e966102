//! Explains a conversation: the kind of each line, its dialect, its official form, and the rules that it violates.
//! `--help` shows the usage.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "an example talks to people"
)]

mod arguments;
mod conversation;
mod line;
#[cfg(test)]
mod tests;

use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::process::ExitCode;

use arguments::{Arguments, Command, HELP, Source};
use conversation::Conversation;
use line::printable;

fn main() -> ExitCode {
    let outcome = match arguments::read(std::env::args_os().skip(1)) {
        Ok(Command::Help) => print(HELP),
        Ok(Command::Version) => print(concat!("explain ", env!("CARGO_PKG_VERSION"), "\n")),
        Ok(Command::Explain(arguments)) => run(&arguments),
        Err(error) => Err(Failure::Unusable(error)),
    };
    match outcome {
        Ok(code) => code,
        Err(Failure::Closed) => ExitCode::SUCCESS,
        Err(Failure::Unusable(error)) => {
            eprintln!("error: {}", printable(&error));
            eprintln!("hint: `--help` shows how explain is used");
            ExitCode::from(UNUSABLE)
        }
    }
}

/// Why the program ended early.
enum Failure {
    /// The output is closed.
    Closed,
    /// The arguments or the input are invalid.
    Unusable(String),
}

fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let out = &mut io::stdout().lock();
    let remarks = match &arguments.source {
        Source::Sample => explain(SAMPLE.as_bytes(), "the sample", out)?,
        Source::Stdin => explain(io::stdin().lock(), "standard input", out)?,
        Source::File(path) => {
            let name = path.display().to_string();
            let file = File::open(path).map_err(|error| unreadable(&name, &error))?;
            explain(BufReader::new(file), &name, out)?
        }
    };
    Ok(match remarks {
        0 => ExitCode::SUCCESS,
        _ if arguments.strict => ExitCode::from(WRONG),
        _ => ExitCode::SUCCESS,
    })
}

/// Explains every line as it arrives and counts the problems.
fn explain(mut input: impl BufRead, name: &str, out: &mut impl Write) -> Result<usize, Failure> {
    let mut conversation = Conversation::default();
    let (mut bytes, mut number, mut messages) = (Vec::new(), 0, 0);
    while read_line(&mut input, &mut bytes).map_err(|error| unreadable(name, &error))? {
        number += 1;
        if bytes.trim_ascii().is_empty() {
            continue;
        }
        if messages == 0 && matches!(bytes.trim_ascii(), b"{" | b"[") {
            return Err(Failure::Unusable(format!(
                "{name}: line {number} contains only part of a message; write one message per line, as `jq -c .` does"
            )));
        }
        messages += 1;
        let headline = conversation.headline(&bytes);
        writeln!(out, "{number:>3}  {}", printable(&headline)).map_err(closed)?;
        for note in conversation.take_notes() {
            writeln!(out, "       {}", printable(&note)).map_err(closed)?;
        }
    }
    if messages == 0 {
        writeln!(out, "no messages").map_err(closed)?;
    }
    Ok(conversation.remarks())
}

/// Reads the next line without its line end. Returns `false` at the end of the input.
fn read_line(input: &mut impl BufRead, bytes: &mut Vec<u8>) -> io::Result<bool> {
    bytes.clear();
    let count = input.read_until(b'\n', bytes)?;
    while bytes.last().is_some_and(|last| b"\r\n".contains(last)) {
        bytes.pop();
    }
    Ok(count > 0)
}

fn print(text: &str) -> Result<ExitCode, Failure> {
    io::stdout().write_all(text.as_bytes()).map_err(closed)?;
    Ok(ExitCode::SUCCESS)
}

fn unreadable(name: &str, error: &io::Error) -> Failure {
    Failure::Unusable(format!("{name}: {error}"))
}

fn closed(error: io::Error) -> Failure {
    match error.kind() {
        io::ErrorKind::BrokenPipe => Failure::Closed,
        _ => Failure::Unusable(format!("standard output: {error}")),
    }
}

const SAMPLE: &str = include_str!("sample.jsonl");
const WRONG: u8 = 1;
const UNUSABLE: u8 = 2;
