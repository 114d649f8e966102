//! Our own client in front of our own adapter.

use std::process::{Command, Stdio};

use serde_json::json;

use super::super::client::Fault;
use super::super::stage::Stage;
use super::same;

pub(super) fn run(stage: &Stage) -> Result<(), Fault> {
    let said = said(stage, "--approve-all")?;
    same(
        "the exit code and text",
        said,
        (Some(0), "It is made.\n".to_owned()),
    )?;
    same("the file", stage.read("made.txt").as_str(), "")
}

pub(super) fn run_denied(stage: &Stage) -> Result<(), Fault> {
    let (exit, _) = said(stage, "--deny-all")?;
    same("the exit code", exit, Some(5))?;
    same("the file", stage.read("made.txt").as_str(), "(no file)")
}

fn said(stage: &Stage, approval: &str) -> Result<(Option<i32>, String), Fault> {
    let input = json!({ "command": "touch made.txt", "description": "make a file" });
    let script = json!([[{ "tool": "Bash", "input": input }], [{ "text": "It is made." }]]);
    let mut command = Command::new(&stage.attache);
    command.args(["run", "--format", "quiet", "--timeout", "40", approval]);
    command
        .arg(format!("Make it. <<{script}>>"))
        .arg("--")
        .args(stage.ours());
    command
        .current_dir(&stage.cwd)
        .env_clear()
        .envs(stage.env());
    command.env("ATTACHE_HOME", stage.cwd.with_file_name("attache"));
    command.stdin(Stdio::null()).stderr(Stdio::null());
    let output = command.output().map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    Ok((output.status.code(), text))
}
