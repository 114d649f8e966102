//! The command line: all commands and their arguments.

mod agents;
mod check;
mod conversation;
mod log;
mod sessions;
mod settings;
mod trace;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::{Args, Parser, Subcommand};
use clap_complete::Shell;

use crate::exit::Exit;

pub(crate) use agents::{Agent, AgentChoice, Agents, Claude, Doctor, Login};
pub(crate) use check::{
    Check, CheckAgent, CheckClient, CheckCommand, CheckFormat, CheckHome, CheckOptions, CheckProxy,
    Mock,
};
pub(crate) use conversation::{
    ApprovalFlags, Chat, ConversationArguments, Format, Run, SandboxFlags,
};
pub(crate) use log::LogFlags;
pub(crate) use sessions::{Delete, Export, ExportFormat, List, Sessions, SessionsCommand, Show};
pub(crate) use settings::{
    Audit, AuditCommand, AuditFilter, Config, ConfigCommand, Permissions, PermissionsCommand,
};
pub(crate) use trace::{
    Diff, Party, Recording, Replay, Stats, Trace, TraceCommand, TraceExport, TraceFormat, Validate,
    View,
};

/// Talk to, run, check and debug agents that speak the Agent Client Protocol.
#[derive(Debug, Parser)]
#[command(
    name = "attache",
    version,
    arg_required_else_help = true,
    after_help = "\
Examples:
  attache agents
  attache doctor -a gemini
  attache run -a gemini \"Say hello\"

Run `attache COMMAND --help` for details and examples."
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Chat(Box<Chat>),
    Run(Box<Run>),
    Agent(Agent),
    Claude(Claude),
    Agents(Agents),
    Config(Config),
    Sessions(Sessions),
    Doctor(Doctor),
    Permissions(Permissions),
    Audit(Audit),
    Trace(Box<Trace>),
    Replay(Box<Replay>),
    Mock(Mock),
    Check(Check),
    Completions(Completions),
    Man(Man),
}

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

/// Reads the command line.
pub(crate) fn read() -> Result<Arguments, clap::Error> {
    let words: Vec<_> = std::env::args_os().skip(1).collect();
    match started_by_editor(&words) {
        Some(command) => Ok(Arguments { command }),
        None => Arguments::try_parse(),
    }
}

/// The short path for an editor that starts an agent and waits: no parser for the other commands is built.
fn started_by_editor(words: &[OsString]) -> Option<Command> {
    match words {
        [agent] if agent == "agent" => Some(Command::Agent(Agent::default())),
        [claude] if claude == "claude" => Some(Command::Claude(Claude::default())),
        _ => None,
    }
}

/// Prints the help, or what is wrong with the arguments.
pub(crate) fn print_help(help: &clap::Error) -> Exit {
    if help.print().is_err() {
        return Exit::Failed;
    }
    match help.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => Exit::Done,
        _ => Exit::Usage,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agents_without_arguments_equal_what_the_parser_returns() {
        for name in ["agent", "claude"] {
            let parsed = Arguments::try_parse_from(["attache", name]).unwrap();
            let short = started_by_editor(&[name.into()]);
            assert_eq!(format!("{:?}", Some(parsed.command)), format!("{short:?}"));
        }
        let others = [
            vec![],
            vec!["chat".into()],
            vec!["agent".into(), "-h".into()],
        ];
        for other in others {
            assert!(started_by_editor(&other).is_none(), "{other:?}");
        }
    }
}
