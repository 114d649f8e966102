//! Rules on programs with real agents. Each agent runs a program with its own shell tool, spelled in five ways. The
//! program writes down that it ran, so what really executed is known and not only what the agent says.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::json;

use super::claude::Stage;
use super::pair::Outcome;
use super::{Place, Row, child};

/// An agent that has a shell tool and a scripted model.
pub(super) struct Subject {
    pub(super) name: &'static str,
    pub(super) words: Vec<OsString>,
    pub(super) env: Vec<(String, OsString)>,
    pub(super) script: Script,
    /// What has to stay until the last run.
    pub(super) _stage: Option<Stage>,
}

/// How the model of an agent is told which commands to run.
pub(super) enum Script {
    /// `<<run COMMAND>>`, as `model` reads it.
    Marks,
    /// Answers in JSON, as `claude::messages` reads them.
    Json,
}

impl Script {
    fn prompt(&self, commands: &[&str]) -> String {
        match self {
            Script::Marks => {
                let marks = commands.iter().map(|command| format!("<<run {command}>>"));
                marks.collect::<Vec<_>>().join(" ")
            }
            Script::Json => {
                let call =
                    |command: &&str| json!([{ "tool": "Bash", "input": { "command": command } }]);
                let mut turns: Vec<_> = commands.iter().map(call).collect();
                turns.push(json!([{ "text": "It is done." }]));
                format!("<<{}>>", json!(turns))
            }
        }
    }
}

/// What the policy says about the program, and what must come of it.
struct Trial {
    name: &'static str,
    /// The rule's action; without one there is no policy.
    action: Option<&'static str>,
    commands: &'static [&'static str],
    runs: bool,
    /// Whether the agent works on afterwards. One whose request for permission is rejected may end its turn.
    goes_on: bool,
}

const TRIALS: [Trial; 4] = [
    Trial {
        name: "program, no rule",
        action: None,
        commands: &SPELLINGS,
        runs: true,
        goes_on: true,
    },
    Trial {
        name: "program denied",
        action: Some("deny"),
        commands: &SPELLINGS,
        runs: false,
        goes_on: true,
    },
    Trial {
        name: "asked, no user",
        action: Some("ask"),
        commands: &SPELLINGS,
        runs: false,
        goes_on: true,
    },
    Trial {
        name: "denied at once",
        action: Some("deny"),
        commands: &READABLE,
        runs: false,
        goes_on: false,
    },
];

pub(super) fn rows(place: &Place, subjects: &[Subject]) -> Result<Vec<Row>, String> {
    let mut rows = Vec::new();
    for subject in subjects {
        for trial in &TRIALS {
            eprintln!("==> attache, {}: {}", subject.name, trial.name);
            let folder = place.installed.join("runs").join(format!(
                "rules-{}-{}",
                subject.name,
                trial.name.replace([' ', ','], "-")
            ));
            let start = Instant::now();
            let fault = go(place, subject, trial, &folder)
                .map_err(|error| format!("cannot run attache in {}: {error}", folder.display()))?;
            rows.push(Row {
                client: "binary",
                agent: subject.name,
                errand: trial.name,
                outcome: match fault {
                    None => Outcome::Ok(start.elapsed()),
                    Some(fault) => Outcome::Failed(fault),
                },
            });
        }
    }
    Ok(rows)
}

fn go(
    place: &Place,
    subject: &Subject,
    trial: &Trial,
    folder: &Path,
) -> io::Result<Option<String>> {
    let cwd = folder.join("cwd");
    child::empty(folder)?;
    fs::create_dir(&cwd)?;
    let ran = folder.join("ran");
    let bin = program(folder, &ran)?;
    let mut command = Command::new(place.target.join("release/attache"));
    command.args(["run", "--format", "quiet", "--approve-all"]);
    if let Some(action) = trial.action {
        let policy = folder.join("policy.json");
        let rule = json!({ "action": action, "command": format!("{PROGRAM} **"), "id": RULE });
        fs::write(&policy, json!({ "rules": [rule] }).to_string())?;
        command.arg("--policy").arg(policy);
    }
    let commands = trial.commands.iter().copied().chain([AFTERWARDS]);
    let commands: Vec<&str> = commands.collect();
    command.arg(subject.script.prompt(&commands)).arg("--");
    command.args(&subject.words).current_dir(&cwd);
    command.envs(subject.env.iter().map(|(name, value)| (name, value)));
    command.env("PATH", path(&bin, subject));
    command.env("ATTACHE_HOME", folder.join("home"));
    command.env(child::MARK, folder).stdin(Stdio::null());
    command.stdout(File::create(folder.join("stdout"))?);
    command.stderr(File::create(folder.join("stderr"))?);
    let mut running = command.spawn()?;
    let mut faults = Vec::new();
    if child::wait(&mut running, LIMIT)?.is_none() {
        faults.push(format!("no end after {} s", LIMIT.as_secs()));
    }
    let times = fs::read_to_string(&ran).map_or(0, |text| text.lines().count());
    let wanted = if trial.runs { trial.commands.len() } else { 0 };
    if times != wanted {
        faults.push(format!("the program ran {times} times, not {wanted}"));
    }
    if trial.goes_on && !cwd.join("afterwards").exists() {
        faults.push("the agent did not go on after it".to_owned());
    }
    let audit = audit(place, folder)?;
    if trial.action.is_some() && !audit.contains(RULE) {
        faults.push(format!("the audit log does not name the rule:\n{audit}"));
    }
    let left = child::left_behind(folder);
    if !left.is_empty() {
        faults.push(format!("it left processes behind: {}", left.join(", ")));
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

/// A program that writes down that it ran, in a folder for PATH.
fn program(folder: &Path, ran: &Path) -> io::Result<PathBuf> {
    let bin = folder.join("bin");
    fs::create_dir(&bin)?;
    let program = bin.join(PROGRAM);
    fs::write(
        &program,
        format!("#!/bin/sh\necho \"$*\" >> '{}'\n", ran.display()),
    )?;
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755))?;
    Ok(bin)
}

fn path(bin: &Path, subject: &Subject) -> OsString {
    let own = subject.env.iter().find(|(name, _)| name == "PATH");
    let own = own.map(|(_, value)| value.clone());
    let rest = own.or_else(|| std::env::var_os("PATH")).unwrap_or_default();
    let mut path = bin.as_os_str().to_owned();
    path.push(":");
    path.push(rest);
    path
}

fn audit(place: &Place, folder: &Path) -> io::Result<String> {
    let mut command = Command::new(place.target.join("release/attache"));
    command
        .arg("audit")
        .env("ATTACHE_HOME", folder.join("home"));
    let output = command.stdin(Stdio::null()).output()?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

const PROGRAM: &str = "forbidden-tool";
const RULE: &str = "no-forbidden-tool";
/// Only what is executed tells which program these start.
const SPELLINGS: [&str; 5] = [
    "eval \"$(printf 'forbidden-%s evaluated' tool)\"",
    "python3 -c 'import os; os.system(\"forbidden-\" + \"tool python\")'",
    "echo 'forbidden-''tool script' > script; sh script",
    "name=forbidden; \"$name-tool\" variable",
    "echo listed | xargs \"$(echo forbidden)-tool\"",
];
/// The words tell: the request for permission is denied already.
const READABLE: [&str; 2] = [
    "forbidden-tool plain",
    "sh -c 'for''bidden-to\"ol\" quoted'",
];
/// Shows that the agent still works after a denial.
const AFTERWARDS: &str = "touch afterwards";
const LIMIT: Duration = Duration::from_secs(120);
