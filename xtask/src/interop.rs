//! `cargo xtask interop [--install-only | rules | claude [part of a name]]`: installs the partners of `interop/`, runs
//! every client with every agent, and compares each client's output with `interop/expected.jsonl`. Then the binary runs
//! tasks with those agents and with products, `attache claude` runs its scenarios, and our agent meets third-party
//! clients and MCP servers.

mod binary;
mod built_targets;
pub(crate) mod child;
mod claude;
mod clients;
mod disk;
pub(crate) mod install;
mod model;
mod pair;
mod program_rules;
mod servers;

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use pair::Outcome;
use program_rules::AutoApproval;

pub(crate) fn run(root: &Path, arguments: &[&str]) -> Result<(), String> {
    let wanted = Selection::from_arguments(arguments)?;
    let dirs = InteropDirs::new(root);
    disk::check(&dirs)?;
    if let Selection::Claude(part) = wanted {
        install::binary(&dirs)?;
        let rows = claude::rows(&dirs, part)?;
        if rows.is_empty() {
            return Err(format!("no scenario name contains `{part}`"));
        }
        print!("{}", table(&rows));
        return verdict(&rows);
    }
    if let Selection::Rules = wanted {
        install::binary(&dirs)?;
        let rows = rules(&dirs, &install::products(&dirs)?)?;
        print!("{}", table(&rows));
        return verdict(&rows);
    }
    let mut times = PartTimes::new();
    let built = built_targets::BuiltTargets::new(&dirs)?;
    let partners = install::all(&dirs, &built)?;
    let mut agents = install::agents(&dirs, &partners)?;
    let clients = clients::all(&dirs)?;
    let servers = servers::install(&dirs)?;
    agents.push(servers::agent(&dirs, &servers));
    if let Selection::Installation = wanted {
        return install::claude(&dirs).map(drop);
    }
    times.record("builds and installation");
    let mut rows = pairs(&dirs, &partners)?;
    times.record("pairs");
    for agent in &agents {
        for task in agent.tasks {
            rows.push(RunResult {
                client: "binary",
                agent: agent.name,
                task: task.name,
                outcome: binary::run(&dirs, agent, task)?,
            });
        }
    }
    times.record("tasks");
    for client in &clients {
        rows.push(RunResult {
            client: client.name,
            agent: "builtin",
            task: "diff",
            outcome: clients::run(&dirs, client)?,
        });
    }
    rows.push(RunResult {
        client: "builtin",
        agent: "servers",
        task: "mcp",
        outcome: servers::test(&dirs, &built, &servers),
    });
    times.record("clients and servers");
    rows.extend(rules(&dirs, &agents)?);
    times.record("rules");
    rows.extend(claude::rows(&dirs, "")?);
    times.record("claude");
    print!("{}{}", table(&rows), times.text());
    verdict(&rows)
}

/// Runs each client with each agent.
fn pairs(dirs: &InteropDirs, partners: &[Partner]) -> Result<Vec<RunResult>, String> {
    let expected = dirs.sources.join("expected.jsonl");
    let expected = fs::read_to_string(&expected)
        .map_err(|error| format!("can't read {}: {error}", expected.display()))?;
    let mut rows = Vec::new();
    for client in partners {
        for agent in partners {
            rows.push(RunResult {
                client: client.name,
                agent: agent.name,
                task: "everything",
                outcome: pair::run(dirs, client, agent, &expected)?,
            });
        }
    }
    Ok(rows)
}

/// The time of each part.
struct PartTimes {
    last: Instant,
    parts: Vec<(&'static str, Duration)>,
}

impl PartTimes {
    fn new() -> PartTimes {
        PartTimes {
            last: Instant::now(),
            parts: Vec::new(),
        }
    }

    /// Records a part that has just ended.
    fn record(&mut self, part: &'static str) {
        self.parts.push((part, self.last.elapsed()));
        self.last = Instant::now();
    }

    fn text(&self) -> String {
        let parts = self.parts.iter();
        let parts = parts.map(|(part, time)| format!("{part} {} s", time.as_secs()));
        format!("{}\n", parts.collect::<Vec<_>>().join(", "))
    }
}

/// Tests program rules with the agents that run commands themselves, without the client's terminal.
fn rules(dirs: &InteropDirs, agents: &[binary::Agent]) -> Result<Vec<RunResult>, String> {
    let skipped = |agent, reason| {
        eprintln!("==> rules, {agent} skipped: {reason}");
        RunResult {
            client: "binary",
            agent,
            task: "rules",
            outcome: Outcome::Skipped(reason),
        }
    };
    let (mut subjects, mut rows) = (Vec::new(), Vec::new());
    for agent in agents {
        let known = RUN_COMMANDS.iter().find(|(name, _)| *name == agent.name);
        match (known, &agent.program) {
            (None, _) => {}
            (Some(_), Program::Skipped(reason)) => rows.push(skipped(agent.name, reason.clone())),
            (Some((_, auto_approval)), Program::Ready(ready)) => {
                let env = agent.env.iter();
                let env = env.map(|(name, value)| ((*name).to_owned(), value.clone()));
                subjects.push(program_rules::TestedAgent {
                    name: agent.name,
                    words: ready.clone(),
                    env: env.collect(),
                    script: program_rules::ScriptFormat::Marks,
                    auto_approval: *auto_approval,
                    _fixture: None,
                });
            }
        }
    }
    match claude::tested_agents(dirs)? {
        Ok(found) => subjects.extend(found),
        Err(reason) => rows.push(skipped("claude", reason)),
    }
    rows.extend(program_rules::rows(dirs, &subjects)?);
    Ok(rows)
}

/// The agents to test, and how each runs commands without asking. The Claude CLI needs no such setting: it starts its
/// own shell without asking.
const RUN_COMMANDS: [(&str, AutoApproval); 2] = [
    (
        "qwen",
        AutoApproval {
            words: &["--approval-mode", "yolo"],
            variables: &[],
        },
    ),
    (
        "opencode",
        AutoApproval {
            words: &[],
            variables: &[("OPENCODE_PERMISSION", r#"{"bash":"allow"}"#)],
        },
    ),
];

/// Builds the binary and returns its path and the target directory.
pub(crate) fn build_binary(root: &Path) -> Result<(PathBuf, PathBuf), String> {
    let dirs = InteropDirs::new(root);
    install::binary(&dirs)?;
    Ok((dirs.target.join("release/attache"), dirs.target))
}

enum Selection<'a> {
    Installation,
    /// Program rules with real agents.
    Rules,
    /// The scenarios of `attache claude` whose names contain this.
    Claude(&'a str),
    Everything,
}

impl<'a> Selection<'a> {
    fn from_arguments(arguments: &[&'a str]) -> Result<Self, String> {
        match arguments {
            ["--install-only"] => Ok(Self::Installation),
            ["rules"] => Ok(Self::Rules),
            ["claude"] => Ok(Self::Claude("")),
            ["claude", part] => Ok(Self::Claude(part)),
            [] => Ok(Self::Everything),
            other => Err(format!(
                "unknown argument `{}`; interop takes `--install-only`, `rules`, or `claude` and a part of a name",
                other.join(" ")
            )),
        }
    }
}

/// The directories in use. Nothing is written outside `target`.
struct InteropDirs {
    root: PathBuf,
    /// The directory `interop` with the partners' sources.
    sources: PathBuf,
    target: PathBuf,
    /// The directory `interop` in the target directory, for installed packages and output.
    installed: PathBuf,
}

impl InteropDirs {
    fn new(root: &Path) -> Self {
        let target = env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
        let target = root.join(target);
        Self {
            root: root.to_owned(),
            sources: root.join("interop"),
            installed: target.join("interop"),
            target,
        }
    }
}

/// An implementation of client and agent.
struct Partner {
    name: &'static str,
    client: Program,
    agent: Program,
}

#[derive(Clone)]
enum Program {
    Ready(Vec<OsString>),
    /// With the reason.
    Skipped(String),
}

struct RunResult {
    client: &'static str,
    agent: &'static str,
    task: &'static str,
    outcome: Outcome,
}

fn table(rows: &[RunResult]) -> String {
    let mut text = format!("{:<12}{:<12}{:<18}outcome\n", "client", "agent", "what");
    for row in rows {
        let outcome = match &row.outcome {
            Outcome::Ok(time) => format!("ok in {:.2} s", time.as_secs_f64()),
            Outcome::Failed(_) => "failed".to_owned(),
            Outcome::Skipped(reason) => format!("skipped: {reason}"),
        };
        let (client, agent, task) = (row.client, row.agent, row.task);
        text += &format!("{client:<12}{agent:<12}{task:<18}{outcome}\n");
    }
    let (mut ok, mut failed, mut skipped) = (0, 0, 0);
    for row in rows {
        match row.outcome {
            Outcome::Ok(_) => ok += 1,
            Outcome::Failed(_) => failed += 1,
            Outcome::Skipped(_) => skipped += 1,
        }
    }
    text += &format!("{ok} ok, {failed} failed, {skipped} skipped\n");
    for row in rows {
        if let Outcome::Failed(reason) = &row.outcome {
            let (client, agent, task) = (row.client, row.agent, row.task);
            text += &format!("\n{client} client, {agent} agent, {task}: {reason}\n");
        }
    }
    text
}

fn verdict(rows: &[RunResult]) -> Result<(), String> {
    let failed = |row: &&RunResult| matches!(row.outcome, Outcome::Failed(_));
    match rows.iter().filter(failed).count() {
        0 => Ok(()),
        count => Err(format!("{count} of {} runs failed", rows.len())),
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn every_pair_has_a_row_and_a_failure_its_reason() {
        let row = |client, agent, outcome| RunResult {
            client,
            agent,
            task: "everything",
            outcome,
        };
        let rows = [
            row("rust", "python", Outcome::Ok(Duration::from_millis(340))),
            row("rust", "rust", Outcome::Failed("line 1 differs".to_owned())),
            row(
                "rust",
                "typescript",
                Outcome::Skipped("npm is not installed".to_owned()),
            ),
        ];
        expect![[r#"
            client      agent       what              outcome
            rust        python      everything        ok in 0.34 s
            rust        rust        everything        failed
            rust        typescript  everything        skipped: npm is not installed
            1 ok, 1 failed, 1 skipped

            rust client, rust agent, everything: line 1 differs
        "#]]
        .assert_eq(&table(&rows));
        assert_eq!(verdict(&rows), Err("1 of 3 runs failed".to_owned()));
        assert_eq!(verdict(&rows[..1]), Ok(()));
    }

    #[test]
    fn each_part_has_its_time() {
        let times = PartTimes {
            last: Instant::now(),
            parts: vec![
                ("pairs", Duration::from_millis(9200)),
                ("rules", Duration::from_secs(130)),
            ],
        };
        assert_eq!(times.text(), "pairs 9 s, rules 130 s\n");
    }
}
