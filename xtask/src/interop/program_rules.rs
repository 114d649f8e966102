//! Tests program rules with real agents, with `attache run` here and with `attache chat` in [`chat`]. Each agent runs a
//! program with its own shell tool, spelled in five ways. The program records that it ran, so the test knows what was
//! really executed and does not rely on the agent.

mod chat;

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;

use super::claude::Fixture;
use super::pair::Outcome;
use super::{InteropDirs, RunResult, child};

/// An agent that has a shell tool and a scripted model.
pub(super) struct TestedAgent {
    pub(super) name: &'static str,
    pub(super) words: Vec<OsString>,
    pub(super) env: Vec<(String, OsString)>,
    pub(super) script: ScriptFormat,
    pub(super) auto_approval: AutoApproval,
    /// Kept until the last run.
    pub(super) _fixture: Option<Fixture>,
}

/// The settings that make an agent run commands without asking.
#[derive(Clone, Copy, Default)]
pub(super) struct AutoApproval {
    /// Words to append to its command.
    pub(super) words: &'static [&'static str],
    pub(super) variables: &'static [(&'static str, &'static str)],
}

/// The format of the commands in a prompt.
pub(super) enum ScriptFormat {
    /// `<<run COMMAND>>`, for `model`.
    Marks,
    /// Answers in JSON, for `claude::messages`.
    Json,
}

impl ScriptFormat {
    fn prompt(&self, commands: &[&str]) -> String {
        match self {
            ScriptFormat::Marks => {
                let marks = commands.iter().map(|command| format!("<<run {command}>>"));
                marks.collect::<Vec<_>>().join(" ")
            }
            ScriptFormat::Json => {
                let call =
                    |command: &&str| json!([{ "tool": "Bash", "input": { "command": command } }]);
                let mut turns: Vec<_> = commands.iter().map(call).collect();
                turns.push(json!([{ "text": "It is done." }]));
                format!("<<{}>>", json!(turns))
            }
        }
    }

    /// A prompt whose answer is `Hello from the model.`
    fn greeting(&self) -> &'static str {
        match self {
            ScriptFormat::Marks => "<<greet>>",
            ScriptFormat::Json => r#"<<[[{"text":"Hello from the model."}]]>>"#,
        }
    }
}

/// A policy for the program and the expected result.
struct RunTrial {
    name: &'static str,
    /// The action of the rule, or `None` for no policy.
    action: Option<&'static str>,
    commands: &'static [&'static str],
    runs: bool,
    /// Whether the agent has to continue afterwards. An agent whose permission request is rejected may end its turn.
    continues: bool,
}

const TRIALS: [RunTrial; 4] = [
    RunTrial {
        name: "program, no rule",
        action: None,
        commands: &SPELLINGS,
        runs: true,
        continues: true,
    },
    RunTrial {
        name: "program denied",
        action: Some("deny"),
        commands: &SPELLINGS,
        runs: false,
        continues: true,
    },
    RunTrial {
        name: "asked, no user",
        action: Some("ask"),
        commands: &SPELLINGS,
        runs: false,
        continues: true,
    },
    RunTrial {
        name: "denied at once",
        action: Some("deny"),
        commands: &READABLE,
        runs: false,
        continues: false,
    },
];

pub(super) fn rows(dirs: &InteropDirs, subjects: &[TestedAgent]) -> Result<Vec<RunResult>, String> {
    let mut rows = Vec::new();
    for subject in subjects {
        let mut row = |task, outcome| {
            rows.push(RunResult {
                client: "binary",
                agent: subject.name,
                task,
                outcome,
            });
        };
        for trial in &TRIALS {
            eprintln!("==> attache, {}: {}", subject.name, trial.name);
            let folder = folder(dirs, subject, trial.name);
            let start = Instant::now();
            let fault = run_and_check(dirs, subject, trial, &folder)
                .map_err(|error| format!("can't run attache in {}: {error}", folder.display()))?;
            row(trial.name, outcome(start, fault));
        }
        for (name, signal, code) in INTERRUPTS {
            eprintln!("==> attache, {}: {name}", subject.name);
            let folder = folder(dirs, subject, name);
            let start = Instant::now();
            let fault = interrupt(dirs, subject, &folder, signal, code)
                .map_err(|error| format!("can't run attache in {}: {error}", folder.display()))?;
            row(name, outcome(start, fault));
        }
        rows.extend(chat::rows(dirs, subject)?);
    }
    Ok(rows)
}

fn folder(dirs: &InteropDirs, subject: &TestedAgent, name: &str) -> PathBuf {
    let name = format!("rules-{}-{name}", subject.name).replace([' ', ','], "-");
    dirs.installed.join("runs").join(name)
}

fn outcome(start: Instant, fault: Option<String>) -> Outcome {
    match fault {
        None => Outcome::Ok(start.elapsed()),
        Some(fault) => {
            eprintln!("    failed: {fault}");
            Outcome::Failed(fault)
        }
    }
}

/// `attache run` with the agent, in its own directory with the program on `PATH`.
fn command(
    dirs: &InteropDirs,
    subject: &TestedAgent,
    folder: &Path,
    action: Option<&str>,
    commands: &[&str],
) -> io::Result<Command> {
    let cwd = folder.join("cwd");
    child::empty(folder)?;
    fs::create_dir(&cwd)?;
    let bin = program(folder, PROGRAM)?;
    let mut command = Command::new(dirs.target.join("release/attache"));
    command.args(["run", "--format", "quiet", "--approve-all"]);
    if let Some(action) = action {
        let policy = folder.join("policy.json");
        let rule = json!({ "action": action, "command": format!("{PROGRAM} **"), "id": RULE });
        fs::write(&policy, json!({ "rules": [rule] }).to_string())?;
        command.arg("--policy").arg(policy);
    }
    command.arg(subject.script.prompt(commands)).arg("--");
    command.args(&subject.words).current_dir(&cwd);
    command.envs(subject.env.iter().map(|(name, value)| (name, value)));
    command.env("PATH", path(&bin, subject));
    command.env("ATTACHE_HOME", folder.join("home"));
    command.env(child::MARK, folder).stdin(Stdio::null());
    command.stdout(File::create(folder.join("stdout"))?);
    command.stderr(File::create(folder.join("stderr"))?);
    Ok(command)
}

fn run_and_check(
    dirs: &InteropDirs,
    subject: &TestedAgent,
    trial: &RunTrial,
    folder: &Path,
) -> io::Result<Option<String>> {
    let commands = trial.commands.iter().copied().chain([AFTERWARDS]);
    let commands: Vec<&str> = commands.collect();
    let mut command = command(dirs, subject, folder, trial.action, &commands)?;
    let cwd = folder.join("cwd");
    let mut running = command.spawn()?;
    let mut faults = Vec::new();
    if child::wait(&mut running, LIMIT)?.is_none() {
        faults.push(format!("still running after {} s", LIMIT.as_secs()));
    }
    let ran = folder.join(format!("{PROGRAM}.ran"));
    let times = fs::read_to_string(ran).map_or(0, |text| text.lines().count());
    let wanted = if trial.runs { trial.commands.len() } else { 0 };
    if times != wanted {
        faults.push(format!("the program ran {times} times instead of {wanted}"));
    }
    if trial.continues && !cwd.join("afterwards").exists() {
        faults.push("the agent did not continue afterwards".to_owned());
    }
    let audit = audit(dirs, folder)?;
    if trial.action.is_some() && !audit.contains(RULE) {
        faults.push(format!("the audit log does not name the rule:\n{audit}"));
    }
    describe_faults(faults, folder)
}

/// Ends a run while the agent's command is running under a rule, as Ctrl-C, a time limit or a kill would.
fn interrupt(
    dirs: &InteropDirs,
    subject: &TestedAgent,
    folder: &Path,
    with: &str,
    code: Option<i32>,
) -> io::Result<Option<String>> {
    let commands = ["echo begun > begun; sleep 300", AFTERWARDS];
    let mut command = command(dirs, subject, folder, Some("ask"), &commands)?;
    let mut running = command.spawn()?;
    let begun = folder.join("cwd/begun");
    let start = Instant::now();
    while !begun.exists() && start.elapsed() < LIMIT && running.try_wait()?.is_none() {
        thread::sleep(Duration::from_millis(20));
    }
    let mut faults = Vec::new();
    if !begun.exists() {
        faults.push("the agent's command did not begin".to_owned());
    }
    let start = Instant::now();
    faults.extend(signal(with, &running.id().to_string()).err());
    match child::wait(&mut running, PROMPTLY)? {
        Some(status) if status.code() == code => {}
        Some(status) => faults.push(format!("ended with {status} instead of {code:?}")),
        None => faults.push(format!("still running after {} s", PROMPTLY.as_secs())),
    }
    // If the client was killed, the guard ends the remaining processes.
    while !child::left_behind(folder).is_empty() && start.elapsed() < PROMPTLY {
        thread::sleep(Duration::from_millis(20));
    }
    if folder.join("cwd/afterwards").exists() {
        faults.push("the agent continued".to_owned());
    }
    describe_faults(faults, folder)
}

/// The faults of a finished run, with its output.
fn describe_faults(mut faults: Vec<String>, folder: &Path) -> io::Result<Option<String>> {
    let left = child::left_behind(folder);
    if !left.is_empty() {
        faults.push(format!("left processes behind: {}", left.join(", ")));
    }
    if faults.is_empty() {
        return Ok(None);
    }
    for name in ["stdout", "stderr"] {
        let text = fs::read_to_string(folder.join(name))?;
        faults.push(format!("on {name}:\n{}", text.trim_end()));
    }
    Ok(Some(faults.join("\n")))
}

fn signal(signal: &str, pid: &str) -> Result<(), String> {
    let sent = Command::new("kill").args([signal, pid]).status();
    match sent {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("`kill {signal} {pid}` ended with {status}")),
        Err(error) => Err(format!("can't start kill: {error}")),
    }
}

/// Creates a program that records that it ran, in a directory for `PATH`.
fn program(folder: &Path, name: &str) -> io::Result<PathBuf> {
    let (bin, ran) = (folder.join("bin"), folder.join(format!("{name}.ran")));
    fs::create_dir_all(&bin)?;
    let program = bin.join(name);
    let text = format!("#!/bin/sh\necho \"$*\" >> '{}'\n", ran.display());
    fs::write(&program, text)?;
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755))?;
    Ok(bin)
}

fn path(bin: &Path, subject: &TestedAgent) -> OsString {
    let own = subject.env.iter().find(|(name, _)| name == "PATH");
    let own = own.map(|(_, value)| value.clone());
    let rest = own.or_else(|| std::env::var_os("PATH")).unwrap_or_default();
    let mut path = bin.as_os_str().to_owned();
    path.push(":");
    path.push(rest);
    path
}

fn audit(dirs: &InteropDirs, folder: &Path) -> io::Result<String> {
    let mut command = Command::new(dirs.target.join("release/attache"));
    command
        .arg("audit")
        .env("ATTACHE_HOME", folder.join("home"));
    let output = command.stdin(Stdio::null()).output()?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

const PROGRAM: &str = "forbidden-tool";
const RULE: &str = "no-forbidden-tool";
/// The program that a user is asked about.
const ASKED: &str = "asked-tool";
const ASKED_RULE: &str = "ask-about-it";
/// Spellings that hide the program until it is executed.
const SPELLINGS: [&str; 5] = [
    "eval \"$(printf 'forbidden-%s evaluated' tool)\"",
    "python3 -c 'import os; os.system(\"forbidden-\" + \"tool python\")'",
    "echo 'forbidden-''tool script' > script; sh script",
    "name=forbidden; \"$name-tool\" variable",
    "echo listed | xargs \"$(echo forbidden)-tool\"",
];
/// Spellings that reveal the program, so that the permission request is already denied.
const READABLE: [&str; 2] = [
    "forbidden-tool plain",
    "sh -c 'for''bidden-to\"ol\" quoted'",
];
/// A command that shows that the agent continues after a denial.
const AFTERWARDS: &str = "touch afterwards";
const LIMIT: Duration = Duration::from_secs(120);
/// Signals that end a run, and the exit code of each; a killed run has none.
const INTERRUPTS: [(&str, &str, Option<i32>); 2] = [
    ("interrupted", "-INT", Some(130)),
    ("killed", "-KILL", None),
];
const PROMPTLY: Duration = Duration::from_secs(10);
