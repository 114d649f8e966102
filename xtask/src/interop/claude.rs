//! `attache claude` with the real CLI from npm and a model on this machine: every scenario is a conversation, and what
//! the client saw, the model was asked and the disk holds is checked. Then the same prompts beside the adapter on Node.

mod beside;
mod client;
mod mcp;
mod messages;
mod scenarios;
mod stage;

use std::time::Instant;

use super::denied::{Script, Subject, WithoutAsking};
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

/// The Claude Code CLI behind our adapter and behind the one on Node, for rules on programs; the reason where it is not
/// installed.
pub(super) fn subjects(place: &Place) -> Result<Result<[Subject; 2], String>, String> {
    let stage = match (
        install::claude(place)?,
        install::packages(place, "clients")?,
    ) {
        (Packages::Ready(modules), Packages::Ready(clients)) => {
            Stage::new(place, &modules, &clients)?
        }
        (Packages::Missing(reason), _) | (_, Packages::Missing(reason)) => {
            return Ok(Err(reason));
        }
    };
    let subject = |name: &'static str, words: fn(&Stage) -> _| {
        let stage = stage.fresh(&format!("rules {name}"))?;
        let mut env = stage.env();
        // Without it the adapter on Node does not start the CLI for root.
        env.push(("IS_SANDBOX".to_owned(), "1".into()));
        Ok::<_, String>(Subject {
            name,
            words: words(&stage),
            env,
            script: Script::Json,
            without_asking: WithoutAsking::default(),
            _stage: Some(stage),
        })
    };
    Ok(Ok([
        subject("claude", Stage::ours)?,
        subject("claude-acp", Stage::theirs)?,
    ]))
}

fn row(errand: &'static str, outcome: Outcome) -> Row {
    Row {
        client: "script",
        agent: "claude",
        errand,
        outcome,
    }
}
