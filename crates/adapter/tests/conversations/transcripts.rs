//! Tests of transcripts with branches and subagents: which lines are replayed, and how.

use attache::v1;
use attache_adapter::mapping::{DisplaySupport, SessionAction};
use attache_adapter::prompt;
use attache_adapter::replay::{TranscriptIndex, TranscriptReplay, TranscriptStep};
use expect_test::{Expect, expect};
use serde_json::{Value, json};

use super::action_line;

/// Compares the names of the replayed lines. Each line of the short transcript has a kind, a name, the name of its
/// parent, and the message id of an answer. `-` is null; members that are left out are missing.
fn check(transcript: &str, expected: &Expect) {
    let lines: Vec<&str> = transcript.trim().lines().map(str::trim).collect();
    let mut index = TranscriptIndex::default();
    for line in &lines {
        index.add_line(written(line).as_bytes());
    }
    let branch = index.active_branch();
    let named = lines.iter().enumerate();
    let told = named.filter(|(number, _)| branch.contains(*number));
    let told: Vec<_> = told
        .filter_map(|(_, line)| line.split(' ').nth(1))
        .collect();
    expected.assert_eq(&told.join(" "));
}

fn written(short: &str) -> String {
    let words: Vec<&str> = short.split(' ').collect();
    let text = |text: &str| json!([{ "type": "text", "text": text }]);
    let mut line = match words[0] {
        "prompt" => {
            json!({ "type": "user", "message": { "content": "the \"tool_result\" of it" } })
        }
        "result" => {
            let given = json!([{ "type": "tool_result", "tool_use_id": "t", "content": "" }]);
            json!({ "type": "user", "message": { "content": given } })
        }
        "answer" => json!({ "type": "assistant", "message": { "content": text("yes") } }),
        "note" => json!({ "type": "attachment", "attachment": {} }),
        "boundary" => json!({ "type": "system", "subtype": "compact_boundary" }),
        "summary" => {
            json!({ "type": "user", "isCompactSummary": true, "message": { "content": "s" } })
        }
        "aside" => {
            json!({ "type": "user", "isSidechain": true, "message": { "content": "do" } })
        }
        "leaf" => return json!({ "type": "last-prompt", "leafUuid": words[1] }).to_string(),
        _ => return short.to_owned(),
    };
    if let Some(name) = words.get(1).filter(|name| **name != "?") {
        line["uuid"] = json!(name);
    }
    match words.get(2) {
        Some(&"-") => line["parentUuid"] = Value::Null,
        Some(parent) => line["parentUuid"] = json!(parent),
        None => {}
    }
    if let Some(message) = words.get(3) {
        let member = match words[0] {
            "boundary" => &mut line["logicalParentUuid"],
            _ => &mut line["message"]["id"],
        };
        *member = json!(message);
    }
    line.to_string()
}

#[test]
fn an_abandoned_prompt_is_not_told() {
    check(
        "prompt p1 -
         answer a1 p1 m1
         note n1 a1
         prompt p2 n1
         answer a2 p2 m2
         result r2 a2
         answer a3 r2 m3
         prompt p3 a1
         answer a4 p3 m4",
        &expect!["p1 a1 p3 a4"],
    );
}

#[test]
fn the_first_prompt_can_be_abandoned() {
    check(
        "prompt p1 -
         answer a1 p1 m1
         prompt p2 -
         answer a2 p2 m2",
        &expect!["p2 a2"],
    );
}

#[test]
fn calls_at_the_same_time_are_all_told() {
    // The answer continues after the last result, which is that of the first call.
    check(
        "prompt p1 -
         answer a1 p1 m1
         answer a2 a1 m1
         result r2 a2
         answer a3 r2 m1
         result r3 a3
         result r1 a1
         answer a4 r1 m2
         prompt p2 a4",
        &expect!["p1 a1 a2 r2 a3 r3 r1 a4 p2"],
    );
}

#[test]
fn an_answer_that_was_gone_back_behind_is_not_told() {
    check(
        "prompt p1 -
         answer a1 p1 m1
         answer a2 a1 m1
         result r2 a2
         result r1 a1
         answer a3 r1 m2
         result r3 a3
         prompt p2 r2",
        &expect!["p1 a1 a2 r2 r1 p2"],
    );
}

#[test]
fn what_was_before_a_compaction_is_told() {
    check(
        "prompt p1 -
         answer a1 p1 m1
         prompt p2 a1
         prompt p3 a1
         boundary b1 - p3
         summary s1 b1
         prompt p4 s1",
        &expect!["p1 a1 p3 s1 p4"],
    );
    check(
        "prompt p1 -
         boundary b1 -
         summary s1 b1
         prompt p2 s1",
        &expect!["p1 s1 p2"],
    );
}

#[test]
fn the_branch_is_the_one_that_the_cli_takes_up() {
    let branches = "prompt p1 -
         answer a1 p1 m1
         prompt p2 a1
         answer a2 p2 m2
         prompt p3 a1
         answer a3 p3 m3";
    check(&format!("{branches}\nleaf a2"), &expect!["p1 a1 p2 a2"]);
    check(&format!("{branches}\nleaf a1"), &expect!["p1 a1 p3 a3"]);
    check(&format!("{branches}\nleaf gone"), &expect!["p1 a1 p3 a3"]);
    check(
        &format!("{branches}\nleaf p2\nprompt p4 a3\nprompt p5 a2"),
        &expect!["p1 a1 p2 a2 p5"],
    );
}

#[test]
fn broken_transcripts_are_told_as_far_as_they_go() {
    // A missing parent.
    check(
        "prompt p1 -
         prompt p2 p1
         answer a2 lost m2
         prompt p3 a2",
        &expect!["p1 p2 a2 p3"],
    );
    // Circular parents.
    check(
        "prompt p1 p3
         answer a1 p1 m1
         prompt p2 a1
         prompt p3 a1",
        &expect!["p1 a1 p2 p3"],
    );
    check("prompt p1 p1", &expect!["p1"]);
    // Lines without names or parents.
    check("prompt ?\nanswer ?\nprompt ?", &expect!["? ? ?"]);
    check("prompt p1\nanswer a1\nprompt p2", &expect!["p1 a1 p2"]);
    // A truncated line, a line that is not a JSON object, and a line that occurs twice.
    check(
        "prompt p1 -
         [1] x
         prompt p2 p1
         prompt p2 p1
         aside s1 -
         {\"type\":\"user\",\"uuid\": x",
        &expect!["p1 p2"],
    );
    check("", &expect![""]);
}

#[test]
fn bytes_that_are_no_text_cost_only_themselves() {
    let line =
        b"{\"type\":\"user\",\"uuid\":\"line-one\",\"message\":{\"content\":\"so \xff it is\"}}\n";
    let mut index = TranscriptIndex::default();
    index.add_line(line);
    assert!(index.active_branch().contains(0));
    expect![[r#"
        tell user_message_chunk {"messageId":"-one","content":{"type":"text","text":"so � it is"}}"#]]
    .assert_eq(&shown(TranscriptReplay::new(DisplaySupport::default()).read_line(line)));
}

#[test]
fn a_subagent_is_told_with_its_call() {
    let call = json!([
        { "type": "text", "text": "Let me see." },
        { "type": "tool_use", "id": "call-one", "name": "Agent", "input": { "description": "look", "prompt": "look" } },
    ]);
    let call = json!({ "type": "assistant", "message": { "id": "msg-1", "content": call } });
    let asked = json!({ "type": "user", "isSidechain": true, "message": { "content": "look" } });
    let inner = json!([
        { "type": "text", "text": "Looking." },
        { "type": "tool_use", "id": "call-two", "name": "Bash", "input": { "command": "ls" } },
    ]);
    let inner = json!({ "type": "assistant", "isSidechain": true, "message": { "id": "msg-2", "content": inner } });
    let more = json!({ "type": "assistant", "message": { "id": "msg-1", "content": [{ "type": "text", "text": "And more." }] } });
    let given = json!([{ "type": "tool_result", "tool_use_id": "call-one", "content": "seen" }]);
    let given = json!({ "type": "user", "message": { "content": given }, "toolUseResult": { "agentId": "a1" } });
    let mut replay = TranscriptReplay::new(DisplaySupport::default());
    let mut steps = replay.read_line(call.to_string().as_bytes());
    for line in [&asked, &inner] {
        steps.extend(replay.read_line(line.to_string().as_bytes()));
        steps.extend(replay.read_subagent_line("call-one", line.to_string().as_bytes()));
    }
    steps.extend(replay.read_line(more.to_string().as_bytes()));
    steps.extend(replay.read_line(given.to_string().as_bytes()));
    steps.extend(replay.finish());
    expect![[r#"
        tell agent_message_chunk {"messageId":"-1:0","content":{"type":"text","text":"Let me see."}}
        tell tool_call {"_meta":{"claudeCode":{"toolName":"Agent"}},"toolCallId":"call-one","title":"look","content":[{"type":"content","content":{"type":"text","text":"look"}}],"kind":"think"}
        subagent call-one None
        tell agent_message_chunk {"_meta":{"claudeCode":{"parentToolUseId":"call-one"}},"content":{"type":"text","text":"Looking."},"messageId":"-2:0"}
        tell tool_call {"_meta":{"claudeCode":{"toolName":"Bash","parentToolUseId":"call-one"}},"toolCallId":"call-two","title":"ls","kind":"execute"}
        subagent call-two None
        tell agent_message_chunk {"messageId":"-1:2","content":{"type":"text","text":"And more."}}
        subagent call-one Some("a1")
        tell tool_call_update {"_meta":{"claudeCode":{"toolName":"Agent"}},"toolCallId":"call-one","status":"completed","content":[{"type":"content","content":{"type":"text","text":"seen"}}]}
        tell tool_call_update {"_meta":{"claudeCode":{"toolName":"Bash","parentToolUseId":"call-one"}},"toolCallId":"call-two","status":"failed"}"#]]
    .assert_eq(&shown(steps));
}

#[test]
fn what_was_attached_comes_back_as_what_it_was() {
    let text = v1::TextResourceContents::new("fn main() {}", "file:///p/main.rs");
    let embedded = v1::EmbeddedResource::new(v1::EmbeddedResourceResource::Text(text));
    let link = v1::ResourceLink::new("b.rs", "file:///p/b.rs");
    let blocks = [
        v1::ContentBlock::from("see [@x](y)"),
        v1::ContentBlock::Resource(embedded),
        v1::ContentBlock::ResourceLink(link),
    ];
    let line = prompt::user_frame(&blocks, "").to_string();
    expect![[r#"
        tell user_message_chunk {"content":{"type":"text","text":"see [@x](y)"}}
        tell user_message_chunk {"content":{"type":"resource_link","name":"b.rs","uri":"file:///p/b.rs"}}
        tell user_message_chunk {"content":{"type":"resource","resource":{"text":"fn main() {}","uri":"file:///p/main.rs"}}}"#]]
    .assert_eq(&shown(TranscriptReplay::new(DisplaySupport::default()).read_line(line.as_bytes())));
}

#[test]
fn what_the_cli_has_answered_by_itself_is_told_again() {
    let line = |uuid: &str, content: &str| {
        json!({ "type": "system", "subtype": "local_command", "uuid": uuid, "parentUuid": null, "content": content })
            .to_string()
    };
    let output = line(
        "o",
        "<local-command-stdout>All is well.</local-command-stdout>",
    );
    let command = line("c", "<command-name>/usage</command-name>");
    let mut index = TranscriptIndex::default();
    index.add_line(output.as_bytes());
    assert!(index.active_branch().contains(0));
    let mut replay = TranscriptReplay::new(DisplaySupport::default());
    expect![[r#"tell agent_message_chunk {"content":{"type":"text","text":"All is well."}}"#]]
        .assert_eq(&shown(replay.read_line(output.as_bytes())));
    assert!(replay.read_line(command.as_bytes()).is_empty());
}

fn shown(steps: Vec<TranscriptStep>) -> String {
    let lines = steps.into_iter().map(|step| match step {
        TranscriptStep::Update(update) => {
            action_line(&SessionAction::Update(update)).unwrap_or_default()
        }
        TranscriptStep::Subagent { call, agent } => format!("subagent {call} {agent:?}"),
    });
    lines.collect::<Vec<_>>().join("\n")
}
