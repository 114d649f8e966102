//! `attache permissions`.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use attache_host::permissions::{
    DecisionFilter, Expiry, PermissionConfig, Permissions, Policy, Preset, RememberedDecision,
};
use serde_json::{Value, json};

use crate::arguments;
use crate::arguments::PermissionsCommand;
use crate::exit::{self, Exit};
use crate::table::table;
use crate::{directories, print, text};

pub(crate) fn permissions(arguments: arguments::Permissions) -> anyhow::Result<Exit> {
    let is_json = arguments.json;
    match arguments.command {
        None | Some(PermissionsCommand::List) => list(is_json),
        Some(PermissionsCommand::Revoke { ids }) => revoke(&ids),
        Some(PermissionsCommand::Expire { ids, after, .. }) => {
            expire(&ids, after.unwrap_or_default())
        }
        Some(PermissionsCommand::Clear { workspace, agent }) => clear(workspace, agent),
        Some(PermissionsCommand::Check { policy }) => Ok(check(&policy)),
    }
}

/// The file of remembered decisions.
pub(crate) fn store() -> anyhow::Result<PathBuf> {
    Ok(directories::data_dir()?.join("permissions.json"))
}

fn list(is_json: bool) -> anyhow::Result<Exit> {
    let (permissions, trust) = open()?;
    let remembered = permissions.list();
    let printed = match (is_json, remembered.is_empty()) {
        (true, _) => print::json(&remembered.iter().map(as_json).collect())?,
        (false, true) => {
            crate::print::note!("attache: no decisions are remembered");
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
            print::print_table(&table(&heads, &rows))?
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
        let Some(id) = the_one(&permissions, id) else {
            exit = Exit::Failed;
            continue;
        };
        if let Some(gone) = permissions.revoke(&id)? {
            crate::print::note!("attache: revoked {id}: {}", text::line(&what(&gone)));
        }
    }
    Ok(exit)
}

fn expire(ids: &[String], expiry: Expiry) -> anyhow::Result<Exit> {
    let (permissions, mut exit) = open()?;
    for id in ids {
        let Some(id) = the_one(&permissions, id) else {
            exit = Exit::Failed;
            continue;
        };
        if let Some(kept) = permissions.expire(&id, expiry)? {
            let end = match kept.expires {
                Some(expires) => format!("expires at {}", time(expires)),
                None => "is kept until revoked".to_owned(),
            };
            crate::print::note!("attache: {id} {end}: {}", text::line(&what(&kept)));
        }
    }
    Ok(exit)
}

/// The decision's id for an id or an unambiguous prefix of one.
fn the_one(permissions: &Permissions, said: &str) -> Option<String> {
    let ids = permissions
        .list()
        .into_iter()
        .map(|remembered| remembered.id);
    let mut found: Vec<String> = ids
        .filter(|id| !said.is_empty() && id.starts_with(said))
        .collect();
    if let Some(whole) = found.iter().find(|id| *id == said) {
        return Some(whole.clone());
    }
    let said = text::line(said);
    match found.len() {
        1 => return found.pop(),
        0 => crate::print::note!(
            "attache: there is no decision `{said}`; `attache permissions` lists them"
        ),
        _ => crate::print::note!(
            "attache: several decisions begin with `{said}`: {}; use more characters of its id",
            found.join(", ")
        ),
    }
    None
}

fn clear(workspace: Option<PathBuf>, agent: Option<String>) -> anyhow::Result<Exit> {
    let (permissions, exit) = open()?;
    let workspace = workspace.map(|dir| std::path::absolute(&dir).context("the workspace"));
    let workspace = workspace.transpose()?;
    let mut selected = DecisionFilter::default();
    selected.agent = agent;
    selected.workspace = workspace;
    match permissions.clear(&selected)? {
        0 => crate::print::note!("attache: there was nothing to revoke"),
        1 => crate::print::note!("attache: revoked 1 decision"),
        count => crate::print::note!("attache: revoked {count} decisions"),
    }
    Ok(exit)
}

fn check(policy: &Path) -> Exit {
    match Policy::load(policy) {
        Ok(read) => {
            for warning in read.warnings() {
                crate::print::note!(
                    "attache: {}: {}",
                    policy.display(),
                    text::line(&warning.to_string())
                );
            }
            Exit::Done
        }
        Err(error) => exit::fail(Exit::Usage, &error.into()),
    }
}

/// Opens the remembered decisions. The exit code is a failure if the file cannot be trusted.
fn open() -> anyhow::Result<(Permissions, Exit)> {
    let mut config = PermissionConfig::new(Preset::Ask);
    config.store = Some(store()?);
    let (permissions, warnings) = Permissions::open(config);
    for warning in &warnings {
        crate::print::note!("attache: {}", text::line(&warning.to_string()));
    }
    match warnings.is_empty() {
        true => Ok((permissions, Exit::Done)),
        false => Ok((permissions, Exit::Failed)),
    }
}

fn row(remembered: &RememberedDecision) -> Vec<String> {
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

fn as_json(remembered: &RememberedDecision) -> Value {
    json!({
        "id": remembered.id,
        "agent": remembered.agent,
        "workspace": remembered.workspace.as_ref().map(|place| &place.path),
        "kind": remembered.kind,
        "tool": remembered.tool,
        "what": remembered.summary,
        "match": remembered.subject,
        "decision": decision(remembered),
        "scope": remembered.scope,
        "decided": time(remembered.decided_at),
        "expires": remembered.expires.map(time),
    })
}

fn what(remembered: &RememberedDecision) -> String {
    format!("{} {}", remembered.kind, remembered.summary)
}

fn decision(remembered: &RememberedDecision) -> &'static str {
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
        Some((end, _)) => {
            let more = text[end..].chars().count();
            format!("{}… {more} more, see --json", &text[..end])
        }
        None => text.to_owned(),
    }
}

/// Maximum characters in a table cell. The JSON contains the whole text.
const WIDEST: usize = 60;
