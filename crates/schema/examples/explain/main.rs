//! Explains a conversation: what each line is, which dialect it is in, what it means officially, and which rules it
//! breaks. Without an argument it explains a sample; `-` reads standard input, anything else names a file.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "an example talks to people"
)]

mod conversation;

use std::io::Read as _;
use std::process::ExitCode;

use conversation::Conversation;

fn main() -> ExitCode {
    match text() {
        Ok(text) => {
            explain(&text);
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            eprintln!(
                "hint: give a file of JSON-RPC messages, one a line, `-` for standard input, or nothing"
            );
            ExitCode::FAILURE
        }
    }
}

fn text() -> std::io::Result<String> {
    match std::env::args().nth(1).as_deref() {
        None => Ok(SAMPLE.to_owned()),
        Some("-") => {
            let mut text = String::new();
            std::io::stdin().read_to_string(&mut text)?;
            Ok(text)
        }
        Some(path) => std::fs::read_to_string(path),
    }
}

fn explain(text: &str) {
    let mut conversation = Conversation::default();
    for (number, line) in text.lines().enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        println!("{:>3}  {}", number + 1, conversation.headline(line));
        for note in conversation.take_notes() {
            println!("       {note}");
        }
    }
}

const SAMPLE: &str = include_str!("sample.jsonl");
