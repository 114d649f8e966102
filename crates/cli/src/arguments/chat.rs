//! `attache chat`.

use clap::Args;

use super::Terms;

/// Talk to an agent in the terminal.
///
/// Press ? for help. `attache permissions` lists the decisions that are remembered.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  attache chat -a claude
  attache chat --cwd ~/project --mode plan -- gemini --acp
  attache chat -a claude --resume")]
pub(crate) struct Chat {
    #[command(flatten)]
    pub(crate) terms: Terms,
}
