//! Cancellations on their way through a proxy.

use super::Between;
use crate::proxy::ProxyMessage;

#[tokio::test(start_paused = true)]
async fn cancellations_pass_in_both_directions() {
    let between = Between::transparent(
        r#"
        -> session/prompt @turn {"sessionId":"s","prompt":[]} id "t"
        <- terminal/wait_for_exit @wait {"sessionId":"s","terminalId":"t"} id 4
        <. $/cancel_request {"requestId":@wait}
        => @wait {"exitCode":0}
        .> $/cancel_request {"requestId":@turn}
        .> session/cancel {"sessionId":"s"}
        <= @turn {"stopReason":"cancelled"}
    "#,
    );
    between.run(ProxyMessage::forward).await.is_unchanged();
}

#[tokio::test(start_paused = true)]
async fn a_request_that_the_program_holds_sees_its_cancellation() {
    for cancellation in [
        r#".> $/cancel_request {"requestId":@turn}"#,
        r#".> session/cancel {"sessionId":"s"}"#,
    ] {
        let mut between = Between::new(
            &format!(
                r#"
                -> session/prompt @turn {{"sessionId":"s","prompt":[]}}
                -> session/list @list {{}}
                {cancellation}
                .> $/cancel_request {{"requestId":@list}}
                any order
                  <= @turn {{"stopReason":"cancelled"}}
                  <! @list {{"code":-32800, ...}}
                end
            "#
            ),
            match cancellation.contains("session/cancel") {
                true => r#".> session/cancel {"sessionId":"s"}"#,
                false => "",
            },
        );
        let ProxyMessage::PromptRequest(turn) = between.next().await else {
            panic!("no prompt");
        };
        let ProxyMessage::ListSessionsRequest(list) = between.next().await else {
            panic!("no list");
        };
        let dropping = tokio::spawn(async move {
            turn.cancelled().await;
            drop(turn);
            list.cancelled().await;
            drop(list);
        });
        between.run(ProxyMessage::forward).await;
        dropping.await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn the_cancellation_of_a_request_follows_it() {
    let mut between = Between::transparent(
        r#"
        -> session/prompt @turn {"sessionId":"s","prompt":[]}
        .> $/cancel_request {"requestId":@turn}
        .> session/cancel {"sessionId":"s"}
        <= @turn {"stopReason":"cancelled"}
    "#,
    );
    let turn = between.next().await;
    between.next().await.forward();
    turn.forward();
    between.run(ProxyMessage::forward).await.is_unchanged();
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_turn_cancels_the_permission_requests_that_the_program_holds() {
    let mut between = Between::new(
        r#"
        -> session/prompt {"sessionId":"s","prompt":[]}
        <. _ready
        .> session/cancel {"sessionId":"s"}
        <= {"stopReason":"cancelled"}
    "#,
        r#"
        -> session/prompt @turn {"sessionId":"s","prompt":[]}
        <- session/request_permission {"sessionId":"s","toolCall":{"toolCallId":"t"},"options":[]}
        <. _ready
        any order
          .> session/cancel {"sessionId":"s"}
          => {"outcome":{"outcome":"cancelled"}}
        end
        <= @turn {"stopReason":"cancelled"}
    "#,
    );
    let mut permission = None;
    for _ in 0..4 {
        match between.next().await {
            ProxyMessage::RequestPermissionRequest(request) => permission = Some(request),
            other => other.forward(),
        }
    }
    let permission = permission.unwrap();
    permission.cancelled().await;
    drop(permission);
    between.run(ProxyMessage::forward).await;
}
