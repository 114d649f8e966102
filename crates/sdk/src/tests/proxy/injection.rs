//! Messages of the proxy itself.

use attache_testkit::Side;

use super::{Between, lines};
use crate::CallError;
use crate::proxy::ProxyMessage;
use crate::v1;

fn update(text: &str) -> v1::SessionNotification {
    let chunk = v1::ContentChunk::new(v1::ContentBlock::from(text));
    v1::SessionNotification::new("s", v1::SessionUpdate::AgentMessageChunk(chunk))
}

#[tokio::test(start_paused = true)]
async fn the_proxy_can_send_messages_to_both_sides() {
    let mut between = Between::new(
        r#"
        -> session/prompt @turn {"sessionId":"s","prompt":[]} id 1
        <. session/update {"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"before"}}}
        <- fs/read_text_file {"sessionId":"s","path":"/a"}
        => {"content":"mine"}
        <= @turn {"stopReason":"end_turn"}
        <. session/update {"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"after"}}}
    "#,
        r#"
        -> session/list {}
        <= {"sessions":[]}
        .> session/cancel {"sessionId":"other"}
        -> session/prompt {"sessionId":"s","prompt":[]} id 1
        <= {"stopReason":"end_turn"}
    "#,
    );
    let (client, agent) = (between.proxy.client(), between.proxy.agent());
    let prompt = between.next().await;
    // Responses arrive without the loop that takes messages.
    let sessions = agent.request(v1::ListSessionsRequest::new()).await.unwrap();
    assert!(sessions.sessions.is_empty());
    agent
        .notify(v1::CancelNotification::new("other"))
        .await
        .unwrap();
    client.notify(update("before")).await.unwrap();
    let file = client
        .request(v1::ReadTextFileRequest::new("s", "/a"))
        .await;
    assert_eq!(file.unwrap().content, "mine");
    prompt.forward();
    between.next().await.forward();
    client.notify(update("after")).await.unwrap();
    let (traffic, end) = between.finish().await;
    end.unwrap();
    let sent = lines(&traffic.back, Side::Client);
    let own = r#"{"jsonrpc":"2.0","id":"attache-proxy-"#;
    assert!(
        sent.starts_with(own) && sent.contains(r#""id":1,"#),
        "{sent}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_request_of_the_proxy_fails_like_any_other() {
    let mut between = Between::new(
        r#"
        -> session/new {"cwd":"/","mcpServers":[]}
        <= {"sessionId":"s"}
    "#,
        r#"
        -> session/list {}
        <! {"code":-32601,"message":"no"}
        -> session/prompt @mine {"sessionId":"s","prompt":[]}
        .> $/cancel_request {"requestId":@mine}
        -> session/new {"cwd":"/","mcpServers":[]}
        <= {"sessionId":"s"}
    "#,
    );
    let agent = between.proxy.agent();
    let refused = agent.request(v1::ListSessionsRequest::new()).await;
    assert_eq!(refused.unwrap_err().refusal().unwrap().code, -32601);
    let no_content: [&str; 0] = [];
    let prompt = agent.request(v1::PromptRequest::new("s", no_content));
    let dropped = tokio::time::timeout(std::time::Duration::from_secs(1), prompt).await;
    assert!(dropped.is_err());
    between.next().await.forward();
    between.next().await.forward();
    assert!(between.proxy.next().await.is_none());
    let late = agent.request(v1::ListSessionsRequest::new()).await;
    assert!(late.as_ref().is_err_and(CallError::is_closed), "{late:?}");
    between.finish().await.1.unwrap();
}

/// The prompt of the proxy itself ends after its updates have been taken.
#[tokio::test(start_paused = true)]
async fn a_prompt_of_the_proxy_keeps_the_order() {
    let mut between = Between::new(
        "|>\n",
        r#"
        -> session/prompt {"sessionId":"s","prompt":[]}
        <. session/update {"sessionId":"s","update":{"sessionUpdate":"one"}} x3
        <= {"stopReason":"end_turn"}
    "#,
    );
    let agent = between.proxy.agent();
    let prompt = tokio::spawn(async move {
        let no_content: [&str; 0] = [];
        let prompt = v1::PromptRequest::new("s", no_content);
        agent.request(prompt).await.unwrap().stop_reason
    });
    let mut seen = 0;
    while let Some(message) = between.proxy.next().await {
        assert!(matches!(message, ProxyMessage::SessionNotification(_)));
        assert!(!prompt.is_finished());
        seen += 1;
    }
    assert_eq!(seen, 3);
    assert_eq!(prompt.await.unwrap(), v1::StopReason::EndTurn);
    between.finish().await.1.unwrap();
}
