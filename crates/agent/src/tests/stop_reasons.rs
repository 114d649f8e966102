//! Tests of stop reasons and of queued turns.

use expect_test::expect;

use super::NEW;
use super::test_agent::TestAgent;

/// The script of a prompt whose turn ends with these lines, after any updates.
fn turn(text: &str, end: &str) -> String {
    format!(
        r#"
        -> session/prompt @turn {{"sessionId":$s,"prompt":[{{"type":"text","text":"{text}"}}]}}
        <. session/update {{"sessionId":$s, ...}} x*
        {end}
    "#
    )
}

async fn check(turns: &str, end: &str) -> TestAgent {
    let stage = TestAgent::new(turns);
    stage.play("{}", &format!("{NEW}{}", turn("Go", end))).await;
    stage
}

#[tokio::test]
async fn the_longest_answer() {
    let turns = r#"{"say":[{"text":"And then"},{"stop":"length"}]}"#;
    check(turns, r#"<= @turn {"stopReason":"max_tokens", ...}"#).await;
}

#[tokio::test]
async fn a_turn_that_the_model_refused_is_removed() {
    let turns = r#"{"say":[{"text":"No."},{"stop":"refusal"}]},{"say":[{"text":"Yes."}]}"#;
    let stage = TestAgent::new(turns);
    let refused = turn("Something bad", r#"<= @turn {"stopReason":"refusal", ...}"#);
    let better = turn(
        "Something good",
        r#"<= @turn {"stopReason":"end_turn", ...}"#,
    );
    stage.play("{}", &format!("{NEW}{refused}{better}")).await;
    expect![[r#"
        user: Something good
    "#]]
    .assert_eq(&stage.sent_to_model());
}

#[tokio::test]
async fn a_prompt_without_content_is_refused() {
    let stage = TestAgent::new("");
    let script = format!(
        r#"{NEW}
        -> session/prompt {{"sessionId":$s,"prompt":[]}}
        <! {{"code":-32602, ...}}
        -> session/prompt {{"sessionId":$s,"prompt":[{{"type":"text","text":" \n"}}]}}
        <! {{"code":-32602, ...}}
    "#
    );
    stage.play("{}", &script).await;
}

#[tokio::test]
async fn too_many_requests() {
    let think = r#"{"say":[{"call":{"name":"think","input":{"thought":"Hm."}}}]}"#;
    let mut stage = TestAgent::new(&format!("{think},{think}"));
    stage.limits.requests = 2;
    let end = r#"<= @turn {"stopReason":"max_turn_requests", ...}"#;
    stage.play("{}", &format!("{NEW}{}", turn("Go", end))).await;
}

#[tokio::test]
async fn a_provider_failure_is_an_error_and_keeps_the_text_so_far() {
    let turns = r#"{"say":[{"text":"I was"},{"error":{"cut":"the stream ended"}}]},{"say":[{"text":"Here."}]}"#;
    let stage = TestAgent::new(turns);
    let failed = turn("Go", r#"<! @turn {"code":-32603, ...}"#);
    let again = turn("Again", r#"<= @turn {"stopReason":"end_turn", ...}"#);
    stage.play("{}", &format!("{NEW}{failed}{again}")).await;
    expect![[r#"
        user: Go
        model: I was
        user: Again
    "#]]
    .assert_eq(&stage.sent_to_model());
}

#[tokio::test]
async fn a_missing_key_asks_for_a_login() {
    let turns = r#"{"say":[{"error":{"key":"set SOME_KEY"}}]}"#;
    check(turns, r#"<! @turn {"code":-32000,"message":_, ...}"#).await;
}

#[tokio::test]
async fn cancellation_also_cancels_queued_prompts() {
    let stage = TestAgent::new(r#"{"say":[{"text":"One"},"hang"]}"#);
    let script = format!(
        r#"{NEW}
        -> session/prompt @one {{"sessionId":$s,"prompt":[{{"type":"text","text":"One"}}]}}
        <. session/update {{"sessionId":$s,"update":{{"sessionUpdate":"session_info_update", ...}}}}
        <. session/update {{"sessionId":$s,"update":{{"sessionUpdate":"agent_message_chunk", ...}}}}
        -> session/prompt @two {{"sessionId":$s,"prompt":[{{"type":"text","text":"Two"}}]}}
        -> session/prompt @three {{"sessionId":$s,"prompt":[{{"type":"text","text":"Three"}}]}}
        .> $/cancel_request {{"requestId":@two}}
        <= @two {{"stopReason":"cancelled"}} within 100ms
        .> session/cancel {{"sessionId":$s}}
        any order
          <= @one {{"stopReason":"cancelled", ...}} within 100ms
          <= @three {{"stopReason":"cancelled"}} within 100ms
        end
    "#
    );
    stage.play("{}", &script).await;
}

#[tokio::test]
async fn queued_prompts_run_in_order() {
    let say = |text: &str| {
        format!(r#"{{"say":[{{"slow":{{"text":"{text}","characters":1,"pause":5}}}}]}}"#)
    };
    let stage = TestAgent::new(&[say("a"), say("b"), say("c")].join(","));
    let script = format!(
        r#"{NEW}
        -> session/prompt @a {{"sessionId":$s,"prompt":[{{"type":"text","text":"A"}}]}}
        -> session/prompt @b {{"sessionId":$s,"prompt":[{{"type":"text","text":"B"}}]}}
        -> session/prompt @c {{"sessionId":$s,"prompt":[{{"type":"text","text":"C"}}]}}
        <. session/update {{"sessionId":$s, ...}} x*
        <= @a {{"stopReason":"end_turn", ...}}
        <. session/update {{"sessionId":$s, ...}} x*
        <= @b {{"stopReason":"end_turn", ...}}
        <. session/update {{"sessionId":$s, ...}} x*
        <= @c {{"stopReason":"end_turn", ...}}
    "#
    );
    stage.play("{}", &script).await;
    expect![[r#"
        user: A
        model: a
        user: B
        model: b
        user: C
    "#]]
    .assert_eq(&stage.sent_to_model());
}

#[tokio::test]
async fn a_session_that_is_closed_cancels_its_turn() {
    let stage = TestAgent::new(r#"{"say":["hang"]}"#);
    let script = format!(
        r#"{NEW}
        -> session/prompt @turn {{"sessionId":$s,"prompt":[{{"type":"text","text":"Go"}}]}}
        <. session/update {{"sessionId":$s,"update":{{"sessionUpdate":"session_info_update", ...}}}}
        -> session/close @close {{"sessionId":$s}}
        <= @turn {{"stopReason":"cancelled", ...}}
        <= @close {{}}
        -> session/prompt {{"sessionId":$s,"prompt":[{{"type":"text","text":"Go"}}]}}
        <! {{"code":-32002, ...}}
    "#
    );
    stage.play("{}", &script).await;
}

#[tokio::test]
async fn malformed_input_of_a_tool_goes_back_to_the_model() {
    let turns = r#"{"say":[{"call":{"id":"c1","name":"read","input":"{\"path\":"}},{"call":{"id":"c2","name":"nothing","input":{}}}]},{"say":[{"text":"Sorry."}]}"#;
    let stage = check(turns, r#"<= @turn {"stopReason":"end_turn", ...}"#).await;
    expect![[r#"
        user: Go
        model calls read {"path":
        model calls nothing {}
        read failed: the input is not JSON: it is incomplete at line 1, column 8; send one object
        nothing failed: there is no such tool; use one of those you were given
    "#]]
    .assert_eq(&stage.sent_to_model());
}
