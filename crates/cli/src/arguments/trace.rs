//! `attache trace`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::Choice;

/// Stand in for an agent and record the conversation; look at recordings.
///
/// Everything passes byte for byte, both ways, and the agent's standard error, exit code and signals do too. Put
/// `attache trace -- COMMAND` where an editor's configuration has COMMAND. Secrets are taken out of the recording.
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "\
Examples:
  attache trace -o talk.jsonl -- gemini --acp
  attache trace view talk.jsonl
  attache trace stats talk.jsonl
  attache trace validate talk.jsonl
  attache trace diff before.jsonl after.jsonl
  attache trace export talk.jsonl --format script

Exit codes:
  that of the agent, 128 and more if a signal ended it; 1 it did not start   2 usage"
)]
pub(crate) struct Trace {
    #[command(subcommand)]
    pub(crate) command: Option<TraceCommand>,
    #[command(flatten)]
    pub(crate) recording: Recording,
}

#[derive(Debug, Args)]
pub(crate) struct Recording {
    /// The file to record to; one that is there is emptied. Without it, one is made in the state directory.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Record secrets, too.
    #[arg(long)]
    pub(crate) no_redact: bool,
    #[command(flatten)]
    pub(crate) choice: Choice,
}

#[derive(Debug, Subcommand)]
pub(crate) enum TraceCommand {
    View(View),
    Stats(Stats),
    Diff(Diff),
    Validate(Validate),
    Export(TraceExport),
}

/// Look at a recording in the terminal, or write it as a page.
///
/// Press ? for help.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  attache trace view talk.jsonl
  attache trace view talk.jsonl --method session/prompt
  attache trace view --follow talk.jsonl
  attache trace view talk.jsonl --html talk.html

Exit codes:
  0 done   1 the recording cannot be read   2 usage")]
pub(crate) struct View {
    /// The recording.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Write a page that needs nothing else, instead.
    #[arg(long, value_name = "OUT")]
    pub(crate) html: Option<PathBuf>,
    /// Go on as the recording grows, and stay at its end.
    #[arg(short, long, conflicts_with = "html")]
    pub(crate) follow: bool,
    /// Only what belongs to this session.
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
    /// Only methods and updates whose name holds this.
    #[arg(long, value_name = "NAME")]
    pub(crate) method: Option<String>,
    /// Only messages whose text holds this.
    #[arg(long, value_name = "TEXT")]
    pub(crate) text: Option<String>,
}

/// Count calls, times, bytes and tokens of a recording.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  attache trace stats talk.jsonl
  attache trace stats --json talk.jsonl

Exit codes:
  0 done   1 the recording cannot be read   2 usage")]
pub(crate) struct Stats {
    /// The recording.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Compare two recordings, without ids and times.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  attache trace diff before.jsonl after.jsonl

Exit codes:
  0 they say the same   1 they differ, or cannot be read   2 usage")]
pub(crate) struct Diff {
    /// One recording.
    #[arg(value_name = "A")]
    pub(crate) old: PathBuf,
    /// The other.
    #[arg(value_name = "B")]
    pub(crate) new: PathBuf,
}

/// Hold every message of a recording against its shape and the rules of the protocol.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  attache trace validate talk.jsonl
  attache trace validate --side agent --json talk.jsonl

Exit codes:
  0 nothing that MUST or SHOULD be is broken   1 something is, or the recording cannot be read   2 usage")]
pub(crate) struct Validate {
    /// The recording.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Only what this side does.
    #[arg(long, value_name = "SIDE")]
    pub(crate) side: Option<Party>,
    /// Print JSON lines.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Write a recording in another form.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  attache trace export talk.jsonl --format script > talk.script
  attache trace export talk.jsonl --format markdown
  attache trace export talk.jsonl --format raw --side client | my-agent

Exit codes:
  0 done   1 the recording cannot be read   2 usage")]
pub(crate) struct TraceExport {
    /// The recording.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// The form.
    #[arg(long, value_name = "FORMAT", default_value = "script")]
    pub(crate) format: TraceFormat,
    /// With `raw`, whose lines.
    #[arg(long, value_name = "SIDE", default_value = "agent")]
    pub(crate) side: Party,
}

/// A form of a recording.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TraceFormat {
    /// A script that can be played, with ids replaced.
    Script,
    /// A document.
    Markdown,
    /// The lines of one side as they were on the wire.
    Raw,
}

/// A side of a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Party {
    /// The agent.
    Agent,
    /// The client.
    Client,
}
