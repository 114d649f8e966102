//! What can be said on the command line.

use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::{Args, Parser, Subcommand};

use crate::exit::Exit;

/// Run, drive, check and look into agents that speak the Agent Client Protocol.
#[derive(Debug, Parser)]
#[command(name = "attache", version, arg_required_else_help = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Run(Run),
}

/// Send one prompt to an agent and print its answer.
///
/// The answer goes to standard output, everything else to standard error. Whatever the agent has started is gone when
/// the command ends.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  attache run \"Say hello\" -- ./my-agent
  attache run --timeout 60 \"Explain src/main.rs\" -- gemini --acp

Exit codes:
  0 done   1 the agent failed or stopped early   2 usage   3 time was up   5 denied
  130 interrupted   141 nobody reads the answer")]
pub(crate) struct Run {
    /// What to ask; several words are joined by spaces, and `-` reads standard input.
    #[arg(required = true, value_name = "PROMPT")]
    pub(crate) prompt: Vec<String>,
    /// The agent's command.
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub(crate) agent: Vec<String>,
    /// The directory to work in, if not the current one.
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,
    /// Give up after so many seconds.
    #[arg(long, value_name = "SECONDS")]
    pub(crate) timeout: Option<u64>,
    #[command(flatten)]
    pub(crate) approval: Approval,
}

#[derive(Debug, Args)]
#[group(multiple = false)]
pub(crate) struct Approval {
    /// Allow what only reads and deny the rest; this is the default.
    #[arg(long)]
    pub(crate) approve_reads: bool,
    /// Allow everything that the agent asks for.
    #[arg(long)]
    pub(crate) approve_all: bool,
    /// Deny everything that the agent asks for.
    #[arg(long)]
    pub(crate) deny_all: bool,
}

/// Prints help or what is wrong with the arguments.
pub(crate) fn explain(help: &clap::Error) -> Exit {
    if help.print().is_err() {
        return Exit::Failed;
    }
    match help.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => Exit::Done,
        _ => Exit::Usage,
    }
}
