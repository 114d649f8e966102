//! `attache permissions`.

use std::path::PathBuf;

use attache_host::permissions::Expiry;
use clap::{Args, Subcommand};

/// List, revoke, limit or clear remembered decisions.
///
/// Decisions are in a tamper-evident file outside every workspace. After you revoke one, you are asked again, also in
/// running sessions.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  attache permissions
  attache permissions revoke 1f0c9a3e
  attache permissions expire 1f0c --in 8h
  attache permissions clear --workspace .
  attache permissions clear -a gemini
  attache permissions check policy.json

Exit codes:
  0 done   1 there is no such decision, or the file cannot be trusted   2 usage or a bad policy")]
pub(crate) struct Permissions {
    #[command(subcommand)]
    pub(crate) command: Option<PermissionsCommand>,
    /// Print JSON.
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum PermissionsCommand {
    /// List remembered decisions.
    List,
    /// Forget decisions.
    Revoke {
        /// Ids as listed, or the beginning of one.
        #[arg(required = true, value_name = "ID")]
        ids: Vec<String>,
    },
    /// Set when decisions expire.
    #[command(group = clap::ArgGroup::new("when").required(true))]
    Expire {
        /// Ids as listed, or the beginning of one.
        #[arg(required = true, value_name = "ID")]
        ids: Vec<String>,
        /// Time from now: `30m`, `8h`, `7d`.
        #[arg(long = "in", value_name = "TIME", group = "when")]
        after: Option<Expiry>,
        /// Keep until revoked.
        #[arg(long, group = "when")]
        never: bool,
    },
    /// Forget all decisions, or those of a directory or an agent.
    Clear {
        /// Only those of this directory.
        #[arg(long, value_name = "DIR")]
        workspace: Option<PathBuf>,
        /// Only those of this agent.
        #[arg(short, long, value_name = "NAME")]
        agent: Option<String>,
    },
    /// List problems in a policy file.
    Check {
        /// The policy file.
        #[arg(value_name = "FILE")]
        policy: PathBuf,
    },
}
