//! `attache replay`.

use std::path::PathBuf;

use clap::Args;

use super::{Choice, Party};

/// Play one side of a recording to the other, with faults if wanted.
///
/// It stands where an agent stands and says what the recorded agent said, matching what it is asked by method and
/// content whatever the ids. With `--as client` it says what the client said to an agent that it starts.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  attache chat -- attache replay talk.jsonl
  attache replay talk.jsonl --speed 0 --fault fragment=3 --fault garbage:5% --seed 7
  attache replay talk.jsonl --fault crash@12
  attache replay talk.jsonl --as client --speed 0 -- ./my-agent

Faults: delay=50ms  delay=10ms..80ms  fragment=7  garbage  drop  duplicate  reorder  wrong-id  oversize=BYTES  crash
  each at every message, at message N with @N, or with a chance of P percent with :P%

Exit codes:
  0 played, or the other side left   1 it cannot be played, or the agent fell silent   2 usage   9 a fault crashed it")]
pub(crate) struct Replay {
    /// The recording.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Whose part to play.
    #[arg(long = "as", value_name = "SIDE", default_value = "agent")]
    pub(crate) part: Party,
    /// How fast: `1x` as it was, `2x` twice as fast, `0` without waiting.
    #[arg(long, value_name = "SPEED", default_value = "1x", value_parser = speed)]
    pub(crate) speed: f64,
    /// A fault to make; can be given several times.
    #[arg(long, value_name = "FAULT")]
    pub(crate) fault: Vec<String>,
    /// What decides by chance: the same number makes the same faults.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,
    /// How many seconds to wait for the agent, as a client.
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
