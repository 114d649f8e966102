//! `attache audit`.

use clap::{Args, Subcommand};

/// Show what agents asked for, what was decided, and what they read, wrote and ran.
///
/// Each line of the log contains the digest of the line before: `verify` finds lines that were changed, removed, added,
/// moved or cut off. The log contains no file contents and nothing that looks like a secret.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  attache audit --since 2h
  attache audit --since 2026-11-16 --session sess_1
  attache audit --json | jq 'select(.outcome == \"denied\")'
  attache audit verify

Exit codes:
  0 done, the log is intact   1 the log was tampered with or cannot be read   2 usage")]
pub(crate) struct Audit {
    #[command(subcommand)]
    pub(crate) command: Option<AuditCommand>,
    #[command(flatten)]
    pub(crate) filter: AuditFilter,
}

#[derive(Debug, Args)]
pub(crate) struct AuditFilter {
    /// Only entries since then: `30m`, `2h`, `7d`, a day or a time (UTC).
    #[arg(long, value_name = "WHEN", global = true)]
    pub(crate) since: Option<String>,
    /// Only entries of this session.
    #[arg(long, value_name = "ID", global = true)]
    pub(crate) session: Option<String>,
    /// Print the JSON lines as stored.
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum AuditCommand {
    /// Show the log; this is the default.
    Show,
    /// Check that nobody has changed the log.
    Verify,
}
