//! `attache config`.

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
