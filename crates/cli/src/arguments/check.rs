//! `attache check`, and `attache mock` as its counterpart for clients.

use std::path::PathBuf;

use attache_check::conformance::{Preset, PromptKind};
use clap::{Args, Subcommand, ValueEnum};

use super::{AgentChoice, LogFlags};

/// Check whether an agent, a client or a proxy follows the protocol.
///
/// The program under test is started many times, in a new directory. Each check ends with pass, fail (violates a MUST),
/// warn (violates a SHOULD, or differs from the official SDKs) or not exercised.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  attache check agent -- ./my-agent --acp
  attache check agent --prompt-for tool-call=\"read hello.txt\" --report out.html -- ./my-agent
  attache check client -- my-client --agent {agent} --prompt hello
  attache check proxy -- my-proxy {agent}
  attache check agent --list

Exit codes:
  0 conforms   1 violates the protocol   2 usage   130 interrupted")]
pub(crate) struct Check {
    #[command(subcommand)]
    pub(crate) command: CheckCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum CheckCommand {
    Agent(Box<CheckAgent>),
    Client(Box<CheckClient>),
    Proxy(Box<CheckProxy>),
    /// Connects standard input and output to a socket: the agent that a client under test starts.
    #[command(hide = true)]
    Relay {
        /// The address of the socket, `#`, and the first line to send.
        address: String,
    },
    /// The MCP server that an agent under test gets.
    #[command(hide = true)]
    Mcp {
        /// The file for the messages that it receives.
        heard: PathBuf,
    },
}

/// Check an agent with our client.
#[derive(Debug, Args)]
pub(crate) struct CheckAgent {
    #[command(flatten)]
    pub(crate) choice: AgentChoice,
    /// A prompt that makes the agent do something, such as tool-call="read hello.txt"; can be given several times.
    ///
    /// The kinds are text, long, tool-call, permission, plan, fs-read, fs-write, terminal, long-tool and elicitation.
    /// The working directory contains `hello.txt` with three lines.
    #[arg(long = "prompt-for", value_name = "KIND=TEXT", value_parser = prompt_for)]
    pub(crate) prompts: Vec<(PromptKind, String)>,
    /// Prompts for known agents: attache, tour, interop, products, or model for any agent with a language model.
    #[arg(long, value_name = "NAME")]
    pub(crate) preset: Option<Preset>,
    #[command(flatten)]
    pub(crate) options: CheckOptions,
}

/// The home directory of a program under test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CheckHome {
    /// An empty directory that is removed afterwards.
    Fresh,
    /// Your own home directory, which the program may change.
    Real,
}

/// Check a client with our agent.
///
/// `{agent}` in the command stands for the agent's command, as one word; without it the command is appended word by
/// word. Without a command, prints a snippet for the client's configuration and checks the client that connects.
#[derive(Debug, Args)]
pub(crate) struct CheckClient {
    /// The client's command: it must start the agent and send it a prompt.
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
    /// A command that makes the client do something, such as cancel="my-client --cancel-after 1 {agent}".
    #[arg(long = "command-for", value_name = "KIND=COMMAND", value_parser = command_for)]
    pub(crate) commands: Vec<(String, String)>,
    #[command(flatten)]
    pub(crate) options: CheckOptions,
}

/// Check a proxy with our client in front of it and our agent behind it.
///
/// The word `{agent}` in the command stands for the agent's command, word by word, and `{agent}` within a longer word for
/// the command quoted for a shell. Without it the agent's command is appended.
#[derive(Debug, Args)]
pub(crate) struct CheckProxy {
    /// The proxy's command.
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
    #[command(flatten)]
    pub(crate) options: CheckOptions,
}

/// Options for checking and reporting.
#[derive(Debug, Args)]
pub(crate) struct CheckOptions {
    /// The home directory of the program under test: an empty one that is removed afterwards, or your own, with its
    /// logins and settings.
    #[arg(long, value_name = "HOME", default_value = "fresh")]
    pub(crate) home: CheckHome,
    /// Only checks whose ids match, with `*` for any text; can be given several times.
    #[arg(long, value_name = "GLOB")]
    pub(crate) only: Vec<String>,
    /// List the checks, without running any.
    #[arg(long)]
    pub(crate) list: bool,
    /// Report every check, not only those that did not pass.
    #[arg(short, long)]
    pub(crate) verbose: bool,
    /// Format of the result.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: CheckFormat,
    /// Also write a page with the conversation beside each finding.
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
    /// Seconds to wait for a response.
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=600))]
    pub(crate) timeout: u64,
    /// Conversations at the same time.
    #[arg(long, value_name = "COUNT", default_value_t = 4, value_parser = clap::value_parser!(u8).range(1..=16))]
    pub(crate) jobs: u8,
}

/// Format of the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CheckFormat {
    /// For people.
    Text,
    /// For programs.
    Json,
    /// For CI systems that read test reports.
    Junit,
}

fn prompt_for(text: &str) -> Result<(PromptKind, String), String> {
    let (kind, prompt) = text.split_once('=').ok_or("expected KIND=TEXT")?;
    Ok((kind.parse()?, prompt.to_owned()))
}

fn command_for(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((kind @ "cancel", command)) => Ok((kind.to_owned(), command.to_owned())),
        _ => Err("expected cancel=COMMAND".to_owned()),
    }
}

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
    #[command(flatten)]
    pub(crate) log: LogFlags,
}
