//! How connections end, and the messages that are still delivered.

use super::{Agent, Client, end_of_turn, v1};
use crate::{CallErrorKind, CloseReason};

const TURN: &str = r#"-> session/prompt {"sessionId":"s","prompt":[{"type":"text","text":"go"}]}"#;

#[tokio::test(start_paused = true)]
async fn the_end_of_the_connection_fails_pending_calls() {
    let client = Client::with(
        "{}",
        r#"
        -> session/new {"cwd":"/a", ...}
        -> session/new {"cwd":"/b", ...}
        <|
        |>
    "#,
    )
    .await;
    let ask = |cwd| client.agent.request(v1::NewSessionRequest::new(cwd, []));
    let (one, other) = tokio::join!(ask("/a"), ask("/b"));
    assert_eq!(
        *one.unwrap_err().kind(),
        CallErrorKind::Closed(CloseReason::PeerClosed)
    );
    assert_eq!(
        *other.unwrap_err().kind(),
        CallErrorKind::Closed(CloseReason::PeerClosed)
    );
    let later = ask("/c").await.unwrap_err();
    assert_eq!(
        *later.kind(),
        CallErrorKind::Closed(CloseReason::PeerClosed)
    );
    client.finish().await;
}

#[tokio::test(start_paused = true)]
async fn closing_our_side_fails_pending_calls() {
    let client = Client::with("{}", "-> session/new {...}\n|>").await;
    let new = || client.agent.request(v1::NewSessionRequest::new("/a", []));
    let closing = async {
        client.agent.flush().await;
        client.agent.close();
    };
    let (outcome, ()) = tokio::join!(new(), closing);
    assert_eq!(
        *outcome.unwrap_err().kind(),
        CallErrorKind::Closed(CloseReason::ClosedLocally)
    );
    assert!(new().await.unwrap_err().is_closed());
    client.finish().await;
}

#[tokio::test(start_paused = true)]
async fn a_response_is_written_even_if_everything_is_dropped_after_it() {
    let script =
        format!("{TURN}\n<. session/update {{...}}\n<= {{\"stopReason\":\"end_turn\"}}\n<|");
    let mut agent = Agent::with("{}", &script).await;
    let (request, reply) = agent.prompt().await;
    let session = agent.client.session(request.session_id);
    session.send_message("Bye").await.unwrap();
    reply.ok(end_of_turn());
    drop((session, agent.client, agent.calls));
    super::lawful(agent.peer, attache_testkit::Side::Agent).await;
}

#[tokio::test(start_paused = true)]
async fn a_client_that_disconnects_cancels_its_requests() {
    let script =
        format!("{TURN}\n|>\n<. session/update {{...}}\n<= {{\"stopReason\":\"cancelled\"}}\n<|");
    let mut agent = Agent::with("{}", &script).await;
    let (request, reply) = agent.prompt().await;
    reply.cancelled().await;
    let session = agent.client.session(request.session_id);
    session.send_message("The last word").await.unwrap();
    let tool = v1::ToolCallUpdate::new("t");
    let asked = session.request_permission(tool, []).await.unwrap_err();
    assert_eq!(
        *asked.kind(),
        CallErrorKind::Closed(CloseReason::PeerClosed)
    );
    drop((reply, session));
    agent.finish().await;
}

#[tokio::test(start_paused = true)]
async fn a_turn_whose_updates_nobody_takes_is_stalled() {
    let script = format!(
        "{TURN}\n<. session/update {{\"sessionId\":\"s\",\"update\":{{\"sessionUpdate\":\"agent_message_chunk\",\"content\":{{\"type\":\"text\",\"text\":\"Hi\"}}}}}}\n<= {{\"stopReason\":\"end_turn\"}}\nwithin 2m\n|>"
    );
    let client = Client::with("{}", &script).await;
    let session = client.agent.session("s");
    let outcome = session.prompt(["go"]).await;
    assert_eq!(*outcome.unwrap_err().kind(), CallErrorKind::Stalled);
    drop(session);
    client.finish().await;
}

#[tokio::test(start_paused = true)]
async fn a_client_that_takes_no_calls_still_gets_responses() {
    let script = format!(
        r#"{TURN}
        <. session/update {{"sessionId":"s","update":{{"sessionUpdate":"agent_message_chunk","content":{{"type":"text","text":"Hi"}}}}}}
        <- session/request_permission {{"sessionId":"s","toolCall":{{"toolCallId":"t"}},"options":[]}}
        !> {{"code":-32601, ...}}
        <= {{"stopReason":"end_turn"}}
        |>"#
    );
    let client = Client::with("{}", &script).await;
    drop(client.calls);
    let session = client.agent.session("s");
    let answer = session.prompt(["go"]).await.unwrap();
    assert_eq!(answer.stop_reason, v1::StopReason::EndTurn);
    drop((session, client.agent));
    super::lawful(client.peer, attache_testkit::Side::Client).await;
}

#[tokio::test(start_paused = true)]
async fn responses_to_no_request_are_dropped() {
    let client = Client::with(
        "{}",
        r#"
        <= {"sessionId":"stray"} id 99
        <! {"code":-32603,"message":"stray"} id null
        -> session/new {"cwd":"/a", ...}
        <= {"sessionId":"stray"} id "2"
        <= {"sessionId":"right"}
    "#,
    )
    .await;
    let new = v1::NewSessionRequest::new("/a", []);
    let answer = client.agent.request(new).await.unwrap();
    assert_eq!(answer.session_id.as_str(), "right");
    client.finish().await;
}

#[tokio::test(start_paused = true)]
async fn a_turn_whose_permission_request_nobody_takes_is_stalled() {
    let script = format!(
        r#"{TURN}
        <- session/request_permission {{"sessionId":"s","toolCall":{{"toolCallId":"t"}},"options":[]}}
        quiet 29s
        within 2s
        .> $/cancel_request {{...}}
        ..."#
    );
    let client = Client::with("{}", &script).await;
    let session = client.agent.session("s");
    let outcome = session.prompt(["go"]).await;
    assert_eq!(*outcome.unwrap_err().kind(), CallErrorKind::Stalled);
}

#[tokio::test(start_paused = true)]
async fn a_method_of_the_protocol_is_not_an_extension() {
    let client = Client::with("{}", "|>").await;
    let none = attache_rpc::json::Raw::parse("{}").unwrap();
    let asked = client.agent.request_extension("session/list", &none).await;
    assert_eq!(asked.unwrap_err().kind(), &CallErrorKind::NotAnExtension);
    let told = client.agent.notify_extension("session/cancel", &none).await;
    assert_eq!(told.unwrap_err().kind(), &CallErrorKind::NotAnExtension);
    client.finish().await;
}

#[tokio::test(start_paused = true)]
async fn a_request_that_nobody_takes_stalls_a_call_whose_response_is_delivered_at_once() {
    let client = Client::with(
        "{}",
        r#"
        -> session/new {...}
        <- session/request_permission {"sessionId":"s","toolCall":{"toolCallId":"t"},"options":[]}
        within 1m
        .> $/cancel_request {...}
        ..."#,
    )
    .await;
    let new = v1::NewSessionRequest::new("/a", []);
    let failed = client.agent.request(new).await.unwrap_err();
    assert_eq!(*failed.kind(), CallErrorKind::Stalled);
}

#[tokio::test(start_paused = true)]
async fn a_program_that_has_taken_a_call_is_not_stalled_by_the_next_request() {
    let script = format!(
        r#"{TURN}
        <- session/request_permission {{"sessionId":"s","toolCall":{{"toolCallId":"t"}},"options":[]}}
        <- session/request_permission {{"sessionId":"s","toolCall":{{"toolCallId":"u"}},"options":[]}}
        within 60m
        !> {{...}}
        !> {{...}}
        <= {{"stopReason":"end_turn"}}"#
    );
    let mut client = Client::with("{}", &script).await;
    let session = client.agent.session("s");
    let turn = tokio::spawn(async move { session.prompt(["go"]).await });
    let first = client.calls.next().await;
    // The user thinks for a while.
    tokio::time::sleep(std::time::Duration::from_secs(600)).await;
    drop(first);
    drop(client.calls.next().await);
    let ended = client.calls.until(turn, drop).await.unwrap();
    assert_eq!(ended.unwrap().stop_reason, v1::StopReason::EndTurn);
    client.finish().await;
}
