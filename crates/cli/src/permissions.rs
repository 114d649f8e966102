//! `attache permissions`.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use attache_host::permissions::{Config, Filter, Permissions, Policy, Preset, Remembered};
use serde_json::{Value, json};

use crate::arguments;
use crate::arguments::PermissionsCommand;
use crate::exit::{self, Exit};
use crate::table::table;
use crate::{places, print, text};

pub(crate) fn permissions(arguments: arguments::Permissions) -> anyhow::Result<Exit> {
    let is_json = arguments.json;
    match arguments.command {
        None | Some(PermissionsCommand::List) => list(is_json),
        Some(PermissionsCommand::Revoke { ids }) => revoke(&ids),
        Some(PermissionsCommand::Clear { workspace, agent }) => clear(workspace, agent),
        Some(PermissionsCommand::Check { policy }) => Ok(check(&policy)),
    }
}

/// The file of remembered decisions.
pub(crate) fn store() -> anyhow::Result<PathBuf> {
    Ok(places::data_dir()?.join("permissions.json"))
}

fn list(is_json: bool) -> anyhow::Result<Exit> {
    let (permissions, trust) = open()?;
    let remembered = permissions.list();
    let printed = match (is_json, remembered.is_empty()) {
        (true, _) => print::json(&remembered.iter().map(as_json).collect())?,
        (false, true) => {
            eprintln!("attache: nothing is remembered");
            Exit::Done
        }
        (false, false) => {
            let rows: Vec<Vec<String>> = remembered.iter().map(row).collect();
            let heads = [
                "id",
                "agent",
                "workspace",
                "what",
                "decision",
                "scope",
                "expires",
            ];
            print::print(&table(&heads, &rows))?
        }
    };
    match printed {
        Exit::Done => Ok(trust),
        other => Ok(other),
    }
}

fn revoke(ids: &[String]) -> anyhow::Result<Exit> {
    let (permissions, mut exit) = open()?;
    for id in ids {
        match permissions.revoke(id)? {
            Some(gone) => eprintln!(
                "attache: {} is forgotten: {}",
                gone.id,
                text::line(&what(&gone))
            ),
            None => {
                let id = text::line(id);
                eprintln!("attache: there is no decision `{id}`; `attache permissions` lists them");
                exit = Exit::Failed;
            }
        }
    }
    Ok(exit)
}

fn clear(workspace: Option<PathBuf>, agent: Option<String>) -> anyhow::Result<Exit> {
    let (permissions, exit) = open()?;
    let workspace = workspace.map(|dir| std::path::absolute(&dir).context("the workspace"));
    let workspace = workspace.transpose()?;
    match permissions.clear(&Filter { agent, workspace })? {
        0 => eprintln!("attache: there was nothing to forget"),
        1 => eprintln!("attache: 1 decision is forgotten"),
        count => eprintln!("attache: {count} decisions are forgotten"),
    }
    Ok(exit)
}

fn check(policy: &Path) -> Exit {
    match Policy::load(policy) {
        Ok(_) => Exit::Done,
        Err(error) => exit::fail(Exit::Usage, &error.into()),
    }
}

/// What is remembered, and how to end if it cannot be trusted.
fn open() -> anyhow::Result<(Permissions, Exit)> {
    let mut config = Config::new(Preset::Ask);
    config.store = Some(store()?);
    let (permissions, warnings) = Permissions::open(config);
    for warning in &warnings {
        eprintln!("attache: {}", text::line(&warning.to_string()));
    }
    match warnings.is_empty() {
        true => Ok((permissions, Exit::Done)),
        false => Ok((permissions, Exit::Failed)),
    }
}

fn row(remembered: &Remembered) -> Vec<String> {
    let workspace = remembered.workspace.as_ref();
    vec![
        remembered.id.clone(),
        remembered.agent.clone(),
        workspace.map_or("any".to_owned(), |place| place.path.display().to_string()),
        cut(&what(remembered)),
        decision(remembered).to_owned(),
        remembered.scope.to_string(),
        remembered.expires.map_or("never".to_owned(), time),
    ]
}

fn as_json(remembered: &Remembered) -> Value {
    json!({
        "id": remembered.id,
        "agent": remembered.agent,
        "workspace": remembered.workspace.as_ref().map(|place| &place.path),
        "kind": remembered.kind,
        "tool": remembered.tool,
        "what": remembered.shown,
        "match": remembered.what,
        "decision": decision(remembered),
        "scope": remembered.scope,
        "decided": time(remembered.decided),
        "expires": remembered.expires.map(time),
    })
}

fn what(remembered: &Remembered) -> String {
    format!("{} {}", remembered.kind, remembered.shown)
}

fn decision(remembered: &Remembered) -> &'static str {
    match remembered.is_allowed {
        true => "allow",
        false => "deny",
    }
}

fn time(seconds: u64) -> String {
    let seconds = i64::try_from(seconds).ok();
    let time = seconds.and_then(|seconds| jiff::Timestamp::from_second(seconds).ok());
    time.map_or("never".to_owned(), |time| time.to_string())
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(WIDEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// The whole is in the JSON.
const WIDEST: usize = 60;
