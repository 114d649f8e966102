//! Sessions: stored, resumed, forked, and several at once.

use std::time::{Duration, Instant};

use serde_json::json;

use super::super::client::{Failure, ScriptedClient};
use super::super::fixture::Fixture;
use super::super::mcp;
use super::{expect, expect_eq};

pub(super) fn resume(fixture: &Fixture) -> Result<(), Failure> {
    let id = closed_session(fixture, "a secret word, kumquat")?;
    let mut client = fixture.start()?;
    let resumed = client.request(
        "session/resume",
        json!({ "sessionId": id, "cwd": fixture.cwd }),
    )?;
    expect("it is resumed", resumed["error"].is_null())?;
    expect(
        "nothing is replayed",
        client.updates("user_message_chunk").is_empty(),
    )?;
    expect_eq(
        "the end",
        client
            .turn(&id, &json!([[{ "text": "Resumed." }]]))?
            .as_str(),
        "end_turn",
    )?;
    expect_eq("the text", client.message_text().as_str(), "Resumed.")?;
    expect(
        "the model knows the history",
        fixture.model.received("kumquat"),
    )
}

pub(super) fn load(fixture: &Fixture) -> Result<(), Failure> {
    let id = closed_session(fixture, "tell me of tangerines")?;
    let mut client = fixture.start()?;
    let params = json!({ "sessionId": id, "cwd": fixture.cwd, "mcpServers": [] });
    let loaded = client.request("session/load", params)?;
    expect("it is loaded", loaded["result"]["modes"].is_object())?;
    let prompts = client.updates("user_message_chunk");
    let prompt = prompts
        .first()
        .and_then(|chunk| chunk["content"]["text"].as_str());
    expect(
        "the prompt is replayed",
        prompt.is_some_and(|text| text.contains("tangerines")),
    )?;
    expect_eq("the answer", client.message_text().as_str(), "Heard.")?;
    let listed = client.request("session/list", json!({ "cwd": fixture.cwd }))?;
    expect_eq(
        "the listed session",
        &listed["result"]["sessions"][0]["sessionId"],
        &json!(id),
    )?;
    client.request("session/delete", json!({ "sessionId": id }))?;
    let listed = client.request("session/list", json!({ "cwd": fixture.cwd }))?;
    expect_eq("the list", &listed["result"]["sessions"], &json!([]))
}

pub(super) fn fork(fixture: &Fixture) -> Result<(), Failure> {
    let id = closed_session(fixture, "a word for the fork, pomelo")?;
    let mut client = fixture.start()?;
    let forked = client.request(
        "session/fork",
        json!({ "sessionId": id, "cwd": fixture.cwd }),
    )?;
    let fork = forked["result"]["sessionId"]
        .as_str()
        .unwrap_or_default()
        .to_owned();
    expect(
        "the fork has an id of its own",
        !fork.is_empty() && fork != id,
    )?;
    expect_eq(
        "the end",
        client
            .turn(&fork, &json!([[{ "text": "Forked." }]]))?
            .as_str(),
        "end_turn",
    )?;
    expect(
        "the model knows the history",
        fixture.model.received("pomelo"),
    )?;
    let listed = client.request("session/list", json!({ "cwd": fixture.cwd }))?;
    expect_eq(
        "the sessions",
        listed["result"]["sessions"].as_array().map(Vec::len),
        Some(2),
    )
}

pub(super) fn unknown(fixture: &Fixture) -> Result<(), Failure> {
    let mut client = fixture.start()?;
    let id = "66e3513e-777f-437a-8161-2b4c04fd505e";
    let load = json!({ "sessionId": id, "cwd": fixture.cwd, "mcpServers": [] });
    for (method, params) in [
        ("session/load", load.clone()),
        ("session/resume", load.clone()),
        ("session/fork", load),
        ("session/prompt", json!({ "sessionId": id, "prompt": [] })),
        (
            "session/set_mode",
            json!({ "sessionId": id, "modeId": "plan" }),
        ),
        ("session/close", json!({ "sessionId": id })),
    ] {
        let answer = client.request(method, params)?;
        expect_eq(method, &answer["error"]["code"], &json!(-32002))?;
    }
    Ok(())
}

pub(super) fn mcp_server(fixture: &Fixture) -> Result<(), Failure> {
    let mut client = fixture.start()?;
    fixture.write("a server's $HOME.sh", SERVER)?;
    let env = json!([{ "name": "WORD", "value": "hunter2" }]);
    let args = json!([fixture.path("a server's $HOME.sh")]);
    let server = json!({ "name": "echo", "command": "/bin/bash", "args": args, "env": env });
    let session = client.session_with(&fixture.cwd, json!([server]))?;
    let secrets = std::process::Command::new("ps")
        .args(["axww", "-o", "args"])
        .output();
    let secrets = secrets.map_err(|error| error.to_string())?;
    let listed = String::from_utf8_lossy(&secrets.stdout).into_owned();
    expect(
        "no secret is on a command line",
        !listed.contains("hunter2"),
    )?;
    expect_tool_result(&mut client, &session, "heard hunter2")?;
    client.wait("its prompt as a command", |message| {
        let commands = message["params"]["update"]["availableCommands"].as_array();
        commands.is_some_and(|it| it.iter().any(|it| it["name"] == "mcp:echo:greet"))
    })?;
    let turn = client.prompt_text(&session, "/mcp:echo:greet")?;
    expect_eq("the end", client.stop_reason(turn)?.as_str(), "end_turn")?;
    expect(
        "the model receives the prompt",
        fixture.model.received("Greet the damson"),
    )
}

pub(super) fn mcp_over_http(fixture: &Fixture) -> Result<(), Failure> {
    remote(fixture, "http", "mcp")
}

pub(super) fn mcp_over_sse(fixture: &Fixture) -> Result<(), Failure> {
    remote(fixture, "sse", "sse")
}

fn remote(fixture: &Fixture, kind: &str, path: &str) -> Result<(), Failure> {
    let address = mcp::serve().map_err(|error| error.to_string())?;
    let mut client = fixture.start()?;
    let headers = json!([{ "name": "Authorization", "value": "Bearer hunter3" }]);
    let url = format!("http://{address}/{path}");
    let server = json!({ "type": kind, "name": "echo", "url": url, "headers": headers });
    let session = client.session_with(&fixture.cwd, json!([server]))?;
    expect_tool_result(&mut client, &session, "heard Bearer hunter3")
}

pub(super) fn expect_tool_result(
    client: &mut ScriptedClient,
    session: &str,
    answer: &str,
) -> Result<(), Failure> {
    let call = json!({ "tool": "mcp__echo__say", "input": {} });
    let script = json!([[call], [{ "text": "Done." }]]);
    expect_eq(
        "the end",
        client.turn(session, &script)?.as_str(),
        "end_turn",
    )?;
    let updates = client.updates("tool_call_update");
    let said = updates
        .iter()
        .any(|it| it["content"][0]["content"]["text"] == answer);
    expect("the server answered", said)
}

pub(super) fn two_at_once(fixture: &Fixture) -> Result<(), Failure> {
    let mut client = fixture.start()?;
    let slow = client.session(&fixture.cwd)?;
    let quick = client.session(&fixture.cwd)?;
    let held = client.prompt(&slow, &json!([[{ "text": "slow" }, { "hold": true }]]))?;
    client.wait("a word", |message| {
        message["params"]["sessionId"] == slow
            && message["params"]["update"]["sessionUpdate"] == "agent_message_chunk"
    })?;
    let start = Instant::now();
    expect_eq(
        "the end",
        client
            .turn(&quick, &json!([[{ "text": "quick" }]]))?
            .as_str(),
        "end_turn",
    )?;
    expect("it did not wait", start.elapsed() < Duration::from_secs(10))?;
    client.notify("session/cancel", json!({ "sessionId": slow }))?;
    expect_eq(
        "the other end",
        client.stop_reason(held)?.as_str(),
        "cancelled",
    )
}

/// Creates a session with one prompt, then closes it and its adapter.
fn closed_session(fixture: &Fixture, words: &str) -> Result<String, Failure> {
    let mut client = fixture.start()?;
    let id = client.session(&fixture.cwd)?;
    let script = json!([[{ "text": "Heard." }]]);
    let turn = client.prompt_text(&id, &format!("{words} <<{script}>>"))?;
    expect_eq("the end", client.stop_reason(turn)?.as_str(), "end_turn")?;
    let closed = client.request("session/close", json!({ "sessionId": id }))?;
    expect("it is closed", closed["error"].is_null())?;
    Ok(id)
}

/// An MCP server as a shell script.
const SERVER: &str = r#"
while IFS= read -r line; do
  id=$(sed -n 's/.*"id":\([0-9]*\).*/\1/p' <<<"$line")
  case "$line" in
    *'"initialize"'*) result='{"protocolVersion":"2025-06-18","capabilities":{"tools":{},"prompts":{}},"serverInfo":{"name":"echo","version":"1"}}' ;;
    *'"tools/list"'*) result='{"tools":[{"name":"say","description":"Says something","inputSchema":{"type":"object"}}]}' ;;
    *'"tools/call"'*) result="{\"content\":[{\"type\":\"text\",\"text\":\"heard $WORD\"}]}" ;;
    *'"prompts/list"'*) result='{"prompts":[{"name":"greet","description":"Greets"}]}' ;;
    *'"prompts/get"'*) result='{"messages":[{"role":"user","content":{"type":"text","text":"Greet the damson"}}]}' ;;
    *) result='{}' ;;
  esac
  [ -n "$id" ] && echo "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":$result}"
done
"#;
