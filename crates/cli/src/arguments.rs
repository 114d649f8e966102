//! The command line: all commands and their arguments.

mod agent;
mod agents;
mod audit;
mod chat;
mod check;
mod claude;
mod completions;
mod config;
mod doctor;
mod mock;
mod permissions;
mod replay;
mod run;
mod sessions;
mod terms;
mod trace;

use std::ffi::OsString;

use clap::error::ErrorKind;
use clap::{Parser, Subcommand};

use crate::exit::Exit;

pub(crate) use agent::Agent;
pub(crate) use agents::{Agents, Choice};
pub(crate) use audit::{Audit, AuditCommand, AuditFilter};
pub(crate) use chat::Chat;
pub(crate) use check::{
    Check, CheckAgent, CheckClient, CheckCommand, CheckFormat, CheckHome, CheckProxy, How,
};
pub(crate) use claude::{Claude, Login};
pub(crate) use completions::{Completions, Man};
pub(crate) use config::{Config, ConfigCommand};
pub(crate) use doctor::Doctor;
pub(crate) use mock::Mock;
pub(crate) use permissions::{Permissions, PermissionsCommand};
pub(crate) use replay::Replay;
pub(crate) use run::{Format, Run};
pub(crate) use sessions::{Delete, Export, ExportFormat, List, Sessions, SessionsCommand, Show};
pub(crate) use terms::{Approval, SandboxFlags, Terms};
pub(crate) use trace::{
    Diff, Party, Recording, Stats, Trace, TraceCommand, TraceExport, TraceFormat, Validate, View,
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

/// Reads the command line.
pub(crate) fn read() -> Result<Arguments, clap::Error> {
    let said: Vec<_> = std::env::args_os().skip(1).collect();
    match started_by_editor(&said) {
        Some(command) => Ok(Arguments { command }),
        None => Arguments::try_parse(),
    }
}

/// The short path for an editor that starts an agent and waits: no parser for the other commands is built.
fn started_by_editor(said: &[OsString]) -> Option<Command> {
    match said {
        [agent] if agent == "agent" => Some(Command::Agent(Agent::default())),
        [claude] if claude == "claude" => Some(Command::Claude(Claude::default())),
        _ => None,
    }
}

/// Prints the help, or what is wrong with the arguments.
pub(crate) fn explain(help: &clap::Error) -> Exit {
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
