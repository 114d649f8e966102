//! Tests of playing recorded conversations: playing a trace as a script gives the same trace again.

use attache_rpc::json::{Object, from_str};
use bytes::Bytes;

use super::perform;
use crate::{Script, ScriptPlayer, Side, Trace, TraceEntry, TraceEvent, scripted_agent};

const FILES: &[(&str, &str)] = &[
    (
        "codex-acp",
        include_str!("../../../schema/fixtures/traffic/codex-acp.jsonl"),
    ),
    (
        "gemini-cli",
        include_str!("../../../schema/fixtures/traffic/gemini-cli.jsonl"),
    ),
    (
        "goose",
        include_str!("../../../schema/fixtures/traffic/goose.jsonl"),
    ),
    (
        "probes",
        include_str!("../../../schema/fixtures/traffic/probes.jsonl"),
    ),
    (
        "rust-sdk",
        include_str!("../../../schema/fixtures/traffic/rust-sdk.jsonl"),
    ),
    (
        "ts-sdk",
        include_str!("../../../schema/fixtures/traffic/ts-sdk.jsonl"),
    ),
    (
        "v2-claude",
        include_str!("../../../schema/fixtures/traffic/v2-claude.jsonl"),
    ),
];

#[tokio::test(start_paused = true)]
async fn traffic_of_real_programs_can_be_played_by_both_sides() {
    for (name, file) in FILES {
        let recorded = recording(file).to_string();
        let played = perform(&recorded).await.to_string();
        assert_eq!(recorded, played, "{name}");
    }
}

#[tokio::test(start_paused = true)]
async fn captured_ids_stand_for_those_of_another_run() {
    let script = r#"
        -> session/new {"cwd":"/project","mcpServers":[]}
        <= {"sessionId":"mine"}
        -> session/prompt {"sessionId":"mine","prompt":[]}
        <= {"stopReason":"end_turn"}
    "#;
    let recorded = perform(script).await;
    let agent = script.replace("mine", "another");
    let ((read, write), agent) = scripted_agent(&agent).unwrap();
    let captured = Script::parse(&recorded.to_script()).unwrap();
    let client = ScriptPlayer::new(captured, Side::Client).unwrap();
    client.play(read, write).await.unwrap();
    let again = agent.finish().await.unwrap();
    assert_eq!(again.to_string(), recorded.to_string());
}

fn recording(file: &str) -> Trace {
    let mut trace = Trace::default();
    for line in file.lines() {
        let line = Object::parse(line).unwrap();
        let from: String = from_str(line.get("from").unwrap()).unwrap();
        let from = match &*from {
            "client" => Side::Client,
            _ => Side::Agent,
        };
        let message = Bytes::copy_from_slice(line.get("message").unwrap().as_bytes());
        let event = TraceEvent::Line(message);
        trace.push(TraceEntry { from, event });
    }
    trace
}
