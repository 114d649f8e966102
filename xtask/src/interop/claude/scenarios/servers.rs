//! Elicitations: what MCP servers ask the user during a tool call.

use serde_json::{Value, json};

use super::super::client::{Failure, ScriptedClient};
use super::super::fixture::Fixture;
use super::sessions::expect_tool_result;
use super::{expect, expect_eq};

pub(super) fn form(fixture: &Fixture) -> Result<(), Failure> {
    let mut client = fixture.start_for(json!({ "elicitation": { "form": {} } }))?;
    client.form_answer = Some(json!({ "name": "Ann", "guests": 2 }));
    let session = session_with_server(fixture, &mut client, FORM)?;
    expect_tool_result(&mut client, &session, "heard accept Ann 2")?;
    let asked = client.wait("a form", is_elicitation)?;
    let message = "echo asks: Who is it for?";
    expect_eq("the message", &asked["params"]["message"], &json!(message))?;
    let fields = &asked["params"]["requestedSchema"]["properties"];
    expect_eq("the least", &fields["guests"]["minimum"], &json!(0))?;
    let sizes = json!([{ "const": "s", "title": "Small" }, { "const": "l", "title": "Large" }]);
    expect_eq("the choices", &fields["size"]["oneOf"], &sizes)
}

pub(super) fn form_declined(fixture: &Fixture) -> Result<(), Failure> {
    let mut client = fixture.start_for(json!({ "elicitation": { "form": {} } }))?;
    client.form_answer = Some(Value::Null);
    let session = session_with_server(fixture, &mut client, FORM)?;
    expect_tool_result(&mut client, &session, "heard decline  ")
}

/// A client without form support is not asked, and neither is one whose form could not be filled in.
pub(super) fn no_form(fixture: &Fixture) -> Result<(), Failure> {
    for (capabilities, form) in [
        (json!({}), FORM),
        (json!({ "elicitation": { "url": {} } }), FORM),
        (json!({ "elicitation": { "form": {} } }), INVALID_FORM),
    ] {
        let mut client = fixture.start_for(capabilities)?;
        let session = session_with_server(fixture, &mut client, form)?;
        expect_tool_result(&mut client, &session, "heard decline  ")?;
        let asked = client.received.iter().any(|(_, it)| is_elicitation(it));
        expect("nobody was asked", !asked)?;
    }
    Ok(())
}

/// A form that is open when the turn is cancelled is withdrawn.
pub(super) fn form_cancelled(fixture: &Fixture) -> Result<(), Failure> {
    let mut client = fixture.start_for(json!({ "elicitation": { "form": {} } }))?;
    client.form_answer = None;
    let session = session_with_server(fixture, &mut client, FORM)?;
    let call = json!({ "tool": "mcp__echo__say", "input": {} });
    let turn = client.prompt(&session, &json!([[call], [{ "text": "Done." }]]))?;
    let asked = client.wait("a form", is_elicitation)?;
    client.notify("session/cancel", json!({ "sessionId": session }))?;
    expect_eq("the end", client.stop_reason(turn)?.as_str(), "cancelled")?;
    let id = &asked["id"];
    client.wait("the end of the form", |message| {
        message["method"] == "$/cancel_request" && message["params"]["requestId"] == *id
    })?;
    Ok(())
}

/// The end of a page is reported with the id that the client knows.
pub(super) fn page(fixture: &Fixture) -> Result<(), Failure> {
    let mut client = fixture.start_for(json!({ "elicitation": { "url": {} } }))?;
    client.form_answer = Some(json!({}));
    let session = session_with_server(fixture, &mut client, PAGE)?;
    expect_tool_result(&mut client, &session, "heard accept  ")?;
    let asked = client.wait("a page", is_elicitation)?;
    let url = "https://example.com/login";
    expect_eq("the page", &asked["params"]["url"], &json!(url))?;
    let id = &asked["params"]["elicitationId"];
    client.wait("the end of the page", |message| {
        message["method"] == "elicitation/complete" && message["params"]["elicitationId"] == *id
    })?;
    Ok(())
}

/// Opens a session with a server whose tool asks for this.
fn session_with_server(
    fixture: &Fixture,
    client: &mut ScriptedClient,
    asked: &str,
) -> Result<String, Failure> {
    fixture.write("server.sh", SERVER)?;
    let server = json!({
        "name": "echo",
        "command": "/bin/bash",
        "args": [fixture.path("server.sh")],
        "env": [{ "name": "ASKED", "value": asked }],
    });
    client.session_with(&fixture.cwd, json!([server]))
}

fn is_elicitation(message: &Value) -> bool {
    message["method"] == "elicitation/create"
}

const FORM: &str = r#"{"message":"Who is it for?","requestedSchema":{"type":"object","properties":{
    "name":{"type":"string","minLength":1},
    "guests":{"type":"integer","minimum":0},
    "size":{"type":"string","enum":["s","l"],"enumNames":["Small","Large"]}},"required":["name"]}}"#;
/// The CLI itself rejects forms with fields of unknown kinds.
const INVALID_FORM: &str = r#"{"message":"Who is it for?","requestedSchema":{"type":"object","properties":{},"required":["name"]}}"#;
const PAGE: &str =
    r#"{"mode":"url","message":"Log in","url":"https://example.com/login","elicitationId":"one"}"#;

/// An MCP server as a shell script. Its tool returns the user's answer.
const SERVER: &str = r#"
ASKED=$(tr -d '\n' <<<"$ASKED")
member() { sed -n "s/.*\"$1\":\"\{0,1\}\([A-Za-z0-9]*\).*/\1/p" <<<"$line"; }
while IFS= read -r line; do
  id=$(sed -n 's/.*"id":\([0-9]*\).*/\1/p' <<<"$line")
  case "$line" in
    *'"initialize"'*) result='{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"echo","version":"1"}}' ;;
    *'"tools/list"'*) result='{"tools":[{"name":"say","description":"Says something","inputSchema":{"type":"object"}}]}' ;;
    *'"tools/call"'*) call=$id; echo "{\"jsonrpc\":\"2.0\",\"id\":\"asked\",\"method\":\"elicitation/create\",\"params\":$ASKED}"; continue ;;
    *'"id":"asked"'*)
      echo '{"jsonrpc":"2.0","method":"notifications/elicitation/complete","params":{"elicitationId":"one"}}'
      id=$call; result="{\"content\":[{\"type\":\"text\",\"text\":\"heard $(member action) $(member name) $(member guests)\"}]}" ;;
    *) result='{}' ;;
  esac
  [ -n "$id" ] && echo "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":$result}"
done
"#;
