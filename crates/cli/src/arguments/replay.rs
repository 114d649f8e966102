//! `attache replay`.

use std::path::PathBuf;

use clap::Args;

use super::{Choice, Party};

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
    pub(crate) choice: Choice,
}

/// A factor; 0 is without waiting.
fn speed(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix('x').unwrap_or(text).parse::<f64>();
    match number {
        Ok(factor) if factor == 0.0 || (0.01..=10_000.0).contains(&factor) => Ok(factor),
        _ => Err("expected a factor such as 1x, 0.5x or 0".to_owned()),
    }
}
