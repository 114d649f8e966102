//! `attache run`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::Terms;

/// Send one prompt to an agent and print its answer.
///
/// The answer goes to standard output, everything else to standard error. Nobody is asked: rules decide what the agent
/// may do. When the command ends, everything that the agent has started ends too.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  attache run \"Say hello\" -- ./my-agent
  attache run -a claude --timeout 60 \"Explain src/main.rs\"
  git diff | attache run -a gemini --format quiet -f -
  attache run -a codex --approve-all --mode auto --set effort=high \"Fix the test\"

Exit codes:
  0 done   1 the agent failed or stopped early   2 usage   3 timed out   4 no session
  5 denied   130 interrupted   141 nobody reads the answer")]
pub(crate) struct Run {
    /// The prompt; words are joined by spaces. Without it, standard input is read unless it is a terminal. A prompt that
    /// begins with `-` needs -f.
    #[arg(value_name = "PROMPT")]
    pub(crate) prompt: Vec<String>,
    /// Read the prompt from a file; `-` is standard input. Words on the command line come first.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// Attach a file: an image, a sound or a text; a link if the agent doesn't accept its content.
    #[arg(long, value_name = "FILE")]
    pub(crate) attach: Vec<PathBuf>,
    /// Format of the answer.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: Format,
    /// Cancel the turn and give up after this many seconds, such as 90 or 0.5.
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) timeout: Option<Duration>,
    #[command(flatten)]
    pub(crate) terms: Terms,
}

/// Format of the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// As it arrives, with what the agent does on standard error.
    Text,
    /// Every line of the protocol as it is on the wire, both ways.
    Json,
    /// Only the last message.
    Quiet,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok();
    let time = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    time.filter(|time| !time.is_zero()).ok_or_else(|| {
        "expected a number of seconds above 0; leave --timeout out for no limit".to_owned()
    })
}
