//! `attache mock`.

use clap::Args;

/// Be an agent that plays scenarios, for tests of clients.
///
/// The scenario is the one that is named, or the first word of a prompt that names one. It follows the protocol to the
/// letter and needs no model, no key and no network.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  attache mock --list
  attache chat -- attache mock
  attache run \"tools\" -- attache mock
  attache run \"anything\" -- attache mock permission

Exit codes:
  0 the client has left   2 usage   3 the scenario `crash`")]
pub(crate) struct Mock {
    /// The scenario of every prompt.
    #[arg(value_name = "SCENARIO")]
    pub(crate) scenario: Option<String>,
    /// List the scenarios.
    #[arg(long)]
    pub(crate) list: bool,
    /// With --list, print JSON.
    #[arg(long, requires = "list")]
    pub(crate) json: bool,
}
