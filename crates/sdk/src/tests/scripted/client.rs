//! The client's side.

use attache_testkit::Side;
use expect_test::expect;

use super::{Client, ClientCall, our_initialize_request, v1};
use crate::{CallErrorKind, json::Raw};

#[tokio::test(start_paused = true)]
async fn encoded_messages_have_the_official_form() {
    let mut client = Client::new(
        r#"
        -> initialize {...}
        <= {"protocolVersion":1,"agentCapabilities":{},"agentInfo":{"name":"a","version":"1"}}
        -> session/new {...}
        <= {"sessionId":"fresh"}
        -> session/prompt {...}
        <. session/update {"sessionId":"fresh","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Hi"}}}
        .> session/cancel {"sessionId":"fresh"}
        <= {"stopReason":"cancelled"}
    "#,
    );
    client
        .agent
        .initialize(our_initialize_request())
        .await
        .unwrap();
    let new = v1::NewSessionRequest::new("/project", []);
    let session = client.agent.request(new).await.unwrap().session_id;
    let session = client.agent.session(session);
    let canceller = session.clone();
    let (cancel, cancelled) = tokio::sync::oneshot::channel();
    let mut cancel = Some(cancel);
    let turn = async {
        let cancelling = async {
            cancelled.await.unwrap();
            canceller.cancel().await.unwrap();
        };
        tokio::join!(session.prompt(["Hello"]), cancelling).0
    };
    let take = |call| {
        assert!(matches!(call, ClientCall::Session(_)));
        cancel.take().unwrap().send(()).unwrap();
    };
    let answer = client.calls.until(turn, take).await.unwrap();
    assert_eq!(answer.stop_reason, v1::StopReason::Cancelled);
    drop((session, canceller));
    let trace = client.finish().await;
    let lines: Vec<String> = trace.lines_of(Side::Client).collect();
    expect![[r#"
        {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{"fs":{"readTextFile":false,"writeTextFile":false},"terminal":false,"auth":{"terminal":false}},"clientInfo":{"name":"test","version":"1.0"}}}
        {"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"/project","mcpServers":[]}}
        {"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":"fresh","prompt":[{"type":"text","text":"Hello"}]}}
        {"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"fresh"}}"#]].assert_eq(&lines.join("\n"));
    expect![[r#"
        -> initialize {"protocolVersion":1,"clientCapabilities":{"fs":{"readTextFile":false,"writeTextFile":false},"terminal":false,"auth":{"terminal":false}},"clientInfo":{"name":"test","version":"1.0"}}
        <= {"protocolVersion":1,"agentCapabilities":{},"agentInfo":{"name":"a","version":"1"}}
        -> session/new {"cwd":"/project","mcpServers":[]}
        <= {"sessionId":"session-1"}
        -> session/prompt {"sessionId":"session-1","prompt":[{"type":"text","text":"Hello"}]}
        <. session/update {"sessionId":"session-1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Hi"}}}
        .> session/cancel {"sessionId":"session-1"}
        <= {"stopReason":"cancelled"}
    "#]].assert_eq(&trace.to_string());
}

#[tokio::test(start_paused = true)]
async fn a_call_without_its_capability_is_not_sent() {
    let client = Client::with("{}", "|>").await;
    let refused = client
        .agent
        .request(v1::ListSessionsRequest::default())
        .await;
    expect!["session/list to the agent failed: the peer does not advertise `agentCapabilities.sessionCapabilities.list`"].assert_eq(&refused.clone().unwrap_err().to_string());
    assert!(matches!(
        refused.unwrap_err().kind(),
        CallErrorKind::NotOffered { .. }
    ));
    let load = v1::LoadSessionRequest::new("s", "/project", []);
    let refused = client.agent.request(load).await;
    assert!(matches!(
        refused.unwrap_err().kind(),
        CallErrorKind::NotOffered { .. }
    ));
    client.finish().await;
}

#[tokio::test(start_paused = true)]
async fn nothing_is_sent_before_initialize() {
    let client = Client::new("|>");
    let new = v1::NewSessionRequest::new("/project", []);
    let refused = client.agent.request(new).await.unwrap_err();
    expect!["session/new to the agent failed: the connection is not initialized; send `initialize` first"].assert_eq(&refused.to_string());
    let session = client.agent.session("s");
    let refused = session.cancel().await.unwrap_err();
    assert_eq!(*refused.kind(), CallErrorKind::NotInitialized);
    drop(session);
    client.finish().await;
}

#[tokio::test(start_paused = true)]
async fn nothing_is_sent_before_the_response_to_initialize() {
    let client = Client::new(
        r#"
        -> initialize {...}
        quiet 1s
        <= {"protocolVersion":2}
        |>
    "#,
    );
    let new = || {
        client
            .agent
            .request(v1::NewSessionRequest::new("/project", []))
    };
    let (hello, early) = tokio::join!(client.agent.initialize(our_initialize_request()), new());
    assert_eq!(*early.unwrap_err().kind(), CallErrorKind::NotInitialized);
    assert_eq!(*hello.unwrap_err().kind(), CallErrorKind::Version(2));
    let later = new().await;
    assert_eq!(*later.unwrap_err().kind(), CallErrorKind::NotInitialized);
    client.finish().await;
}

#[tokio::test(start_paused = true)]
async fn an_unsupported_protocol_version() {
    let client = Client::new(
        r#"
        -> initialize {"protocolVersion":1, ...}
        <= {"protocolVersion":2,"agentCapabilities":{}}
    "#,
    );
    let outcome = client.agent.initialize(our_initialize_request()).await;
    assert_eq!(*outcome.unwrap_err().kind(), CallErrorKind::Version(2));
    client.finish().await;
}

#[tokio::test(start_paused = true)]
async fn a_request_that_requires_a_login_first() {
    let client = Client::new(
        r#"
        -> initialize {...}
        <= {"protocolVersion":1,"agentInfo":{"name":"a","version":"1"},"authMethods":[{"id":"key","name":"Key"},{"id":"web","name":"Web"}]}
        -> session/new {"cwd":"/project","mcpServers":[]}
        <! {"code":-32000,"message":"Authentication required"}
        -> authenticate {"methodId":"web"}
        <= {}
        -> session/new {"cwd":"/project","mcpServers":[]}
        <= {"sessionId":"s"}
        -> session/new {"cwd":"/b","mcpServers":[]}
        <! {"code":-32000,"message":"Authentication required"}
    "#,
    );
    client
        .agent
        .initialize(our_initialize_request())
        .await
        .unwrap();
    let new = v1::NewSessionRequest::new("/project", []);
    let last = |methods: &[v1::AuthMethod]| {
        assert_eq!(methods.len(), 2);
        Some("web".into())
    };
    let answer = client.agent.request_with_login(new, last).await.unwrap();
    assert_eq!(answer.session_id.as_str(), "s");
    let new = v1::NewSessionRequest::new("/b", []);
    let refused = client.agent.request_with_login(new, |_| None).await;
    assert!(refused.unwrap_err().requires_login());
    client.finish().await;
}

#[tokio::test(start_paused = true)]
async fn extensions_work_in_both_directions() {
    let mut client = Client::with(
        "{}",
        r#"
        -> _x/ask {"a":1}
        <- _y/ask {"b":2}
        => {"c":3}
        <. _y/tell {"d":4}
        <= {"e":5}
        .> _x/tell {"f":6}
    "#,
    )
    .await;
    let agent = client.agent.clone();
    let params = Raw::parse(r#"{"a":1}"#).unwrap();
    let asking = agent.request_extension("_x/ask", &params);
    let mut told = 0;
    let take = |call| match call {
        ClientCall::Extension(call, reply) => {
            assert_eq!(call.params.unwrap().as_str(), r#"{"b":2}"#);
            reply.ok(Raw::parse(r#"{"c":3}"#).unwrap());
        }
        ClientCall::ExtensionNotification(call) => {
            assert_eq!(call.method, "_y/tell");
            told += 1;
        }
        other => panic!("{other:?}"),
    };
    let answer = client.calls.until(asking, take).await.unwrap();
    assert_eq!(answer.as_str(), r#"{"e":5}"#);
    let params = Raw::parse(r#"{"f":6}"#).unwrap();
    agent.notify_extension("_x/tell", &params).await.unwrap();
    drop(agent);
    client.finish().await;
}

#[tokio::test(start_paused = true)]
async fn a_dropped_call_is_cancelled() {
    let client = Client::with(
        "{}",
        r#"
        -> session/new @new {"cwd":"/a", ...}
        .> $/cancel_request {"requestId":@new}
        <! @new {"code":-32800,"message":"cancelled"}
        -> session/new {"cwd":"/b", ...}
        <= {"sessionId":"b"}
    "#,
    )
    .await;
    let new = v1::NewSessionRequest::new("/a", []);
    let asking = tokio::time::timeout(std::time::Duration::from_secs(1), client.agent.request(new));
    assert!(asking.await.is_err());
    let new = v1::NewSessionRequest::new("/b", []);
    let answer = client.agent.request(new).await.unwrap();
    assert_eq!(answer.session_id.as_str(), "b");
    client.finish().await;
}

#[tokio::test(start_paused = true)]
async fn responses_out_of_order_are_matched_to_their_requests() {
    let client = Client::with(
        "{}",
        r#"
        -> session/new @a {"cwd":"/a", ...}
        -> session/new @b {"cwd":"/b", ...}
        <= @b {"sessionId":"b"}
        <= @a {"sessionId":"a"}
    "#,
    )
    .await;
    let ask = |cwd| client.agent.request(v1::NewSessionRequest::new(cwd, []));
    let (a, b) = tokio::join!(ask("/a"), ask("/b"));
    assert_eq!(a.unwrap().session_id.as_str(), "a");
    assert_eq!(b.unwrap().session_id.as_str(), "b");
    client.finish().await;
}

#[tokio::test(start_paused = true)]
async fn an_invalid_result_names_its_position() {
    let client = Client::with("{}", "-> session/new {...}\n<= {\"sessionId\":7}").await;
    let new = v1::NewSessionRequest::new("/a", []);
    let fault = client.agent.request(new).await.unwrap_err();
    expect!["session/new to the agent failed: result.sessionId: expected a string, found a number"]
        .assert_eq(&fault.to_string());
    assert_eq!(fault.position().as_deref(), Some("result.sessionId"));
    client.finish().await;
}
