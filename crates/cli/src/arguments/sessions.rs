//! `attache sessions`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::AgentChoice;

/// List, read, export and delete sessions.
///
/// With an agent, the agent's own sessions if it can list them; otherwise the sessions with a kept transcript.
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "\
Examples:
  attache sessions
  attache sessions list -a claude --cwd .
  attache sessions export 0a1b2c -o talk.md
  attache sessions delete 0a1b2c -a claude

Exit codes:
  0 done   1 the agent or a file failed   2 usage   4 there is no such session"
)]
pub(crate) struct Sessions {
    #[command(subcommand)]
    pub(crate) command: Option<SessionsCommand>,
    #[command(flatten)]
    pub(crate) list: List,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SessionsCommand {
    List(List),
    Show(Show),
    Export(Export),
    Delete(Delete),
}

/// List sessions, the last changed first.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  attache sessions list
  attache sessions list -a gemini
  attache sessions list --json -- ./my-agent")]
pub(crate) struct List {
    #[command(flatten)]
    pub(crate) choice: AgentChoice,
    /// Only sessions of this directory.
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Print the conversation of a session.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  attache sessions show 0a1b2c
  attache sessions show 0a1b2c -a gemini")]
pub(crate) struct Show {
    /// The session's id.
    #[arg(value_name = "ID")]
    pub(crate) session: String,
    #[command(flatten)]
    pub(crate) choice: AgentChoice,
    /// The session's directory, for an agent that doesn't report it.
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,
}

/// Write a session to a file or to standard output.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  attache sessions export 0a1b2c -o talk.md
  attache sessions export 0a1b2c --format json")]
pub(crate) struct Export {
    #[command(flatten)]
    pub(crate) show: Show,
    /// Format.
    #[arg(long, value_enum, default_value_t = ExportFormat::Markdown)]
    pub(crate) format: ExportFormat,
    /// The file to write.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

/// Format of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportFormat {
    Markdown,
    Json,
}

/// Delete a session: from the agent, if one is named and can, and its transcript.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  attache sessions delete 0a1b2c
  attache sessions delete 0a1b2c -a claude")]
pub(crate) struct Delete {
    /// The session's id.
    #[arg(value_name = "ID")]
    pub(crate) session: String,
    #[command(flatten)]
    pub(crate) choice: AgentChoice,
}
