//! Turns without tools, and how they end.

use std::time::{Duration, Instant};

use serde_json::json;

use super::super::client::Fault;
use super::super::stage::Stage;
use super::{holds, same};

pub(super) fn text(stage: &Stage) -> Result<(), Fault> {
    let mut client = stage.start()?;
    let session = client.session(&stage.cwd)?;
    let script =
        json!([[{ "thinking": "Hm." }, { "text": "Good morning, and a very long day to you." }]]);
    same(
        "the end",
        client.turn(&session, &script)?.as_str(),
        "end_turn",
    )?;
    same(
        "the text",
        client.words().as_str(),
        "Good morning, and a very long day to you.",
    )?;
    let thought = client.updates("agent_thought_chunk");
    same("the thought", &thought[0]["content"]["text"], &json!("Hm."))?;
    holds(
        "the pieces have a message",
        !client.updates("agent_message_chunk")[0]["messageId"].is_null(),
    )?;
    holds(
        "there is usage",
        client.updates("usage_update")[0]["size"].as_u64() > Some(0),
    )?;
    holds(
        "there is a title",
        !client.updates("session_info_update").is_empty(),
    )?;
    holds(
        "there are commands",
        !client.updates("available_commands_update").is_empty(),
    )
}

pub(super) fn interrupt_text(stage: &Stage) -> Result<(), Fault> {
    let mut client = stage.start()?;
    let session = client.session(&stage.cwd)?;
    let turn = client.prompt(
        &session,
        &json!([[{ "text": "Once upon a time" }, { "hold": true }]]),
    )?;
    client.wait("a word", |message| {
        message["params"]["update"]["sessionUpdate"] == "agent_message_chunk"
    })?;
    let start = Instant::now();
    client.tell("session/cancel", json!({ "sessionId": session }))?;
    same("the end", client.stop_reason(turn)?.as_str(), "cancelled")?;
    holds("it is quick", start.elapsed() < Duration::from_secs(5))?;
    let after = client.turn(&session, &json!([[{ "text": " and after." }]]))?;
    same("the next end", after.as_str(), "end_turn")
}

pub(super) fn interrupt_command(stage: &Stage) -> Result<(), Fault> {
    let mut client = stage.start_for(json!({ "_meta": { "terminal_output": true } }))?;
    let session = client.session(&stage.cwd)?;
    let command = "echo begun; tail -f /dev/null";
    let script =
        json!([[{ "tool": "Bash", "input": { "command": command, "description": "wait" } }]]);
    let turn = client.prompt(&session, &script)?;
    client.wait("output", |message| {
        message["params"]["update"]["_meta"]["terminal_output"]["data"] == "begun\r\n"
    })?;
    client.tell("session/cancel", json!({ "sessionId": session }))?;
    same("the end", client.stop_reason(turn)?.as_str(), "cancelled")?;
    let end = Instant::now() + Duration::from_secs(2);
    while stage.left_behind().iter().any(|name| name == "tail") && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(20));
    }
    holds(
        "the command is gone",
        !stage.left_behind().iter().any(|name| name == "tail"),
    )
}

pub(super) fn steering(stage: &Stage) -> Result<(), Fault> {
    let mut client = stage.start()?;
    client.choose = None;
    let session = client.session(&stage.cwd)?;
    let script =
        json!([[{ "tool": "Bash", "input": { "command": "touch a.txt", "description": "t" } }]]);
    let turn = client.prompt(&session, &script)?;
    client.wait("a question", |message| {
        message["method"] == "session/request_permission"
    })?;
    let words = format!(
        "No, rather this: <<{}>>",
        json!([[{ "text": "As you like." }]])
    );
    let prompt = json!([{ "type": "text", "text": words }]);
    let steered = client.ask(
        "_session/steering",
        json!({ "sessionId": session, "prompt": prompt }),
    )?;
    same(
        "the outcome",
        &steered["result"]["outcome"],
        &json!("injected"),
    )?;
    same("the end", client.stop_reason(turn)?.as_str(), "end_turn")?;
    holds(
        "the question is taken back",
        client
            .heard
            .iter()
            .any(|(_, it)| it["method"] == "$/cancel_request"),
    )?;
    same("the text", client.words().as_str(), "As you like.")?;
    same("the file", stage.read("a.txt").as_str(), "(no file)")
}

pub(super) fn queue(stage: &Stage) -> Result<(), Fault> {
    let mut client = stage.start()?;
    let session = client.session(&stage.cwd)?;
    let first = client.prompt(&session, &json!([[{ "text": "one " }, { "pause": 500 }]]))?;
    let second = client.prompt(&session, &json!([[{ "text": "two" }]]))?;
    same(
        "the second end",
        client.stop_reason(second)?.as_str(),
        "end_turn",
    )?;
    same(
        "the first end",
        client.stop_reason(first)?.as_str(),
        "end_turn",
    )?;
    same("the text", client.words().as_str(), "one two")
}

pub(super) fn no_login(stage: &Stage) -> Result<(), Fault> {
    let mut client = stage.start_for(json!({ "auth": { "terminal": true } }))?;
    let session = client.session(&stage.cwd)?;
    let script = json!([[{ "error": 401, "kind": "authentication_error" }]]);
    let turn = client.prompt(&session, &script)?;
    let answer = client.answer(turn)?;
    same("the error", &answer["error"]["code"], &json!(-32000))?;
    let methods = &client.heard[0].1["result"]["authMethods"];
    same("the login", &methods[0]["type"], &json!("terminal"))
}
