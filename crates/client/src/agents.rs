//! The agents a person can name: those that everybody knows, those of the configuration, and how to start them.

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

/// An agent: its name, and how it is started.
#[derive(Clone, PartialEq)]
pub struct Agent {
    /// Its name.
    pub name: String,
    /// Who has named it.
    pub source: AgentSource,
    /// Its program: a name to be looked up, or a path.
    pub command: PathBuf,
    /// Its arguments.
    pub args: Vec<String>,
    /// Environment variables to set.
    pub env: Vec<(String, Secret)>,
    /// A program that it is of no use without.
    pub needs: Option<&'static str>,
    /// A command that installs it, or where to get it.
    pub install: Option<&'static str>,
    /// How to log in.
    pub login: Option<&'static str>,
}

/// Who has named an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AgentSource {
    /// It is this very program.
    Own,
    /// We know it.
    Builtin,
    /// A configuration file.
    Configured(PathBuf),
    /// Another editor's file.
    Editor(ForeignEditor),
    /// The command was given as it is.
    Command,
}

/// Every agent that has a name.
#[derive(Debug, Clone)]
pub struct AgentCatalog {
    agents: Vec<Agent>,
}

/// There is no agent of this name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no agent `{name}`; {}`attache agents` lists them", did_you_mean(.nearest))]
pub struct UnknownAgent {
    /// The name.
    pub name: String,
    /// Those that look like it, the most alike first.
    pub nearest: Vec<String>,
}

/// An agent's program is not there.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what}; {fix}")]
pub struct AgentNotInstalled {
    /// What is missing.
    pub what: String,
    /// How to get it.
    pub fix: String,
}

impl AgentCatalog {
    /// The agents of a configuration, then those that everybody knows. The first of a name counts: a configured agent
    /// takes the place of a known one.
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

    /// The name of our own agent, which counts when none is named.
    pub const OWN: &str = builtin::OWN;

    /// All of them, each name once.
    pub fn agents(&self) -> &[Agent] {
        &self.agents
    }

    /// The agent of a name.
    ///
    /// # Errors
    ///
    /// When there is none; the error names those that look like it.
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
    /// An agent whose command was given as it is. It is named after its program.
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

    /// What decisions about it are remembered under: its name, or where its program is if only a command was given. Two
    /// programs of one name are two agents, and so are two scripts of one interpreter.
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
        // Only a digest: an argument may be a secret.
        format!("{place} #{}", &words.finalize().to_hex()[..DIGITS])
    }

    /// The program to start.
    pub fn program(&self) -> Program {
        // One that is named with its folder is meant from where we are, not from where it is to work.
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

    /// Where its program is, if it and what it needs are there. Nothing is started.
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

    /// Where its program is. Nothing is started.
    ///
    /// # Errors
    ///
    /// When it is not there; the error says how to install it.
    pub fn locate(&self) -> Result<PathBuf, AgentNotInstalled> {
        self.found().ok_or_else(|| self.not_installed())
    }

    /// The command in one line, as it would be typed.
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
                what: format!("{command} is no executable file"),
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
                None if is_path => "check the path; it is looked for from where you are".to_owned(),
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

/// The whole path, with links followed where there is something.
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
