//! Missing and killed programs, and what they leave behind.

use std::fs::{self, File};
use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime};

use serde_json::json;

use super::super::client::{Failure, ScriptedClient};
use super::super::fixture::Fixture;
use super::{expect, expect_eq};

pub(super) fn no_cli(fixture: &Fixture) -> Result<(), Failure> {
    let words = vec![fixture.attache.clone().into_os_string(), "claude".into()];
    let env = vec![
        ("HOME".to_owned(), fixture.cwd.clone().into_os_string()),
        ("PATH".to_owned(), "/nowhere".into()),
    ];
    let mut client = ScriptedClient::start(&words, &env, &fixture.cwd, json!({}))?;
    let params = json!({ "cwd": fixture.cwd, "mcpServers": [] });
    let answer = client.request("session/new", params)?;
    let message = answer["error"]["message"].as_str().unwrap_or_default();
    expect_eq("the code", &answer["error"]["code"], &json!(-32603))?;
    expect(
        "there is a hint",
        message.contains("npm i -g @anthropic-ai/claude-code"),
    )
}

/// The turn fails, and the next turn starts a CLI that knows the history.
pub(super) fn cli_killed(fixture: &Fixture) -> Result<(), Failure> {
    let mut client = fixture.start()?;
    let session = client.session(&fixture.cwd)?;
    let script = json!([[{ "text": "A word, persimmon." }]]);
    expect_eq(
        "the end",
        client.turn(&session, &script)?.as_str(),
        "end_turn",
    )?;
    let turn = client.prompt(&session, &json!([[{ "text": "Then" }, { "hold": true }]]))?;
    client.wait("a word", |message| {
        message["params"]["update"]["content"]["text"] == "Then"
    })?;
    for pid in fixture.processes("claude") {
        let killed = std::process::Command::new("kill")
            .args(["-9", &pid])
            .status();
        expect("it is killed", killed.is_ok_and(|status| status.success()))?;
    }
    let answer = client.answer(turn)?;
    expect_eq("the error", &answer["error"]["code"], &json!(-32603))?;
    let script = json!([[{ "text": "Here again." }]]);
    expect_eq(
        "the next end",
        client.turn(&session, &script)?.as_str(),
        "end_turn",
    )?;
    expect("it says so", client.message_text().ends_with("Here again."))?;
    expect("it knows the history", fixture.model.received("persimmon"))
}

/// Kills the adapter at different moments, half the time during a command.
pub(super) fn kills(fixture: &Fixture) -> Result<(), Failure> {
    for cycle in 0..CYCLES {
        let mut client = fixture.start()?;
        let input = json!({ "command": "(setsid tail -f /dev/null &) ; tail -f /dev/null", "description": "wait" });
        let script = json!([[{ "tool": "Bash", "input": input }]]);
        match cycle % 4 {
            0 => drop(client.send(
                "session/new",
                json!({ "cwd": fixture.cwd, "mcpServers": [] }),
            )?),
            1 => drop(client.session(&fixture.cwd)?),
            _ => {
                let session = client.session(&fixture.cwd)?;
                client.prompt(&session, &script)?;
                let end = Instant::now() + Duration::from_secs(20);
                while !fixture.left_behind().iter().any(|name| name == "tail") {
                    expect("the command begins", Instant::now() < end)?;
                    // The permission request is answered while we wait.
                    client.wait("a question", |it| {
                        it["method"] == "session/request_permission"
                    })?;
                    std::thread::sleep(Duration::from_millis(10));
                }
            }
        }
        let pid = client.pid();
        client.kill()?;
        let end = Instant::now() + Duration::from_secs(2);
        let mut left = fixture.left_behind();
        while !left.is_empty() && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(20));
            left = fixture.left_behind();
        }
        if !left.is_empty() {
            return Err(format!(
                "cycle {cycle}: after {pid} was killed {} are left",
                left.join(", ")
            ));
        }
    }
    Ok(())
}

/// The directory of a killed adapter is removed at the next start once it is old, and nothing is left in the end.
pub(super) fn sweep(fixture: &Fixture) -> Result<(), Failure> {
    let mut client = fixture.start()?;
    client.session(&fixture.cwd)?;
    client.kill()?;
    let left = folders(fixture);
    expect_eq("the folders that are left", left.len(), 1)?;
    let aged = File::open(&left[0]).and_then(|folder| folder.set_modified(SystemTime::UNIX_EPOCH));
    aged.map_err(|error| error.to_string())?;
    let mut client = fixture.start()?;
    let session = client.session(&fixture.cwd)?;
    expect("the old folder is removed", !left[0].exists())?;
    client.request("session/close", json!({ "sessionId": session }))?;
    expect_eq("the folders in the end", folders(fixture).len(), 0)
}

fn folders(fixture: &Fixture) -> Vec<PathBuf> {
    let entries = fs::read_dir(&fixture.scratch)
        .into_iter()
        .flatten()
        .flatten();
    let ours = entries.filter(|it| {
        it.file_name()
            .to_string_lossy()
            .starts_with("attache-claude-")
    });
    ours.map(|it| it.path()).collect()
}

const CYCLES: u32 = 100;
