//! `attache run`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::Terms;

/// Send one prompt to an agent and print its answer.
///
/// The answer goes to standard output, everything else to standard error. Nobody is asked anything: what the agent may
/// do is decided by rules. Whatever it has started is gone when the command ends.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  attache run \"Say hello\" -- ./my-agent
  attache run -a claude --timeout 60 \"Explain src/main.rs\"
  git diff | attache run -a gemini --format quiet -f -
  attache run -a codex --approve-all --mode auto --set effort=high \"Fix the test\"

Exit codes:
  0 done   1 the agent failed or stopped early   2 usage   3 time was up   4 no session
  5 denied   130 interrupted   141 nobody reads the answer")]
pub(crate) struct Run {
    /// What to ask; several words are joined by spaces. Without it, standard input is read if it is no terminal. What
    /// begins with `-` is taken for an option: read it with -f.
    #[arg(value_name = "PROMPT")]
    pub(crate) prompt: Vec<String>,
    /// Read what to ask from a file; `-` is standard input. Words on the command line come before it.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// Attach a file: an image, a sound or a text, or a link where the agent does not take it.
    #[arg(long, value_name = "FILE")]
    pub(crate) attach: Vec<PathBuf>,
    /// How the answer is printed.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: Format,
    /// Cancel the turn and give up after so many seconds, such as 90 or 0.5.
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) timeout: Option<Duration>,
    #[command(flatten)]
    pub(crate) terms: Terms,
}

/// How the answer is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// As it comes, with what the agent does on standard error.
    Text,
    /// Every line of the protocol as it is on the wire, both ways.
    Json,
    /// The last message alone.
    Quiet,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok();
    let time = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    time.filter(|time| !time.is_zero()).ok_or_else(|| {
        "expected a number of seconds above 0; leave --timeout out for no limit".to_owned()
    })
}
