//! Messages that the program keeps for a while.

use super::Between;
use crate::proxy::ProxyMessage;

/// Takes all messages, keeps those whose line contains the text, and forwards the others.
async fn keep(between: &mut Between, count: usize, text: &str) -> Vec<ProxyMessage> {
    let mut kept = Vec::new();
    for _ in 0..count {
        match between.next().await {
            message if message.line().contains(text) => kept.push(message),
            message => message.forward(),
        }
    }
    kept
}

#[tokio::test(start_paused = true)]
async fn a_slow_message_delays_only_its_session() {
    let mut between = Between::new(
        r#"
        -> session/prompt @a {"sessionId":"a","prompt":[]}
        -> session/prompt @b {"sessionId":"b","prompt":[]}
        <. session/update {"sessionId":"b","update":{"sessionUpdate":"plan","entries":[]}}
        <= @b {"stopReason":"end_turn"}
        quiet 1s
        <. session/update {"sessionId":"a","update":{"sessionUpdate":"slow"}}
        <. session/update {"sessionId":"a","update":{"sessionUpdate":"plan","entries":[]}}
        <= @a {"stopReason":"end_turn"}
    "#,
        r#"
        -> session/prompt @a {"sessionId":"a","prompt":[]}
        -> session/prompt @b {"sessionId":"b","prompt":[]}
        <. session/update {"sessionId":"a","update":{"sessionUpdate":"slow"}}
        <. session/update {"sessionId":"a","update":{"sessionUpdate":"plan","entries":[]}}
        <= @a {"stopReason":"end_turn"}
        <. session/update {"sessionId":"b","update":{"sessionUpdate":"plan","entries":[]}}
        <= @b {"stopReason":"end_turn"}
    "#,
    );
    let slow = keep(&mut between, 7, "slow").await;
    tokio::time::sleep(std::time::Duration::from_secs(2)).await;
    slow.into_iter().for_each(ProxyMessage::forward);
    between.run(ProxyMessage::forward).await;
}

#[tokio::test(start_paused = true)]
async fn messages_of_a_session_leave_in_order_however_they_are_decided() {
    let script = r#"
        -> session/prompt {"sessionId":"a","prompt":[]}
        <. session/update {"sessionId":"a","update":{"sessionUpdate":"one"}}
        <. session/update {"sessionId":"a","update":{"sessionUpdate":"two"}}
        <. session/update {"sessionId":"a","update":{"sessionUpdate":"three"}}
        <= {"stopReason":"end_turn"}
    "#;
    for order in [[0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1], [1, 3, 0, 2]] {
        let mut between = Between::transparent(script);
        between.next().await.forward();
        let mut taken = Vec::new();
        for _ in 0..4 {
            taken.push(Some(between.next().await));
        }
        for index in order {
            taken[index].take().unwrap().forward();
        }
        between.run(ProxyMessage::forward).await.is_unchanged();
    }
}

#[tokio::test(start_paused = true)]
async fn a_dropped_message_does_not_block_its_session() {
    let mut between = Between::new(
        r#"
        <. session/update {"sessionId":"a","update":{"sessionUpdate":"two"}}
    "#,
        r#"
        <. session/update {"sessionId":"a","update":{"sessionUpdate":"one"}}
        <. session/update {"sessionId":"a","update":{"sessionUpdate":"two"}}
    "#,
    );
    let one = between.next().await;
    between.next().await.forward();
    drop(one);
    between.run(ProxyMessage::forward).await;
}

/// The session of the response to `session/new` is in the result.
#[tokio::test(start_paused = true)]
async fn updates_of_a_new_session_do_not_overtake_its_response() {
    let mut between = Between::transparent(
        r#"
        -> session/new {"cwd":"/","mcpServers":[]}
        <= {"sessionId":"a"}
        <. session/update {"sessionId":"a","update":{"sessionUpdate":"one"}}
    "#,
    );
    between.next().await.forward();
    let response = between.next().await;
    between.next().await.forward();
    response.forward();
    between.run(ProxyMessage::forward).await.is_unchanged();
}
