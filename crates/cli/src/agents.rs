//! `attache agents`, and the choice of an agent for other commands.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use attache_client::agents::{Agent, AgentCatalog, AgentSource, Probe};
use attache_client::config::{
    ConfigSources, Configuration, ForeignEditor, TrustStore, UntrustedProject,
};
use serde_json::json;
use tokio::task::JoinSet;

use crate::arguments::{AgentChoice, Agents};
use crate::exit::{self, Exit};
use crate::table::table;
use crate::{directories, print, text};

pub(crate) async fn agents(agents: Agents) -> anyhow::Result<Exit> {
    let cwd = std::env::current_dir().context("the current directory")?;
    // Shell completion does not show other messages.
    let found = match agents.names {
        true => sources(&cwd, &agents.from).and_then(|sources| load_with_warnings(&sources)),
        false => configuration(&cwd, &agents.from),
    };
    let configuration = match found {
        Ok(configuration) => configuration,
        Err(error) => return Ok(exit::fail(Exit::Usage, &error)),
    };
    let catalog = AgentCatalog::of(&configuration);
    if agents.names {
        let names = catalog.agents().iter();
        let names = names.map(|agent| format!("{}\n", text::line(&agent.name)));
        return print::print(&names.collect::<String>());
    }
    let row = |agent| AgentRow {
        agent,
        installed: Agent::installed(agent),
        probe: None,
    };
    let mut rows: Vec<AgentRow<'_>> = catalog.agents().iter().map(row).collect();
    if agents.probe {
        probe(&mut rows).await;
    }
    if agents.json {
        return print::json(&rows.iter().map(AgentRow::json).collect());
    }
    let heads = ["name", "installed", "version", "command", "source", "note"];
    let rows: Vec<Vec<String>> = rows.iter().map(AgentRow::cells).collect();
    print::print_table(&table(&heads, &rows))
}

/// Probes all installed agents at the same time.
async fn probe(rows: &mut [AgentRow<'_>]) {
    let mut probes = JoinSet::new();
    for (index, row) in rows.iter().enumerate() {
        if row.installed.is_some() {
            let agent = row.agent.clone();
            probes.spawn(async move { (index, agent.probe().await) });
        }
    }
    while let Some(probed) = probes.join_next().await {
        if let Ok((index, probe)) = probed {
            rows[index].probe = Some(probe);
        }
    }
}

/// The agent that the user chose: by command or name, or else the configured default, or else Attaché's own agent.
pub(crate) fn choose(choice: &AgentChoice, cwd: &Path) -> anyhow::Result<Agent> {
    match choice.command.is_empty() {
        true => choose_from(choice, &configuration(cwd, &[])?),
        false => choose_from(choice, &Configuration::default()),
    }
}

/// Whether an agent is Attaché's own agent, under any name, without a `--policy` yet.
pub(crate) fn is_own(agent: &Agent) -> bool {
    let ours = std::env::current_exe().and_then(|path| path.canonicalize());
    let found = agent.installed().map(|path| path.canonicalize());
    let is_us = match (ours, found) {
        (Ok(ours), Some(Ok(found))) => ours == found,
        _ => agent.source == AgentSource::Own,
    };
    let is_agent = agent.args.first().is_some_and(|arg| arg == "agent");
    let has_policy = agent.args.iter().any(|arg| arg.starts_with("--policy"));
    is_us && is_agent && !has_policy
}

/// The agent that the user chose, with a configuration that was loaded before.
pub(crate) fn choose_from(
    choice: &AgentChoice,
    configuration: &Configuration,
) -> anyhow::Result<Agent> {
    if let Some((program, args)) = choice.command.split_first() {
        return Ok(Agent::of_command(program, args));
    }
    let default = configuration.default_agent.as_ref();
    let named = choice.agent.as_ref();
    let name = named.or(default.map(|default| &default.value));
    let name = name.map_or(AgentCatalog::OWN, String::as_str);
    let catalog = AgentCatalog::of(configuration);
    let Some(untrusted) = &configuration.untrusted else {
        return Ok(catalog.find(name)?.clone());
    };
    match catalog.find(name) {
        Ok(agent) => Ok(agent.clone()),
        Err(_) if untrusted.names(name) => bail!(
            "the agent `{name}` is defined in {}, which is not trusted; read it with `attache config`, then run `attache config trust`",
            untrusted.path.display()
        ),
        Err(error) => Err(error.into()),
    }
}

/// Loads the configuration for a directory and prints its warnings. The warning about an untrusted project file appears
/// once per version of the file, and every time if the file was trusted before or another user may have written it.
pub(crate) fn configuration(
    cwd: &Path,
    editors: &[ForeignEditor],
) -> anyhow::Result<Configuration> {
    let sources = sources(cwd, editors)?;
    let configuration = load_with_warnings(&sources)?;
    warn_changed(&configuration);
    if let Some(untrusted) = never_trusted(&configuration)
        && (untrusted.is_refused || !sources.trust.already_warned(untrusted))
    {
        warn_untrusted(untrusted);
    }
    Ok(configuration)
}

/// Loads the configuration for a directory and prints all warnings, for commands about the configuration itself.
pub(crate) fn configuration_with_warnings(cwd: &Path) -> anyhow::Result<Configuration> {
    let configuration = load_with_warnings(&sources(cwd, &[])?)?;
    warn_changed(&configuration);
    never_trusted(&configuration)
        .into_iter()
        .for_each(warn_untrusted);
    Ok(configuration)
}

/// Prints which trusted projects have changed, and which of their rules are in force.
fn warn_changed(configuration: &Configuration) {
    for changed in &configuration.changed {
        crate::print::note!("attache: {}", text::line(&changed.to_string()));
    }
}

/// The project's file, if it was never trusted.
fn never_trusted(configuration: &Configuration) -> Option<&UntrustedProject> {
    let untrusted = configuration.untrusted.as_ref()?;
    let mut changed = configuration.changed.iter();
    (!changed.any(|changed| changed.path == untrusted.path)).then_some(untrusted)
}

fn load_with_warnings(sources: &ConfigSources) -> anyhow::Result<Configuration> {
    let configuration = Configuration::load(sources)?;
    for warning in &configuration.warnings {
        crate::print::note!("attache: {}", text::line(&warning.to_string()));
    }
    Ok(configuration)
}

fn warn_untrusted(untrusted: &UntrustedProject) {
    if let Some(fault) = untrusted.fault.as_ref().filter(|_| untrusted.is_refused) {
        crate::print::note!("attache: {}; it is ignored", text::line(fault));
        return;
    }
    let path = untrusted.path.display().to_string();
    crate::print::note!(
        "attache: {} is not trusted, so it is ignored; `attache config` shows it, `attache config trust` trusts it",
        text::line(&path)
    );
}

/// The files of the configuration for a directory.
pub(crate) fn sources(cwd: &Path, editors: &[ForeignEditor]) -> anyhow::Result<ConfigSources> {
    Ok(ConfigSources {
        user: directories::config_dir()?.join("config.json"),
        project: ConfigSources::project_file(cwd),
        directory: Some(cwd.to_owned()),
        trust: TrustStore::at(directories::state_dir()?.join("trusted.json")),
        home: std::env::home_dir(),
        editors: editors.to_vec(),
    })
}

struct AgentRow<'a> {
    agent: &'a Agent,
    installed: Option<PathBuf>,
    probe: Option<Probe>,
}

impl AgentRow<'_> {
    fn cells(&self) -> Vec<String> {
        let installed = if self.installed.is_some() {
            "yes"
        } else {
            "no"
        };
        vec![
            self.agent.name.clone(),
            installed.to_owned(),
            self.version().unwrap_or_default().to_owned(),
            self.agent.command_line(),
            self.agent.source.to_string(),
            self.note(),
        ]
    }

    fn version(&self) -> Option<&str> {
        self.probe.as_ref()?.version.as_deref()
    }

    fn note(&self) -> String {
        match (&self.installed, &self.probe, self.agent.install) {
            (None, _, Some(install)) => format!("install: {install}"),
            (None, _, None) => "not on the PATH".to_owned(),
            (Some(_), Some(probe), _) => probe.login.name().to_owned(),
            (Some(_), None, _) => String::new(),
        }
    }

    fn json(&self) -> serde_json::Value {
        let source = match &self.agent.source {
            AgentSource::Own => json!("own"),
            AgentSource::Builtin => json!("builtin"),
            AgentSource::Command => json!("command"),
            AgentSource::Editor(editor) => json!(editor.name()),
            AgentSource::Configured(file) => json!(file.to_string_lossy()),
        };
        json!({
            "name": self.agent.name,
            "source": source,
            "command": self.agent.command.to_string_lossy(),
            "args": self.agent.args,
            "env": self.agent.env.iter().map(|(name, _)| name).collect::<Vec<_>>(),
            "installed": self.installed.as_ref().map(|path| path.to_string_lossy()),
            "version": self.version(),
            "login": self.probe.as_ref().map(|probe| probe.login.name()),
            "installHint": self.agent.install,
            "loginHint": self.agent.login,
        })
    }
}
