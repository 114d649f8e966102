//! `attache claude` with the real CLI from npm and a model on this machine: every scenario is a conversation, and what
//! the client saw, the model was asked and the disk holds is checked. Then the same prompts beside the adapter on Node.

mod beside;
mod client;
mod mcp;
mod messages;
mod scenarios;
mod stage;

use std::time::Instant;

use super::denied::{Script, Subject};
use super::install::{self, Packages};
use super::pair::Outcome;
use super::{Place, Row};
pub(super) use stage::Stage;

/// The scenarios with this in their names, one row each, and the comparison.
pub(super) fn rows(place: &Place, part: &str) -> Result<Vec<Row>, String> {
    let stage = match (
        install::claude(place)?,
        install::packages(place, "clients")?,
    ) {
        (Packages::Ready(modules), Packages::Ready(clients)) => {
            Stage::new(place, &modules, &clients)?
        }
        (Packages::Missing(reason), _) | (_, Packages::Missing(reason)) => {
            eprintln!("==> attache claude skipped: {reason}");
            return Ok(vec![row("everything", Outcome::Skipped(reason))]);
        }
    };
    let mut rows = Vec::new();
    let wanted = |name: &&str| name.contains(part);
    for (name, scenario) in scenarios::ALL.iter().filter(|(name, _)| wanted(name)) {
        eprintln!("==> attache claude: {name}");
        let start = Instant::now();
        let outcome = match stage.fresh(name).and_then(|stage| scenario(&stage)) {
            Ok(()) => Outcome::Ok(start.elapsed()),
            Err(fault) => {
                eprintln!("    failed: {fault}");
                Outcome::Failed(fault)
            }
        };
        rows.push(row(name, outcome));
    }
    rows.extend(beside::rows(&stage, wanted));
    Ok(rows)
}

/// The Claude Code CLI behind our adapter, for rules on programs; nothing where it is not installed.
pub(super) fn subject(place: &Place) -> Result<Option<Subject>, String> {
    let (Packages::Ready(modules), Packages::Ready(clients)) = (
        install::claude(place)?,
        install::packages(place, "clients")?,
    ) else {
        return Ok(None);
    };
    let stage = Stage::new(place, &modules, &clients)?.fresh("rules")?;
    Ok(Some(Subject {
        name: "claude",
        words: stage.ours(),
        env: stage.env(),
        script: Script::Json,
        _stage: Some(stage),
    }))
}

fn row(errand: &'static str, outcome: Outcome) -> Row {
    Row {
        client: "script",
        agent: "claude",
        errand,
        outcome,
    }
}
