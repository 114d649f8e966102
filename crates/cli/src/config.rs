//! `attache config`.

use std::path::Path;

use anyhow::Context;
use attache_client::agents::AgentCatalog;
use attache_client::config::{self, ConfigSources, Configuration, UntrustedProject};
use serde_json::{Value, json};

use crate::arguments::{Config, ConfigCommand};
use crate::exit::{self, Exit};
use crate::table::table;
use crate::{agents, directories, print, text};

pub(crate) fn config(arguments: Config) -> anyhow::Result<Exit> {
    let cwd = std::env::current_dir().context("the current directory")?;
    let sources = agents::sources(&cwd, &[])?;
    let outcome = match arguments.command {
        None => show(&cwd, arguments.json),
        Some(ConfigCommand::Path) => path(&sources.user),
        Some(ConfigCommand::Get { key }) => get(&cwd, &key),
        Some(ConfigCommand::Set { key, value }) => {
            change(|| config::set(&sources.user, &key, &value))
        }
        Some(ConfigCommand::Unset { key }) => change(|| config::unset(&sources.user, &key)),
        Some(ConfigCommand::Check) => return check(&cwd),
        Some(ConfigCommand::Trust { revoke: false }) => trust(&sources),
        Some(ConfigCommand::Trust { revoke: true }) => distrust(&sources),
    };
    match outcome {
        Ok(exit) => Ok(exit),
        Err(error) => Ok(exit::fail(Exit::Usage, &error)),
    }
}

fn show(cwd: &Path, as_json: bool) -> anyhow::Result<Exit> {
    let configuration = agents::configuration_with_warnings(cwd)?;
    let rows = configuration.rows();
    if as_json {
        let value = |row: &config::ConfigValue| {
            let mut value =
                json!({ "key": row.key, "value": row.value, "place": row.place.to_string() });
            if let Some(note) = row.note {
                value["note"] = json!(note);
            }
            value
        };
        return print::json(&rows.iter().map(value).collect());
    }
    if let Some(error) = policy_error(&configuration) {
        crate::print::note!("attache: {}", text::line(&format!("{error:#}")));
    }
    if let Some(untrusted) = &configuration.untrusted {
        show_untrusted(untrusted);
    }
    if rows.is_empty() {
        crate::print::note!(
            "attache: nothing is configured; `attache config --help` lists the keys"
        );
        return Ok(Exit::Done);
    }
    let cells =
        |row: &config::ConfigValue| vec![row.key.clone(), row.line(), row.place.to_string()];
    let rows: Vec<Vec<String>> = rows.iter().map(cells).collect();
    print::print_table(&table(&["key", "value", "from"], &rows))
}

/// Prints what a project's file would set, so that the user can decide whether to trust it.
fn show_untrusted(untrusted: &UntrustedProject) {
    for row in &untrusted.rows {
        let (key, line) = (text::line(&row.key), text::line(&row.line()));
        crate::print::note!("attache: it would set {key}: {line}");
    }
    for file in &untrusted.names {
        let has_changed = untrusted.changed.contains(file);
        let changed = if has_changed {
            ", which has changed"
        } else {
            ""
        };
        let below = match untrusted.below.get(file) {
            None => String::new(),
            Some(1) => " and the file below it".to_owned(),
            Some(count) => format!(" and the {count} files below it"),
        };
        let file = file.display().to_string();
        crate::print::note!(
            "attache: trust covers {}{below} too{changed}",
            text::line(&file)
        );
    }
    for word in &untrusted.not_covered {
        crate::print::note!(
            "attache: not covered: {}, because its files are unknown before it runs",
            text::line(word)
        );
    }
    for warning in &untrusted.warnings {
        crate::print::note!("attache: {}", text::line(&warning.to_string()));
    }
    if let Some(fault) = &untrusted.fault {
        crate::print::note!("attache: {}", text::line(fault));
    }
}

fn path(file: &Path) -> anyhow::Result<Exit> {
    print::print(&format!("{}\n", file.display()))
}

fn get(cwd: &Path, key: &str) -> anyhow::Result<Exit> {
    match agents::configuration(cwd, &[])?.get(key)? {
        Some(value) => print::print_table(&format!("{}\n", text::line(&plain(&value)))),
        None => {
            crate::print::note!("attache: `{key}` is not set");
            Ok(Exit::Failed)
        }
    }
}

fn change(change: impl FnOnce() -> Result<(), config::ConfigError>) -> anyhow::Result<Exit> {
    directories::create(&directories::config_dir()?)?;
    change()?;
    Ok(Exit::Done)
}

fn check(cwd: &Path) -> anyhow::Result<Exit> {
    let configuration = match agents::configuration_with_warnings(cwd) {
        Ok(configuration) => configuration,
        Err(error) => return Ok(exit::fail(Exit::Failed, &error)),
    };
    let mut exit = Exit::Done;
    if let Some(error) = policy_error(&configuration) {
        exit = exit::fail(Exit::Failed, &error);
    }
    if let Some(agent) = &configuration.default_agent
        && let Err(error) = AgentCatalog::of(&configuration).find(&agent.value)
    {
        let place = format!("{}: `default_agent`", agent.place);
        exit = exit::fail(Exit::Failed, &anyhow::Error::new(error).context(place));
    }
    if configuration.changed.iter().any(|it| it.has_rules.is_err()) {
        exit = Exit::Failed;
    }
    if let Some(untrusted) = &configuration.untrusted {
        show_untrusted(untrusted);
        if untrusted.fault.is_some() {
            exit = Exit::Failed;
        }
    }
    Ok(exit)
}

/// Why the policies that count can't be used, so that nothing runs.
fn policy_error(configuration: &Configuration) -> Option<anyhow::Error> {
    let error = configuration.load_policy().err()?;
    let named: Vec<String> = configuration
        .policies()
        .map(|it| it.place.to_string())
        .collect();
    let place = format!("{}: `policy`", named.join(", "));
    Some(anyhow::Error::new(error).context(place))
}

fn trust(sources: &ConfigSources) -> anyhow::Result<Exit> {
    let configuration = Configuration::load(sources)?;
    let Some(untrusted) = &configuration.untrusted else {
        match &sources.project {
            Some(path) => crate::print::note!("attache: {} is trusted already", path.display()),
            None => anyhow::bail!("there is no {} here or above", config::PROJECT_FILE),
        }
        return Ok(Exit::Done);
    };
    if let Some(fault) = &untrusted.fault {
        anyhow::bail!("{fault}");
    }
    show_untrusted(untrusted);
    directories::create(&directories::state_dir()?)?;
    sources.trust.add(untrusted)?;
    let and = match untrusted.names.len() {
        0 => String::new(),
        1 => ", with 1 file that it names".to_owned(),
        count => format!(", with {count} files that it names"),
    };
    crate::print::note!(
        "attache: {} is trusted as it is now{and}",
        untrusted.path.display()
    );
    Ok(Exit::Done)
}

fn distrust(sources: &ConfigSources) -> anyhow::Result<Exit> {
    let directory = sources.directory.as_deref().unwrap_or(Path::new("."));
    // Trust can also be revoked for a file that no longer exists.
    let above = directory
        .ancestors()
        .map(|it| it.join(config::PROJECT_FILE));
    for path in sources.project.iter().cloned().chain(above) {
        if sources.trust.remove(&path)? {
            crate::print::note!("attache: {} is no longer trusted", path.display());
            return Ok(Exit::Done);
        }
    }
    match &sources.project {
        Some(path) => crate::print::note!("attache: {} was not trusted", path.display()),
        None => anyhow::bail!("there is no {} here or above", config::PROJECT_FILE),
    }
    Ok(Exit::Done)
}

/// A string unchanged, anything else as JSON.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        value => value.to_string(),
    }
}
