//! `attache doctor`.

use std::path::Path;
use std::time::Duration;

use anyhow::Context;
use attache_client::config::Configuration;
use attache_client::doctor::{self, Diagnosis, ExamineOptions, Severity};
use serde_json::json;

use crate::arguments::Doctor;
use crate::exit::{self, Exit};
use crate::{agents, audit, permissions, print, text};

pub(crate) async fn doctor(arguments: Doctor) -> anyhow::Result<Exit> {
    let chosen = conditions(&arguments).and_then(|conditions| {
        let agent = agents::choose(&arguments.choice, &conditions.cwd)?;
        Ok((agent, conditions))
    });
    let (agent, conditions) = match chosen {
        Ok(chosen) => chosen,
        Err(error) => return Ok(exit::fail(Exit::Usage, &error)),
    };
    let mut findings = Vec::new();
    let mut printed = Ok(Exit::Done);
    let mut tell = |finding: Diagnosis| {
        if !arguments.json && matches!(printed, Ok(Exit::Done)) {
            printed = print::print_table(&shown(&finding));
        }
        findings.push(finding);
    };
    doctor::examine(&agent, &conditions, &mut tell).await;
    let configured = configuration(&conditions.cwd);
    let nested = configured.as_ref().ok().and_then(|it| it.sandbox.as_ref());
    let nested = nested.map(|it| it.value.nested).unwrap_or_default();
    let policy = configured.and_then(|it| {
        let mut lost = it.changed.iter().filter(|it| it.has_rules.is_err());
        match lost.next() {
            Some(lost) => Err(lost.to_string()),
            None => it.load_policy().map_err(|error| error.to_string()),
        }
    });
    doctor::check_policy(policy, &mut tell);
    doctor::check_sandbox(nested, &mut tell);
    doctor::check_records(&permissions::store()?, &audit::log()?, &mut tell);
    if arguments.json {
        let all: Vec<_> = findings.iter().map(as_json).collect();
        printed = print::json(
            &json!({ "agent": agent.name, "command": agent.command_line(), "findings": all }),
        );
    }
    match printed? {
        Exit::Done if findings.iter().any(|it| it.severity == Severity::Failure) => {
            Ok(Exit::Failed)
        }
        exit => Ok(exit),
    }
}

/// Loads the configuration without printing warnings.
fn configuration(cwd: &Path) -> Result<Configuration, String> {
    // Warnings were printed when the agent was chosen.
    let sources = agents::sources(cwd, &[]).map_err(|error| error.to_string())?;
    Configuration::load(&sources).map_err(|error| error.to_string())
}

fn conditions(arguments: &Doctor) -> anyhow::Result<ExamineOptions> {
    let cwd = match &arguments.cwd {
        Some(path) => path
            .canonicalize()
            .with_context(|| format!("--cwd {}", path.display()))?,
        None => std::env::current_dir().context("the current directory")?,
    };
    let patience = Duration::from_secs(arguments.timeout);
    Ok(ExamineOptions { cwd, patience })
}

fn shown(finding: &Diagnosis) -> String {
    let (severity, check) = (finding.severity.name(), finding.check.name());
    let mut shown = format!(
        "{severity:<4}  {check:<14}  {}\n",
        text::line(&finding.what)
    );
    if let Some(fix) = &finding.fix {
        shown.push_str(&format!(
            "{:<4}  {:<14}  fix: {}\n",
            "",
            "",
            text::line(fix)
        ));
    }
    shown
}

fn as_json(finding: &Diagnosis) -> serde_json::Value {
    json!({
        "subject": finding.check.name(),
        "level": finding.severity.name(),
        "what": finding.what,
        "fix": finding.fix,
    })
}
