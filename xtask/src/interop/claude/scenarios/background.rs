//! Tool calls that continue in the background.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::super::client::{Failure, ScriptedClient};
use super::super::fixture::Fixture;
use super::{expect, expect_eq};

/// The turn ends before the command, and the command's output keeps arriving.
pub(super) fn command(fixture: &Fixture) -> Result<(), Failure> {
    let mut client = fixture.start_for(json!({ "_meta": { "terminal_output": true } }))?;
    let session = client.session(&fixture.cwd)?;
    let wait = "until [ -e go ]; do sleep 0.05; done";
    let begun = start_in_background(
        &mut client,
        &session,
        &format!("echo one; {wait}; echo two"),
    )?;
    expect_eq(
        "the end",
        client.stop_reason(begun.turn)?.as_str(),
        "end_turn",
    )?;
    fixture.write("go", "")?;
    let call = &begun.call;
    let ended = client.wait("the end of the call", |message| {
        has_status(message, call, "completed")
    })?;
    expect_eq(
        "the exit code",
        &ended["params"]["update"]["_meta"]["terminal_exit"]["exit_code"],
        &json!(0),
    )?;
    let updates = client.updates("tool_call_update");
    let output = updates
        .iter()
        .filter_map(|update| update["_meta"]["terminal_output"]["data"].as_str());
    let output: String = output.collect();
    expect("the output arrives", output.starts_with("one\r\ntwo\r\n"))
}

/// A background subagent wakes the model, and its tokens count for the turn.
pub(super) fn subagent(fixture: &Fixture) -> Result<(), Failure> {
    let mut client = fixture.start()?;
    let session = client.session(&fixture.cwd)?;
    let inner = json!([[{ "text": "Inner words." }]]);
    let input = json!({ "description": "look", "prompt": format!("Look. <<{inner}>>"), "subagent_type": "general-purpose" });
    let script = json!([[{ "tool": "Task", "input": input }], [{ "text": "Begun." }]]);
    let turn = client.prompt(&session, &script)?;
    expect_eq("the end", client.stop_reason(turn)?.as_str(), "end_turn")?;
    let updates = client.updates("tool_call_update");
    let told: Vec<_> = updates
        .iter()
        .filter(|update| !update["status"].is_null())
        .map(|update| (&update["status"], &update["content"][0]["content"]["text"]))
        .collect();
    let wanted = [
        (&json!("in_progress"), &Value::Null),
        (&json!("completed"), &json!("Inner words.")),
    ];
    expect_eq("the call", told.as_slice(), wanted.as_slice())
}

pub(super) fn kill(fixture: &Fixture) -> Result<(), Failure> {
    let mut client = fixture.start()?;
    let session = client.session(&fixture.cwd)?;
    let begun = start_in_background(&mut client, &session, "tail -f /dev/null")?;
    let runs = || fixture.left_behind().iter().any(|name| name == "tail");
    expect("it runs", wait_until(runs))?;
    let params = json!({ "sessionId": session, "toolCallId": begun.call });
    let killed = client.request("_attache/stop_command", params)?;
    expect("it is killed", killed["error"].is_null())?;
    expect("it is gone", wait_until(|| !runs()))?;
    let call = &begun.call;
    client.wait("the end of the call", |message| {
        has_status(message, call, "failed")
    })?;
    expect_eq(
        "the end",
        client.stop_reason(begun.turn)?.as_str(),
        "end_turn",
    )
}

struct BackgroundCall {
    turn: u64,
    call: Value,
}

/// Runs a command in the background and waits until it is reported as running.
fn start_in_background(
    client: &mut ScriptedClient,
    session: &str,
    command: &str,
) -> Result<BackgroundCall, Failure> {
    client.permission_choice = Some("allow_once");
    let input = json!({ "command": command, "description": "wait", "run_in_background": true });
    let script = json!([[{ "tool": "Bash", "input": input }], [{ "text": "Begun." }]]);
    let turn = client.prompt(session, &script)?;
    let begun = client.wait("the start of the call", |message| {
        message["params"]["update"]["status"] == "in_progress"
    })?;
    let call = begun["params"]["update"]["toolCallId"].clone();
    Ok(BackgroundCall { turn, call })
}

fn has_status(message: &Value, call: &Value, status: &str) -> bool {
    let update = &message["params"]["update"];
    update["toolCallId"] == *call && update["status"] == status
}

fn wait_until(truth: impl Fn() -> bool) -> bool {
    let end = Instant::now() + Duration::from_secs(10);
    while !truth() && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(20));
    }
    truth()
}
