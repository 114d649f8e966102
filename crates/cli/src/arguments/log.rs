//! The flags of the log.

use std::path::PathBuf;

use clap::{ArgAction, Args};

use super::Command;

/// What Attaché logs about itself. Without these flags, the variable ATTACHE_LOG decides.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct LogFlags {
    /// Log connections, programs and problems to standard error; -vv also requests, -vvv everything.
    #[arg(short, long, action = ArgAction::Count)]
    pub(crate) verbose: u8,
    /// Log nothing, whatever ATTACHE_LOG says.
    #[arg(short, long, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Append the log to a file (default: standard error; for `attache chat`, `chat.log` in the state directory).
    #[arg(long, value_name = "FILE")]
    pub(crate) log_file: Option<PathBuf>,
}

impl Command {
    /// The flags of the log. A command that has none uses the variable alone.
    pub(crate) fn log_flags(&self) -> LogFlags {
        let flags = match self {
            Command::Chat(chat) => &chat.terms.log,
            Command::Run(run) => &run.terms.log,
            Command::Agent(agent) => &agent.log,
            Command::Claude(claude) => &claude.log,
            Command::Agents(agents) => &agents.log,
            Command::Doctor(doctor) => &doctor.log,
            Command::Trace(trace) => &trace.recording.log,
            Command::Replay(replay) => &replay.log,
            Command::Mock(mock) => &mock.log,
            Command::Config(_)
            | Command::Sessions(_)
            | Command::Permissions(_)
            | Command::Audit(_)
            | Command::Check(_)
            | Command::Completions(_)
            | Command::Man(_) => return LogFlags::default(),
        };
        flags.clone()
    }
}
