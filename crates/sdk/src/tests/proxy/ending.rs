//! What happens when one side is gone.

use std::time::Duration;

use tokio::time::Instant;

use super::Between;
use crate::proxy::ProxyMessage;

#[tokio::test(start_paused = true)]
async fn when_the_agent_is_gone_the_client_gets_what_was_sent_and_then_errors() {
    let between = Between::with_any_end(
        r#"
        -> session/prompt @turn {"sessionId":"s","prompt":[]}
        -> session/list @list {}
        <. session/update {"sessionId":"s","update":{"sessionUpdate":"one"}} x100
        any order
          <! @turn {"code":-32603,"message":"Internal error: the agent is gone: it has closed the connection", ...}
          <! @list {"code":-32603,"message":"Internal error: the agent is gone: it has closed the connection", ...}
        end
        <|
    "#,
        r#"
        -> session/prompt {"sessionId":"s","prompt":[]}
        -> session/list {}
        <. session/update {"sessionId":"s","update":{"sessionUpdate":"one"}} x100
    "#,
    );
    let (_, end) = between.run_to_end(ProxyMessage::forward).await;
    assert_eq!(
        end.unwrap_err().to_string(),
        "the agent is gone: it has closed the connection"
    );
}

#[tokio::test(start_paused = true)]
async fn a_message_in_a_task_is_waited_for_when_the_agent_is_gone() {
    let mut between = Between::with_any_end(
        r#"
        -> session/prompt {"sessionId":"s","prompt":[]}
        <. session/update {"sessionId":"s","update":{"sessionUpdate":"one"}}
        <! {"code":-32603, ...}
        <|
    "#,
        r#"
        -> session/prompt {"sessionId":"s","prompt":[]}
        <. session/update {"sessionId":"s","update":{"sessionUpdate":"one"}}
    "#,
    );
    between.next().await.forward();
    let update = between.next().await;
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_secs(1)).await;
        update.forward();
    });
    assert!(between.proxy.next().await.is_none());
    between.finish().await.1.unwrap_err();
}

#[tokio::test(start_paused = true)]
async fn when_the_client_has_closed_its_side_it_still_gets_its_responses() {
    let between = Between::with_any_end(
        r#"
        -> session/prompt {"sessionId":"s","prompt":[]}
        |>
        <. session/update {"sessionId":"s","update":{"sessionUpdate":"one"}}
        <= {"stopReason":"end_turn"}
        <|
    "#,
        r#"
        -> session/prompt {"sessionId":"s","prompt":[]}
        quiet 1s
        <. session/update {"sessionId":"s","update":{"sessionUpdate":"one"}}
        <= {"stopReason":"end_turn"}
        |>
    "#,
    );
    let start = Instant::now();
    between.run(ProxyMessage::forward).await;
    assert_eq!(start.elapsed().as_secs(), 1);
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_does_not_respond_does_not_keep_a_client_that_is_gone() {
    let mut between = Between::with_any_end(
        r#"
        -> session/prompt {"sessionId":"s","prompt":[]}
        |>
        <|
    "#,
        r#"
        -> session/prompt {"sessionId":"s","prompt":[]}
        |>
    "#,
    );
    let start = Instant::now();
    between.next().await.forward();
    assert!(between.proxy.next().await.is_none());
    assert_eq!(start.elapsed().as_secs(), 2);
    between.finish().await.1.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_response_to_nothing_is_dropped_and_counted() {
    let mut between = Between::with_any_end(
        r#"
        -> session/list {}
        <= {"sessions":[]}
        quiet 1s
    "#,
        r#"
        -> session/list {}
        <= {"sessions":[]}
        <~ {"jsonrpc":"2.0","id":0,"result":"twice"}
        <~ {"jsonrpc":"2.0","id":77,"result":"never requested"}
        |>
    "#,
    );
    between.next().await.forward();
    between.next().await.forward();
    assert!(between.proxy.next().await.is_none());
    assert_eq!(between.proxy.counts().stray_responses, 2);
}

/// A malformed response is an error for the client, not a request without a response.
#[tokio::test(start_paused = true)]
async fn a_malformed_response_becomes_an_error() {
    let between = Between::with_any_end(
        r#"
        -> session/list {}
        <! {"code":-32603, ...}
    "#,
        r#"
        -> session/list {} id 1
        <~ {"jsonrpc":"2.0","id":1,"error":"no object"}
        |>
    "#,
    );
    between.run(ProxyMessage::forward).await;
}
