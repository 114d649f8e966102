//! `attache trace` and `attache replay`: making, reading and playing recordings.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::{AgentChoice, LogFlags};

/// Run an agent and record the conversation; view recordings.
///
/// Relays everything byte for byte, both ways, with the agent's standard error, exit code and signals. Put
/// `attache trace -- COMMAND` where an editor's configuration has COMMAND. Secrets are removed from the recording.
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
  that of the agent, 128 and more if a signal ended it   1 the agent did not start   2 usage"
)]
pub(crate) struct Trace {
    #[command(subcommand)]
    pub(crate) command: Option<TraceCommand>,
    #[command(flatten)]
    pub(crate) recording: Recording,
}

#[derive(Debug, Args)]
pub(crate) struct Recording {
    /// File to record to; an existing file is overwritten (default: a new file in the state directory).
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Record secrets too.
    #[arg(long)]
    pub(crate) no_redact: bool,
    #[command(flatten)]
    pub(crate) choice: AgentChoice,
    #[command(flatten)]
    pub(crate) log: LogFlags,
}

#[derive(Debug, Subcommand)]
pub(crate) enum TraceCommand {
    View(View),
    Stats(Stats),
    Diff(Diff),
    Validate(Validate),
    Export(TraceExport),
}

/// View a recording in the terminal, or write it as a page.
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
    /// Write a self-contained page instead.
    #[arg(long, value_name = "OUT")]
    pub(crate) html: Option<PathBuf>,
    /// Follow the recording as it grows.
    #[arg(short, long, conflicts_with = "html")]
    pub(crate) follow: bool,
    /// Only messages of this session.
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
    /// Only methods and updates whose name contains this.
    #[arg(long, value_name = "NAME")]
    pub(crate) method: Option<String>,
    /// Only messages whose text contains this.
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

/// Compare two recordings, ignoring ids and times.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  attache trace diff before.jsonl after.jsonl

Exit codes:
  0 the recordings are equal   1 they differ, or cannot be read   2 usage")]
pub(crate) struct Diff {
    /// One recording.
    #[arg(value_name = "A")]
    pub(crate) old: PathBuf,
    /// The other.
    #[arg(value_name = "B")]
    pub(crate) new: PathBuf,
}

/// Check every message of a recording against its type and the protocol's rules.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  attache trace validate talk.jsonl
  attache trace validate --side agent --json talk.jsonl

Exit codes:
  0 no MUST or SHOULD is violated   1 one is, or the recording cannot be read   2 usage")]
pub(crate) struct Validate {
    /// The recording.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Only messages of this side.
    #[arg(long, value_name = "SIDE")]
    pub(crate) side: Option<Party>,
    /// Print JSON lines.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Convert a recording to another format.
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
    /// Format.
    #[arg(long, value_name = "FORMAT", default_value = "script")]
    pub(crate) format: TraceFormat,
    /// With `raw`, the side whose lines are written.
    #[arg(long, value_name = "SIDE", default_value = "agent")]
    pub(crate) side: Party,
}

/// Format of a converted recording.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TraceFormat {
    /// A script to play, with ids replaced.
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

/// Replay one side of a recording, with faults on request.
///
/// Takes the place of an agent and sends what the recorded agent sent. Requests are matched by method and content,
/// ignoring ids. With `--as client`, starts an agent and sends it what the recorded client sent.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  attache chat -- attache replay talk.jsonl
  attache replay talk.jsonl --speed 0 --fault fragment=3 --fault garbage:5% --seed 7
  attache replay talk.jsonl --fault crash@12
  attache replay talk.jsonl --as client --speed 0 -- ./my-agent

Faults: delay=50ms  delay=10ms..80ms  fragment=7  garbage  drop  duplicate  reorder  wrong-id  oversize=BYTES  crash
  each at every message; at message N with @N; with a chance of P percent with :P%

Exit codes:
  0 replayed, or the other side disconnected   1 the recording can't be played, or the agent stopped responding
  2 usage   9 the fault `crash`")]
pub(crate) struct Replay {
    /// The recording.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Side to play.
    #[arg(long = "as", value_name = "SIDE", default_value = "agent")]
    pub(crate) part: Party,
    /// Speed: `1x` as recorded, `2x` twice as fast, `0` without waiting.
    #[arg(long, value_name = "SPEED", default_value = "1x", value_parser = speed)]
    pub(crate) speed: f64,
    /// A fault to inject; can be given several times.
    #[arg(long, value_name = "FAULT")]
    pub(crate) fault: Vec<String>,
    /// Seed for random faults: the same number makes the same faults.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,
    /// With `--as client`, seconds to wait for the agent.
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub(crate) timeout: u64,
    #[command(flatten)]
    pub(crate) choice: AgentChoice,
    #[command(flatten)]
    pub(crate) log: LogFlags,
}

/// Parses a speed factor; 0 means without waiting.
fn speed(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix('x').unwrap_or(text).parse::<f64>();
    match number {
        Ok(factor) if factor == 0.0 || (0.01..=10_000.0).contains(&factor) => Ok(factor),
        _ => Err("expected a factor such as 1x, 0.5x or 0".to_owned()),
    }
}
