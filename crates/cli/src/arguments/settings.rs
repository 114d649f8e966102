//! `attache config`, `attache permissions` and `attache audit`: what Attaché stores about you and your agents.

use std::path::PathBuf;

use attache_host::permissions::Expiry;
use clap::{Args, Subcommand};

/// Show or change the configuration, and where each value comes from.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  attache config
  attache config set default_agent gemini
  attache config set agent_servers.mine '{\"command\": \"my-agent\", \"args\": [\"--acp\"]}'
  attache config trust

Keys:
  default_agent   the agent to use when none is named
  agent_servers   your agents: NAME.command, NAME.args, NAME.env
  agents_from     other programs whose agents are available too: [\"zed\", \"jetbrains\"]
  mcp_servers     MCP servers for every session, by name
  permissions     ask, approve-reads, approve-all or deny-all; or an object:
                  preset, and expiry: how long decisions are remembered (30m, 8h, 7d, never)
  policy          a file with rules for permissions
  environment     pass: variables that commands and MCP servers get in addition
  sandbox         what commands can read and write: mode, write, read, hide, network, nested")]
pub(crate) struct Config {
    #[command(subcommand)]
    pub(crate) command: Option<ConfigCommand>,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Print the path of the configuration file.
    #[command(after_help = "Examples:\n  attache config path")]
    Path,
    /// Print one value.
    #[command(
        after_help = "Examples:\n  attache config get default_agent\n  attache config get agent_servers.mine"
    )]
    Get {
        /// Such as `default_agent`.
        key: String,
    },
    /// Set one value in your file; its comments stay.
    #[command(after_help = "\
Examples:
  attache config set default_agent gemini
  attache config set agent_servers.mine.args '[\"--acp\"]'")]
    Set {
        /// Such as `default_agent` or `agent_servers.mine.command`.
        key: String,
        /// A string, or JSON for a list or an object.
        value: String,
    },
    /// Remove one value from your file.
    #[command(after_help = "Examples:\n  attache config unset agent_servers.mine")]
    Unset {
        /// Such as `default_agent`.
        key: String,
    },
    /// List problems in the configuration files.
    #[command(after_help = "Examples:\n  attache config check && echo fine")]
    Check,
    /// Trust this project's `.attache.json` as it is now. Read it first.
    #[command(after_help = "Examples:\n  attache config trust\n  attache config trust --revoke")]
    Trust {
        /// No longer trust it.
        #[arg(long)]
        revoke: bool,
    },
}

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
