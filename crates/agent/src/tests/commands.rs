//! Tests of slash commands and of compaction.

use expect_test::expect;

use super::NEW;
use super::test_agent::TestAgent;

const DONE: &str = r#"{"say":[{"text":"Done."}]}"#;

fn prompt(text: &str) -> String {
    format!(
        r#"
        -> session/prompt @turn {{"sessionId":$s,"prompt":[{{"type":"text","text":"{text}"}}]}}
        <. session/update {{"sessionId":$s, ...}} x*
        <= @turn {{"stopReason":"end_turn", ...}}
    "#
    )
}

#[tokio::test]
async fn unknown_commands_are_answered_without_the_model() {
    let stage = TestAgent::new("");
    let script = format!(
        r#"{NEW}
        -> session/prompt @turn {{"sessionId":$s,"prompt":[{{"type":"text","text":"/hepl me"}}]}}
        <. session/update {{"sessionId":$s,"update":{{"sessionUpdate":"agent_message_chunk","content":{{"type":"text",
              "text":"Unknown command. Did you mean `/help`? Available commands: `/help`, `/plan`, `/test`, `/review`, `/compact`, `/clear`, `/init`, `/mcp`."}}, ...}}}}
        <= @turn {{"stopReason":"end_turn", ...}}
    "#
    );
    stage.play("{}", &script).await;
    assert!(stage.model.requests().is_empty());
}

#[tokio::test]
async fn clear_removes_the_conversation_permanently() {
    let stage = TestAgent::new(&format!("{DONE},{DONE}"));
    let script = format!(
        "{NEW}{}{}{}",
        prompt("One"),
        prompt("/clear"),
        prompt("Two")
    );
    stage.play("{}", &script).await;
    expect![[r#"
        user: Two
    "#]]
    .assert_eq(&stage.sent_to_model());
}

#[tokio::test]
async fn compaction_is_shown_to_clients_that_support_it() {
    let summary = r#"{"say":[{"text":"They said one."}]}"#;
    let stage = TestAgent::new(&[DONE, summary, DONE].join(","));
    let script = format!(
        r#"{NEW}{}
        -> session/prompt @turn {{"sessionId":$s,"prompt":[{{"type":"text","text":"/compact"}}]}}
        <. session/update {{"sessionId":$s,"update":{{"sessionUpdate":"compaction_update","compactionId":$c,"status":"in_progress"}}}}
        <. session/update {{"sessionId":$s,"update":{{"sessionUpdate":"compaction_summary_chunk","compactionId":$c,"content":{{"type":"text","text":"They said one."}}}}}}
        <. session/update {{"sessionId":$s,"update":{{"sessionUpdate":"compaction_update","compactionId":$c,"status":"completed"}}}}
        <. session/update {{"sessionId":$s,"update":{{"sessionUpdate":"usage_update","used":24, ...}}}}
        <. session/update {{"sessionId":$s,"update":{{"sessionUpdate":"agent_message_chunk", ...}}}}
        <= @turn {{"stopReason":"end_turn", ...}}
        {}"#,
        prompt("One"),
        prompt("Two")
    );
    stage
        .play(r#"{"session":{"compaction":{}}}"#, &script)
        .await;
    expect![[r#"
        user: Summary of the conversation so far:

        They said one.
        user: Continue from there if something is left to do.
        user: Two
    "#]]
    .assert_eq(&stage.sent_to_model());
}

#[tokio::test]
async fn a_full_window_is_compacted_before_the_next_request() {
    let full = r#"{"say":[{"text":"Much."},{"usage":{"input":190000,"output":5,"thought":0,"cache_read":0,"cache_write":0}}]}"#;
    let summary = r#"{"say":[{"text":"They said one."}]}"#;
    let stage = TestAgent::new(&[full, summary, DONE].join(","));
    stage
        .play("{}", &format!("{NEW}{}{}", prompt("One"), prompt("Two")))
        .await;
    expect![[r#"
        user: Summary of the conversation so far:

        They said one.
        user: Two
    "#]]
    .assert_eq(&stage.sent_to_model());
}

#[tokio::test]
async fn a_prompt_that_is_too_long_for_the_model_is_shortened_once() {
    let long = r#"{"say":[{"error":"too_long"}]}"#;
    let summary = r#"{"say":[{"text":"They said one."}]}"#;
    let stage = TestAgent::new(&[DONE, long, summary, DONE].join(","));
    stage
        .play("{}", &format!("{NEW}{}{}", prompt("One"), prompt("Two")))
        .await;
    expect![[r#"
        user: Summary of the conversation so far:

        They said one.
        user: Two
    "#]]
    .assert_eq(&stage.sent_to_model());
}

#[tokio::test]
async fn a_conversation_that_is_too_long_to_summarise_is_summarised_in_part() {
    let long = r#"{"say":[{"error":"too_long"}]}"#;
    let summary = r#"{"say":[{"text":"They said one."}]}"#;
    let stage = TestAgent::new(&[DONE, long, long, long, summary, DONE].join(","));
    stage
        .play("{}", &format!("{NEW}{}{}", prompt("One"), prompt("Two")))
        .await;
    expect![[r#"
        user: Summary of the conversation so far:

        They said one.
        user: Two
    "#]]
    .assert_eq(&stage.sent_to_model());
    assert_eq!(stage.model.requests().len(), 6);
}

#[tokio::test]
async fn a_failed_summary_fails_the_turn_and_keeps_the_conversation() {
    let long = r#"{"say":[{"error":"too_long"}]}"#;
    let stage = TestAgent::new(&[DONE, long, long, long, long, DONE].join(","));
    let failed = prompt("Two").replace(
        r#"<= @turn {"stopReason":"end_turn", ...}"#,
        "<! @turn {...}",
    );
    stage
        .play(
            "{}",
            &format!("{NEW}{}{failed}{}", prompt("One"), prompt("Three")),
        )
        .await;
    expect![[r#"
        user: One
        model: Done.
        user: Two
        user: Three
    "#]]
    .assert_eq(&stage.sent_to_model());
}

#[tokio::test]
async fn project_commands_become_prompts_for_the_model() {
    let stage = TestAgent::new(DONE);
    stage.write("Cargo.toml", "");
    stage.write("AGENTS.md", "Use tabs.");
    stage.play("{}", &format!("{NEW}{}", prompt("/test"))).await;
    expect![[r#"
        user: Run the tests of this project (cargo test). If some fail, find out why and say what would mend them; change nothing without saying so.
    "#]].assert_eq(&stage.sent_to_model());
    let instructions = stage.model.requests()[0].instructions.to_string();
    assert!(instructions.contains("Use tabs."), "{instructions}");
}
