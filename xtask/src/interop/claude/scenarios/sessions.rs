//! Sessions: stored, taken up again, forked, and several at once.

use std::time::{Duration, Instant};

use serde_json::json;

use super::super::client::{Client, Fault};
use super::super::mcp;
use super::super::stage::Stage;
use super::{holds, same};

pub(super) fn resume(stage: &Stage) -> Result<(), Fault> {
    let id = told(stage, "a secret word, kumquat")?;
    let mut client = stage.start()?;
    let resumed = client.ask(
        "session/resume",
        json!({ "sessionId": id, "cwd": stage.cwd }),
    )?;
    holds("it is resumed", resumed["error"].is_null())?;
    holds(
        "nothing is told again",
        client.updates("user_message_chunk").is_empty(),
    )?;
    same(
        "the end",
        client
            .turn(&id, &json!([[{ "text": "Resumed." }]]))?
            .as_str(),
        "end_turn",
    )?;
    same("the text", client.words().as_str(), "Resumed.")?;
    holds(
        "the model knows the history",
        stage.model.was_asked("kumquat"),
    )
}

pub(super) fn load(stage: &Stage) -> Result<(), Fault> {
    let id = told(stage, "tell me of tangerines")?;
    let mut client = stage.start()?;
    let params = json!({ "sessionId": id, "cwd": stage.cwd, "mcpServers": [] });
    let loaded = client.ask("session/load", params)?;
    holds("it is loaded", loaded["result"]["modes"].is_object())?;
    let prompts = client.updates("user_message_chunk");
    let prompt = prompts
        .first()
        .and_then(|chunk| chunk["content"]["text"].as_str());
    holds(
        "the prompt is told",
        prompt.is_some_and(|text| text.contains("tangerines")),
    )?;
    same("the answer", client.words().as_str(), "Heard.")?;
    let listed = client.ask("session/list", json!({ "cwd": stage.cwd }))?;
    same(
        "the listed session",
        &listed["result"]["sessions"][0]["sessionId"],
        &json!(id),
    )?;
    client.ask("session/delete", json!({ "sessionId": id }))?;
    let listed = client.ask("session/list", json!({ "cwd": stage.cwd }))?;
    same("the list", &listed["result"]["sessions"], &json!([]))
}

pub(super) fn fork(stage: &Stage) -> Result<(), Fault> {
    let id = told(stage, "a word for the fork, pomelo")?;
    let mut client = stage.start()?;
    let forked = client.ask("session/fork", json!({ "sessionId": id, "cwd": stage.cwd }))?;
    let fork = forked["result"]["sessionId"]
        .as_str()
        .unwrap_or_default()
        .to_owned();
    holds(
        "the fork has an id of its own",
        !fork.is_empty() && fork != id,
    )?;
    same(
        "the end",
        client
            .turn(&fork, &json!([[{ "text": "Forked." }]]))?
            .as_str(),
        "end_turn",
    )?;
    holds(
        "the model knows the history",
        stage.model.was_asked("pomelo"),
    )?;
    let listed = client.ask("session/list", json!({ "cwd": stage.cwd }))?;
    same(
        "the sessions",
        listed["result"]["sessions"].as_array().map(Vec::len),
        Some(2),
    )
}

pub(super) fn unknown(stage: &Stage) -> Result<(), Fault> {
    let mut client = stage.start()?;
    let id = "66e3513e-777f-437a-8161-2b4c04fd505e";
    let load = json!({ "sessionId": id, "cwd": stage.cwd, "mcpServers": [] });
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
        let answer = client.ask(method, params)?;
        same(method, &answer["error"]["code"], &json!(-32002))?;
    }
    Ok(())
}

pub(super) fn mcp_server(stage: &Stage) -> Result<(), Fault> {
    let mut client = stage.start()?;
    stage.write("a server's $HOME.sh", SERVER)?;
    let env = json!([{ "name": "WORD", "value": "hunter2" }]);
    let args = json!([stage.path("a server's $HOME.sh")]);
    let server = json!({ "name": "echo", "command": "/bin/bash", "args": args, "env": env });
    let session = client.session_with(&stage.cwd, json!([server]))?;
    let secrets = std::process::Command::new("ps")
        .args(["axww", "-o", "args"])
        .output();
    let secrets = secrets.map_err(|error| error.to_string())?;
    let listed = String::from_utf8_lossy(&secrets.stdout).into_owned();
    holds(
        "no secret is on a command line",
        !listed.contains("hunter2"),
    )?;
    hears(&mut client, &session, "heard hunter2")?;
    client.wait("its prompt as a command", |message| {
        let commands = message["params"]["update"]["availableCommands"].as_array();
        commands.is_some_and(|it| it.iter().any(|it| it["name"] == "mcp:echo:greet"))
    })?;
    let turn = client.prompt_text(&session, "/mcp:echo:greet")?;
    same("the end", client.stop_reason(turn)?.as_str(), "end_turn")?;
    holds(
        "the model is given the prompt",
        stage.model.was_asked("Greet the damson"),
    )
}

pub(super) fn mcp_over_http(stage: &Stage) -> Result<(), Fault> {
    remote(stage, "http", "mcp")
}

pub(super) fn mcp_over_sse(stage: &Stage) -> Result<(), Fault> {
    remote(stage, "sse", "sse")
}

fn remote(stage: &Stage, kind: &str, path: &str) -> Result<(), Fault> {
    let address = mcp::serve().map_err(|error| error.to_string())?;
    let mut client = stage.start()?;
    let headers = json!([{ "name": "Authorization", "value": "Bearer hunter3" }]);
    let url = format!("http://{address}/{path}");
    let server = json!({ "type": kind, "name": "echo", "url": url, "headers": headers });
    let session = client.session_with(&stage.cwd, json!([server]))?;
    hears(&mut client, &session, "heard Bearer hunter3")
}

pub(super) fn hears(client: &mut Client, session: &str, answer: &str) -> Result<(), Fault> {
    let call = json!({ "tool": "mcp__echo__say", "input": {} });
    let script = json!([[call], [{ "text": "Done." }]]);
    same(
        "the end",
        client.turn(session, &script)?.as_str(),
        "end_turn",
    )?;
    let updates = client.updates("tool_call_update");
    let said = updates
        .iter()
        .any(|it| it["content"][0]["content"]["text"] == answer);
    holds("the server answered", said)
}

pub(super) fn two_at_once(stage: &Stage) -> Result<(), Fault> {
    let mut client = stage.start()?;
    let slow = client.session(&stage.cwd)?;
    let quick = client.session(&stage.cwd)?;
    let held = client.prompt(&slow, &json!([[{ "text": "slow" }, { "hold": true }]]))?;
    client.wait("a word", |message| {
        message["params"]["sessionId"] == slow
            && message["params"]["update"]["sessionUpdate"] == "agent_message_chunk"
    })?;
    let start = Instant::now();
    same(
        "the end",
        client
            .turn(&quick, &json!([[{ "text": "quick" }]]))?
            .as_str(),
        "end_turn",
    )?;
    holds("it did not wait", start.elapsed() < Duration::from_secs(10))?;
    client.tell("session/cancel", json!({ "sessionId": slow }))?;
    same(
        "the other end",
        client.stop_reason(held)?.as_str(),
        "cancelled",
    )
}

/// A session with one prompt, and its adapter gone.
fn told(stage: &Stage, words: &str) -> Result<String, Fault> {
    let mut client = stage.start()?;
    let id = client.session(&stage.cwd)?;
    let script = json!([[{ "text": "Heard." }]]);
    let turn = client.prompt_text(&id, &format!("{words} <<{script}>>"))?;
    same("the end", client.stop_reason(turn)?.as_str(), "end_turn")?;
    let closed = client.ask("session/close", json!({ "sessionId": id }))?;
    holds("it is closed", closed["error"].is_null())?;
    Ok(id)
}

/// An MCP server in a shell.
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
