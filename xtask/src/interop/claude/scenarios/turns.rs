//! Turns without tools, and how they end.

use std::time::{Duration, Instant};

use serde_json::json;

use super::super::client::{Client, Fault};
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

pub(super) fn steered_and_stopped(stage: &Stage) -> Result<(), Fault> {
    let mut client = stage.start()?;
    let session = client.session(&stage.cwd)?;
    let held = json!([[{ "text": "one" }, { "hold": true }]]);
    let turn = client.prompt(&session, &held)?;
    client.wait("a word", |message| {
        message["params"]["update"]["sessionUpdate"] == "agent_message_chunk"
    })?;
    for word in ["two", "three"] {
        let words = format!(
            "Rather: <<{}>>",
            json!([[{ "text": word }, { "hold": true }]])
        );
        let prompt = json!([{ "type": "text", "text": words }]);
        let params = json!({ "sessionId": session, "prompt": prompt });
        client.ask("_session/steering", params)?;
    }
    let start = Instant::now();
    client.tell("session/cancel", json!({ "sessionId": session }))?;
    same("the end", client.stop_reason(turn)?.as_str(), "cancelled")?;
    holds("it is quick", start.elapsed() < Duration::from_secs(4))?;
    let after = client.turn(&session, &json!([[{ "text": " and after." }]]))?;
    same("the next end", after.as_str(), "end_turn")?;
    holds("it says so", client.words().ends_with(" and after."))
}

pub(super) fn cancelled_at_once(stage: &Stage) -> Result<(), Fault> {
    let mut client = stage.start()?;
    let session = client.session(&stage.cwd)?;
    let start = Instant::now();
    let turn = client.prompt(&session, &json!([[{ "text": "one" }, { "hold": true }]]))?;
    client.tell("session/cancel", json!({ "sessionId": session }))?;
    same("the end", client.stop_reason(turn)?.as_str(), "cancelled")?;
    holds("it is quick", start.elapsed() < Duration::from_secs(4))?;
    let after = client.turn(&session, &json!([[{ "text": "after" }]]))?;
    same("the next end", after.as_str(), "end_turn")
}

/// Images, links and resources reach the model.
pub(super) fn content(stage: &Stage) -> Result<(), Fault> {
    let mut client = stage.start()?;
    let session = client.session(&stage.cwd)?;
    let words = format!("Look. <<{}>>", json!([[{ "text": "Seen." }]]));
    let resource = json!({ "uri": "file:///notes/plum.txt", "text": "plums are ripe" });
    let prompt = json!([
        { "type": "text", "text": words },
        { "type": "image", "mimeType": "image/png", "data": PIXEL },
        { "type": "resource_link", "name": "quince", "uri": "file:///notes/quince.txt" },
        { "type": "resource", "resource": resource },
    ]);
    let params = json!({ "sessionId": session, "prompt": prompt });
    let turn = client.send("session/prompt", params)?;
    same("the end", client.stop_reason(turn)?.as_str(), "end_turn")?;
    same("the text", client.words().as_str(), "Seen.")?;
    for text in [
        r#""type":"image""#,
        "[@quince.txt](file:///notes/quince.txt)",
        "plums are ripe",
    ] {
        holds(
            &format!("the model sees {text}"),
            stage.model.was_asked(text),
        )?;
    }
    for prompt in [
        json!([]),
        json!([{ "type": "audio", "mimeType": "audio/wav", "data": "" }]),
    ] {
        let params = json!({ "sessionId": session, "prompt": prompt });
        let answer = client.ask("session/prompt", params)?;
        same("the error", &answer["error"]["code"], &json!(-32602))?;
    }
    Ok(())
}

/// A command of the project is offered and carried out, and so is one of the CLI's own.
pub(super) fn slash_command(stage: &Stage) -> Result<(), Fault> {
    let script = json!([[{ "text": "Greeted." }]]);
    let folder = stage.path(".claude/commands");
    std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    stage.write(
        ".claude/commands/greet.md",
        &format!("Say a word to $ARGUMENTS. <<{script}>>"),
    )?;
    let mut client = stage.start()?;
    let session = client.session(&stage.cwd)?;
    client.wait("the command", |message| {
        let commands = message["params"]["update"]["availableCommands"].as_array();
        commands.is_some_and(|commands| commands.iter().any(|it| it["name"] == "greet"))
    })?;
    let turn = client.prompt_text(&session, "/greet the medlar")?;
    same("the end", client.stop_reason(turn)?.as_str(), "end_turn")?;
    same("the text", client.words().as_str(), "Greeted.")?;
    holds(
        "the model was asked",
        stage.model.was_asked("Say a word to the medlar."),
    )?;
    let turn = client.prompt_text(&session, "/context")?;
    same("the end", client.stop_reason(turn)?.as_str(), "end_turn")?;
    holds(
        "its output is told",
        client.words().contains("Context Usage"),
    )
}

pub(super) fn refused_login(stage: &Stage) -> Result<(), Fault> {
    let mut client = stage.start_for(json!({ "auth": { "terminal": true } }))?;
    let session = client.session(&stage.cwd)?;
    let script = json!([[{ "error": 401, "kind": "authentication_error" }]]);
    let turn = client.prompt(&session, &script)?;
    let answer = client.answer(turn)?;
    same("the error", &answer["error"]["code"], &json!(-32000))?;
    let methods = &client.heard[0].1["result"]["authMethods"];
    same("the login", &methods[0]["type"], &json!("terminal"))
}

/// A session is refused before anybody has typed anything, and the state can be asked for.
pub(super) fn no_login(stage: &Stage) -> Result<(), Fault> {
    let mut env = stage.env();
    let params = json!({ "cwd": stage.cwd, "mcpServers": [] });
    let mut client = Client::start(&stage.ours(), &env, &stage.cwd, json!({}))?;
    let status = client.ask("auth/status", json!({}))?;
    same(
        "the state",
        &status["result"]["state"],
        &json!("authenticated"),
    )?;
    env.retain(|(name, _)| name != "ANTHROPIC_API_KEY");
    let mut client = Client::start(&stage.ours(), &env, &stage.cwd, json!({}))?;
    let opened = client.ask("session/new", params.clone())?;
    same("the error", &opened["error"]["code"], &json!(-32000))?;
    let status = client.ask("auth/status", json!({}))?;
    same(
        "the state",
        &status["result"]["state"],
        &json!("unauthenticated"),
    )?;
    // Headers may be all that a gateway wants.
    let headers = "Authorization: Bearer none";
    env.push(("ANTHROPIC_CUSTOM_HEADERS".to_owned(), headers.into()));
    let mut client = Client::start(&stage.ours(), &env, &stage.cwd, json!({}))?;
    let session = client.session(&stage.cwd)?;
    let end = client.turn(&session, &json!([[{ "text": "In." }]]))?;
    same("the end", end.as_str(), "end_turn")
}

/// A picture of one point.
const PIXEL: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
