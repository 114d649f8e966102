//! Tests of recorded conversations of the CLI: the messages that the client receives for them.

#![cfg(test)]

mod background;
mod recorded_requests;
mod recorded_tools;
mod recorded_turns;
mod store;
mod transcripts;

use std::fs;
use std::path::PathBuf;

use attache::json::Raw;
use attache::v1::SessionUpdate;
use attache_adapter::frames::{Frame, MalformedLine};
use attache_adapter::mapping::{DisplaySupport, Mapping, SessionAction};
use attache_adapter::prompt::prompt_text;
use expect_test::{Expect, expect};
use serde_json::{Value, json};

fn check(name: &str, expected: &Expect) {
    expected.assert_eq(&played(name, DisplaySupport::default()));
}

fn played(name: &str, display: DisplaySupport) -> String {
    let mut mapping = Mapping::new(display);
    let mut lines = Vec::new();
    for line in recording(name) {
        let actions = mapping.apply(Frame::from_value(line));
        lines.extend(actions.iter().filter_map(action_line));
    }
    lines.join("\n") + "\n"
}

fn recording(name: &str) -> Vec<Value> {
    let text =
        fs::read_to_string(fixtures().join(name).with_extension("jsonl")).expect("a fixture");
    let lines = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let said = lines.filter(|line| line["dir"] == "out");
    said.map(|mut line| line["msg"].take()).collect()
}

fn fixtures() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")
}

#[test]
fn every_recorded_frame_maps() {
    let mut frames = 0;
    let mut other = std::collections::BTreeMap::<String, usize>::new();
    for file in fs::read_dir(fixtures()).expect("the fixtures") {
        let name = file.expect("a file").path();
        let name = name
            .file_stem()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        let mut mapping = Mapping::new(DisplaySupport::default());
        for line in recording(&name) {
            frames += 1;
            let kind = format!("{}/{}", line["type"], line["subtype"]).replace('"', "");
            let read = Frame::read(line.to_string().as_bytes());
            let frame = Frame::from_value(line);
            assert_eq!(read.as_ref(), Ok(&frame));
            match frame {
                Frame::Other => *other.entry(kind).or_default() += 1,
                frame => drop(mapping.apply(frame)),
            }
        }
    }
    assert!(frames > 300, "{frames}");
    let other: Vec<_> = other.into_keys().collect();
    expect![[r#"
        command_lifecycle/null
        system/background_tasks_changed
        system/permission_denied
        system/status
        system/task_progress
        system/task_updated
        system/thinking_tokens"#]]
    .assert_eq(&other.join("\n"));
}

#[test]
fn garbage_is_refused_and_the_unknown_ignored() {
    for line in ["", "null", "[1]", "{\"type\":", "\u{1b}[31mwarning", "3"] {
        assert_eq!(Frame::read(line.as_bytes()), Err(MalformedLine), "{line}");
    }
    assert_eq!(Frame::read(b"\xff\xfe"), Err(MalformedLine));
    for line in [
        "{}",
        r#"{"type":7}"#,
        r#"{"type":"new_thing","x":1}"#,
        r#"{"type":"system","subtype":"new"}"#,
    ] {
        assert_eq!(Frame::read(line.as_bytes()), Ok(Frame::Other), "{line}");
    }
}

#[test]
fn badly_made_frames_are_survived() {
    let mut mapping = Mapping::new(DisplaySupport::default());
    for line in [
        r#"{"type":"assistant"}"#,
        r#"{"type":"assistant","message":"text"}"#,
        r#"{"type":"assistant","message":{"content":[3,{"type":"tool_use"}]}}"#,
        r#"{"type":"user","message":{"content":[{"type":"tool_result"}]},"tool_use_result":[1]}"#,
        r#"{"type":"stream_event","event":"x"}"#,
        r#"{"type":"stream_event","event":{"type":"content_block_delta","index":-1,"delta":[]}}"#,
        r#"{"type":"control_request","request":"x"}"#,
        r#"{"type":"control_request","request":{"subtype":"can_use_tool","input":3,"permission_suggestions":{}}}"#,
        r#"{"type":"control_request","request":{"subtype":"elicitation","requested_schema":3}}"#,
        r#"{"type":"control_response","response":[]}"#,
        r#"{"type":"result","usage":[],"modelUsage":[],"errors":"x"}"#,
        r#"{"type":"system","subtype":"init","terminal_slash_commands":{}}"#,
    ] {
        let frame = Frame::read(line.as_bytes()).expect("an object");
        mapping.apply(frame);
    }
}

fn check_frames(frames: &[Value], expected: &Expect) {
    let mut mapping = Mapping::new(DisplaySupport::default());
    let actions = frames
        .iter()
        .flat_map(|frame| mapping.apply(Frame::from_value(frame.clone())));
    let lines: Vec<_> = actions.filter_map(|action| action_line(&action)).collect();
    expected.assert_eq(&lines.join("\n"));
}

#[test]
fn a_call_that_was_cut_off_fails_with_its_turn() {
    let event = |event: Value| json!({ "type": "stream_event", "event": event, "parent_tool_use_id": null });
    let call = json!({ "type": "tool_use", "id": "call-one", "name": "Write", "input": {} });
    check_frames(
        &[
            event(json!({ "type": "message_start", "message": { "id": "msg-1" } })),
            event(json!({ "type": "content_block_start", "index": 0, "content_block": call })),
            json!({ "type": "result", "subtype": "error_during_execution", "is_error": true, "terminal_reason": "aborted_streaming" }),
        ],
        &expect![[r#"
            tell tool_call {"_meta":{"claudeCode":{"toolName":"Write"}},"toolCallId":"call-one","title":"Write","kind":"edit"}
            tell tool_call_update {"_meta":{"claudeCode":{"toolName":"Write"}},"toolCallId":"call-one","status":"failed"}
            ended cancelled"#]],
    );
}

#[test]
fn commands_that_change_are_told() {
    let commands = json!([
        { "name": "greet", "description": "Says hello", "argumentHint": "[name]" },
        { "name": "files:find (MCP)", "description": "Finds", "argumentHint": "" },
        { "name": "doctor", "description": "In a terminal", "argumentHint": "" },
    ]);
    check_frames(
        &[json!({ "type": "system", "subtype": "commands_changed", "commands": commands })],
        &expect![[
            r#"tell available_commands_update {"availableCommands":[{"name":"greet","description":"Says hello","input":{"hint":"[name]"}},{"name":"mcp:files:find","description":"Finds"}]}"#
        ]],
    );
}

#[test]
fn another_model_at_the_start_of_a_turn_is_looked_at() {
    let turn = |model: &str| json!({ "type": "system", "subtype": "init", "model": model });
    let turns = ["deep", "deep", "quick", "quick"].map(turn);
    check_frames(&turns, &expect!["look again"]);
}

#[test]
fn what_only_speaks_of_markup_is_no_markup() {
    let text = "What does <command-name>x</command-name> mean, and <local-command-stdout>?";
    let message = json!({ "role": "user", "content": [{ "type": "text", "text": text }] });
    let prompt = json!({ "type": "user", "message": message, "uuid": "u", "isReplay": true });
    check_frames(&[prompt], &expect![[r#""#]]);
    assert_eq!(prompt_text(text).as_deref(), Some(text));
}

/// One line for an action, as the snapshots show it.
fn action_line(action: &SessionAction) -> Option<String> {
    let line = match action {
        SessionAction::Update(update) => format!("tell {}", update_line(update)),
        SessionAction::AskPermission(question) => {
            let suggestions: Vec<_> = question.suggestions.iter().map(|it| &it["type"]).collect();
            let never = if question.once_only {
                " never always"
            } else {
                ""
            };
            format!("ask {} {:?}{never}", question.tool, suggestions.len())
        }
        SessionAction::Elicit(asked) => format!("elicit {} {:?}", asked.server, asked.mode),
        SessionAction::CompleteElicitation { server, id } => format!("page done {server} {id}"),
        SessionAction::WithdrawRequest(_) => "withdraw".to_owned(),
        SessionAction::SendFrame(frame) => match &frame["response"]["error"] {
            Value::Null => format!("say {}", frame["response"]["response"]),
            error => format!("say {error}"),
        },
        SessionAction::SettleRequest { .. } | SessionAction::AcceptPrompt(_) => return None,
        SessionAction::RefreshSettings => "look again".to_owned(),
        SessionAction::EndTurn(ended) => match &ended.reason {
            Ok(reason) => format!("ended {reason}"),
            Err(failure) => format!("failed {failure}"),
        },
        SessionAction::SetState(state) => format!("state {state:?}"),
        SessionAction::ExpectCommand { command, .. } => format!("runs {command}"),
    };
    Some(line)
}

fn update_line(update: &SessionUpdate) -> String {
    let mut json: Value = serde_json::from_str(Raw::of(update).as_str()).expect("JSON");
    let kind = json["sessionUpdate"]
        .as_str()
        .unwrap_or_default()
        .to_owned();
    let members = json.as_object_mut().expect("an object");
    for member in ["sessionUpdate", "rawInput", "rawOutput", "name"] {
        members.remove(member);
    }
    if let Some(id) = members.get_mut("toolCallId") {
        *id = Value::from(
            id.as_str()
                .unwrap_or_default()
                .chars()
                .take(8)
                .collect::<String>(),
        );
    }
    if let Some(id) = members.get_mut("messageId") {
        let text = id.as_str().unwrap_or_default();
        *id = Value::from(text.chars().skip(text.len() - 4).collect::<String>());
    }
    format!("{kind} {json}")
}
