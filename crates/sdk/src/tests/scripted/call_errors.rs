//! What a failed call says, and what a peer gets of it.

use expect_test::{Expect, expect};

use super::{Agent, Client, our_initialize_request};
use crate::{CallError, CallErrorKind, CloseReason, Error, Role, v1};

fn check(session: Option<&str>, kind: CallErrorKind, expect: Expect) {
    let session = session.map(str::to_owned);
    let error = CallError::new(Role::Client, "fs/read_text_file".into(), session, kind);
    let position = error.position().unwrap_or_default();
    let sent = crate::json::to_string(&Error::from(error.clone()));
    expect.assert_eq(&format!("{error}\n{position}\n{sent}\n"));
}

#[test]
fn a_failed_call_says_what_failed() {
    check(
        Some("s\u{1b}[1m"),
        CallErrorKind::Refused(Error::new(-32002, "Resource not found")),
        expect![[r#"
            fs/read_text_file to the client in session `s\u{1b}[1m` failed: Resource not found (-32002)

            {"code":-32603,"message":"Internal error: fs/read_text_file to the client in session `s\\u{1b}[1m` failed: Resource not found (-32002)","data":{"method":"fs/read_text_file","code":-32002,"message":"Resource not found"}}
        "#]],
    );
    check(
        None,
        CallErrorKind::Closed(CloseReason::PeerClosed),
        expect![[r#"
            fs/read_text_file to the client failed: the peer has closed the connection

            {"code":-32603,"message":"Internal error: fs/read_text_file to the client failed: the peer has closed the connection","data":{"method":"fs/read_text_file","message":"the peer has closed the connection"}}
        "#]],
    );
    assert!(size_of::<CallError>() <= size_of::<usize>());
}

#[tokio::test(start_paused = true)]
async fn the_clients_refusal_is_no_response_to_the_prompt() {
    let capabilities = r#"{"fs":{"readTextFile":true}}"#;
    let script = r#"
        -> session/prompt @first {"sessionId":"s","prompt":[]}
        <- fs/read_text_file {"sessionId":"s","path":"/a"}
        !> {"code":-32002,"message":"Resource not found"}
        <! @first {"code":-32603,"message":"Internal error: fs/read_text_file to the client in session `s` failed: Resource not found (-32002)","data":{"method":"fs/read_text_file","code":-32002,"message":"Resource not found"}}
        -> session/prompt @second {"sessionId":"s","prompt":[]}
        <- fs/read_text_file {"sessionId":"s","path":"/a"}
        !> {"code":-32002,"message":"Resource not found"}
        <! @second {"code":-32002,"message":"Resource not found"}
    "#;
    let mut agent = Agent::with(capabilities, script).await;
    for forwards in [false, true] {
        let (request, reply) = agent.prompt().await;
        let session = agent.client.session(request.session_id);
        let read = session.read_text_file("/a").await.unwrap_err();
        assert_eq!((read.peer(), read.session()), (Role::Client, Some("s")));
        assert_eq!(read.method(), "fs/read_text_file");
        match forwards {
            true => reply.fail(read.forward_refusal()),
            false => reply.fail(read),
        }
    }
    agent.finish().await;
}

#[tokio::test(start_paused = true)]
async fn a_plain_request_initializes_too() {
    let client = Client::new(
        r#"
        -> initialize {...}
        <= {"protocolVersion":1,"agentCapabilities":{"loadSession":true},"agentInfo":{"name":"a","version":"1"}}
        -> session/new {...}
        <= {"sessionId":"s"}
    "#,
    );
    client
        .agent
        .request(our_initialize_request())
        .await
        .unwrap();
    let capabilities = client.agent.capabilities().unwrap();
    assert!(capabilities.load_session);
    let new = v1::NewSessionRequest::new("/a", []);
    let new = client.agent.request(new).await.unwrap();
    assert_eq!(new.session_id, "s");
    client.finish().await;
}

#[tokio::test(start_paused = true)]
async fn a_dropped_prompt_is_not_a_cancelled_turn() {
    let client = Client::with(
        "{}",
        r#"
        -> session/prompt @turn {"sessionId":"s","prompt":[{"type":"text","text":"go"}]}
        .> $/cancel_request {"requestId":@turn}
        <= @turn {"stopReason":"end_turn"}
    "#,
    )
    .await;
    let session = client.agent.session("s");
    let prompt = session.prompt(["go"]);
    let waiting = tokio::time::timeout(std::time::Duration::from_secs(1), prompt);
    assert!(waiting.await.is_err());
    drop(session);
    client.finish().await;
}
