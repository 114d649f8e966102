//! Runs `attache claude` with the real CLI from npm and a model on this machine. Every scenario is a conversation, and
//! checks what the client received, the requests to the model and the files on disk. Then the same prompts go to the
//! adapter on Node for comparison.

mod client;
mod comparison;
mod fixture;
mod mcp;
mod messages;
mod scenarios;

use std::time::Instant;

use super::install::{self, Packages};
use super::pair::Outcome;
use super::program_rules::{AutoApproval, ScriptFormat, TestedAgent};
use super::{InteropDirs, RunResult};
pub(super) use fixture::Fixture;

/// Runs the scenarios whose names contain this, and the comparison; one row each.
pub(super) fn rows(dirs: &InteropDirs, part: &str) -> Result<Vec<RunResult>, String> {
    let fixture = match (install::claude(dirs)?, install::packages(dirs, "clients")?) {
        (Packages::Ready(modules), Packages::Ready(clients)) => {
            Fixture::new(dirs, &modules, &clients)?
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
        let outcome = match fixture.fresh(name).and_then(|fixture| scenario(&fixture)) {
            Ok(()) => Outcome::Ok(start.elapsed()),
            Err(fault) => {
                eprintln!("    failed: {fault}");
                Outcome::Failed(fault)
            }
        };
        rows.push(row(name, outcome));
    }
    rows.extend(comparison::rows(&fixture, wanted));
    Ok(rows)
}

/// The Claude Code CLI behind our adapter and behind the one on Node, for testing program rules; or the reason why they
/// are not installed.
pub(super) fn tested_agents(
    dirs: &InteropDirs,
) -> Result<Result<[TestedAgent; 2], String>, String> {
    let fixture = match (install::claude(dirs)?, install::packages(dirs, "clients")?) {
        (Packages::Ready(modules), Packages::Ready(clients)) => {
            Fixture::new(dirs, &modules, &clients)?
        }
        (Packages::Missing(reason), _) | (_, Packages::Missing(reason)) => {
            return Ok(Err(reason));
        }
    };
    let subject = |name: &'static str, words: fn(&Fixture) -> _| {
        let fixture = fixture.fresh(&format!("rules {name}"))?;
        let mut env = fixture.env();
        // Without this variable, the adapter on Node does not start the CLI for root.
        env.push(("IS_SANDBOX".to_owned(), "1".into()));
        Ok::<_, String>(TestedAgent {
            name,
            words: words(&fixture),
            env,
            script: ScriptFormat::Json,
            auto_approval: AutoApproval::default(),
            _fixture: Some(fixture),
        })
    };
    Ok(Ok([
        subject("claude", Fixture::our_adapter)?,
        subject("claude-acp", Fixture::node_adapter)?,
    ]))
}

fn row(task: &'static str, outcome: Outcome) -> RunResult {
    RunResult {
        client: "script",
        agent: "claude",
        task,
        outcome,
    }
}
