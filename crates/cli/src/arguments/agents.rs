//! The choice of an agent, and `attache agents`.

use attache_client::config::ForeignEditor;
use clap::Args;

/// The agent to talk to.
#[derive(Debug, Args)]
pub(crate) struct Choice {
    /// The agent's name; `attache agents` lists them.
    #[arg(short, long, value_name = "NAME", conflicts_with = "command")]
    pub(crate) agent: Option<String>,
    /// The agent's command, instead of a name.
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
}

/// List known agents and say which are installed.
///
/// Nothing is started unless --probe is given.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  attache agents
  attache agents --from zed,jetbrains
  attache agents --probe --json

Your own agents go into the configuration (see `attache config path`):
  { \"agent_servers\": { \"mine\": { \"command\": \"my-agent\", \"args\": [\"--acp\"], \"env\": {} } } }")]
pub(crate) struct Agents {
    /// Also list the agents of these editors: zed, jetbrains.
    #[arg(long, value_name = "EDITORS", value_delimiter = ',')]
    pub(crate) from: Vec<ForeignEditor>,
    /// Start each agent that is installed and ask for its version and login.
    #[arg(long)]
    pub(crate) probe: bool,
    /// Print the names alone, one on each line.
    #[arg(long, conflicts_with_all = ["probe", "json"])]
    pub(crate) names: bool,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}
