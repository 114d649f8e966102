//! What `attache run` and `attache chat` share: whom to talk to, where, and what it may do.

use std::path::PathBuf;

use clap::Args;

use super::Choice;

/// Whom to talk to, where, and what it may do.
#[derive(Debug, Args)]
pub(crate) struct Terms {
    #[command(flatten)]
    pub(crate) agent: Choice,
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
    pub(crate) approval: Approval,
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
pub(crate) struct Approval {
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
