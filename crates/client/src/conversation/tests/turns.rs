//! Turns: queued, cancelled, steered.

use expect_test::expect;

use super::{Fixture, session};
use crate::command::Command;

#[tokio::test(start_paused = true)]
async fn prompts_wait_for_their_turn() {
    let script = r#"
        -> session/prompt {"sessionId":"s","prompt":[{"type":"text","text":"one"}]}
        <. session/update {"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"1"}}}
        <= {"stopReason":"end_turn"}
        -> session/prompt {"sessionId":"s","prompt":[{"type":"text","text":"three"}]}
        <! {"code":-32603,"message":"out of luck"}
        -> session/prompt {"sessionId":"s","prompt":[{"type":"text","text":"four"}]}
        <= {"stopReason":"max_tokens"}
    "#;
    let mut fixture = Fixture::in_session("{}", script).await;
    for text in ["one", "two", "three", "four"] {
        fixture.prompt(text);
    }
    fixture.conversation.submit(Command::RemoveQueuedPrompt {
        session: session(),
        index: 0,
    });
    fixture.until("ended max_tokens").await;
    let expected = expect![[r#"
        began one
        queue [two]
        queue [two, three]
        queue [two, three, four]
        queue [three, four]
        update s 1
        ended end_turn
        queue [four]
        began three
        ended Refused: out of luck (-32603)
        queue []
        began four
        ended max_tokens
    "#]];
    fixture.check(expected).await;
}

#[tokio::test(start_paused = true)]
async fn the_queue_of_prompts_is_limited() {
    let mut fixture = Fixture::in_session(
        "{}",
        "-> session/prompt {...}\n<= {\"stopReason\":\"end_turn\"}\n...",
    )
    .await;
    for _ in 0..34 {
        fixture.prompt("again");
    }
    fixture.until("failed").await;
    let last = fixture.seen.lines().last().unwrap().to_owned();
    expect![
        "failed session/prompt Local: 32 prompts are queued already; remove one or cancel the turn"
    ]
    .assert_eq(&last);
}

#[tokio::test(start_paused = true)]
async fn a_turn_is_cancelled_with_its_permission_requests() {
    let script = r#"
        -> session/prompt @turn {...}
        <- session/request_permission @ask {"sessionId":"s","toolCall":{"toolCallId":"c","title":"Edit"},"options":[]}
        .> session/cancel {"sessionId":"s"}
        => @ask {"outcome":{"outcome":"cancelled"}}
        <- session/request_permission @late {"sessionId":"s","toolCall":{"toolCallId":"d","title":"Late"},"options":[]}
        => @late {"outcome":{"outcome":"cancelled"}}
        <! @turn {"code":-32603,"message":"aborted"}
    "#;
    let mut fixture = Fixture::in_session("{}", script).await;
    fixture.prompt("edit it");
    fixture.until("asked").await;
    fixture.conversation.submit(Command::Cancel(session()));
    fixture.conversation.submit(Command::Cancel(session()));
    fixture.until("ended").await;
    let expected = expect![[r#"
        began edit it
        asked 1: Edit
        withdrawn 1
        ended cancelled
    "#]];
    fixture.check(expected).await;
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_does_not_end_when_cancelled_is_reported() {
    let script = r#"
        -> session/prompt @turn {...}
        .> session/cancel {"sessionId":"s"}
        quiet 11s
        <= @turn {"stopReason":"cancelled"}
    "#;
    let mut fixture = Fixture::in_session("{}", script).await;
    fixture.prompt("hang");
    fixture.until("began").await;
    fixture.conversation.submit(Command::Cancel(session()));
    fixture.until("ended").await;
    let expected = expect![[r#"
        began hang
        failed session/cancel TimedOut: the agent has not ended the turn 10 s after it was cancelled; it may hang: restart it
        ended cancelled
    "#]];
    fixture.check(expected).await;
}

#[tokio::test(start_paused = true)]
async fn a_late_cancellation_leaves_the_next_turn_alone() {
    let script = r#"
        -> session/prompt {...}
        <= {"stopReason":"end_turn"}
        -> session/prompt {...}
        <= {"stopReason":"end_turn"}
    "#;
    let mut fixture = Fixture::in_session("{}", script).await;
    fixture.prompt("one");
    fixture.until("ended").await;
    fixture.conversation.submit(Command::Cancel(session()));
    fixture.prompt("two");
    fixture.until("ended").await;
    let expected = expect![[r#"
        began one
        ended end_turn
        began two
        ended end_turn
    "#]];
    fixture.check(expected).await;
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_can_be_steered_is() {
    let script = r#"
        -> session/prompt @turn {...}
        -> _session/steering {"sessionId":"s","prompt":[{"type":"text","text":"shorter"}], ...}
        <= {"outcome":"injected"}
        -> _session/steering {"sessionId":"s","prompt":[{"type":"text","text":"later"}], ...}
        <= {"outcome":"failed"}
        <= @turn {"stopReason":"end_turn"}
        -> session/prompt {"sessionId":"s","prompt":[{"type":"text","text":"later"}]}
        <= {"stopReason":"end_turn"}
    "#;
    let capabilities = r#"{"_meta":{"steering":{"supported":true}}}"#;
    let mut fixture = Fixture::in_session(capabilities, script).await;
    assert!(fixture.conversation.can_steer());
    fixture.prompt("write");
    fixture.until("began").await;
    for text in ["shorter", "later"] {
        fixture.conversation.submit(Command::Steer {
            session: session(),
            content: vec![text.into()],
        });
        fixture
            .until(if text == "later" { "queue" } else { "steered" })
            .await;
    }
    fixture.until("began later").await;
    fixture.until("ended").await;
    let expected = expect![[r#"
        began write
        steered shorter
        queue [later]
        ended end_turn
        queue []
        began later
        ended end_turn
    "#]];
    fixture.check(expected).await;
}

#[tokio::test(start_paused = true)]
async fn content_that_cannot_steer_is_queued() {
    let script = r#"
        -> session/prompt {...}
        <= {"stopReason":"end_turn"}
        -> session/prompt {"sessionId":"s","prompt":[{"type":"text","text":"shorter"}]}
        <= {"stopReason":"end_turn"}
    "#;
    let mut fixture = Fixture::in_session("{}", script).await;
    fixture.prompt("write");
    fixture.conversation.submit(Command::Steer {
        session: session(),
        content: vec!["shorter".into()],
    });
    fixture.until("began shorter").await;
    fixture.until("ended").await;
    let expected = expect![[r#"
        began write
        queue [shorter]
        ended end_turn
        queue []
        began shorter
        ended end_turn
    "#]];
    fixture.check(expected).await;
}
