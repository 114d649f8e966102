//! `attache doctor`.

use std::path::PathBuf;

use clap::Args;

use super::Choice;

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
    pub(crate) choice: Choice,
    /// Working directory (default: the current one).
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,
    /// Seconds to wait for each response.
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub(crate) timeout: u64,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}
