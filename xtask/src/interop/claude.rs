//! `attache claude` with the real CLI from npm and a model on this machine: every scenario is a conversation, and what
//! the client saw, the model was asked and the disk holds is checked. Then the same prompts beside the adapter on Node.

mod beside;
mod client;
mod mcp;
mod messages;
mod scenarios;
mod stage;

use std::time::Instant;

use super::install::{self, Packages};
use super::pair::Outcome;
use super::{Place, Row};
use stage::Stage;

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
            Err(fault) => Outcome::Failed(fault),
        };
        rows.push(row(name, outcome));
    }
    rows.extend(beside::rows(&stage, wanted));
    Ok(rows)
}

fn row(errand: &'static str, outcome: Outcome) -> Row {
    Row {
        client: "script",
        agent: "claude",
        errand,
        outcome,
    }
}
