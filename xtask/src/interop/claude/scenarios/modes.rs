//! Modes and rules: what is done without a question, and what is not.

use serde_json::{Value, json};

use super::super::client::{Client, Fault};
use super::super::stage::Stage;
use super::{holds, same};

pub(super) fn accept_edits(stage: &Stage) -> Result<(), Fault> {
    let client = in_mode(stage, &mut stage.start()?, "acceptEdits", &write(stage))?;
    same("the questions", client, 0)?;
    same("the file", stage.read("made.txt").as_str(), "made")
}

pub(super) fn do_not_ask(stage: &Stage) -> Result<(), Fault> {
    let mut client = stage.start()?;
    let questions = in_mode(stage, &mut client, "dontAsk", &write(stage))?;
    same("the questions", questions, 0)?;
    same("the file", stage.read("made.txt").as_str(), "(no file)")?;
    let failed = client.updates("tool_call_update");
    let failed = failed.iter().any(|update| update["status"] == "failed");
    holds("the call has failed", failed)
}

/// The superuser may bypass permissions only in a box.
pub(super) fn bypass(stage: &Stage) -> Result<(), Fault> {
    let mut env = stage.env();
    env.push(("IS_SANDBOX".to_owned(), "1".into()));
    let mut client = Client::start(&stage.ours(), &env, &stage.cwd, json!({}))?;
    let questions = in_mode(stage, &mut client, "bypassPermissions", &touch())?;
    same("the questions", questions, 0)?;
    same("the file", stage.read("made.txt").as_str(), "")
}

/// A rule that was chosen for ever is the CLI's own, and holds in the next session.
pub(super) fn always(stage: &Stage) -> Result<(), Fault> {
    let mut client = stage.start()?;
    client.choose = Some("allow_always:0");
    let questions = in_mode(stage, &mut client, "default", &touch())?;
    same("the questions", questions, 1)?;
    let rules = stage.read(".claude/settings.local.json");
    holds("the rule is written", rules.contains("touch made.txt"))?;
    let questions = in_mode(stage, &mut client, "default", &touch())?;
    same("the questions after that", questions, 1)
}

/// What the user wants to be asked about cannot be allowed for ever.
pub(super) fn rule_to_ask(stage: &Stage) -> Result<(), Fault> {
    let made = std::fs::create_dir_all(stage.path(".claude"));
    made.map_err(|error| error.to_string())?;
    let rules = json!({ "permissions": { "ask": ["Bash(touch *)"] } });
    stage.write(".claude/settings.json", &rules.to_string())?;
    let mut client = stage.start()?;
    let questions = in_mode(stage, &mut client, "default", &touch())?;
    same("the questions", questions, 1)?;
    let asked = client.wait("a question", |message| {
        message["method"] == "session/request_permission"
    })?;
    let options = asked["params"]["options"].as_array();
    let kinds = options.into_iter().flatten().map(|option| &option["kind"]);
    same(
        "the options",
        kinds.collect(),
        vec![&json!("allow_once"), &json!("reject_once")],
    )?;
    same("the file", stage.read("made.txt").as_str(), "")
}

pub(super) fn model(stage: &Stage) -> Result<(), Fault> {
    let mut client = stage.start()?;
    let session = client.session(&stage.cwd)?;
    let params = json!({ "sessionId": session, "configId": "model", "value": "haiku" });
    let set = client.ask("session/set_config_option", params)?;
    let options = set["result"]["configOptions"].as_array();
    let model = options.and_then(|options| options.iter().find(|it| it["id"] == "model"));
    same(
        "the model",
        &model.ok_or("there is no model")?["currentValue"],
        &json!("haiku"),
    )?;
    same(
        "the end",
        client
            .turn(&session, &json!([[{ "text": "Hi." }]]))?
            .as_str(),
        "end_turn",
    )?;
    same("the text", client.words().as_str(), "Hi.")?;
    holds(
        "the other model is asked",
        stage.model.was_asked("claude-haiku"),
    )
}

/// What is typed is told as an option before the turn ends, and said once; the next turn tells of a model only if it is
/// another.
pub(super) fn typed_model(stage: &Stage) -> Result<(), Fault> {
    let mut client = stage.start()?;
    let session = client.session(&stage.cwd)?;
    for (typed, option, value) in [
        ("/model haiku", "model", "haiku"),
        ("/effort high", "effort", "high"),
    ] {
        let turn = client.prompt_text(&session, typed)?;
        same("the end", client.stop_reason(turn)?.as_str(), "end_turn")?;
        let updates = client.updates("config_option_update");
        let options = updates.last().and_then(|it| it["configOptions"].as_array());
        let option = options.and_then(|options| options.iter().find(|it| it["id"] == option));
        same(
            typed,
            &option.ok_or("there is no such option")?["currentValue"],
            &json!(value),
        )?;
    }
    let words = client.words();
    same(
        "how often it is said",
        words.matches("Set model").count(),
        1,
    )?;
    let end = client.turn(&session, &json!([[{ "text": "Hi." }]]))?;
    same("the end", end.as_str(), "end_turn")?;
    same(
        "the changes",
        client.updates("config_option_update").len(),
        2,
    )?;
    holds(
        "the other model is asked",
        stage.model.was_asked("claude-haiku"),
    )
}

pub(super) fn fast_mode(stage: &Stage) -> Result<(), Fault> {
    let mut client = stage.start()?;
    let session = client.session(&stage.cwd)?;
    for value in ["on", "off"] {
        let params = json!({ "sessionId": session, "configId": "fast", "value": value });
        let set = client.ask("session/set_config_option", params)?;
        let options = set["result"]["configOptions"].as_array();
        let fast = options.and_then(|options| options.iter().find(|it| it["id"] == "fast"));
        same(
            "fast mode",
            &fast.ok_or("there is no fast mode")?["currentValue"],
            &json!(value),
        )?;
        let turn = client.prompt_text(&session, &format!("It is {value}."))?;
        same("the end", client.stop_reason(turn)?.as_str(), "end_turn")?;
        if value == "on" {
            let asked = stage.model.was_asked("\"speed\":\"fast\"");
            holds("fast answers are asked for", asked)?;
        }
    }
    Ok(())
}

/// A turn in a new session with that mode. How many questions there have been.
fn in_mode(stage: &Stage, client: &mut Client, mode: &str, script: &Value) -> Result<usize, Fault> {
    let session = client.session(&stage.cwd)?;
    let params = json!({ "sessionId": session, "modeId": mode });
    let set = client.ask("session/set_mode", params)?;
    holds("the mode is set", set["error"].is_null())?;
    same(
        "the end",
        client.turn(&session, script)?.as_str(),
        "end_turn",
    )?;
    let asks = |message: &Value| message["method"] == "session/request_permission";
    Ok(client.heard.iter().filter(|(_, it)| asks(it)).count())
}

fn write(stage: &Stage) -> Value {
    let input = json!({ "file_path": stage.path("made.txt"), "content": "made" });
    json!([[{ "tool": "Write", "input": input }], [{ "text": "Done." }]])
}

fn touch() -> Value {
    let input = json!({ "command": "touch made.txt", "description": "make a file" });
    json!([[{ "tool": "Bash", "input": input }], [{ "text": "Done." }]])
}
