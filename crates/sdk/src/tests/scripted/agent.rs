//! The agent's side.

use attache_testkit::Side;
use expect_test::expect;

use super::{Agent, AgentCall, end_of_turn, hello_back, v1, wire};
use crate::{CallErrorKind, json::Raw};

#[tokio::test(start_paused = true)]
async fn encoded_messages_have_the_official_form() {
    let mut agent = Agent::with(
        "{}",
        r#"
        -> session/new {"cwd":"/project","mcpServers":[]}
        <= {"sessionId":$session, ...}
        -> session/prompt @turn {"sessionId":$session,"prompt":[{"type":"text","text":"Tidy up"}]}
        <. session/update {"sessionId":$session, ...} x3
        <- session/request_permission {"sessionId":$session, ...}
        => {"outcome":{"outcome":"selected","optionId":"yes"}}
        <= @turn {"stopReason":"end_turn"}
    "#,
    )
    .await;
    let Some(AgentCall::NewSession(_, reply)) = agent.calls.next().await else {
        panic!("no session/new");
    };
    reply.ok(v1::NewSessionResponse::new("s"));
    let (request, reply) = agent.prompt().await;
    let session = agent.client.session(request.session_id);
    session.send_thought("Hm").await.unwrap();
    session.send_message("Right").await.unwrap();
    let call = v1::ToolCall::new("t", "Remove a file").kind(v1::ToolKind::Delete);
    session.update(call).await.unwrap();
    let yes = v1::PermissionOption::new("yes", "Yes", v1::PermissionOptionKind::AllowOnce);
    let asked = v1::ToolCallUpdate::new("t");
    let outcome = session.request_permission(asked, [yes]).await.unwrap();
    assert!(matches!(outcome, v1::RequestPermissionOutcome::Selected(_)));
    reply.ok(end_of_turn());
    drop(session);
    let trace = agent.finish().await;
    wire(
        &trace,
        Side::Agent,
        expect![[r#"
            {"jsonrpc":"2.0","id":2,"result":{"sessionId":"s"}}
            {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":"Hm"}}}}
            {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Right"}}}}
            {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"t","title":"Remove a file","kind":"delete"}}}
            {"jsonrpc":"2.0","id":1,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"t"},"options":[{"optionId":"yes","name":"Yes","kind":"allow_once"}]}}
            {"jsonrpc":"2.0","id":3,"result":{"stopReason":"end_turn"}}
        "#]],
    );
}

#[tokio::test(start_paused = true)]
async fn a_call_without_its_capability_is_not_sent() {
    let agent = Agent::with("{}", "quiet 1s").await;
    let read = v1::ReadTextFileRequest::new("s", "/a");
    let refused = agent.client.request(read).await.unwrap_err();
    expect!["fs/read_text_file to the client in session `s` failed: the peer does not advertise `clientCapabilities.fs.readTextFile`"].assert_eq(&refused.to_string());
    assert!(matches!(refused.kind(), CallErrorKind::NotOffered { .. }));
    agent.finish().await;
}

#[tokio::test(start_paused = true)]
async fn nothing_is_sent_before_initialize() {
    let agent = Agent::new("quiet 1s");
    let session = agent.client.session("s");
    let refused = session.send_message("early").await.unwrap_err();
    assert_eq!(*refused.kind(), CallErrorKind::NotInitialized);
    drop(session);
    agent.finish().await;
}

#[tokio::test(start_paused = true)]
async fn extensions_work_in_both_directions() {
    let mut agent = Agent::with(
        "{}",
        r#"
        .> _x/tell {"a":1}
        -> _x/ask {"b":2}
        <- _y/ask {"c":3}
        => {"d":4}
        <. _y/tell {"e":5}
        <= {"f":6}
        -> _x/ask
        <! {"code":-32601, ...}
    "#,
    )
    .await;
    let Some(AgentCall::ExtensionNotification(told)) = agent.calls.next().await else {
        panic!("no notification");
    };
    assert_eq!(told.method, "_x/tell");
    let Some(AgentCall::Extension(_, reply)) = agent.calls.next().await else {
        panic!("no request");
    };
    let raw = |text| Raw::parse(text).unwrap();
    let asked = raw(r#"{"c":3}"#);
    let answer = agent.client.request_extension("_y/ask", &asked);
    assert_eq!(answer.await.unwrap().as_str(), r#"{"d":4}"#);
    let told = raw(r#"{"e":5}"#);
    agent
        .client
        .notify_extension("_y/tell", &told)
        .await
        .unwrap();
    reply.ok(raw(r#"{"f":6}"#));
    agent.calls.next().await.unwrap().refuse();
    agent.finish().await;
}

#[tokio::test(start_paused = true)]
async fn two_sessions_do_not_disturb_each_other() {
    let mut agent = Agent::with(
        "{}",
        r#"
        -> session/prompt @a {"sessionId":"a","prompt":[]}
        -> session/prompt @b {"sessionId":"b","prompt":[]}
        .> session/cancel {"sessionId":"a"}
        any order
          in order
            <. session/update {"sessionId":"a", ...} x3
            <= @a {"stopReason":"cancelled"}
          end
          in order
            <. session/update {"sessionId":"b", ...} x3
            <= @b {"stopReason":"end_turn"}
          end
        end
    "#,
    )
    .await;
    let (a, a_reply) = agent.prompt().await;
    let (b, b_reply) = agent.prompt().await;
    a_reply.cancelled().await;
    assert!(!b_reply.is_cancelled());
    let (a, b) = (
        agent.client.session(a.session_id),
        agent.client.session(b.session_id),
    );
    for _ in 0..3 {
        b.send_message("b").await.unwrap();
        a.send_message("a").await.unwrap();
    }
    b_reply.ok(end_of_turn());
    drop(a_reply);
    drop((a, b));
    agent.finish().await;
}

#[tokio::test(start_paused = true)]
async fn a_recorded_conversation_can_be_replayed() {
    let script = r#"
        -> initialize {"protocolVersion":1,"clientInfo":{"name":"c","version":"1"}}
        <= {...}
        -> session/new {"cwd":"/project","mcpServers":[]}
        <= {"sessionId":$session}
        -> session/prompt {"sessionId":$session,"prompt":[{"type":"text","text":"Hello"}]}
        <. session/update {...} x2
        <= {"stopReason":"end_turn"}
    "#;
    let recorded = echo(Agent::new(script), "one").await;
    let again = echo(Agent::new(&recorded.to_script()), "another").await;
    assert_eq!(recorded.to_string(), again.to_string());
    assert!(
        again
            .lines_of(Side::Agent)
            .any(|line| line.contains("another"))
    );
}

async fn echo(mut agent: Agent, id: &str) -> attache_testkit::Trace {
    while let Some(call) = agent.calls.next().await {
        match call {
            AgentCall::Initialize(_, reply) => reply.ok(hello_back()),
            AgentCall::NewSession(_, reply) => reply.ok(v1::NewSessionResponse::new(id)),
            AgentCall::Prompt(request, reply) => {
                let session = agent.client.session(request.session_id);
                session.send_message("Hello").await.unwrap();
                session.send_message(" to you").await.unwrap();
                reply.ok(end_of_turn());
            }
            other => other.refuse(),
        }
    }
    agent.finish().await
}
