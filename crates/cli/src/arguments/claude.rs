//! `attache claude`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// Be an agent: the Claude Code CLI, for any client of the Agent Client Protocol, on standard input and output.
///
/// Needs the Claude Code CLI and its login. Its settings, rules and transcripts are used as they are, and nothing is
/// written into the project.
#[derive(Debug, Default, Args)]
#[command(after_help = "\
Examples:
  attache chat -- attache claude
  attache run \"Say hello\" -- attache claude
  attache claude --login

The CLI is that of --cli, or of CLAUDE_CODE_EXECUTABLE, or `claude` in PATH and in the usual places.")]
pub(crate) struct Claude {
    /// The Claude Code CLI, if it is not found by itself.
    #[arg(long, value_name = "PATH")]
    pub(crate) cli: Option<PathBuf>,
    /// Log in with the CLI on this terminal, and end as it does.
    #[arg(
        long,
        value_name = "HOW",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "claudeai"
    )]
    pub(crate) login: Option<Login>,
}

/// What a login is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Login {
    /// A Claude subscription.
    Claudeai,
    /// The Anthropic Console, where use is billed.
    Console,
}
