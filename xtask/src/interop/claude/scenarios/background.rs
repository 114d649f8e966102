//! Calls whose work goes on in the background.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::super::client::{Client, Fault};
use super::super::stage::Stage;
use super::{holds, same};

/// The turn ends before the command, whose output goes on being told.
pub(super) fn command(stage: &Stage) -> Result<(), Fault> {
    let mut client = stage.start_for(json!({ "_meta": { "terminal_output": true } }))?;
    let session = client.session(&stage.cwd)?;
    let wait = "until [ -e go ]; do sleep 0.05; done";
    let begun = begin(
        &mut client,
        &session,
        &format!("echo one; {wait}; echo two"),
    )?;
    same(
        "the end",
        client.stop_reason(begun.turn)?.as_str(),
        "end_turn",
    )?;
    stage.write("go", "")?;
    let call = &begun.call;
    let ended = client.wait("the end of the call", |message| {
        is_at(message, call, "completed")
    })?;
    same(
        "the exit code",
        &ended["params"]["update"]["_meta"]["terminal_exit"]["exit_code"],
        &json!(0),
    )?;
    let updates = client.updates("tool_call_update");
    let output = updates
        .iter()
        .filter_map(|update| update["_meta"]["terminal_output"]["data"].as_str());
    let output: String = output.collect();
    holds("the output is told", output.starts_with("one\r\ntwo\r\n"))
}

/// A subagent in the background wakes the model: its tokens are those of the turn.
pub(super) fn subagent(stage: &Stage) -> Result<(), Fault> {
    let mut client = stage.start()?;
    let session = client.session(&stage.cwd)?;
    let inner = json!([[{ "text": "Inner words." }]]);
    let input = json!({ "description": "look", "prompt": format!("Look. <<{inner}>>"), "subagent_type": "general-purpose" });
    let script = json!([[{ "tool": "Task", "input": input }], [{ "text": "Begun." }]]);
    let turn = client.prompt(&session, &script)?;
    same("the end", client.stop_reason(turn)?.as_str(), "end_turn")?;
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
    same("the call", told.as_slice(), wanted.as_slice())
}

pub(super) fn kill(stage: &Stage) -> Result<(), Fault> {
    let mut client = stage.start()?;
    let session = client.session(&stage.cwd)?;
    let begun = begin(&mut client, &session, "tail -f /dev/null")?;
    let runs = || stage.left_behind().iter().any(|name| name == "tail");
    holds("it runs", becomes(runs))?;
    let params = json!({ "sessionId": session, "toolCallId": begun.call });
    let killed = client.ask("_attache/stop_command", params)?;
    holds("it is killed", killed["error"].is_null())?;
    holds("it is gone", becomes(|| !runs()))?;
    let call = &begun.call;
    client.wait("the end of the call", |message| {
        is_at(message, call, "failed")
    })?;
    same(
        "the end",
        client.stop_reason(begun.turn)?.as_str(),
        "end_turn",
    )
}

struct Begun {
    turn: u64,
    call: Value,
}

/// Lets a command run in the background, once it is said that it does.
fn begin(client: &mut Client, session: &str, command: &str) -> Result<Begun, Fault> {
    client.choose = Some("allow_once");
    let input = json!({ "command": command, "description": "wait", "run_in_background": true });
    let script = json!([[{ "tool": "Bash", "input": input }], [{ "text": "Begun." }]]);
    let turn = client.prompt(session, &script)?;
    let begun = client.wait("the start of the call", |message| {
        message["params"]["update"]["status"] == "in_progress"
    })?;
    let call = begun["params"]["update"]["toolCallId"].clone();
    Ok(Begun { turn, call })
}

fn is_at(message: &Value, call: &Value, status: &str) -> bool {
    let update = &message["params"]["update"];
    update["toolCallId"] == *call && update["status"] == status
}

fn becomes(truth: impl Fn() -> bool) -> bool {
    let end = Instant::now() + Duration::from_secs(10);
    while !truth() && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(20));
    }
    truth()
}
