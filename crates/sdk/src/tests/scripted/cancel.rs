//! Cancellation, from both sides.

use attache_testkit::Side;
use expect_test::expect;
use tokio::task::JoinHandle;

use super::{Agent, AgentCall, Client, ClientCall, end_of_turn, v1, wire};
use crate::client::AgentSession;
use crate::{CallError, ClientCalls, Reply};

#[tokio::test(start_paused = true)]
async fn pending_permission_requests_are_answered_with_cancelled() {
    let mut client = Client::with(
        "{}",
        r#"
        -> session/prompt @turn {"sessionId":"s","prompt":[{"type":"text","text":"go"}]}
        <- session/request_permission @mine {"sessionId":"s","toolCall":{"toolCallId":"t"},"options":[{"optionId":"y","name":"Yes","kind":"allow_once"}]}
        <- session/request_permission @other {"sessionId":"other","toolCall":{"toolCallId":"t"},"options":[{"optionId":"y","name":"Yes","kind":"allow_once"}]}
        .> session/cancel {"sessionId":"s"}
        => @mine {"outcome":{"outcome":"cancelled"}}
        => @other {"outcome":{"outcome":"selected","optionId":"y"}}
        <= @turn {"stopReason":"cancelled"}
    "#,
    )
    .await;
    let session = client.agent.session("s");
    let turn = go(&session);
    let mine = question(&mut client.calls).await;
    let other = question(&mut client.calls).await;
    session.cancel().await.unwrap();
    assert!(mine.is_cancelled() && !other.is_cancelled());
    // The user answers after the cancellation. The response that was already sent stays.
    mine.ok(yes());
    other.ok(yes());
    let turn = client.calls.until(turn, |call| panic!("{call:?}")).await;
    assert_eq!(
        turn.unwrap().unwrap().stop_reason,
        v1::StopReason::Cancelled
    );
    drop(session);
    client.finish().await;
}

#[tokio::test(start_paused = true)]
async fn an_old_response_does_not_answer_a_new_request_with_the_same_id() {
    let mut client = Client::with(
        "{}",
        r#"
        -> session/prompt @turn {"sessionId":"s","prompt":[{"type":"text","text":"go"}]}
        <- session/request_permission {"sessionId":"s","toolCall":{"toolCallId":"list"},"options":[{"optionId":"y","name":"Yes","kind":"allow_once"}]} id 7
        .> session/cancel {"sessionId":"s"}
        => {"outcome":{"outcome":"cancelled"}}
        <= @turn {"stopReason":"cancelled"}
        -> session/prompt @next {"sessionId":"s","prompt":[{"type":"text","text":"go"}]}
        <- session/request_permission {"sessionId":"s","toolCall":{"toolCallId":"delete"},"options":[{"optionId":"y","name":"Yes","kind":"allow_once"}]} id 7
        => {"outcome":{"outcome":"cancelled"}}
        <= @next {"stopReason":"end_turn"}
    "#,
    )
    .await;
    let session = client.agent.session("s");
    let turn = go(&session);
    let old = question(&mut client.calls).await;
    session.cancel().await.unwrap();
    let ended = client.calls.until(turn, |call| panic!("{call:?}")).await;
    assert!(ended.unwrap().is_ok());
    let turn = go(&session);
    let new = question(&mut client.calls).await;
    old.ok(yes());
    new.ok(v1::RequestPermissionResponse::new(
        v1::RequestPermissionOutcome::Cancelled,
    ));
    let ended = client.calls.until(turn, |call| panic!("{call:?}")).await;
    assert!(ended.unwrap().is_ok());
    drop(session);
    client.finish().await;
}

#[tokio::test(start_paused = true)]
async fn a_permission_request_that_crosses_the_cancel_is_not_delivered() {
    let mut client = Client::with(
        "{}",
        r#"
        -> session/prompt @turn {"sessionId":"s","prompt":[{"type":"text","text":"go"}]}
        .> session/cancel {"sessionId":"s"}
        <- session/request_permission {"sessionId":"s","toolCall":{"toolCallId":"t"},"options":[{"optionId":"y","name":"Yes","kind":"allow_once"}]}
        => {"outcome":{"outcome":"cancelled"}}
        <= @turn {"stopReason":"cancelled"}
    "#,
    )
    .await;
    let session = client.agent.session("s");
    let turn = go(&session);
    tokio::task::yield_now().await;
    session.cancel().await.unwrap();
    let ended = client.calls.until(turn, |call| panic!("{call:?}")).await;
    assert!(ended.unwrap().is_ok());
    drop(session);
    client.finish().await;
}

#[tokio::test(start_paused = true)]
async fn a_cancel_outside_a_turn_does_not_answer_later_permission_requests() {
    let mut client = Client::with(
        "{}",
        r#"
        -> session/prompt @turn {"sessionId":"s","prompt":[{"type":"text","text":"go"}]}
        .> $/cancel_request {"requestId":@turn}
        .> session/cancel {"sessionId":"s"}
        <= @turn {"stopReason":"cancelled"}
        <- session/request_permission {"sessionId":"s","toolCall":{"toolCallId":"t"},"options":[{"optionId":"y","name":"Yes","kind":"allow_once"}]}
        => {"outcome":{"outcome":"selected","optionId":"y"}}
    "#,
    )
    .await;
    let session = client.agent.session("s");
    let turn = go(&session);
    tokio::task::yield_now().await;
    client.agent.flush().await;
    turn.abort();
    assert!(turn.await.is_err());
    session.cancel().await.unwrap();
    question(&mut client.calls).await.ok(yes());
    client.agent.flush().await;
    drop(session);
    client.finish().await;
}

#[tokio::test(start_paused = true)]
async fn a_permission_request_of_the_turn_after_a_cancelled_one_is_delivered() {
    let mut client = Client::with(
        "{}",
        r#"
        -> session/prompt @one {"sessionId":"s","prompt":[{"type":"text","text":"go"}]}
        .> session/cancel {"sessionId":"s"}
        -> session/prompt @other {"sessionId":"s","prompt":[{"type":"text","text":"go"}]}
        <= @one {"stopReason":"cancelled"}
        <- session/request_permission {"sessionId":"s","toolCall":{"toolCallId":"t"},"options":[{"optionId":"y","name":"Yes","kind":"allow_once"}]}
        => {"outcome":{"outcome":"selected","optionId":"y"}}
        <= @other {"stopReason":"end_turn"}
    "#,
    )
    .await;
    let session = client.agent.session("s");
    let one = go(&session);
    tokio::task::yield_now().await;
    session.cancel().await.unwrap();
    let other = go(&session);
    question(&mut client.calls).await.ok(yes());
    let ended = client.calls.until(other, |call| panic!("{call:?}")).await;
    assert_eq!(ended.unwrap().unwrap().stop_reason, v1::StopReason::EndTurn);
    one.await.unwrap().unwrap();
    drop(session);
    client.finish().await;
}

#[tokio::test(start_paused = true)]
async fn a_cancellation_without_a_session_cancels_nothing() {
    let mut agent = Agent::with(
        "{}",
        r#"
        -> session/new {"cwd":"/p","mcpServers":[]}
        .> session/cancel {}
        <= {"sessionId":"s"}
    "#,
    )
    .await;
    let Some(AgentCall::NewSession(_, reply)) = agent.calls.next().await else {
        panic!("no session");
    };
    tokio::task::yield_now().await;
    assert!(!reply.is_cancelled());
    reply.ok(v1::NewSessionResponse::new("s"));
    agent.finish().await;
}

/// Runs a turn in the background.
fn go(session: &AgentSession) -> JoinHandle<Result<v1::PromptResponse, CallError>> {
    let session = session.clone();
    tokio::spawn(async move { session.prompt(["go"]).await })
}

async fn question(calls: &mut ClientCalls) -> Reply<v1::RequestPermissionResponse> {
    match calls.next().await {
        Some(ClientCall::RequestPermission(_, reply)) => reply,
        other => panic!("no question: {other:?}"),
    }
}

fn yes() -> v1::RequestPermissionResponse {
    let selected = v1::SelectedPermissionOutcome::new("y");
    v1::RequestPermissionResponse::new(v1::RequestPermissionOutcome::Selected(selected))
}

#[tokio::test(start_paused = true)]
async fn a_prompt_that_is_dropped_after_its_cancellation_ends_as_cancelled() {
    let mut agent = Agent::with(
        "{}",
        r#"
        -> session/prompt {"sessionId":"s","prompt":[]}
        .> session/cancel {"sessionId":"s"}
        <= {"stopReason":"cancelled"}
        -> session/prompt @turn {"sessionId":"s","prompt":[]}
        .> $/cancel_request {"requestId":@turn}
        <= @turn {"stopReason":"cancelled"}
    "#,
    )
    .await;
    let (_, reply) = agent.prompt().await;
    reply.cancelled().await;
    drop(reply);
    assert!(matches!(
        agent.calls.next().await,
        Some(AgentCall::Cancel(_))
    ));
    let (_, reply) = agent.prompt().await;
    reply.cancelled().await;
    reply.fail(crate::Error::new(1, "aborted"));
    let trace = agent.finish().await;
    wire(
        &trace,
        Side::Agent,
        expect![[r#"
            {"jsonrpc":"2.0","id":2,"result":{"stopReason":"cancelled"}}
            {"jsonrpc":"2.0","id":3,"result":{"stopReason":"cancelled"}}
        "#]],
    );
}

#[tokio::test(start_paused = true)]
async fn a_late_cancel_does_not_cancel_the_next_prompt() {
    let mut agent = Agent::with(
        "{}",
        r#"
        -> session/prompt {"sessionId":"s","prompt":[]}
        <= {"stopReason":"end_turn"}
        .> session/cancel {"sessionId":"s"}
        -> session/prompt {"sessionId":"s","prompt":[]}
        <= {"stopReason":"end_turn"}
    "#,
    )
    .await;
    let (_, reply) = agent.prompt().await;
    reply.ok(end_of_turn());
    // The call is taken only after the next prompt has arrived.
    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    assert!(matches!(
        agent.calls.next().await,
        Some(AgentCall::Cancel(_))
    ));
    let (_, reply) = agent.prompt().await;
    assert!(!reply.is_cancelled());
    reply.ok(end_of_turn());
    agent.finish().await;
}

#[tokio::test(start_paused = true)]
async fn a_cancel_that_is_read_before_the_prompt_is_taken() {
    let mut agent = Agent::with(
        "{}",
        r#"
        -> session/prompt @one {"sessionId":"s","prompt":[]}
        -> session/prompt @other {"sessionId":"other","prompt":[]}
        .> session/cancel {"sessionId":"s"}
        quiet 1s
        <= @one {"stopReason":"cancelled"}
        <= @other {"stopReason":"end_turn"}
    "#,
    )
    .await;
    tokio::time::sleep(std::time::Duration::from_secs(2)).await;
    let (request, reply) = agent.prompt().await;
    assert_eq!(request.session_id.as_str(), "s");
    assert!(reply.is_cancelled());
    reply.cancelled().await;
    reply.ok(v1::PromptResponse::new(v1::StopReason::Cancelled));
    let (_, reply) = agent.prompt().await;
    assert!(!reply.is_cancelled());
    reply.ok(end_of_turn());
    agent.finish().await;
}

#[tokio::test(start_paused = true)]
async fn a_cancellation_does_not_overtake_its_prompt() {
    let mut client = Client::with(
        "{}",
        r#"
        -> session/prompt {"sessionId":"s","prompt":[{"type":"text","text":"go"}]}
        .> session/cancel {"sessionId":"s"}
        <= {"stopReason":"cancelled"}
    "#,
    )
    .await;
    let session = client.agent.session("s");
    let both = async { tokio::join!(session.prompt(["go"]), session.cancel()) };
    let (turn, cancelled) = client.calls.until(both, drop).await;
    cancelled.unwrap();
    assert_eq!(turn.unwrap().stop_reason, v1::StopReason::Cancelled);
    drop(session);
    client.finish().await;
}

#[tokio::test(start_paused = true)]
async fn a_permission_request_that_the_agent_cancels() {
    let mut client = Client::with(
        "{}",
        r#"
        <- session/request_permission @ask {"sessionId":"s","toolCall":{"toolCallId":"t"},"options":[{"optionId":"y","name":"Yes","kind":"allow_once"}]}
        <. $/cancel_request {"requestId":@ask}
        !> @ask {"code":-32800, ...}
    "#,
    )
    .await;
    let question = question(&mut client.calls).await;
    question.cancelled().await;
    drop(question);
    client.agent.flush().await;
    client.finish().await;
}

#[tokio::test(start_paused = true)]
async fn a_permission_request_that_our_agent_cancels() {
    let mut agent = Agent::with(
        r#"{"fs":{"readTextFile":true}}"#,
        r#"
        -> session/prompt {"sessionId":"s","prompt":[]}
        <- fs/read_text_file @read {"sessionId":"s","path":"/a"}
        .> session/cancel {"sessionId":"s"}
        any order
          <. $/cancel_request {"requestId":@read}
          <= {"stopReason":"cancelled"}
        end
        !> @read {"code":-32800,"message":"cancelled"}
    "#,
    )
    .await;
    let (request, reply) = agent.prompt().await;
    let read = v1::ReadTextFileRequest::new(request.session_id, "/a");
    tokio::select! {
        _ = agent.client.request(read) => panic!("nobody has answered"),
        () = reply.cancelled() => {}
    }
    drop(reply);
    agent.finish().await;
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_turn_ends_its_tool_call_before_it_responds() {
    let mut agent = Agent::with(
        "{}",
        r#"
        -> session/prompt @turn {"sessionId":"s","prompt":[{"type":"text","text":"go"}]}
        <. session/update {"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"t","title":"Wait"}}
        .> session/cancel {"sessionId":"s"}
        <. session/update {"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"failed"}}
        <= @turn {"stopReason":"cancelled"}
    "#,
    )
    .await;
    let (request, reply) = agent.prompt().await;
    let session = agent.client.session(request.session_id);
    let call = v1::ToolCall::new("t", "Wait");
    let work = async {
        session.update(call.clone()).await?;
        std::future::pending::<()>().await;
        Ok::<_, CallError>(end_of_turn())
    };
    let failed = session.update(call.change().status(v1::ToolCallStatus::Failed));
    let turn = reply.run_or_clean_up(work, failed);
    tokio::join!(turn, async {
        assert!(agent.calls.next().await.is_some());
    });
    drop(session);
    agent.finish().await;
}
