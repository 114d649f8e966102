//! `attache agent`.

use std::path::PathBuf;

use clap::Args;

use super::SandboxFlags;

/// Be a coding agent: ACP on standard input and output.
///
/// Without a key it answers by itself: a small fixed grammar over real tools. With ANTHROPIC_API_KEY, OPENAI_API_KEY or the
/// address of a server (OLLAMA_HOST, OPENAI_BASE_URL) a language model answers.
#[derive(Debug, Default, Args)]
#[command(after_help = "\
Examples:
  attache chat -a builtin
  attache run -a builtin \"search TODO in src\"
  ATTACHE_MODEL=ollama/qwen3 attache agent

An editor starts it with the command `attache` and the argument `agent`.")]
pub(crate) struct Agent {
    /// The model to begin with, such as `embedded`, `anthropic/NAME`, `openai/NAME`, `ollama/NAME`.
    #[arg(long, value_name = "MODEL")]
    pub(crate) model: Option<String>,
    /// Answer from a script, for tests and demonstrations.
    #[arg(long, value_name = "FILE", conflicts_with = "model")]
    pub(crate) script: Option<PathBuf>,
    /// Where sessions are kept, if not in the data directory.
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// Rules that the agent's own tools obey, in a file or as JSON: those that deny and those that ask. The client answers
    /// by those that allow. `attache chat` and `attache run` pass their policy on. Can be given several times.
    #[arg(long, value_name = "FILE|JSON")]
    pub(crate) policy: Vec<String>,
    /// The digest of a policy or configuration that `attache chat` and `attache run` have checked: in the agent's user
    /// namespace, the owner of the file cannot be told.
    #[arg(long, value_name = "DIGEST", hide = true)]
    pub(crate) checked: Vec<String>,
    #[command(flatten)]
    pub(crate) sandbox: SandboxFlags,
    /// The most requests to the model in one turn; 200 if nothing is said.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) requests: Option<u32>,
}
