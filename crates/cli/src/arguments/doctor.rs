//! `attache doctor`.

use std::path::PathBuf;

use clap::Args;

use super::Choice;

/// Say why an agent does not start, answer or let you in, and what to do.
///
/// The agent is started, greeted, asked for a session, and stopped again. Then a look at what we keep: remembered
/// decisions and the audit log.
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
    /// The directory to work in, if not the current one.
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,
    /// How many seconds the agent may take for each answer.
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub(crate) timeout: u64,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}
