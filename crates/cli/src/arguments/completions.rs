//! `attache completions` and `attache man`.

use std::path::PathBuf;

use clap::Args;
use clap_complete::Shell;

/// Print the completion script for a shell.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  attache completions bash > ~/.local/share/bash-completion/completions/attache
  attache completions zsh > ~/.zfunc/_attache
  attache completions fish > ~/.config/fish/completions/attache.fish")]
pub(crate) struct Completions {
    /// The shell.
    pub(crate) shell: Shell,
}

/// Print the manual page, or write the pages of all commands to a directory.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  attache man | man -l -
  attache man --out ~/.local/share/man/man1")]
pub(crate) struct Man {
    /// Write all pages to this directory.
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
}
