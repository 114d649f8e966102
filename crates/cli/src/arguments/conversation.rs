//! `attache chat` and `attache run`, and their common options.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::{AgentChoice, LogFlags};

/// Talk to an agent in the terminal.
///
/// Press ? for help. `attache permissions` lists the decisions that are remembered.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  attache chat -a claude
  attache chat --cwd ~/project --mode plan -- gemini --acp
  attache chat -a claude --resume")]
pub(crate) struct Chat {
    #[command(flatten)]
    pub(crate) terms: ConversationArguments,
}

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
    pub(crate) terms: ConversationArguments,
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

/// The agent, its directories, its session, and what it may do.
#[derive(Debug, Args)]
pub(crate) struct ConversationArguments {
    #[command(flatten)]
    pub(crate) agent: AgentChoice,
    /// Working directory (default: the current one).
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,
    /// Another directory that the agent may work in; can be given several times.
    #[arg(long, value_name = "DIR")]
    pub(crate) add_dir: Vec<PathBuf>,
    /// MCP servers to connect: a file such as `.mcp.json`, or JSON; can be given several times.
    #[arg(long, value_name = "FILE|JSON")]
    pub(crate) mcp: Vec<String>,
    /// Mode to start in.
    #[arg(long, value_name = "MODE")]
    pub(crate) mode: Option<String>,
    /// Model to start with.
    #[arg(long, value_name = "MODEL")]
    pub(crate) model: Option<String>,
    /// Set an option of the session before the first prompt; can be given several times.
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = pair)]
    pub(crate) set: Vec<(String, String)>,
    /// Continue a session.
    #[arg(long, value_name = "ID", conflicts_with = "resume")]
    pub(crate) session: Option<String>,
    /// Continue a session without replaying its history (default: the latest of this directory).
    #[arg(long, value_name = "ID", num_args = 0..=1, require_equals = true)]
    pub(crate) resume: Option<Option<String>>,
    /// Do not offer to read and write files.
    #[arg(long)]
    pub(crate) no_fs: bool,
    /// Do not offer to run commands.
    #[arg(long)]
    pub(crate) no_terminal: bool,
    #[command(flatten)]
    pub(crate) sandbox: SandboxFlags,
    /// Log every program that the agent and its commands execute, even without a command rule.
    #[arg(long)]
    pub(crate) guard: bool,
    /// Don't watch executed programs: command rules then apply only to what the agent says it will run.
    #[arg(long, conflicts_with = "guard")]
    pub(crate) no_guard: bool,
    /// Record the conversation to a file; an existing file is overwritten.
    #[arg(long, value_name = "FILE")]
    pub(crate) trace: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) approval: ApprovalFlags,
    #[command(flatten)]
    pub(crate) log: LogFlags,
}

/// Whether commands run in a sandbox. Without either flag, they do if the system has one.
#[derive(Debug, Clone, Copy, Default, Args)]
pub(crate) struct SandboxFlags {
    /// Require the sandbox for commands: fail if the system has none.
    #[arg(long, conflicts_with = "no_sandbox")]
    pub(crate) sandbox: bool,
    /// Run commands without the sandbox: they can read and write whatever you can.
    #[arg(long)]
    pub(crate) no_sandbox: bool,
}

/// What happens when no rule and no earlier decision applies. Without any of these, reading is allowed; `chat` asks
/// about the rest, `run` denies it.
#[derive(Debug, Args)]
pub(crate) struct ApprovalFlags {
    /// Allow what only reads and deny the rest, without asking.
    #[arg(long, group = "preset")]
    pub(crate) approve_reads: bool,
    /// Allow everything that no rule denies, without asking.
    #[arg(long, group = "preset")]
    pub(crate) approve_all: bool,
    /// Deny everything, whatever rules and earlier decisions allow, without asking.
    #[arg(long, group = "preset")]
    pub(crate) deny_all: bool,
    /// Permission rules, as a file or JSON; check them with `attache permissions check`.
    #[arg(long, value_name = "FILE|JSON")]
    pub(crate) policy: Option<String>,
}

fn pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.is_empty() => Ok((key.to_owned(), value.to_owned())),
        _ => Err("expected KEY=VALUE".to_owned()),
    }
}
