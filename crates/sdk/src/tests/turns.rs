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
