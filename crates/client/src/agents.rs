//! Agents by name: well-known agents and configured agents, and how to start them.

mod builtin;
mod probe;
mod search;

#[cfg(test)]
mod tests;

use std::fmt;
use std::path::{Path, PathBuf, absolute};

use attache::process::Program;
use attache::schema::Secret;
use attache_text::shell;

use crate::config::{Configuration, ConfiguredAgent, ForeignEditor, similar_names};

pub use probe::{LoginStatus, Probe};
pub(crate) use search::resolve_program;
pub use search::{find_program, find_program_on};

pub(crate) use probe::{detecting_options, first_line, initialize_request, line};

/// An agent: its name, and how to start it.
#[derive(Clone, PartialEq)]
pub struct Agent {
    /// The agent's name, as in `-a NAME`.
    pub name: String,
    /// Definition of the agent.
    pub source: AgentSource,
    /// The agent's program: a name to look up in `PATH`, or a path.
    pub command: PathBuf,
    /// The program's arguments.
    pub args: Vec<String>,
    /// Environment variables to set.
    pub env: Vec<(String, Secret)>,
    /// Another program that the agent cannot work without.
    pub needs: Option<&'static str>,
    /// A command that installs the agent, or where to get it.
    pub install: Option<&'static str>,
    /// How to log in, as a hint for the user.
    pub login: Option<&'static str>,
}

/// Where an agent is defined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AgentSource {
    /// This program is the agent.
    Own,
    /// The built-in list of well-known agents.
    Builtin,
    /// A configuration file.
    Configured(PathBuf),
    /// Another editor's file.
    Editor(ForeignEditor),
    /// A command that the user gave instead of a name.
    Command,
}

/// All agents that have a name.
#[derive(Debug, Clone)]
pub struct AgentCatalog {
    agents: Vec<Agent>,
}

/// No agent has this name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no agent `{name}`; {}`attache agents` lists them", did_you_mean(.nearest))]
pub struct UnknownAgent {
    /// The name that was not found.
    pub name: String,
    /// Similar names, the most similar first.
    pub nearest: Vec<String>,
}

/// An agent's program was not found, or is not executable.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what}; {fix}")]
pub struct AgentNotInstalled {
    /// The missing program, and why it is needed.
    pub what: String,
    /// How the user can fix that.
    pub fix: String,
}

impl AgentCatalog {
    /// The agents of a configuration, then the well-known agents. A configured agent replaces a well-known agent of the
    /// same name.
    pub fn of(configuration: &Configuration) -> AgentCatalog {
        let configured = configuration.agents.iter();
        let configured = configured.map(|agent| Agent::configured(&agent.value, &agent.place.path));
        let mut agents: Vec<Agent> = Vec::new();
        for agent in configured.chain(builtin::agents()) {
            if agents.iter().all(|other| other.name != agent.name) {
                agents.push(agent);
            }
        }
        AgentCatalog { agents }
    }

    /// The name of Attaché's own agent, the default.
    pub const OWN: &str = builtin::OWN;

    /// All agents, each name once.
    pub fn agents(&self) -> &[Agent] {
        &self.agents
    }

    /// The agent with this name.
    ///
    /// # Errors
    ///
    /// When there is none; the error lists similar names.
    pub fn find(&self, name: &str) -> Result<&Agent, UnknownAgent> {
        let found = self.agents.iter().find(|agent| agent.name == name);
        found.ok_or_else(|| {
            let names = self.agents.iter().map(|agent| agent.name.as_str());
            let nearest = similar_names(name, names).into_iter().map(str::to_owned);
            UnknownAgent {
                name: name.to_owned(),
                nearest: nearest.collect(),
            }
        })
    }
}

impl Agent {
    /// An agent that the user gave as a command. Its name is its program's file name.
    pub fn of_command(program: &str, args: &[String]) -> Agent {
        let name = Path::new(program).file_name();
        Agent {
            name: name.map_or_else(|| program.to_owned(), |name| name.to_string_lossy().into()),
            source: AgentSource::Command,
            command: PathBuf::from(program),
            args: args.to_vec(),
            env: Vec::new(),
            needs: None,
            install: None,
            login: None,
        }
    }

    /// The key under which decisions about this agent are remembered: the agent's name, or the program's path and a digest
    /// of its arguments for an agent that was given as a command. So two programs with the same name, or two scripts of
    /// one interpreter, are different agents.
    pub fn identity(&self) -> String {
        if self.source != AgentSource::Command {
            return self.name.clone();
        }
        let found = self.installed().unwrap_or_else(|| self.command.clone());
        let place = whole(&found).to_string_lossy().into_owned();
        if self.args.is_empty() {
            return place;
        }
        let mut words = blake3::Hasher::new();
        for arg in &self.args {
            let path = Path::new(arg);
            let arg = match path.is_file() {
                true => whole(path),
                false => path.to_owned(),
            };
            words.update(arg.as_os_str().as_encoded_bytes());
            words.update(&[0]);
        }
        // A digest, because an argument may be a secret.
        format!("{place} #{}", &words.finalize().to_hex()[..DIGITS])
    }

    /// The program to start.
    pub fn program(&self) -> Program {
        // A relative path starts at our directory, not at the agent's working directory.
        let command = match self.command.components().count() {
            0 | 1 => self.command.clone(),
            _ => absolute(&self.command).unwrap_or_else(|_| self.command.clone()),
        };
        let program = Program::new(command).args(&self.args);
        let variables = self.env.iter();
        variables.fold(program, |program, (name, value)| {
            program.env(name, value.reveal())
        })
    }

    /// The path of the agent's program, if that program and the one that it needs are installed. Starts nothing.
    pub fn installed(&self) -> Option<PathBuf> {
        if let Some(needed) = self.needs {
            find_program(Path::new(needed))?;
        }
        self.found()
    }

    fn found(&self) -> Option<PathBuf> {
        let path = self.env.iter().rev().find(|(name, _)| name == "PATH");
        match path {
            Some((_, path)) => find_program_on(&self.command, path.reveal().as_ref()),
            None => find_program(&self.command),
        }
    }

    /// The path of the agent's program. Starts nothing.
    ///
    /// # Errors
    ///
    /// When the program is not installed; the error says how to install it.
    pub fn locate(&self) -> Result<PathBuf, AgentNotInstalled> {
        self.found().ok_or_else(|| self.not_installed())
    }

    /// The command as you would type it in a shell, on one line.
    pub fn command_line(&self) -> String {
        let command = match self.source {
            AgentSource::Own => "attache".into(),
            _ => self.command.to_string_lossy(),
        };
        let args = self.args.iter().map(|arg| arg.as_str().into());
        shell::join(std::iter::once(command).chain(args))
    }

    fn not_installed(&self) -> AgentNotInstalled {
        let command = self.command.display();
        let is_path = self.command.components().count() > 1;
        if is_path && self.command.exists() {
            return AgentNotInstalled {
                what: format!("{command} is not an executable file"),
                fix: format!("make it executable: chmod +x {command}"),
            };
        }
        AgentNotInstalled {
            what: if is_path {
                format!("{command} does not exist")
            } else {
                format!("`{command}` was not found on the PATH")
            },
            fix: match self.install {
                Some(install) => format!("install it: {install}"),
                None if is_path => {
                    "check the path; relative paths start at the current directory".to_owned()
                }
                None => "install it, or check its name and the PATH".to_owned(),
            },
        }
    }

    fn configured(custom: &ConfiguredAgent, file: &Path) -> Agent {
        let known = builtin::agents().find(|agent| agent.command == custom.command);
        Agent {
            name: custom.name.clone(),
            source: match custom.editor {
                Some(editor) => AgentSource::Editor(editor),
                None => AgentSource::Configured(file.to_owned()),
            },
            command: custom.command.clone(),
            args: custom.args.clone(),
            env: custom.env.clone(),
            needs: None,
            install: known.as_ref().and_then(|known| known.install),
            login: known.and_then(|known| known.login),
        }
    }
}

impl fmt::Debug for Agent {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.env.iter().map(|(name, _)| name).collect();
        out.debug_struct("Agent")
            .field("name", &self.name)
            .field("source", &self.source)
            .field("command", &self.command)
            .field("args", &self.args)
            .field("env", &names)
            .finish_non_exhaustive()
    }
}

impl fmt::Display for AgentSource {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AgentSource::Own => out.write_str("this program"),
            AgentSource::Builtin => out.write_str("known"),
            AgentSource::Configured(file) => write!(out, "{}", file.display()),
            AgentSource::Editor(editor) => out.write_str(editor.name()),
            AgentSource::Command => out.write_str("command"),
        }
    }
}

/// The canonical path of an existing file, otherwise the absolute path.
fn whole(path: &Path) -> PathBuf {
    let whole = path.canonicalize().or_else(|_| absolute(path));
    whole.unwrap_or_else(|_| path.to_owned())
}

fn did_you_mean(nearest: &[String]) -> String {
    match nearest {
        [] => String::new(),
        names => format!("did you mean `{}`? ", names.join("`, `")),
    }
}

const DIGITS: usize = 8;
