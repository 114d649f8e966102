//! The command line of the program.

use std::ffi::OsString;
use std::path::PathBuf;

/// A parsed command line.
#[derive(Debug, PartialEq)]
pub(crate) enum Command {
    Help,
    Version,
    Explain(Arguments),
}

/// The conversation to explain, and how strictly.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Arguments {
    pub(crate) source: Source,
    pub(crate) strict: bool,
}

/// Source of the conversation.
#[derive(Debug, Default, PartialEq)]
pub(crate) enum Source {
    #[default]
    Sample,
    Stdin,
    File(PathBuf),
}

/// Parses the arguments.
pub(crate) fn read(words: impl Iterator<Item = OsString>) -> Result<Command, String> {
    let mut arguments = Arguments::default();
    for word in words {
        let source = match word.to_str() {
            Some("-h" | "--help") => return Ok(Command::Help),
            Some("--version") => return Ok(Command::Version),
            Some("--strict") => {
                arguments.strict = true;
                continue;
            }
            Some("-") => Source::Stdin,
            Some(option) if option.starts_with('-') => {
                return Err(format!("unknown option {option}"));
            }
            _ => Source::File(PathBuf::from(word)),
        };
        if arguments.source != Source::Sample {
            return Err("give a single file".to_owned());
        }
        arguments.source = source;
    }
    Ok(Command::Explain(arguments))
}

pub(crate) const HELP: &str = "\
Explains a conversation of the Agent Client Protocol, line by line.

Usage: explain [--strict] [FILE]

  FILE       JSON-RPC messages, one a line, or lines of the form
             {\"from\":\"client\",\"message\":{…}}, where `from` is client or agent;
             `-` is standard input; without FILE a sample is explained
  --strict   exit with 1 if anything was wrong
  --version  print the version
  -h, --help print this

Each message gets a line: `->` is said by the client, `<-` by the agent, `--`
where that cannot be seen. What is wrong with it stands below, behind a `!`.

Exit codes: 0 explained, 1 something was wrong (only with --strict), 2 the
arguments or the input could not be used.

Example, in the project's folder:
  cargo run -p attache-dialect --example explain -- --strict conversation.jsonl
";
