//! A turn, as both sides see it.

use super::{Sides, hello};
use crate::transcript::Transcript;
use crate::{AgentCall, ClientCall, Options, v1};

/// An agent that echoes prompts, and waits for a cancellation if the prompt says so.
async fn echo(mut sides: (crate::ClientHandle, crate::AgentCalls)) {
    while let Some(call) = sides.1.next().await {
        match call {
            AgentCall::Initialize(_, reply) => {
                reply.ok(v1::InitializeResponse::new(v1::ProtocolVersion::V1));
            }
            AgentCall::NewSession(_, reply) => reply.ok(v1::NewSessionResponse::new("s")),
            AgentCall::Prompt(request, reply) => {
                let session = sides.0.session(request.session_id.clone());
                session.send_message("first ").await.unwrap();
                session.send_message("second").await.unwrap();
                if matches!(&request.prompt[0], v1::ContentBlock::Text(text) if text.text == "wait")
                {
                    reply.cancelled().await;
                    reply.ok(v1::PromptResponse::new(v1::StopReason::Cancelled));
                } else {
                    reply.ok(v1::PromptResponse::new(v1::StopReason::EndTurn));
                }
            }
            other => other.refuse(),
        }
    }
}

#[tokio::test]
async fn a_turn_and_its_text() {
    let sides = Sides::new(4096, Options::default);
    let agent_side = tokio::spawn(echo((sides.client, sides.agent_calls)));
    let (agent, mut calls) = (sides.agent, sides.client_calls);
    agent.initialize(hello()).await.unwrap();
    let session = agent
        .request(v1::NewSessionRequest::new("/tmp", []))
        .await
        .unwrap();
    let session = agent.session(session.session_id);
    let mut transcript = Transcript::new();
    let answer = calls
        .until(session.prompt(["hello"]), |call| {
            if let ClientCall::Session(update) = call {
                transcript.apply(update.update);
            }
        })
        .await
        .unwrap();
    assert_eq!(answer.stop_reason, v1::StopReason::EndTurn);
    assert_eq!(transcript.text(), "first second");
    drop((agent, session, calls));
    agent_side.await.unwrap();
}

#[tokio::test]
async fn a_cancelled_turn_ends_even_if_no_calls_are_taken() {
    let sides = Sides::new(4096, Options::default);
    let agent_side = tokio::spawn(echo((sides.client, sides.agent_calls)));
    let (agent, mut calls) = (sides.agent, sides.client_calls);
    agent.initialize(hello()).await.unwrap();
    let session = agent.session("s");
    let mut taken = 0;
    let (cancel, cancelled) = tokio::sync::oneshot::channel();
    let mut cancel = Some(cancel);
    let canceller = session.clone();
    let both = async {
        let prompt = session.prompt(["wait"]);
        let cancelling = async {
            cancelled.await.unwrap();
            canceller.cancel().await.unwrap();
        };
        tokio::join!(prompt, cancelling).0
    };
    let answer = calls
        .until(both, |_| {
            taken += 1;
            if taken == 2 {
                cancel.take().unwrap().send(()).unwrap();
            }
        })
        .await;
    assert_eq!(answer.unwrap().stop_reason, v1::StopReason::Cancelled);
    drop((agent, session, canceller, calls));
    agent_side.await.unwrap();
}

#[tokio::test]
async fn calls_are_a_stream() {
    async fn first<S: futures_core::Stream + Unpin>(mut calls: S) -> Option<S::Item> {
        std::future::poll_fn(|cx| std::pin::Pin::new(&mut calls).poll_next(cx)).await
    }
    let sides = Sides::new(4096, Options::default);
    let (agent, agent_calls) = (sides.agent, sides.agent_calls);
    let answer = tokio::spawn(async move { agent.initialize(hello()).await });
    let Some(AgentCall::Initialize(_, reply)) = first(agent_calls).await else {
        panic!("no initialize");
    };
    reply.ok(v1::InitializeResponse::new(v1::ProtocolVersion::V1));
    answer.await.unwrap().unwrap();
    let params = crate::json::Raw::parse("{}").unwrap();
    sides.client.notify_extension("_x", &params).await.unwrap();
    let call = first(sides.client_calls).await;
    assert!(matches!(call, Some(ClientCall::ExtensionNotification(_))));
}

#[tokio::test]
async fn a_tap_sees_both_directions_and_cannot_block_the_connection() {
    let (open, gate) = std::sync::mpsc::channel::<()>();
    let seen = std::sync::Arc::new(std::sync::Mutex::new(String::new()));
    let sink = std::sync::Arc::clone(&seen);
    let tap = crate::Tap::new(move |event| {
        // Blocks until the conversation has ended.
        gate.recv().ok();
        sink.lock().unwrap().push_str(&format!("{event}\n"));
    })
    .unwrap();
    let (one, other) = crate::pipes(4096);
    let (client, agent_calls) = crate::agent::connect(one.0, one.1, Options::default());
    let options = Options {
        tap: Some(tap.clone()),
        ..Options::default()
    };
    let (agent, mut calls) = crate::client::connect(other.0, other.1, options);
    let agent_side = tokio::spawn(echo((client, agent_calls)));
    agent.initialize(hello()).await.unwrap();
    let session = agent.session("s");
    let turn = calls.until(session.prompt(["hello"]), drop).await;
    assert_eq!(turn.unwrap().stop_reason, v1::StopReason::EndTurn);
    drop((agent, session, calls));
    agent_side.await.unwrap();
    drop(open);
    tap.flush();
    expect_test::expect![[r#"
        -> {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{"fs":{"readTextFile":false,"writeTextFile":false},"terminal":false,"auth":{"terminal":false}}}}
        <- {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1,"agentCapabilities":{"loadSession":false,"promptCapabilities":{"image":false,"audio":false,"embeddedContext":false},"mcpCapabilities":{"http":false,"sse":false,"acp":false},"sessionCapabilities":{},"auth":{}},"authMethods":[]}}
        -> {"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"hello"}]}}
        <- {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"first "}}}}
        <- {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"second"}}}}
        <- {"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}
    "#]].assert_eq(&seen.lock().unwrap());
}
