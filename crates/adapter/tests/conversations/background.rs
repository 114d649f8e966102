//! Tests of tool calls that continue in the background, and of the output of commands.

use attache_adapter::frames::Frame;
use attache_adapter::mapping::{DisplaySupport, Mapping, SessionAction};
use attache_adapter::replay::{TranscriptReplay, TranscriptStep};
use expect_test::{Expect, expect};
use serde_json::{Value, json};

use super::{action_line, check_frames, played};

fn check_calls(display: DisplaySupport, expected: &Expect) {
    let played = played("background", display);
    let calls = played.lines().filter(|line| line.contains("\"status\""));
    expected.assert_eq(&(calls.collect::<Vec<_>>().join("\n") + "\n"));
}

fn call() -> Value {
    let input = json!({ "command": "make", "run_in_background": true });
    let block = json!({ "type": "tool_use", "id": "call-one", "name": "Bash", "input": input });
    json!({ "type": "assistant", "message": { "id": "m", "content": [block] } })
}

fn gave(content: &str, result: Value) -> Value {
    let block = json!({ "type": "tool_result", "tool_use_id": "call-one", "content": content });
    json!({ "type": "user", "message": { "content": [block] }, "tool_use_result": result })
}

fn launched() -> Value {
    gave("It runs.", json!({ "stdout": "", "backgroundTaskId": "b" }))
}

fn ended() -> Value {
    json!({ "type": "system", "subtype": "task_notification", "tool_use_id": "call-one", "status": "completed", "summary": "done (exit code 0)" })
}

#[test]
fn a_call_in_the_background_ends_with_its_task() {
    check_calls(
        DisplaySupport::default(),
        &expect![[r#"
        tell tool_call_update {"_meta":{"claudeCode":{"toolName":"Bash"}},"toolCallId":"toolu_1e","status":"in_progress"}
        tell tool_call_update {"_meta":{"claudeCode":{"toolName":"Bash"}},"toolCallId":"toolu_1e","status":"failed","content":[{"type":"content","content":{"type":"text","text":"Background command \"d\" failed with exit code 3"}}]}
        tell tool_call_update {"_meta":{"claudeCode":{"toolName":"Task"}},"toolCallId":"toolu_e0","status":"in_progress"}
        tell tool_call_update {"_meta":{"claudeCode":{"toolName":"Bash","parentToolUseId":"toolu_e0b5bdb3553b8555_0"}},"toolCallId":"toolu_79","status":"completed","content":[{"type":"content","content":{"type":"text","text":"```console\nin\n```"}}]}
        tell tool_call_update {"_meta":{"claudeCode":{"toolName":"Task"}},"toolCallId":"toolu_e0","status":"completed","content":[{"type":"content","content":{"type":"text","text":"inner done"}}]}
    "#]],
    );
    let terminals = DisplaySupport {
        terminals: true,
        ..DisplaySupport::default()
    };
    check_calls(
        terminals,
        &expect![[r#"
        tell tool_call_update {"_meta":{"claudeCode":{"toolName":"Bash"}},"toolCallId":"toolu_1e","status":"in_progress"}
        tell tool_call_update {"_meta":{"claudeCode":{"toolName":"Bash"},"terminal_exit":{"terminal_id":"toolu_1eb5d68616ddf065_0","exit_code":3,"signal":null},"terminal_output":{"terminal_id":"toolu_1eb5d68616ddf065_0","data":"Background command \"d\" failed with exit code 3"}},"toolCallId":"toolu_1e","status":"failed"}
        tell tool_call_update {"_meta":{"claudeCode":{"toolName":"Task"}},"toolCallId":"toolu_e0","status":"in_progress"}
        tell tool_call_update {"_meta":{"claudeCode":{"toolName":"Bash","parentToolUseId":"toolu_e0b5bdb3553b8555_0"},"terminal_exit":{"terminal_id":"toolu_7992e9cf1ccc75c3_1","exit_code":0,"signal":null},"terminal_output":{"terminal_id":"toolu_7992e9cf1ccc75c3_1","data":"in"}},"toolCallId":"toolu_79","status":"completed"}
        tell tool_call_update {"_meta":{"claudeCode":{"toolName":"Task"}},"toolCallId":"toolu_e0","status":"completed","content":[{"type":"content","content":{"type":"text","text":"inner done"}}]}
    "#]],
    );
}

#[test]
fn a_task_that_ends_at_once_ends_its_call() {
    check_frames(
        &[call(), ended(), launched()],
        &expect![[r#"
        tell tool_call {"_meta":{"claudeCode":{"toolName":"Bash"}},"toolCallId":"call-one","title":"make","kind":"execute"}
        runs make
        tell tool_call_update {"_meta":{"claudeCode":{"toolName":"Bash"}},"toolCallId":"call-one","status":"in_progress"}
        tell tool_call_update {"_meta":{"claudeCode":{"toolName":"Bash"}},"toolCallId":"call-one","status":"completed","content":[{"type":"content","content":{"type":"text","text":"done (exit code 0)"}}]}"#]],
    );
}

#[test]
fn what_a_command_wrote_before_it_was_left_is_shown() {
    let mut mapping = Mapping::new(DisplaySupport::default());
    for frame in [call(), ended()] {
        mapping.apply(Frame::from_value(frame));
    }
    mapping.set_command_output("call-one", 4, "all\n".to_owned());
    let lines = mapping.apply(Frame::from_value(launched()));
    let lines: Vec<_> = lines.iter().filter_map(action_line).collect();
    expect![[r#"
        tell tool_call_update {"_meta":{"claudeCode":{"toolName":"Bash"}},"toolCallId":"call-one","status":"in_progress"}
        tell tool_call_update {"_meta":{"claudeCode":{"toolName":"Bash"}},"toolCallId":"call-one","status":"completed","content":[{"type":"content","content":{"type":"text","text":"```console\nall\n```"}}]}"#]].assert_eq(&lines.join("\n"));
}

#[test]
fn a_task_in_the_foreground_does_not_end_its_call() {
    let gave = gave("all", json!({ "stdout": "all", "stderr": "" }));
    check_frames(
        &[call(), ended(), gave],
        &expect![[r#"
        tell tool_call {"_meta":{"claudeCode":{"toolName":"Bash"}},"toolCallId":"call-one","title":"make","kind":"execute"}
        runs make
        tell tool_call_update {"_meta":{"claudeCode":{"toolName":"Bash"}},"toolCallId":"call-one","status":"completed","content":[{"type":"content","content":{"type":"text","text":"```console\nall\n```"}}]}"#]],
    );
}

#[test]
fn a_call_in_the_background_fails_when_the_cli_dies() {
    let mut mapping = Mapping::new(DisplaySupport::default());
    for frame in [call(), launched()] {
        mapping.apply(Frame::from_value(frame));
    }
    assert!(mapping.is_in_background("call-one"));
    let lines = mapping.fail_open_calls();
    let lines: Vec<_> = lines.iter().filter_map(action_line).collect();
    expect![[r#"tell tool_call_update {"_meta":{"claudeCode":{"toolName":"Bash"}},"toolCallId":"call-one","status":"failed"}"#]].assert_eq(&lines.join("\n"));
}

fn replayed(lines: &[Value]) -> String {
    let mut replay = TranscriptReplay::new(DisplaySupport::default());
    let mut steps = Vec::new();
    for line in lines {
        steps.extend(replay.read_line(line.to_string().as_bytes()));
    }
    steps.extend(replay.finish());
    let lines = steps.into_iter().filter_map(|step| match step {
        TranscriptStep::Update(update) => action_line(&SessionAction::Update(update)),
        TranscriptStep::Subagent { .. } => None,
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn a_replay_leaves_no_call_open() {
    let note = "<task-notification>\n<tool-use-id>call-one</tool-use-id>\n<status>failed</status>\n\
                <summary>it failed with exit code 3</summary>\n</task-notification>";
    let queued = json!({ "type": "queue-operation", "operation": "enqueue", "content": note });
    let said = json!({ "type": "user", "message": { "role": "user", "content": note } });
    let told = replayed(&[call(), launched(), queued, said.clone()]);
    expect![[r#"
        tell tool_call {"_meta":{"claudeCode":{"toolName":"Bash"}},"toolCallId":"call-one","title":"make","kind":"execute"}
        tell tool_call_update {"_meta":{"claudeCode":{"toolName":"Bash"}},"toolCallId":"call-one","status":"in_progress"}
        tell tool_call_update {"_meta":{"claudeCode":{"toolName":"Bash"}},"toolCallId":"call-one","status":"failed","content":[{"type":"content","content":{"type":"text","text":"it failed with exit code 3"}}]}"#]].assert_eq(&told);
    assert_eq!(replayed(&[call(), launched(), said]), told);
    expect![[r#"
        tell tool_call {"_meta":{"claudeCode":{"toolName":"Bash"}},"toolCallId":"call-one","title":"make","kind":"execute"}
        tell tool_call_update {"_meta":{"claudeCode":{"toolName":"Bash"}},"toolCallId":"call-one","status":"in_progress"}
        tell tool_call_update {"_meta":{"claudeCode":{"toolName":"Bash"}},"toolCallId":"call-one","status":"failed"}"#]].assert_eq(&replayed(&[call(), launched()]));
}

#[test]
fn of_a_text_that_the_cli_cuts_the_end_is_shown() {
    let shown = |size: u64| {
        let mut mapping = Mapping::new(DisplaySupport::default());
        mapping.apply(Frame::from_value(call()));
        mapping.set_command_output("call-one", size, "[much]\nthe end\n".to_owned());
        let gave = gave("", json!({ "stdout": "the beginning", "stderr": "" }));
        let actions = mapping.apply(Frame::from_value(gave));
        let lines: Vec<_> = actions.iter().filter_map(action_line).collect();
        lines.join("\n")
    };
    expect![[r#"tell tool_call_update {"_meta":{"claudeCode":{"toolName":"Bash"}},"toolCallId":"call-one","status":"completed","content":[{"type":"content","content":{"type":"text","text":"```console\n[much]\nthe end\n```"}}]}"#]].assert_eq(&shown(1_000_000));
    expect![[r#"tell tool_call_update {"_meta":{"claudeCode":{"toolName":"Bash"}},"toolCallId":"call-one","status":"completed","content":[{"type":"content","content":{"type":"text","text":"```console\nthe beginning\n```"}}]}"#]].assert_eq(&shown(13));
}

#[test]
fn the_end_of_a_line_is_told_to_a_terminal_once() {
    let mut mapping = Mapping::new(DisplaySupport {
        terminals: true,
        ..DisplaySupport::default()
    });
    mapping.apply(Frame::from_value(call()));
    let gave = gave("", json!({ "stdout": "a\r\nb\nc\rd", "stderr": "" }));
    let lines = mapping.apply(Frame::from_value(gave));
    let lines: Vec<_> = lines.iter().filter_map(action_line).collect();
    expect![[r#"tell tool_call_update {"_meta":{"claudeCode":{"toolName":"Bash"},"terminal_exit":{"terminal_id":"call-one","exit_code":0,"signal":null},"terminal_output":{"terminal_id":"call-one","data":"a\r\nb\r\nc\rd"}},"toolCallId":"call-one","status":"completed"}"#]].assert_eq(&lines.join("\n"));
}
