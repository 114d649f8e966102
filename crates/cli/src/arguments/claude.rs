//! `attache claude`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// Expose the Claude Code CLI as an ACP agent on stdio.
///
/// Needs the Claude Code CLI and its login. Uses the CLI's settings, rules and transcripts as they are, and writes
/// nothing into the project.
#[derive(Debug, Default, Args)]
#[command(after_help = "\
Examples:
  attache chat -- attache claude
  attache run \"Say hello\" -- attache claude
  attache claude --login

Uses --cli, CLAUDE_CODE_EXECUTABLE, or `claude` in PATH and the usual places.")]
pub(crate) struct Claude {
    /// Path of the Claude Code CLI.
    #[arg(long, value_name = "PATH")]
    pub(crate) cli: Option<PathBuf>,
    /// Log in with the CLI on this terminal and exit with its code.
    #[arg(
        long,
        value_name = "HOW",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "claudeai"
    )]
    pub(crate) login: Option<Login>,
}

/// The account to log in to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Login {
    /// A Claude subscription.
    Claudeai,
    /// The Anthropic Console, billed by use.
    Console,
}
