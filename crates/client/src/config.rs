//! The configuration: the person's file, the project's file once it is trusted, and the agents of other editors when
//! asked. Reading it starts nothing.

mod document;
mod edit;
mod effective;
mod error;
mod foreign_editors;
mod layer;
mod named_files;
mod project;
mod restrictions;
mod sandbox;
mod similar_names;
mod trust;

#[cfg(test)]
mod attack_trust;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use attache::schema::Secret;
use attache::v1;
use attache_host::environment::{ChildEnvironment, VariablePattern};
use attache_host::permissions::{Expiry, Policy, PolicyError, Preset};

pub use edit::{set, unset};
pub use effective::ConfigValue;
pub use error::{ConfigError, ConfigWarning, SourceLocation};
pub use foreign_editors::ForeignEditor;
pub use restrictions::{ChangedProject, KeptPolicy};
pub use sandbox::{SandboxConfig, SandboxMode};
pub use trust::TrustStore;

pub(crate) use similar_names::similar_names;

use document::Document;
use layer::Layer;

/// Where the configuration is read from.
#[derive(Debug, Clone)]
pub struct ConfigSources {
    /// The person's file.
    pub user: PathBuf,
    /// The project's file, if there is one.
    pub project: Option<PathBuf>,
    /// The directory in which an agent is to work. What trusted projects above it deny and ask about counts in it.
    pub directory: Option<PathBuf>,
    /// What the person trusts.
    pub trust: TrustStore,
    /// The person's home directory, where other editors keep their files.
    pub home: Option<PathBuf>,
    /// Whose agents are wanted besides those that the configuration names.
    pub editors: Vec<ForeignEditor>,
}

impl ConfigSources {
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
    pub default_agent: Option<ConfigSetting<String>>,
    /// What happens with questions that no rule and no decision answers.
    pub permissions: Option<ConfigSetting<Preset>>,
    /// How long an answer holds for more than the session, unless the person says otherwise.
    pub expiry: Option<ConfigSetting<Expiry>>,
    /// The user's file with rules for permissions.
    pub policy: Option<ConfigSetting<PathBuf>>,
    /// The same of a trusted project. Its rules that deny or ask count beside the user's; those that allow do not.
    pub project_policy: Option<ConfigSetting<PathBuf>>,
    /// Variables that commands and MCP servers get beside those that are listed. Only the user's own file says so.
    pub pass: Option<ConfigSetting<Vec<VariablePattern>>>,
    /// MCP servers for every session.
    pub mcp_servers: Vec<ConfigSetting<v1::McpServer>>,
    /// Agents by name. The first of a name counts.
    pub agents: Vec<ConfigSetting<ConfiguredAgent>>,
    /// Whose agents are read too.
    pub agents_from: Option<ConfigSetting<Vec<ForeignEditor>>>,
    /// The sandbox for commands. Only the user's own file sets it.
    pub sandbox: Option<ConfigSetting<SandboxConfig>>,
    /// What looks wrong and does no harm.
    pub warnings: Vec<ConfigWarning>,
    /// The project's file, if there is one and it is not trusted. Nothing of it counts.
    pub untrusted: Option<UntrustedProject>,
    /// Projects that were trusted, of which nothing but what they deny and ask about counts. The user is told every time.
    pub changed: Vec<ChangedProject>,
    /// Rules that deny and ask of projects whose file does not count: those that were trusted and have changed since, and
    /// trusted ones further up.
    pub kept: Vec<KeptPolicy>,
    /// Files that the project's file names, trusted or not. Who writes one of them could widen what agents may do.
    pub named_files: Vec<PathBuf>,
    /// The user's file and the project's, whether they are there or not.
    pub files: Vec<PathBuf>,
    /// The policy of a trusted project as it was when trust was checked.
    policy_text: Option<String>,
}

/// A value and where it comes from.
#[derive(Debug, Clone, PartialEq)]
pub struct ConfigSetting<T> {
    /// The value.
    pub value: T,
    /// Where it comes from.
    pub place: SourceLocation,
}

/// An agent that a file names.
#[derive(Clone, PartialEq)]
pub struct ConfiguredAgent {
    /// Its name.
    pub name: String,
    /// Its program.
    pub command: PathBuf,
    /// Its arguments.
    pub args: Vec<String>,
    /// Environment variables to set.
    pub env: Vec<(String, Secret)>,
    /// The editor that it was read from, if it is not our own file.
    pub editor: Option<ForeignEditor>,
}

/// A project's file that nobody has trusted, or that has changed since.
#[derive(Debug, Clone, PartialEq)]
pub struct UntrustedProject {
    /// The file.
    pub path: PathBuf,
    /// Whether it, or a file that it names, has changed since it was trusted.
    pub has_changed: bool,
    /// Named files that have changed, where the project's file itself has not.
    pub changed: Vec<PathBuf>,
    /// Files that exist and that trust would cover beside the project's file.
    pub names: Vec<PathBuf>,
    /// How many files are below each of them that is a directory. TrustStore covers these too.
    pub below: BTreeMap<PathBuf, usize>,
    /// Words of shell lines in its commands whose files cannot be told, so that trust does not cover them.
    pub not_covered: Vec<String>,
    /// Whether it is refused because somebody else may have written it; `fault` says why.
    pub is_refused: bool,
    /// What it would set, to be shown.
    pub rows: Vec<ConfigValue>,
    /// What is odd about it.
    pub warnings: Vec<ConfigWarning>,
    /// Why it cannot be used, if so.
    pub fault: Option<String>,
    contents: trust::TrustedContents,
    restrictions: restrictions::ProjectRestrictions,
    policy_text: Option<String>,
}

impl Configuration {
    /// Reads everything.
    ///
    /// # Errors
    ///
    /// When a file of ours that counts cannot be read or does not fit. A file that does not exist is empty.
    pub fn load(sources: &ConfigSources) -> Result<Configuration, ConfigError> {
        let files = std::iter::once(&sources.user).chain(&sources.project);
        let mut configuration = Configuration {
            files: files.cloned().collect(),
            ..Configuration::default()
        };
        let user = match Document::open(&sources.user)? {
            Some(document) => Layer::read(&document)?,
            None => Layer::default(),
        };
        configuration.add_projects(sources, &user)?;
        configuration.add(user);
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

    /// The environment of commands and MCP servers.
    pub fn child_environment(&self) -> ChildEnvironment {
        let pass = self.pass.as_ref().map(|pass| pass.value.as_slice());
        ChildEnvironment::of_process(pass.unwrap_or_default())
    }

    /// The agent of a name.
    pub fn agent(&self, name: &str) -> Option<&ConfigSetting<ConfiguredAgent>> {
        self.agents.iter().find(|agent| agent.value.name == name)
    }

    /// The user's policy, and what trusted projects deny and ask about beside it. The policy of a project is the one that
    /// was looked at when trust was checked, or the one that was trusted last.
    ///
    /// # Errors
    ///
    /// When one cannot be read, others may have written it, or it does not fit.
    pub fn load_policy(&self) -> Result<Option<Policy>, PolicyError> {
        let own = self.policy.as_ref();
        let mut all = own.map(|policy| Policy::load(&policy.value)).transpose()?;
        if let Some(project) = &self.project_policy {
            let loaded = Policy::load(&project.value)?;
            let name = project.value.display().to_string();
            let project = match &self.policy_text {
                Some(text) => Policy::parse(&name, text)?,
                None => loaded,
            };
            all = Some(all.unwrap_or_default().narrowed_by(project, &name));
        }
        for kept in &self.kept {
            let (rules, name) = kept.rules();
            all = Some(all.unwrap_or_default().narrowed_by(rules?, &name));
        }
        Ok(all)
    }

    /// The policies that count, the user's first.
    pub fn policies(&self) -> impl Iterator<Item = &ConfigSetting<PathBuf>> {
        self.policy.iter().chain(&self.project_policy)
    }

    /// Adds what is said further away: what is there already counts.
    fn add(&mut self, layer: Layer) {
        self.default_agent = self.default_agent.take().or(layer.default_agent);
        self.permissions = self.permissions.take().or(layer.permissions);
        self.expiry = self.expiry.take().or(layer.expiry);
        self.policy = self.policy.take().or(layer.policy);
        self.pass = self.pass.take().or(layer.pass);
        self.agents_from = self.agents_from.take().or(layer.agents_from);
        self.sandbox = self.sandbox.take().or(layer.sandbox);
        self.mcp_servers.extend(layer.mcp_servers);
        self.agents.extend(layer.agents);
        self.warnings.extend(layer.warnings);
    }

    fn editors(&self, sources: &ConfigSources) -> Vec<ForeignEditor> {
        let configured = self.agents_from.iter().flat_map(|from| &from.value);
        let mut editors = sources.editors.clone();
        editors.extend(configured);
        editors.sort();
        editors.dedup();
        editors
    }
}

impl UntrustedProject {
    fn refused(path: &Path, fault: String) -> UntrustedProject {
        UntrustedProject {
            path: path.to_owned(),
            has_changed: false,
            changed: Vec::new(),
            names: Vec::new(),
            below: BTreeMap::new(),
            not_covered: Vec::new(),
            is_refused: true,
            rows: Vec::new(),
            warnings: Vec::new(),
            fault: Some(fault),
            contents: trust::TrustedContents::default(),
            restrictions: restrictions::ProjectRestrictions::default(),
            policy_text: None,
        }
    }

    /// Whether it would add an agent of this name.
    pub fn names(&self, agent: &str) -> bool {
        let key = format!("agent_servers.{agent}");
        self.rows.iter().any(|row| row.key == key)
    }
}

impl fmt::Debug for ConfiguredAgent {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.env.iter().map(|(name, _)| name).collect();
        out.debug_struct("ConfiguredAgent")
            .field("name", &self.name)
            .field("command", &self.command)
            .field("args", &self.args)
            .field("env", &names)
            .finish_non_exhaustive()
    }
}

/// The name of a project's file.
pub const PROJECT_FILE: &str = ".attache.json";
