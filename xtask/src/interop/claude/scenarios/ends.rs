//! What is left when something is missing or killed.

use std::fs::{self, File};
use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime};

use serde_json::json;

use super::super::client::{Client, Fault};
use super::super::stage::Stage;
use super::{holds, same};

pub(super) fn no_cli(stage: &Stage) -> Result<(), Fault> {
    let words = vec![stage.attache.clone().into_os_string(), "claude".into()];
    let env = vec![
        ("HOME".to_owned(), stage.cwd.clone().into_os_string()),
        ("PATH".to_owned(), "/nowhere".into()),
    ];
    let mut client = Client::start(&words, &env, &stage.cwd, json!({}))?;
    let params = json!({ "cwd": stage.cwd, "mcpServers": [] });
    let answer = client.ask("session/new", params)?;
    let message = answer["error"]["message"].as_str().unwrap_or_default();
    same("the code", &answer["error"]["code"], &json!(-32603))?;
    holds(
        "there is a hint",
        message.contains("npm i -g @anthropic-ai/claude-code"),
    )
}

/// The turn fails, and the next one has a CLI that knows what was said.
pub(super) fn cli_killed(stage: &Stage) -> Result<(), Fault> {
    let mut client = stage.start()?;
    let session = client.session(&stage.cwd)?;
    let script = json!([[{ "text": "A word, persimmon." }]]);
    same(
        "the end",
        client.turn(&session, &script)?.as_str(),
        "end_turn",
    )?;
    let turn = client.prompt(&session, &json!([[{ "text": "Then" }, { "hold": true }]]))?;
    client.wait("a word", |message| {
        message["params"]["update"]["content"]["text"] == "Then"
    })?;
    for pid in stage.processes("claude") {
        let killed = std::process::Command::new("kill")
            .args(["-9", &pid])
            .status();
        holds("it is killed", killed.is_ok_and(|status| status.success()))?;
    }
    let answer = client.answer(turn)?;
    same("the error", &answer["error"]["code"], &json!(-32603))?;
    let script = json!([[{ "text": "Here again." }]]);
    same(
        "the next end",
        client.turn(&session, &script)?.as_str(),
        "end_turn",
    )?;
    holds("it says so", client.words().ends_with("Here again."))?;
    holds("it knows the history", stage.model.was_asked("persimmon"))
}

/// The adapter is killed at different moments, half the time in the middle of a command.
pub(super) fn kills(stage: &Stage) -> Result<(), Fault> {
    for cycle in 0..CYCLES {
        let mut client = stage.start()?;
        let input = json!({ "command": "(setsid tail -f /dev/null &) ; tail -f /dev/null", "description": "wait" });
        let script = json!([[{ "tool": "Bash", "input": input }]]);
        match cycle % 4 {
            0 => drop(client.send("session/new", json!({ "cwd": stage.cwd, "mcpServers": [] }))?),
            1 => drop(client.session(&stage.cwd)?),
            _ => {
                let session = client.session(&stage.cwd)?;
                client.prompt(&session, &script)?;
                let end = Instant::now() + Duration::from_secs(20);
                while !stage.left_behind().iter().any(|name| name == "tail") {
                    holds("the command begins", Instant::now() < end)?;
                    // The question is answered while we wait.
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
        let mut left = stage.left_behind();
        while !left.is_empty() && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(20));
            left = stage.left_behind();
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

/// A folder that a killed adapter left goes with the start of the next, once it is old; nothing is left in the end.
pub(super) fn sweep(stage: &Stage) -> Result<(), Fault> {
    let mut client = stage.start()?;
    client.session(&stage.cwd)?;
    client.kill()?;
    let left = folders(stage);
    same("the folders that are left", left.len(), 1)?;
    let aged = File::open(&left[0]).and_then(|folder| folder.set_modified(SystemTime::UNIX_EPOCH));
    aged.map_err(|error| error.to_string())?;
    let mut client = stage.start()?;
    let session = client.session(&stage.cwd)?;
    holds("it is swept away", !left[0].exists())?;
    client.ask("session/close", json!({ "sessionId": session }))?;
    same("the folders in the end", folders(stage).len(), 0)
}

fn folders(stage: &Stage) -> Vec<PathBuf> {
    let entries = fs::read_dir(&stage.scratch).into_iter().flatten().flatten();
    let ours = entries.filter(|it| {
        it.file_name()
            .to_string_lossy()
            .starts_with("attache-claude-")
    });
    ours.map(|it| it.path()).collect()
}

const CYCLES: u32 = 100;
