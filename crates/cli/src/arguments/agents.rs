//! The choice of an agent, and the commands that list, examine and run agents: `agents`, `doctor`, `agent` and `claude`.

use std::path::PathBuf;

use attache_client::config::ForeignEditor;
use clap::{Args, ValueEnum};

use super::{LogFlags, SandboxFlags};

/// The agent to talk to.
#[derive(Debug, Args)]
pub(crate) struct AgentChoice {
    /// The agent's name; `attache agents` lists them.
    #[arg(short, long, value_name = "NAME", conflicts_with = "command")]
    pub(crate) agent: Option<String>,
    /// The agent's command, instead of a name.
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
}

/// List known agents and say which are installed.
///
/// Nothing is started unless --probe is given.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  attache agents
  attache agents --from zed,jetbrains
  attache agents --probe --json

Your own agents go into the configuration (see `attache config path`):
  { \"agent_servers\": { \"mine\": { \"command\": \"my-agent\", \"args\": [\"--acp\"], \"env\": {} } } }")]
pub(crate) struct Agents {
    /// Also list the agents of these editors: zed, jetbrains.
    #[arg(long, value_name = "EDITORS", value_delimiter = ',')]
    pub(crate) from: Vec<ForeignEditor>,
    /// Start each agent that is installed and ask for its version and login.
    #[arg(long)]
    pub(crate) probe: bool,
    /// Print the names alone, one on each line.
    #[arg(long, conflicts_with_all = ["probe", "json"])]
    pub(crate) names: bool,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) log: LogFlags,
}

/// Find out why an agent doesn't start, respond or let you log in.
///
/// Starts the agent, sends `initialize`, opens a session and stops it. Then checks remembered decisions and the audit
/// log.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  attache doctor -a gemini
  attache doctor --json -- ./my-agent --acp

Exit codes:
  0 all is fine   1 something does not work   2 usage")]
pub(crate) struct Doctor {
    #[command(flatten)]
    pub(crate) choice: AgentChoice,
    /// Working directory (default: the current one).
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,
    /// Seconds to wait for each response.
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub(crate) timeout: u64,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) log: LogFlags,
}

/// Run our coding agent: ACP on standard input and output.
///
/// Without a key, a small built-in grammar answers, with real tools. With ANTHROPIC_API_KEY, OPENAI_API_KEY or the
/// address of a server (OLLAMA_HOST, OPENAI_BASE_URL), a language model answers.
#[derive(Debug, Default, Args)]
#[command(after_help = "\
Examples:
  attache chat -a builtin
  attache run -a builtin \"search TODO in src\"
  ATTACHE_MODEL=ollama/qwen3 attache agent

In an editor, configure the command `attache` with the argument `agent`.")]
pub(crate) struct Agent {
    /// The model to start with, such as `embedded`, `anthropic/NAME`, `openai/NAME`, `ollama/NAME`.
    #[arg(long, value_name = "MODEL")]
    pub(crate) model: Option<String>,
    /// Answer from a script, for tests and demonstrations.
    #[arg(long, value_name = "FILE", conflicts_with = "model")]
    pub(crate) script: Option<PathBuf>,
    /// Directory for sessions (default: the data directory).
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// Deny rules and ask rules for the agent's own tools, as a file or JSON. Allow rules are the client's. `attache chat`
    /// and `attache run` pass their policy on. Can be given several times.
    #[arg(long, value_name = "FILE|JSON")]
    pub(crate) policy: Vec<String>,
    /// The digest of a policy or configuration that `attache chat` and `attache run` have checked: the agent's user
    /// namespace hides who owns the file.
    #[arg(long, value_name = "DIGEST", hide = true)]
    pub(crate) checked: Vec<String>,
    #[command(flatten)]
    pub(crate) sandbox: SandboxFlags,
    /// Maximum requests to the model in one turn (default: 200).
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) requests: Option<u32>,
    #[command(flatten)]
    pub(crate) log: LogFlags,
}

/// Expose the Claude Code CLI as an ACP agent on stdio.
///
/// Needs the Claude Code CLI and its login. Uses the CLI's settings, rules and transcripts as they are, and writes
/// nothing into the project.
#[derive(Debug, Default, Args)]
#[command(after_help = "\
Examples:
  attache chat -- attache claude
  attache run \"Say hello\" -- attache claude
  attache claude --login

Uses --cli, CLAUDE_CODE_EXECUTABLE, or `claude` in PATH and the usual places.")]
pub(crate) struct Claude {
    /// Path of the Claude Code CLI.
    #[arg(long, value_name = "PATH")]
    pub(crate) cli: Option<PathBuf>,
    /// Log in with the CLI on this terminal and exit with its code.
    #[arg(
        long,
        value_name = "HOW",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "claudeai"
    )]
    pub(crate) login: Option<Login>,
    #[command(flatten)]
    pub(crate) log: LogFlags,
}

/// The account to log in to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Login {
    /// A Claude subscription.
    Claudeai,
    /// The Anthropic Console, billed by use.
    Console,
}
