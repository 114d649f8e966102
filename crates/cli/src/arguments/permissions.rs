//! `attache permissions`.

use std::path::PathBuf;

use attache_host::permissions::Term;
use clap::{Args, Subcommand};

/// List, revoke, limit or clear what you have allowed or denied for longer than once.
///
/// Decisions are kept outside every workspace, in a file that notices when somebody else changes it. What is revoked is
/// asked again, also in sessions that run.
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
    /// List what is remembered.
    List,
    /// Forget decisions.
    Revoke {
        /// As listed, or the beginning of one.
        #[arg(required = true, value_name = "ID")]
        ids: Vec<String>,
    },
    /// Have decisions end after a time from now, or never.
    #[command(group = clap::ArgGroup::new("when").required(true))]
    Expire {
        /// As listed, or the beginning of one.
        #[arg(required = true, value_name = "ID")]
        ids: Vec<String>,
        /// After how long: `30m`, `8h`, `7d`.
        #[arg(long = "in", value_name = "TIME", group = "when")]
        after: Option<Term>,
        /// Let them hold until they are revoked.
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
    /// Say what is wrong with a policy file, if anything.
    Check {
        /// The file.
        #[arg(value_name = "FILE")]
        policy: PathBuf,
    },
}
