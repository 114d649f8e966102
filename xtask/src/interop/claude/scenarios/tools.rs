//! Tools, permission requests and questions to the user.

use serde_json::{Value, json};

use super::super::client::{Failure, ScriptedClient};
use super::super::fixture::Fixture;
use super::{expect, expect_eq};

pub(super) fn read(fixture: &Fixture) -> Result<(), Failure> {
    fixture.write("a.txt", "one\ntwo\nthree\n")?;
    let mut client = fixture.start()?;
    let session = client.session(&fixture.cwd)?;
    let input = json!({ "file_path": fixture.path("a.txt"), "offset": 2, "limit": 1 });
    let script = json!([[{ "tool": "Read", "input": input }], [{ "text": "Read." }]]);
    expect_eq(
        "the end",
        client.turn(&session, &script)?.as_str(),
        "end_turn",
    )?;
    expect_eq(
        "the kind",
        &client.updates("tool_call")[0]["kind"],
        &json!("read"),
    )?;
    let ended = final_update(&client)?;
    expect_eq("the status", &ended["status"], &json!("completed"))?;
    expect_eq(
        "the content",
        &ended["content"][0]["content"]["text"],
        &json!("```\ntwo\n```"),
    )?;
    let lines = client.updates("tool_call_update");
    let line = lines
        .iter()
        .find_map(|update| update["locations"][0]["line"].as_u64());
    expect_eq("the line", line, Some(2))
}

pub(super) fn edit_allowed(fixture: &Fixture) -> Result<(), Failure> {
    let mut client = edit(fixture, "allow_once")?;
    expect_eq(
        "the file",
        fixture.read("a.txt").as_str(),
        "one\nTWO\nthree\n",
    )?;
    let ended = final_update(&client)?;
    expect_eq(
        "the old text",
        &ended["content"][0]["oldText"],
        &json!("one\ntwo\nthree\n"),
    )?;
    expect_eq(
        "the new text",
        &ended["content"][0]["newText"],
        &json!("one\nTWO\nthree\n"),
    )?;
    let asked = client.wait("a question", |message| {
        message["method"] == "session/request_permission"
    })?;
    let options = asked["params"]["options"].as_array().map_or(0, Vec::len);
    expect_eq("the options", options, 3)
}

pub(super) fn edit_denied(fixture: &Fixture) -> Result<(), Failure> {
    let client = edit(fixture, "reject_once")?;
    expect_eq(
        "the file",
        fixture.read("a.txt").as_str(),
        "one\ntwo\nthree\n",
    )?;
    expect_eq(
        "the status",
        &final_update(&client)?["status"],
        &json!("failed"),
    )
}

fn edit(fixture: &Fixture, permission_choice: &'static str) -> Result<ScriptedClient, Failure> {
    fixture.write("a.txt", "one\ntwo\nthree\n")?;
    let mut client = fixture.start()?;
    client.permission_choice = Some(permission_choice);
    let session = client.session(&fixture.cwd)?;
    let path = fixture.path("a.txt");
    let edit = json!({ "file_path": path, "old_string": "two", "new_string": "TWO" });
    let script = json!([
        [{ "tool": "Read", "input": { "file_path": path } }],
        [{ "tool": "Edit", "input": edit }],
        [{ "text": "Done." }],
    ]);
    expect_eq(
        "the end",
        client.turn(&session, &script)?.as_str(),
        "end_turn",
    )?;
    Ok(client)
}

/// Output arrives while the command runs: each tick before the next one is written.
pub(super) fn live_output(fixture: &Fixture) -> Result<(), Failure> {
    let mut client = fixture.start_for(json!({ "_meta": { "terminal_output": true } }))?;
    let turn = prompt_ticks(fixture, &mut client)?;
    expect_eq("the end", client.stop_reason(turn)?.as_str(), "end_turn")?;
    let updates = client.received.iter().filter_map(|(time, message)| {
        let meta = &message["params"]["update"]["_meta"];
        let data = meta["terminal_output"]["data"].as_str()?;
        Some((*time, data.to_owned()))
    });
    let updates: Vec<_> = updates.collect();
    let output: String = updates.iter().map(|(_, data)| data.as_str()).collect();
    expect_eq(
        "the output",
        output.as_str(),
        "tick 1\r\ntick 2\r\ntick 3\r\n",
    )?;
    expect("it came in pieces", updates.len() >= 3)?;
    let apart = updates[updates.len() - 1].0 - updates[0].0;
    expect(
        "the pieces came one after the other",
        apart.as_millis() > 600,
    )?;
    let exit = &final_update(&client)?["_meta"]["terminal_exit"]["exit_code"];
    expect_eq("the exit code", exit, &json!(0))
}

/// All output arrives exactly once, short or long.
pub(super) fn all_output_once(fixture: &Fixture) -> Result<(), Failure> {
    for (command, length) in [("echo once", 6), ("sleep 0.3; seq 1 100000", 688_895)] {
        let mut client = fixture.start_for(json!({ "_meta": { "terminal_output": true } }))?;
        let session = client.session(&fixture.cwd)?;
        let input = json!({ "command": command, "description": "write" });
        let script = json!([[{ "tool": "Bash", "input": input }], [{ "text": "Done." }]]);
        expect_eq(
            "the end",
            client.turn(&session, &script)?.as_str(),
            "end_turn",
        )?;
        let updates = client.updates("tool_call_update");
        let told = updates.iter();
        let told = told.filter_map(|it| it["_meta"]["terminal_output"]["data"].as_str());
        let told: usize = told.map(str::len).sum();
        expect_eq("the bytes received", told, length)?;
    }
    Ok(())
}

pub(super) fn live_content(fixture: &Fixture) -> Result<(), Failure> {
    let mut client = fixture.start()?;
    let turn = prompt_ticks(fixture, &mut client)?;
    client.wait("the first tick alone", |message| {
        let update = &message["params"]["update"];
        update["status"] == "in_progress"
            && update["content"][0]["content"]["text"] == "```console\ntick 1\n```"
    })?;
    expect_eq("the end", client.stop_reason(turn)?.as_str(), "end_turn")?;
    let text = &final_update(&client)?["content"][0]["content"]["text"];
    expect_eq(
        "the output",
        text,
        &json!("```console\ntick 1\ntick 2\ntick 3\n```"),
    )
}

fn prompt_ticks(fixture: &Fixture, client: &mut ScriptedClient) -> Result<u64, Failure> {
    let session = client.session(&fixture.cwd)?;
    let command = "for i in 1 2 3; do echo \"tick $i\"; sleep 0.4; done";
    let input = json!({ "command": command, "description": "tick" });
    client.prompt(
        &session,
        &json!([[{ "tool": "Bash", "input": input }], [{ "text": "Done." }]]),
    )
}

pub(super) fn kill_a_command(fixture: &Fixture) -> Result<(), Failure> {
    let mut client = fixture.start()?;
    let session = client.session(&fixture.cwd)?;
    let input = json!({ "command": "echo begun; tail -f /dev/null", "description": "wait" });
    let script = json!([[{ "tool": "Bash", "input": input }], [{ "text": "Killed." }]]);
    let turn = client.prompt(&session, &script)?;
    let begun = client.wait("output", |message| {
        message["params"]["update"]["status"] == "in_progress"
    })?;
    let call = &begun["params"]["update"]["toolCallId"];
    let params = json!({ "sessionId": session, "toolCallId": call });
    let killed = client.request("_attache/stop_command", params)?;
    expect("it is killed", killed["error"].is_null())?;
    expect_eq("the end", client.stop_reason(turn)?.as_str(), "end_turn")?;
    expect_eq("the text", client.message_text().as_str(), "Killed.")
}

pub(super) fn plan_mode(fixture: &Fixture) -> Result<(), Failure> {
    let mut client = fixture.start()?;
    client.permission_choice = Some("acceptEdits");
    let session = client.session(&fixture.cwd)?;
    let set = client.request(
        "session/set_mode",
        json!({ "sessionId": session, "modeId": "plan" }),
    )?;
    expect("the mode is set", set["error"].is_null())?;
    let write = json!({ "file_path": fixture.path("planned.txt"), "content": "p" });
    let script = json!([
        [{ "tool": "Write", "input": { "file_path": "PLANFILE", "content": "# The plan" } }],
        [{ "tool": "ExitPlanMode", "input": {} }],
        [{ "tool": "Write", "input": write }],
        [{ "text": "Done." }],
    ]);
    expect_eq(
        "the end",
        client.turn(&session, &script)?.as_str(),
        "end_turn",
    )?;
    let asked = client.wait("a question", |message| {
        message["params"]["toolCall"]["kind"] == "switch_mode"
    })?;
    let plan = &asked["params"]["toolCall"]["content"][0]["content"]["text"];
    expect_eq("the plan", plan, &json!("# The plan"))?;
    let modes = client.updates("current_mode_update");
    let modes: Vec<_> = modes.iter().map(|it| &it["currentModeId"]).collect();
    expect_eq(
        "the modes",
        modes,
        vec![&json!("plan"), &json!("acceptEdits")],
    )?;
    expect_eq("the file", fixture.read("planned.txt").as_str(), "p")
}

pub(super) fn todo_list(fixture: &Fixture) -> Result<(), Failure> {
    let mut client = fixture.start()?;
    let session = client.session(&fixture.cwd)?;
    let create = json!({ "subject": "first", "description": "d", "activeForm": "f" });
    let script = json!([
        [{ "tool": "TaskCreate", "input": create }],
        [{ "tool": "TaskUpdate", "input": { "taskId": "1", "status": "in_progress" } }],
        [{ "text": "Done." }],
    ]);
    expect_eq(
        "the end",
        client.turn(&session, &script)?.as_str(),
        "end_turn",
    )?;
    let plans = client.updates("plan");
    let last = plans.last().ok_or("no plan")?;
    let entry = json!([{ "content": "first", "priority": "medium", "status": "in_progress" }]);
    expect_eq("the plan", &last["entries"], &entry)?;
    expect(
        "no tool call is shown",
        client.updates("tool_call").is_empty(),
    )
}

pub(super) fn question(fixture: &Fixture) -> Result<(), Failure> {
    let mut client = fixture.start()?;
    client.permission_choice = Some("1");
    answer_question(fixture, &mut client)
}

pub(super) fn form(fixture: &Fixture) -> Result<(), Failure> {
    let mut client = fixture.start_for(json!({ "elicitation": { "form": {} } }))?;
    client.form_answer = Some(json!({ "answer1": "Blue" }));
    answer_question(fixture, &mut client)
}

fn answer_question(fixture: &Fixture, client: &mut ScriptedClient) -> Result<(), Failure> {
    let session = client.session(&fixture.cwd)?;
    let choices =
        json!([{ "label": "Red", "description": "r" }, { "label": "Blue", "description": "b" }]);
    let asked = json!([{ "question": "Which colour?", "header": "Colour", "multiSelect": false, "options": choices }]);
    let script = json!([
        [{ "tool": "AskUserQuestion", "input": { "questions": asked } }],
        [{ "text": "Done." }],
    ]);
    expect_eq(
        "the end",
        client.turn(&session, &script)?.as_str(),
        "end_turn",
    )?;
    let answer = r#"\"Which colour?\"=\"Blue\""#;
    expect(
        "the model received the answer",
        fixture.model.received(answer),
    )
}

/// The final update of a tool call.
fn final_update(client: &ScriptedClient) -> Result<Value, Failure> {
    let updates = client.updates("tool_call_update");
    let ended = updates
        .iter()
        .rfind(|update| update["status"] == "completed" || update["status"] == "failed");
    ended
        .map(|update| (*update).clone())
        .ok_or_else(|| "no tool call ended".to_owned())
}
