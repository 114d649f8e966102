//! Modes and rules: what runs without asking, and what does not.

use serde_json::{Value, json};

use super::super::client::{Failure, ScriptedClient};
use super::super::fixture::Fixture;
use super::{expect, expect_eq};

pub(super) fn accept_edits(fixture: &Fixture) -> Result<(), Failure> {
    let client = in_mode(
        fixture,
        &mut fixture.start()?,
        "acceptEdits",
        &write(fixture),
    )?;
    expect_eq("the questions", client, 0)?;
    expect_eq("the file", fixture.read("made.txt").as_str(), "made")
}

pub(super) fn do_not_ask(fixture: &Fixture) -> Result<(), Failure> {
    let mut client = fixture.start()?;
    let questions = in_mode(fixture, &mut client, "dontAsk", &write(fixture))?;
    expect_eq("the questions", questions, 0)?;
    expect_eq("the file", fixture.read("made.txt").as_str(), "(no file)")?;
    let failed = client.updates("tool_call_update");
    let failed = failed.iter().any(|update| update["status"] == "failed");
    expect("the call has failed", failed)
}

/// Root may bypass permissions only in a sandbox.
pub(super) fn bypass(fixture: &Fixture) -> Result<(), Failure> {
    let mut env = fixture.env();
    env.push(("IS_SANDBOX".to_owned(), "1".into()));
    let mut client = ScriptedClient::start(&fixture.our_adapter(), &env, &fixture.cwd, json!({}))?;
    let questions = in_mode(fixture, &mut client, "bypassPermissions", &touch())?;
    expect_eq("the questions", questions, 0)?;
    expect_eq("the file", fixture.read("made.txt").as_str(), "")
}

/// A rule from "always allow" belongs to the CLI and also applies in the next session.
pub(super) fn always(fixture: &Fixture) -> Result<(), Failure> {
    let mut client = fixture.start()?;
    client.permission_choice = Some("allow_always:0");
    let questions = in_mode(fixture, &mut client, "default", &touch())?;
    expect_eq("the questions", questions, 1)?;
    let rules = fixture.read(".claude/settings.local.json");
    expect("the rule is written", rules.contains("touch made.txt"))?;
    let questions = in_mode(fixture, &mut client, "default", &touch())?;
    expect_eq("the questions after that", questions, 1)
}

/// Actions with an ask rule can't be allowed always.
pub(super) fn rule_to_ask(fixture: &Fixture) -> Result<(), Failure> {
    let made = std::fs::create_dir_all(fixture.path(".claude"));
    made.map_err(|error| error.to_string())?;
    let rules = json!({ "permissions": { "ask": ["Bash(touch *)"] } });
    fixture.write(".claude/settings.json", &rules.to_string())?;
    let mut client = fixture.start()?;
    let questions = in_mode(fixture, &mut client, "default", &touch())?;
    expect_eq("the questions", questions, 1)?;
    let asked = client.wait("a question", |message| {
        message["method"] == "session/request_permission"
    })?;
    let options = asked["params"]["options"].as_array();
    let kinds = options.into_iter().flatten().map(|option| &option["kind"]);
    expect_eq(
        "the options",
        kinds.collect(),
        vec![&json!("allow_once"), &json!("reject_once")],
    )?;
    expect_eq("the file", fixture.read("made.txt").as_str(), "")
}

pub(super) fn model(fixture: &Fixture) -> Result<(), Failure> {
    let mut client = fixture.start()?;
    let session = client.session(&fixture.cwd)?;
    let params = json!({ "sessionId": session, "configId": "model", "value": "haiku" });
    let set = client.request("session/set_config_option", params)?;
    let options = set["result"]["configOptions"].as_array();
    let model = options.and_then(|options| options.iter().find(|it| it["id"] == "model"));
    expect_eq(
        "the model",
        &model.ok_or("no option `model`")?["currentValue"],
        &json!("haiku"),
    )?;
    expect_eq(
        "the end",
        client
            .turn(&session, &json!([[{ "text": "Hi." }]]))?
            .as_str(),
        "end_turn",
    )?;
    expect_eq("the text", client.message_text().as_str(), "Hi.")?;
    expect(
        "the other model is asked",
        fixture.model.received("claude-haiku"),
    )
}

/// A typed model is reported as an option before the turn ends, with one message; the next turn reports a model only if
/// it differs.
pub(super) fn typed_model(fixture: &Fixture) -> Result<(), Failure> {
    let mut client = fixture.start()?;
    let session = client.session(&fixture.cwd)?;
    for (typed, option, value) in [
        ("/model haiku", "model", "haiku"),
        ("/effort high", "effort", "high"),
    ] {
        let turn = client.prompt_text(&session, typed)?;
        expect_eq("the end", client.stop_reason(turn)?.as_str(), "end_turn")?;
        let updates = client.updates("config_option_update");
        let options = updates.last().and_then(|it| it["configOptions"].as_array());
        let option = options.and_then(|options| options.iter().find(|it| it["id"] == option));
        expect_eq(
            typed,
            &option.ok_or("no such option")?["currentValue"],
            &json!(value),
        )?;
    }
    let words = client.message_text();
    expect_eq(
        "how often it is said",
        words.matches("Set model").count(),
        1,
    )?;
    let end = client.turn(&session, &json!([[{ "text": "Hi." }]]))?;
    expect_eq("the end", end.as_str(), "end_turn")?;
    expect_eq(
        "the changes",
        client.updates("config_option_update").len(),
        2,
    )?;
    expect(
        "the other model is asked",
        fixture.model.received("claude-haiku"),
    )
}

pub(super) fn fast_mode(fixture: &Fixture) -> Result<(), Failure> {
    let mut client = fixture.start()?;
    let session = client.session(&fixture.cwd)?;
    for value in ["on", "off"] {
        let params = json!({ "sessionId": session, "configId": "fast", "value": value });
        let set = client.request("session/set_config_option", params)?;
        let options = set["result"]["configOptions"].as_array();
        let fast = options.and_then(|options| options.iter().find(|it| it["id"] == "fast"));
        expect_eq(
            "fast mode",
            &fast.ok_or("no option `fast`")?["currentValue"],
            &json!(value),
        )?;
        let turn = client.prompt_text(&session, &format!("It is {value}."))?;
        expect_eq("the end", client.stop_reason(turn)?.as_str(), "end_turn")?;
        if value == "on" {
            let asked = fixture.model.received("\"speed\":\"fast\"");
            expect("fast answers are asked for", asked)?;
        }
    }
    Ok(())
}

/// Runs a turn in a new session with this mode, and returns the number of permission requests so far.
fn in_mode(
    fixture: &Fixture,
    client: &mut ScriptedClient,
    mode: &str,
    script: &Value,
) -> Result<usize, Failure> {
    let session = client.session(&fixture.cwd)?;
    let params = json!({ "sessionId": session, "modeId": mode });
    let set = client.request("session/set_mode", params)?;
    expect("the mode is set", set["error"].is_null())?;
    expect_eq(
        "the end",
        client.turn(&session, script)?.as_str(),
        "end_turn",
    )?;
    let asks = |message: &Value| message["method"] == "session/request_permission";
    Ok(client.received.iter().filter(|(_, it)| asks(it)).count())
}

fn write(fixture: &Fixture) -> Value {
    let input = json!({ "file_path": fixture.path("made.txt"), "content": "made" });
    json!([[{ "tool": "Write", "input": input }], [{ "text": "Done." }]])
}

fn touch() -> Value {
    let input = json!({ "command": "touch made.txt", "description": "make a file" });
    json!([[{ "tool": "Bash", "input": input }], [{ "text": "Done." }]])
}
