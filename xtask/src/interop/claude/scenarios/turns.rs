//! Turns without tools, and how they end.

use std::time::{Duration, Instant};

use serde_json::json;

use super::super::client::{Failure, ScriptedClient};
use super::super::fixture::Fixture;
use super::{expect, expect_eq};

pub(super) fn text(fixture: &Fixture) -> Result<(), Failure> {
    let mut client = fixture.start()?;
    let session = client.session(&fixture.cwd)?;
    let script =
        json!([[{ "thinking": "Hm." }, { "text": "Good morning, and a very long day to you." }]]);
    expect_eq(
        "the end",
        client.turn(&session, &script)?.as_str(),
        "end_turn",
    )?;
    expect_eq(
        "the text",
        client.message_text().as_str(),
        "Good morning, and a very long day to you.",
    )?;
    let thought = client.updates("agent_thought_chunk");
    expect_eq("the thought", &thought[0]["content"]["text"], &json!("Hm."))?;
    expect(
        "the pieces have a message",
        !client.updates("agent_message_chunk")[0]["messageId"].is_null(),
    )?;
    expect(
        "there is usage",
        client.updates("usage_update")[0]["size"].as_u64() > Some(0),
    )?;
    expect(
        "there is a title",
        !client.updates("session_info_update").is_empty(),
    )?;
    expect(
        "there are commands",
        !client.updates("available_commands_update").is_empty(),
    )
}

pub(super) fn interrupt_text(fixture: &Fixture) -> Result<(), Failure> {
    let mut client = fixture.start()?;
    let session = client.session(&fixture.cwd)?;
    let turn = client.prompt(
        &session,
        &json!([[{ "text": "Once upon a time" }, { "hold": true }]]),
    )?;
    client.wait("a word", |message| {
        message["params"]["update"]["sessionUpdate"] == "agent_message_chunk"
    })?;
    let start = Instant::now();
    client.notify("session/cancel", json!({ "sessionId": session }))?;
    expect_eq("the end", client.stop_reason(turn)?.as_str(), "cancelled")?;
    expect("it is quick", start.elapsed() < Duration::from_secs(5))?;
    let after = client.turn(&session, &json!([[{ "text": " and after." }]]))?;
    expect_eq("the next end", after.as_str(), "end_turn")
}

pub(super) fn interrupt_command(fixture: &Fixture) -> Result<(), Failure> {
    let mut client = fixture.start_for(json!({ "_meta": { "terminal_output": true } }))?;
    let session = client.session(&fixture.cwd)?;
    let command = "echo begun; tail -f /dev/null";
    let script =
        json!([[{ "tool": "Bash", "input": { "command": command, "description": "wait" } }]]);
    let turn = client.prompt(&session, &script)?;
    client.wait("output", |message| {
        message["params"]["update"]["_meta"]["terminal_output"]["data"] == "begun\r\n"
    })?;
    client.notify("session/cancel", json!({ "sessionId": session }))?;
    expect_eq("the end", client.stop_reason(turn)?.as_str(), "cancelled")?;
    let end = Instant::now() + Duration::from_secs(2);
    while fixture.left_behind().iter().any(|name| name == "tail") && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(20));
    }
    expect(
        "the command is gone",
        !fixture.left_behind().iter().any(|name| name == "tail"),
    )
}

pub(super) fn steering(fixture: &Fixture) -> Result<(), Failure> {
    let mut client = fixture.start()?;
    client.permission_choice = None;
    let session = client.session(&fixture.cwd)?;
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
    let steered = client.request(
        "_session/steering",
        json!({ "sessionId": session, "prompt": prompt }),
    )?;
    expect_eq(
        "the outcome",
        &steered["result"]["outcome"],
        &json!("injected"),
    )?;
    expect_eq("the end", client.stop_reason(turn)?.as_str(), "end_turn")?;
    expect(
        "the permission request is withdrawn",
        client
            .received
            .iter()
            .any(|(_, it)| it["method"] == "$/cancel_request"),
    )?;
    expect_eq("the text", client.message_text().as_str(), "As you like.")?;
    expect_eq("the file", fixture.read("a.txt").as_str(), "(no file)")
}

pub(super) fn queue(fixture: &Fixture) -> Result<(), Failure> {
    let mut client = fixture.start()?;
    let session = client.session(&fixture.cwd)?;
    let first = client.prompt(&session, &json!([[{ "text": "one " }, { "pause": 500 }]]))?;
    let second = client.prompt(&session, &json!([[{ "text": "two" }]]))?;
    expect_eq(
        "the second end",
        client.stop_reason(second)?.as_str(),
        "end_turn",
    )?;
    expect_eq(
        "the first end",
        client.stop_reason(first)?.as_str(),
        "end_turn",
    )?;
    expect_eq("the text", client.message_text().as_str(), "one two")
}

pub(super) fn steered_and_stopped(fixture: &Fixture) -> Result<(), Failure> {
    let mut client = fixture.start()?;
    let session = client.session(&fixture.cwd)?;
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
        client.request("_session/steering", params)?;
    }
    let start = Instant::now();
    client.notify("session/cancel", json!({ "sessionId": session }))?;
    expect_eq("the end", client.stop_reason(turn)?.as_str(), "cancelled")?;
    expect("it is quick", start.elapsed() < Duration::from_secs(4))?;
    let after = client.turn(&session, &json!([[{ "text": " and after." }]]))?;
    expect_eq("the next end", after.as_str(), "end_turn")?;
    expect("it says so", client.message_text().ends_with(" and after."))
}

pub(super) fn cancelled_at_once(fixture: &Fixture) -> Result<(), Failure> {
    let mut client = fixture.start()?;
    let session = client.session(&fixture.cwd)?;
    let start = Instant::now();
    let turn = client.prompt(&session, &json!([[{ "text": "one" }, { "hold": true }]]))?;
    client.notify("session/cancel", json!({ "sessionId": session }))?;
    expect_eq("the end", client.stop_reason(turn)?.as_str(), "cancelled")?;
    expect("it is quick", start.elapsed() < Duration::from_secs(4))?;
    let after = client.turn(&session, &json!([[{ "text": "after" }]]))?;
    expect_eq("the next end", after.as_str(), "end_turn")
}

/// Images, links and resources reach the model.
pub(super) fn content(fixture: &Fixture) -> Result<(), Failure> {
    let mut client = fixture.start()?;
    let session = client.session(&fixture.cwd)?;
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
    expect_eq("the end", client.stop_reason(turn)?.as_str(), "end_turn")?;
    expect_eq("the text", client.message_text().as_str(), "Seen.")?;
    for text in [
        r#""type":"image""#,
        "[@quince.txt](file:///notes/quince.txt)",
        "plums are ripe",
    ] {
        expect(
            &format!("the model sees {text}"),
            fixture.model.received(text),
        )?;
    }
    for prompt in [
        json!([]),
        json!([{ "type": "audio", "mimeType": "audio/wav", "data": "" }]),
    ] {
        let params = json!({ "sessionId": session, "prompt": prompt });
        let answer = client.request("session/prompt", params)?;
        expect_eq("the error", &answer["error"]["code"], &json!(-32602))?;
    }
    Ok(())
}

/// A command of the project is offered and runs, and so does one of the CLI's own.
pub(super) fn slash_command(fixture: &Fixture) -> Result<(), Failure> {
    let script = json!([[{ "text": "Greeted." }]]);
    let folder = fixture.path(".claude/commands");
    std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    fixture.write(
        ".claude/commands/greet.md",
        &format!("Say a word to $ARGUMENTS. <<{script}>>"),
    )?;
    let mut client = fixture.start()?;
    let session = client.session(&fixture.cwd)?;
    client.wait("the command", |message| {
        let commands = message["params"]["update"]["availableCommands"].as_array();
        commands.is_some_and(|commands| commands.iter().any(|it| it["name"] == "greet"))
    })?;
    let turn = client.prompt_text(&session, "/greet the medlar")?;
    expect_eq("the end", client.stop_reason(turn)?.as_str(), "end_turn")?;
    expect_eq("the text", client.message_text().as_str(), "Greeted.")?;
    expect(
        "the model was asked",
        fixture.model.received("Say a word to the medlar."),
    )?;
    let turn = client.prompt_text(&session, "/context")?;
    expect_eq("the end", client.stop_reason(turn)?.as_str(), "end_turn")?;
    expect(
        "its output is shown",
        client.message_text().contains("Context Usage"),
    )
}

pub(super) fn refused_login(fixture: &Fixture) -> Result<(), Failure> {
    let mut client = fixture.start_for(json!({ "auth": { "terminal": true } }))?;
    let session = client.session(&fixture.cwd)?;
    let script = json!([[{ "error": 401, "kind": "authentication_error" }]]);
    let turn = client.prompt(&session, &script)?;
    let answer = client.answer(turn)?;
    expect_eq("the error", &answer["error"]["code"], &json!(-32000))?;
    let methods = &client.received[0].1["result"]["authMethods"];
    expect_eq("the login", &methods[0]["type"], &json!("terminal"))
}

/// Without a login, opening a session fails before anything is typed, and the login state can be queried.
pub(super) fn no_login(fixture: &Fixture) -> Result<(), Failure> {
    let mut env = fixture.env();
    let params = json!({ "cwd": fixture.cwd, "mcpServers": [] });
    let mut client = ScriptedClient::start(&fixture.our_adapter(), &env, &fixture.cwd, json!({}))?;
    let status = client.request("auth/status", json!({}))?;
    expect_eq(
        "the state",
        &status["result"]["state"],
        &json!("authenticated"),
    )?;
    env.retain(|(name, _)| name != "ANTHROPIC_API_KEY");
    let mut client = ScriptedClient::start(&fixture.our_adapter(), &env, &fixture.cwd, json!({}))?;
    let opened = client.request("session/new", params.clone())?;
    expect_eq("the error", &opened["error"]["code"], &json!(-32000))?;
    let status = client.request("auth/status", json!({}))?;
    expect_eq(
        "the state",
        &status["result"]["state"],
        &json!("unauthenticated"),
    )?;
    // Headers may be all that a gateway needs.
    let headers = "Authorization: Bearer none";
    env.push(("ANTHROPIC_CUSTOM_HEADERS".to_owned(), headers.into()));
    let mut client = ScriptedClient::start(&fixture.our_adapter(), &env, &fixture.cwd, json!({}))?;
    let session = client.session(&fixture.cwd)?;
    let end = client.turn(&session, &json!([[{ "text": "In." }]]))?;
    expect_eq("the end", end.as_str(), "end_turn")
}

/// An image of one pixel.
const PIXEL: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
