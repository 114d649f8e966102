//! One configuration file: its keys, and the values they take.

use std::path::{Path, PathBuf};

use attache::schema::Secret;
use attache::v1;
use attache_host::environment::{VariablePattern, VariablePatternError};
use attache_host::permissions::{Expiry, ExpiryError, Preset};

use super::document::{Document, Node};
use super::error::{ConfigError, ConfigWarning};
use super::{ConfigSetting, ConfiguredAgent, ForeignEditor, SandboxConfig, sandbox, similar_names};
use crate::agents::resolve_program;
use crate::mcp;

/// The values of one file.
#[derive(Debug, Default)]
pub(super) struct Layer {
    pub(super) default_agent: Option<ConfigSetting<String>>,
    pub(super) permissions: Option<ConfigSetting<Preset>>,
    pub(super) expiry: Option<ConfigSetting<Expiry>>,
    pub(super) policy: Option<ConfigSetting<PathBuf>>,
    pub(super) pass: Option<ConfigSetting<Vec<VariablePattern>>>,
    pub(super) mcp_servers: Vec<ConfigSetting<v1::McpServer>>,
    pub(super) agents: Vec<ConfigSetting<ConfiguredAgent>>,
    pub(super) agents_from: Option<ConfigSetting<Vec<ForeignEditor>>>,
    pub(super) sandbox: Option<ConfigSetting<SandboxConfig>>,
    pub(super) warnings: Vec<ConfigWarning>,
}

impl Layer {
    pub(super) fn read(document: &Document) -> Result<Layer, ConfigError> {
        document.read(|root| {
            let mut layer = Layer::default();
            for (key, node) in root.members()? {
                layer.set(key, &node)?;
            }
            Ok(layer)
        })
    }

    /// Drops `sandbox`: a project cannot set what its commands may access.
    pub(super) fn drop_sandbox(&mut self) {
        if let Some(sandbox) = self.sandbox.take() {
            self.warnings.push(ConfigWarning {
                place: Some(sandbox.place),
                what: "`sandbox` counts only in your own configuration, not in a project's"
                    .to_owned(),
            });
        }
    }

    fn set(&mut self, key: &str, node: &Node<'_>) -> Result<(), ConfigError> {
        match key {
            "default_agent" | "defaultAgent" => {
                self.default_agent = Some(setting(node, node.string()?.to_owned()));
            }
            "permissions" | "defaultPermissions" => self.set_permissions(node)?,
            "policy" => self.policy = Some(setting(node, path(node)?)),
            "mcp_servers" | "mcpServers" => {
                let servers = mcp_servers(node, &mut self.warnings)?;
                self.mcp_servers.extend(servers);
            }
            "agent_servers" | "agents" => {
                for (name, entry) in node.members()? {
                    let agent = agent(name, &entry, &mut self.warnings)?;
                    self.agents.push(setting(&entry, agent));
                }
            }
            "sandbox" => {
                self.sandbox = Some(setting(node, sandbox::read(node, &mut self.warnings)?))
            }
            "environment" => self.set_environment(node)?,
            "agents_from" => self.agents_from = Some(setting(node, editors(node)?)),
            "$schema" => {}
            unknown => self.warnings.push(unknown_key(unknown, node, KEYS)),
        }
        Ok(())
    }

    /// Reads `permissions`: a preset, or an object with a preset and an expiry.
    fn set_permissions(&mut self, node: &Node<'_>) -> Result<(), ConfigError> {
        if !node.is_object() {
            self.permissions = Some(setting(node, preset(node)?));
            return Ok(());
        }
        for (key, node) in node.members()? {
            match key {
                "preset" => self.permissions = Some(setting(&node, preset(&node)?)),
                "expiry" => self.expiry = Some(setting(&node, expiry(&node)?)),
                unknown => self
                    .warnings
                    .push(unknown_key(unknown, &node, PERMISSION_KEYS)),
            }
        }
        Ok(())
    }

    /// Reads `environment`: additional variables for child processes.
    fn set_environment(&mut self, node: &Node<'_>) -> Result<(), ConfigError> {
        for (key, node) in node.members()? {
            match key {
                "pass" => self.pass = Some(setting(&node, variable_patterns(&node)?)),
                unknown => self
                    .warnings
                    .push(unknown_key(unknown, &node, ENVIRONMENT_KEYS)),
            }
        }
        Ok(())
    }

    /// Drops `environment`: even a trusted project must not get at the user's keys.
    pub(super) fn without_environment(mut self) -> Layer {
        if let Some(pass) = self.pass.take() {
            self.warnings.push(ConfigWarning {
                place: Some(pass.place),
                what: "`environment` counts only in your own configuration file".to_owned(),
            });
        }
        self
    }
}

/// Reads an agent: `command`, `args` and `env`, or `argv`.
pub(super) fn agent(
    name: &str,
    entry: &Node<'_>,
    warnings: &mut Vec<ConfigWarning>,
) -> Result<ConfiguredAgent, ConfigError> {
    let mut words = Vec::new();
    let mut env = Vec::new();
    for (key, node) in entry.members()? {
        match key {
            "command" => words.insert(0, node.string()?.to_owned()),
            "args" | "argv" => words.extend(node.strings()?),
            "env" => env = variables(&node)?,
            "type" => {}
            unknown => warnings.push(unknown_key(unknown, &node, AGENT_KEYS)),
        }
    }
    let has_program = entry.get("command")?.is_some() || entry.get("argv")?.is_some();
    let mut words = words.into_iter();
    match words
        .next()
        .filter(|program| has_program && !program.is_empty())
    {
        Some(program) => Ok(ConfiguredAgent {
            name: name.to_owned(),
            command: resolve_program(entry.document().path(), &program),
            args: words.collect(),
            env,
            editor: None,
        }),
        None => Err(entry.wrong("wants a `command`, or an `argv` that starts with one")),
    }
}

/// Reads MCP servers. An invalid server, or one whose program is missing, is skipped with a warning.
fn mcp_servers(
    node: &Node<'_>,
    warnings: &mut Vec<ConfigWarning>,
) -> Result<Vec<ConfigSetting<v1::McpServer>>, ConfigError> {
    let file = node.document().path();
    let mut servers = Vec::new();
    let mut add = |entry: &Node<'_>, read: Result<Option<v1::McpServer>, String>| match read {
        Ok(Some(server)) => servers.push(setting(entry, server)),
        Ok(None) => {}
        Err(fault) => warnings.push(ConfigWarning {
            place: Some(entry.place()),
            what: format!("the MCP server is left out: {fault}"),
        }),
    };
    if node.is_list() {
        for (index, entry) in node.items()?.iter().enumerate() {
            add(entry, mcp::listed(index, &entry.json(), file));
        }
    } else {
        for (name, entry) in node.members()? {
            add(&entry, mcp::named(name, &entry.json(), file));
        }
    }
    Ok(servers)
}

/// Reads an object of strings, whose values may be secrets.
fn variables(node: &Node<'_>) -> Result<Vec<(String, Secret)>, ConfigError> {
    let members = node.members()?.into_iter();
    let variable = |(name, node): (&str, Node<'_>)| Ok((name.to_owned(), node.string()?.into()));
    members.map(variable).collect()
}

pub(super) fn setting<T>(node: &Node<'_>, value: T) -> ConfigSetting<T> {
    let place = node.place();
    ConfigSetting { value, place }
}

fn preset(node: &Node<'_>) -> Result<Preset, ConfigError> {
    match node.string()? {
        "ask" => Ok(Preset::Ask),
        "approve-reads" => Ok(Preset::ApproveReads),
        "approve-all" => Ok(Preset::ApproveAll),
        "deny-all" => Ok(Preset::DenyAll),
        _ => Err(node.wrong("wants `ask`, `approve-reads`, `approve-all` or `deny-all`")),
    }
}

fn expiry(node: &Node<'_>) -> Result<Expiry, ConfigError> {
    let term = node.string()?.parse();
    term.map_err(|error: ExpiryError| node.wrong(error.to_string()))
}

fn variable_patterns(node: &Node<'_>) -> Result<Vec<VariablePattern>, ConfigError> {
    let items = node.items()?;
    let pattern = |item: &Node<'_>| {
        let pattern = item.string()?.parse();
        pattern.map_err(|error: VariablePatternError| item.wrong(error.to_string()))
    };
    items.iter().map(pattern).collect()
}

fn path(node: &Node<'_>) -> Result<PathBuf, ConfigError> {
    let folder = node.document().path().parent().unwrap_or(Path::new(""));
    Ok(folder.join(node.string()?))
}

fn editors(node: &Node<'_>) -> Result<Vec<ForeignEditor>, ConfigError> {
    let items = node.items()?;
    let editor = |item: &Node<'_>| {
        let editor = item.string()?.parse();
        editor.map_err(|_| item.wrong("wants `zed` or `jetbrains`"))
    };
    items.iter().map(editor).collect()
}

pub(super) fn unknown_key(key: &str, node: &Node<'_>, known: &[&'static str]) -> ConfigWarning {
    let hint = match similar_names(key, known.iter().copied()).first() {
        Some(name) => format!("; did you mean `{name}`?"),
        None => format!("; the keys here are {}", known.join(", ")),
    };
    let place = Some(node.place());
    // The message does not repeat the key, which may be a misplaced secret.
    let what = format!("nothing uses this key{hint}");
    ConfigWarning { place, what }
}

/// The keys of a configuration file.
pub(super) const KEYS: &[&str] = &[
    "default_agent",
    "agent_servers",
    "agents_from",
    "environment",
    "mcp_servers",
    "permissions",
    "policy",
    "sandbox",
];
/// The keys that are possible below a key.
pub(super) enum KeysBelow {
    /// None: the key has a single value.
    None,
    /// Names that the user chooses.
    Names,
    /// These keys.
    Known(&'static [&'static str]),
}

/// The keys that are possible below a key of the file.
pub(super) fn keys_of(key: &str) -> KeysBelow {
    match key {
        "agent_servers" | "mcp_servers" => KeysBelow::Names,
        "permissions" => KeysBelow::Known(PERMISSION_KEYS),
        "environment" => KeysBelow::Known(ENVIRONMENT_KEYS),
        "sandbox" => KeysBelow::Known(sandbox::KEYS),
        _ => KeysBelow::None,
    }
}

/// The keys of `permissions`, if it is an object.
const PERMISSION_KEYS: &[&str] = &["preset", "expiry"];
/// The keys of `environment`.
const ENVIRONMENT_KEYS: &[&str] = &["pass"];
const AGENT_KEYS: &[&str] = &["command", "args", "env", "argv"];
