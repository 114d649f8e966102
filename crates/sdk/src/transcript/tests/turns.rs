//! Turns, and the tool calls of cancelled turns.

use attache_schema::v1;
use expect_test::expect;

use super::check;
use super::script::run;
use crate::transcript::{Entry, TurnOutcome};
use crate::{CallError, CallErrorKind, CloseReason, Role};

#[test]
fn a_turn_has_a_start_and_an_end() {
    check(
        "
        > Hi
        agent Hello
        = end_turn
        > Again
        ! out of order
        ",
        expect![[r#"
            0 prompt "Hi"
            1 agent "Hello"
            2 end end_turn []
            3 prompt "Again"
            4 end out of order (-32603) []
        "#]],
    );
}

#[test]
fn entries_know_their_turn() {
    let transcript = run("agent old\n> one\nagent a\n= end_turn\nagent late\n> two");
    let turns: Vec<usize> = transcript.entries().map(Entry::turn).collect();
    assert_eq!(turns, [0, 1, 1, 1, 1, 2]);
    assert_eq!(transcript.turns(), 2);
}

#[test]
fn a_prompt_that_the_agent_repeats_is_a_second_message() {
    check(
        "> Hi\nuser Hi\nagent Hello",
        expect![[r#"
        0 prompt "Hi"
        1 user "Hi"
        2 agent "Hello"
    "#]],
    );
}

#[test]
fn a_cancelled_turn_marks_its_open_calls_only() {
    check(
        r#"
        {"sessionUpdate":"tool_call","toolCallId":"old","title":"t","status":"in_progress"}
        > Go
        {"sessionUpdate":"tool_call","toolCallId":"waits","title":"t"}
        {"sessionUpdate":"tool_call","toolCallId":"runs","title":"t","status":"in_progress"}
        {"sessionUpdate":"tool_call","toolCallId":"done","title":"t","status":"completed"}
        {"sessionUpdate":"tool_call","toolCallId":"failed","title":"t","status":"failed"}
        = cancelled
        "#,
        expect![[r#"
            0 call {"toolCallId":"old","title":"t","status":"in_progress"}
            1 prompt "Go"
            2 call CANCELLED {"toolCallId":"waits","title":"t"}
            3 call CANCELLED {"toolCallId":"runs","title":"t","status":"in_progress"}
            4 call {"toolCallId":"done","title":"t","status":"completed"}
            5 call {"toolCallId":"failed","title":"t","status":"failed"}
            6 end cancelled [2, 3]
        "#]],
    );
}

#[test]
fn a_call_that_the_turn_updates_belongs_to_the_turn() {
    check(
        r#"
        {"sessionUpdate":"tool_call","toolCallId":"old","title":"t","status":"in_progress"}
        > Go
        {"sessionUpdate":"tool_call_update","toolCallId":"old","title":"u"}
        = cancelled
        "#,
        expect![[r#"
            0 call CANCELLED {"toolCallId":"old","title":"u","status":"in_progress"}
            1 prompt "Go"
            2 end cancelled [0]
        "#]],
    );
}

#[test]
fn other_turn_ends_mark_no_call() {
    check(
        r#"
        > Go
        {"sessionUpdate":"tool_call","toolCallId":"c","title":"t","status":"in_progress"}
        = end_turn
        > Go on
        = cancelled
        "#,
        expect![[r#"
            0 prompt "Go"
            1 call {"toolCallId":"c","title":"t","status":"in_progress"}
            2 end end_turn []
            3 prompt "Go on"
            4 end cancelled []
        "#]],
    );
}

#[test]
fn a_final_status_overrides_the_mark() {
    check(
        r#"
        > Go
        {"sessionUpdate":"tool_call","toolCallId":"stops","title":"t","status":"in_progress"}
        {"sessionUpdate":"tool_call","toolCallId":"ends","title":"t","status":"in_progress"}
        {"sessionUpdate":"tool_call","toolCallId":"again","title":"t","status":"in_progress"}
        = cancelled
        {"sessionUpdate":"tool_call_update","toolCallId":"stops","status":"in_progress","title":"stopping"}
        {"sessionUpdate":"tool_call_update","toolCallId":"ends","status":"completed"}
        {"sessionUpdate":"tool_call","toolCallId":"again","title":"new"}
        "#,
        expect![[r#"
            0 prompt "Go"
            1 call CANCELLED {"toolCallId":"stops","title":"stopping","status":"in_progress"}
            2 call {"toolCallId":"ends","title":"t","status":"completed"}
            3 call {"toolCallId":"again","title":"new"}
            4 end cancelled [1, 2, 3]
        "#]],
    );
}

#[test]
fn a_cancelled_request_is_a_cancelled_turn() {
    let mut transcript = run(r#"
        > Go
        {"sessionUpdate":"tool_call","toolCallId":"c","title":"t"}
        "#);
    let code = i32::from(v1::ErrorCode::RequestCancelled);
    transcript.end_turn(v1::Error::new(code, "cancelled"));
    let call = transcript.tool_call(&"c".into()).expect("the call");
    assert!(call.is_cancelled && !call.is_open());
}

#[test]
fn every_result_of_a_prompt_ends_its_turn() {
    let failed = |kind| {
        Err(CallError::new(
            Role::Agent,
            "session/prompt".into(),
            None,
            kind,
        ))
    };
    let answers = [
        Ok(v1::PromptResponse::new(v1::StopReason::Refusal)),
        failed(CallErrorKind::Refused(v1::Error::new(7, "no"))),
        failed(CallErrorKind::Closed(CloseReason::PeerClosed)),
    ];
    let said = answers.map(|answer| match TurnOutcome::from(answer) {
        TurnOutcome::Stopped(reason) => reason.as_str().to_owned(),
        TurnOutcome::Failed(error) => error.to_string(),
    });
    expect![[r#"
        refusal
        no (7)
        Internal error: session/prompt to the agent failed: the peer has closed the connection (-32603)"#]]
    .assert_eq(&said.join("\n"));
}

#[test]
fn a_failed_turn_leaves_no_call_running() {
    let mut transcript = run(r#"
        > Go
        {"sessionUpdate":"tool_call","toolCallId":"c","title":"t","status":"in_progress"}
        "#);
    transcript.end_turn(v1::Error::new(v1::Error::INTERNAL, "the agent has gone"));
    let call = transcript.tool_call(&"c".into()).expect("the call");
    assert!(call.is_cancelled && !call.is_open());
}
