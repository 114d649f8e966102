//! `attache permissions`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// List, revoke or clear what you have allowed or denied for longer than once.
///
/// Decisions are kept outside every workspace, in a file that notices when somebody else changes it. What is revoked is
/// asked again, also in sessions that run.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  attache permissions
  attache permissions revoke 1f0c9a3e
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
        /// As listed.
        #[arg(required = true, value_name = "ID")]
        ids: Vec<String>,
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
