//! The configuration: the user's file, the project's file once it is trusted, and the agents of other editors on request.
//! Reading it starts no program.

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
    /// The user's configuration file.
    pub user: PathBuf,
    /// The project's file, if there is one.
    pub project: Option<PathBuf>,
    /// The agent's working directory. Deny and ask rules of trusted projects above it apply too.
    pub directory: Option<PathBuf>,
    /// The project files that the user trusts.
    pub trust: TrustStore,
    /// The user's home directory, which contains the files of other editors.
    pub home: Option<PathBuf>,
    /// Editors whose agents to read, in addition to those in the configuration.
    pub editors: Vec<ForeignEditor>,
}

impl ConfigSources {
    /// The project's file for a directory: in the directory, or above it up to the root of the repository.
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

/// The configuration, each value with its location. The project's values come before the user's.
#[derive(Debug, Clone, Default)]
pub struct Configuration {
    /// The default agent.
    pub default_agent: Option<ConfigSetting<String>>,
    /// The preset: what happens when no rule and no remembered decision applies.
    pub permissions: Option<ConfigSetting<Preset>>,
    /// The default expiry of remembered decisions.
    pub expiry: Option<ConfigSetting<Expiry>>,
    /// The user's policy file with permission rules.
    pub policy: Option<ConfigSetting<PathBuf>>,
    /// A trusted project's policy file. Its deny and ask rules apply in addition to the user's; its allow rules do not.
    pub project_policy: Option<ConfigSetting<PathBuf>>,
    /// Additional environment variables for commands and MCP servers. Only the user's own file can set this.
    pub pass: Option<ConfigSetting<Vec<VariablePattern>>>,
    /// MCP servers for every session.
    pub mcp_servers: Vec<ConfigSetting<v1::McpServer>>,
    /// Agents by name. The first agent with a name is used.
    pub agents: Vec<ConfigSetting<ConfiguredAgent>>,
    /// Editors whose agents are read too.
    pub agents_from: Option<ConfigSetting<Vec<ForeignEditor>>>,
    /// The sandbox for commands. Only the user's own file can set this.
    pub sandbox: Option<ConfigSetting<SandboxConfig>>,
    /// Problems that are not errors.
    pub warnings: Vec<ConfigWarning>,
    /// The project's file, if it exists and is not trusted. Nothing in it applies.
    pub untrusted: Option<UntrustedProject>,
    /// Projects that were trusted and have changed. Only their deny and ask rules apply. The user is warned every time.
    pub changed: Vec<ChangedProject>,
    /// Stored deny and ask rules of projects whose file does not apply: projects that have changed since they were trusted,
    /// and trusted projects further up.
    pub kept: Vec<KeptPolicy>,
    /// Files that the project's file names, trusted or not. Anyone who writes one of them could extend what agents may do.
    pub named_files: Vec<PathBuf>,
    /// The user's file and the project's, whether they exist or not.
    pub files: Vec<PathBuf>,
    /// The policy of a trusted project as it was when trust was checked.
    policy_text: Option<String>,
}

/// A value and its location.
#[derive(Debug, Clone, PartialEq)]
pub struct ConfigSetting<T> {
    /// The value.
    pub value: T,
    /// The value's location.
    pub place: SourceLocation,
}

/// An agent that a configuration file defines.
#[derive(Clone, PartialEq)]
pub struct ConfiguredAgent {
    /// The agent's name.
    pub name: String,
    /// The agent's program.
    pub command: PathBuf,
    /// The program's arguments.
    pub args: Vec<String>,
    /// Environment variables to set.
    pub env: Vec<(String, Secret)>,
    /// The editor whose file defines the agent, if it is not our own file.
    pub editor: Option<ForeignEditor>,
}

/// A project's file that is not trusted, or has changed since it was trusted.
#[derive(Debug, Clone, PartialEq)]
pub struct UntrustedProject {
    /// The file.
    pub path: PathBuf,
    /// Whether the file, or a file that it names, has changed since it was trusted.
    pub has_changed: bool,
    /// Named files that have changed, if the project's file itself has not.
    pub changed: Vec<PathBuf>,
    /// Existing files that trust would cover in addition to the project's file.
    pub names: Vec<PathBuf>,
    /// For each named directory, the number of files below it. Trust covers these too.
    pub below: BTreeMap<PathBuf, usize>,
    /// Words of shell lines in the file's commands that may name files unknown before the line runs. Trust does not cover
    /// these.
    pub not_covered: Vec<String>,
    /// Whether the file is ignored because another user may have written it; `fault` says why.
    pub is_refused: bool,
    /// The values that the file would set, for display.
    pub rows: Vec<ConfigValue>,
    /// Problems in the file that are not errors.
    pub warnings: Vec<ConfigWarning>,
    /// Why the file cannot be used, if so.
    pub fault: Option<String>,
    contents: trust::TrustedContents,
    restrictions: restrictions::ProjectRestrictions,
    policy_text: Option<String>,
}

impl Configuration {
    /// Reads the configuration.
    ///
    /// # Errors
    ///
    /// When the user's file, or a trusted project's, cannot be read or is invalid. A missing file counts as empty.
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
            // A broken file of another editor is only a warning.
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

    /// The agent with this name.
    pub fn agent(&self, name: &str) -> Option<&ConfigSetting<ConfiguredAgent>> {
        self.agents.iter().find(|agent| agent.value.name == name)
    }

    /// The user's policy with the deny and ask rules of trusted projects. A project's rules are those that were read when
    /// trust was checked, or those that were trusted last.
    ///
    /// # Errors
    ///
    /// When a policy cannot be read or is invalid, or another user may have written it.
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

    /// The policy files that apply, the user's first.
    pub fn policies(&self) -> impl Iterator<Item = &ConfigSetting<PathBuf>> {
        self.policy.iter().chain(&self.project_policy)
    }

    /// Adds a layer with lower priority: existing values stay.
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

    /// Whether the file would add an agent with this name.
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

/// The name of a project's configuration file.
pub const PROJECT_FILE: &str = ".attache.json";
