//! `attache agent`.

use std::path::PathBuf;

use clap::Args;

use super::SandboxFlags;

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
}
