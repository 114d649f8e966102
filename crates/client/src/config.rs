//! The configuration: the person's file, the project's file once it is trusted, and the agents of other editors when
//! asked. Reading it starts nothing.

mod document;
mod edit;
mod effective;
mod error;
mod foreign;
mod layer;
mod mcp;
mod nearest;
mod trust;

#[cfg(test)]
mod tests;

use std::fmt;
use std::path::{Path, PathBuf};

use attache::schema::Secret;
use attache::v1;
use attache_host::permissions::{Preset, Term};

pub use edit::{set, unset};
pub use effective::Row;
pub use error::{Error, Place, Warning};
pub use foreign::Editor;
pub use trust::Trust;

pub(crate) use nearest::nearest;

use document::Document;
use layer::Layer;

/// Where the configuration is read from.
#[derive(Debug, Clone)]
pub struct Sources {
    /// The person's file.
    pub user: PathBuf,
    /// The project's file, if there is one.
    pub project: Option<PathBuf>,
    /// What the person trusts.
    pub trust: Trust,
    /// The person's home directory, where other editors keep their files.
    pub home: Option<PathBuf>,
    /// Whose agents are wanted besides those that the configuration names.
    pub editors: Vec<Editor>,
}

impl Sources {
    /// The project's file as seen from a directory: in it, or above it up to the root of the repository.
    pub fn project_file(cwd: &Path) -> Option<PathBuf> {
        for folder in cwd.ancestors() {
            let file = folder.join(PROJECT_FILE);
            if file.is_file() {
                return Some(file);
            }
            if folder.join(".git").exists() {
                return None;
            }
        }
        None
    }
}

/// What is configured, each value with where it comes from. The project's values come before the person's.
#[derive(Debug, Clone, Default)]
pub struct Configuration {
    /// The agent to talk to unless another is named.
    pub default_agent: Option<Setting<String>>,
    /// What happens with questions that no rule and no decision answers.
    pub permissions: Option<Setting<Preset>>,
    /// How long an answer holds for more than the session, unless the person says otherwise.
    pub expiry: Option<Setting<Term>>,
    /// A file with rules for permissions.
    pub policy: Option<Setting<PathBuf>>,
    /// MCP servers for every session.
    pub mcp_servers: Vec<Setting<v1::McpServer>>,
    /// Agents by name. The first of a name counts.
    pub agents: Vec<Setting<Custom>>,
    /// Whose agents are read too.
    pub agents_from: Option<Setting<Vec<Editor>>>,
    /// What looks wrong and does no harm.
    pub warnings: Vec<Warning>,
    /// The project's file, if there is one and it is not trusted. Nothing of it counts.
    pub untrusted: Option<Untrusted>,
}

/// A value and where it comes from.
#[derive(Debug, Clone, PartialEq)]
pub struct Setting<T> {
    /// The value.
    pub value: T,
    /// Where it comes from.
    pub place: Place,
}

/// An agent that a file names.
#[derive(Clone, PartialEq)]
pub struct Custom {
    /// Its name.
    pub name: String,
    /// Its program.
    pub command: PathBuf,
    /// Its arguments.
    pub args: Vec<String>,
    /// Environment variables to set.
    pub env: Vec<(String, Secret)>,
    /// The editor that it was read from, if it is not our own file.
    pub editor: Option<Editor>,
}

/// A project's file that nobody has trusted, or that has changed since.
#[derive(Debug, Clone, PartialEq)]
pub struct Untrusted {
    /// The file.
    pub path: PathBuf,
    /// Whether it was trusted before it changed.
    pub has_changed: bool,
    /// What it would set, to be shown.
    pub rows: Vec<Row>,
    /// What is odd about it.
    pub warnings: Vec<Warning>,
    /// Why it cannot be used, if so.
    pub fault: Option<String>,
    digest: String,
}

impl Configuration {
    /// Reads everything.
    ///
    /// # Errors
    ///
    /// When a file of ours that counts cannot be read or does not fit. A file that does not exist is empty.
    pub fn load(sources: &Sources) -> Result<Configuration, Error> {
        let mut configuration = Configuration::default();
        if let Some(path) = &sources.project {
            configuration.add_project(path, &sources.trust)?;
        }
        if let Some(document) = Document::open(&sources.user)? {
            configuration.add(Layer::read(&document)?);
        }
        for editor in configuration.editors(sources) {
            // What is wrong with the file of an editor is no reason to do nothing.
            match sources.home.as_ref().map(|home| editor.agents(home)) {
                Some(Ok(agents)) => configuration.agents.extend(agents),
                Some(Err(error)) => configuration.warnings.push(error.into()),
                None => {}
            }
        }
        Ok(configuration)
    }

    /// The agent of a name.
    pub fn agent(&self, name: &str) -> Option<&Setting<Custom>> {
        self.agents.iter().find(|agent| agent.value.name == name)
    }

    fn add_project(&mut self, path: &Path, trust: &Trust) -> Result<(), Error> {
        let Some(document) = Document::open(path)? else {
            return Ok(());
        };
        let known = trust.of(path, document.text());
        if known == trust::Known::Trusted {
            self.add(Layer::read(&document)?);
            return Ok(());
        }
        let mut alone = Configuration::default();
        let fault = match Layer::read(&document) {
            Ok(layer) => {
                alone.add(layer);
                None
            }
            Err(error) => Some(error.to_string()),
        };
        self.untrusted = Some(Untrusted {
            path: path.to_owned(),
            has_changed: known == trust::Known::Changed,
            rows: alone.rows(),
            warnings: alone.warnings,
            fault,
            digest: trust::digest(document.text()),
        });
        Ok(())
    }

    /// Adds what is said further away: what is there already counts.
    fn add(&mut self, layer: Layer) {
        self.default_agent = self.default_agent.take().or(layer.default_agent);
        self.permissions = self.permissions.take().or(layer.permissions);
        self.expiry = self.expiry.take().or(layer.expiry);
        self.policy = self.policy.take().or(layer.policy);
        self.agents_from = self.agents_from.take().or(layer.agents_from);
        self.mcp_servers.extend(layer.mcp_servers);
        self.agents.extend(layer.agents);
        self.warnings.extend(layer.warnings);
    }

    fn editors(&self, sources: &Sources) -> Vec<Editor> {
        let configured = self.agents_from.iter().flat_map(|from| &from.value);
        let mut editors = sources.editors.clone();
        editors.extend(configured);
        editors.sort();
        editors.dedup();
        editors
    }
}

impl Untrusted {
    /// Whether it would add an agent of this name.
    pub fn names(&self, agent: &str) -> bool {
        let key = format!("agent_servers.{agent}");
        self.rows.iter().any(|row| row.key == key)
    }
}

impl fmt::Debug for Custom {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.env.iter().map(|(name, _)| name).collect();
        out.debug_struct("Custom")
            .field("name", &self.name)
            .field("command", &self.command)
            .field("args", &self.args)
            .field("env", &names)
            .finish_non_exhaustive()
    }
}

/// The name of a project's file.
pub const PROJECT_FILE: &str = ".attache.json";
