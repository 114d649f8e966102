//! `attache mock`.

use clap::Args;

/// Run an agent that plays scenarios, for testing clients.
///
/// Plays SCENARIO, or the scenario that the first word of a prompt names. The agent follows the protocol strictly and
/// needs no model, key or network.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  attache mock --list
  attache chat -- attache mock
  attache run \"tools\" -- attache mock
  attache run \"anything\" -- attache mock permission

Exit codes:
  0 the client disconnected   2 usage   3 the scenario `crash`")]
pub(crate) struct Mock {
    /// The scenario to play for every prompt.
    #[arg(value_name = "SCENARIO")]
    pub(crate) scenario: Option<String>,
    /// List the scenarios.
    #[arg(long)]
    pub(crate) list: bool,
    /// With --list, print JSON.
    #[arg(long, requires = "list")]
    pub(crate) json: bool,
}
