//! Messages that the program changes, answers or drops.

use attache_schema::error;
use expect_test::expect;

use super::Between;
use crate::json::Raw;
use crate::proxy::ProxyMessage;
use crate::v1::{self, ContentBlock, SessionUpdate};

fn shout(message: ProxyMessage) {
    match message {
        ProxyMessage::SessionNotification(update) => update.change(|params| {
            if let SessionUpdate::AgentMessageChunk(chunk) = &mut params.update
                && let ContentBlock::Text(text) = &mut chunk.content
            {
                text.text = text.text.to_uppercase();
            }
        }),
        other => other.forward(),
    }
}

#[tokio::test(start_paused = true)]
async fn a_changed_update_keeps_its_place_and_its_unknown_members() {
    let between = Between::new(
        r#"
        -> session/prompt {"sessionId":"s","prompt":[]}
        <~ {"jsonrpc":"2.0","trace":1,"method":"session/update","params":{"future":1,"update":{"content":{"annotations":{"new":[1.0]},"text":"A","type":"text"},"sessionUpdate":"agent_message_chunk","weight":0.10},"sessionId":"s","_meta":{"x":null}}}
        <. session/update {"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"A"}}}
        <. session/update {"sessionId":"s","update":{"sessionUpdate":"agent_thought_chunk", ...}}
        <= {"stopReason":"end_turn"}
    "#,
        r#"
        -> session/prompt {"sessionId":"s","prompt":[]}
        <~ {"jsonrpc":"2.0","trace":1,"method":"session/update","params":{"future":1,"update":{"content":{"annotations":{"new":[1.0]},"text":"a","type":"text"},"sessionUpdate":"agent_message_chunk","weight":0.10},"sessionId":"s","_meta":{"x":null}}}
        <. session/update {"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"a"}}}
        <. session/update {"sessionId":"s","update":{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":"a"}}}
        <= {"stopReason":"end_turn"}
    "#,
    );
    let traffic = between.run(shout).await;
    traffic.to_client(expect![[r#"
        {"jsonrpc":"2.0","trace":1,"method":"session/update","params":{"future":1,"update":{"content":{"annotations":{"new":[1.0]},"text":"A","type":"text"},"sessionUpdate":"agent_message_chunk","weight":0.10},"sessionId":"s","_meta":{"x":null}}}
        {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"A"}}}}
        {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":"a"}}}}
        {"jsonrpc":"2.0","id":1,"result":{"stopReason":"end_turn"}}
    "#]]);
}

#[tokio::test(start_paused = true)]
async fn requests_and_responses_can_be_changed() {
    let between = Between::new(
        r#"
        -> initialize {"protocolVersion":1,"clientCapabilities":{"terminal":true,"future":1}}
        <= {"protocolVersion":1,"agentCapabilities":{"loadSession":false,"future":2}}
        -> session/new {"cwd":"/","mcpServers":[],"future":3}
        <= {"sessionId":"proxied","future":4}
        -> session/new {"cwd":"/","mcpServers":[]}
        <! {"code":-32000,"message":"login"}
    "#,
        r#"
        -> initialize {"protocolVersion":1,"clientCapabilities":{"terminal":false,"future":1}}
        <= {"protocolVersion":1,"agentCapabilities":{"loadSession":true,"future":2}}
        -> session/new {"cwd":"/project","mcpServers":[],"future":3}
        <= {"sessionId":"s","future":4}
        -> session/new {"cwd":"/project","mcpServers":[]}
        <! {"code":-32000,"message":"login"}
    "#,
    );
    let traffic = between.run(|message| match message {
        ProxyMessage::InitializeRequest(request) => {
            request.change(|params| params.client_capabilities.terminal = false);
        }
        ProxyMessage::InitializeResponse(response) => {
            response.change(|result| result.agent_capabilities.load_session = false);
        }
        ProxyMessage::NewSessionRequest(request) => {
            request.change(|params| params.cwd = "/project".into());
        }
        ProxyMessage::NewSessionResponse(response) => {
            response.change(|result| result.session_id = "proxied".into());
        }
        other => other.forward(),
    });
    traffic.await.to_agent(expect![[r#"
        {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{"terminal":false,"future":1}}}
        {"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"/project","mcpServers":[],"future":3}}
        {"jsonrpc":"2.0","id":3,"method":"session/new","params":{"cwd":"/project","mcpServers":[]}}
    "#]]);
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_decoded_is_forwarded_and_counted() {
    let mut between = Between::transparent(
        r#"
        -> session/prompt {"sessionId":7}
        <. session/update {"sessionId":"s"}
        <= {"stopReason":7}
    "#,
    );
    for _ in 0..3 {
        match between.next().await {
            ProxyMessage::PromptRequest(request) => request.change(|_| panic!("it was decoded")),
            ProxyMessage::PromptResponse(response) => response.change(|_| panic!("it was decoded")),
            ProxyMessage::SessionNotification(it) => it.change(|_| panic!("it was decoded")),
            other => panic!("{other:?}"),
        }
    }
    assert!(between.proxy.next().await.is_none());
    assert_eq!(between.proxy.counts().unreadable, 3);
    between.finish().await.0.is_unchanged();
}

#[tokio::test(start_paused = true)]
async fn the_proxy_can_respond_itself() {
    let between = Between::new(
        r#"
        -> session/list {}
        <= {"sessions":[]}
        -> session/new {"cwd":"/","mcpServers":[]}
        <! {"code":-32601, ...}
        -> _own {}
        <= [1]
        -> authenticate {"methodId":"a"}
        <= {}
        -> logout {}
        <! {"code":-32603,"message":"no","data":{"future":1}}
    "#,
        r#"
        -> authenticate {"methodId":"a"}
        <! {"code":-32603,"message":"no"}
        <- fs/read_text_file {"sessionId":"s","path":"/a"}
        => {"content":"from the proxy"}
        -> logout {}
        <= {}
    "#,
    );
    let traffic = between.run(|message| match message {
        ProxyMessage::ListSessionsRequest(request) => {
            request.ok(v1::ListSessionsResponse::new([]));
        }
        ProxyMessage::NewSessionRequest(request) => {
            request.fail(error::method_not_found("session/new"));
        }
        ProxyMessage::OtherRequest(request) => request.ok_raw(&Raw::parse("[1]").unwrap()),
        ProxyMessage::ReadTextFileRequest(request) => {
            assert_eq!(request.decode().unwrap().path.as_str(), "/a");
            request.ok(v1::ReadTextFileResponse::new("from the proxy"));
        }
        ProxyMessage::AuthenticateResponse(response) => {
            assert_eq!(response.error().unwrap().message, "no");
            response.forward_with(&v1::AuthenticateResponse::new());
        }
        ProxyMessage::LogoutResponse(response) => {
            let error = crate::Error::new(-32603, "no");
            response.fail(error.data(Raw::parse(r#"{"future":1}"#).unwrap()));
        }
        other => other.forward(),
    });
    traffic.await;
}

#[tokio::test(start_paused = true)]
async fn every_request_gets_a_response_even_if_it_is_dropped() {
    let between = Between::new(
        r#"
        -> session/list {}
        <! {"code":-32603,"message":"Internal error: the proxy dropped the request", ...}
        .> _gone {}
        -> session/new {"cwd":"/","mcpServers":[]}
        <! {"code":-32603,"message":"Internal error: the proxy dropped the response", ...}
    "#,
        r#"
        -> session/new {"cwd":"/","mcpServers":[]}
        <. session/update {"sessionId":"s","update":{"sessionUpdate":"plan","entries":[]}}
        <= {"sessionId":"s"}
    "#,
    );
    let traffic = between.run(|message| match message {
        ProxyMessage::NewSessionRequest(request) => request.forward(),
        dropped => drop(dropped),
    });
    traffic.await;
}

#[tokio::test(start_paused = true)]
async fn a_message_that_becomes_too_long_is_an_error() {
    let between = Between::new(
        r#"
        -> session/list {}
        <! {"code":-32603, ...}
        -> session/list {"cursor":"a"}
        <! {"code":-32603, ...}
        .> _gone {}
    "#,
        r#"
        -> session/list {"cursor":"a"}
        <= {"sessions":[]}
    "#,
    );
    let long = "x".repeat(16 << 20);
    let traffic = between.run(|message| match message {
        ProxyMessage::ListSessionsRequest(request) => match request.params_text() {
            Some("{}") => request.change(|params| params.cursor = Some(long.clone())),
            _ => request.forward(),
        },
        ProxyMessage::ListSessionsResponse(response) => {
            response.change(|result| result.next_cursor = Some(long.clone()));
        }
        ProxyMessage::OtherNotification(it) => it.forward_raw(&Raw::of(&vec![long.clone()])),
        other => other.forward(),
    });
    traffic.await;
}
