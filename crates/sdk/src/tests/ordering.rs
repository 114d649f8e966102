//! The response to a prompt never overtakes the updates before it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use attache_rpc::Limits;

use super::{Sides, hello};
use crate::{AgentCall, ClientCall, Options, Transcript, v1};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_update_is_taken_before_the_response_is_delivered() {
    let sides = Sides::new(512, Options::default);
    let (client, mut agent_calls) = (sides.client, sides.agent_calls);
    tokio::spawn(async move {
        while let Some(call) = agent_calls.next().await {
            match call {
                AgentCall::Initialize(_, reply) => {
                    reply.ok(v1::InitializeResponse::new(v1::ProtocolVersion::V1));
                }
                AgentCall::Prompt(request, reply) => {
                    let session = client.session(request.session_id);
                    for _ in 0..7 {
                        session.send_message("x").await.unwrap();
                    }
                    reply.ok(v1::PromptResponse::new(v1::StopReason::EndTurn));
                }
                other => other.refuse(),
            }
        }
    });
    let (agent, mut calls) = (sides.agent, sides.client_calls);
    agent.initialize(hello()).await.unwrap();
    let taken = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&taken);
    tokio::spawn(async move {
        while let Some(call) = calls.next().await {
            if matches!(call, ClientCall::Session(_)) {
                tokio::task::yield_now().await;
                count.fetch_add(1, Ordering::SeqCst);
            }
        }
    });
    let session = agent.session("s");
    for turn in 1..=500 {
        session.prompt(["go"]).await.unwrap();
        // By now the task that takes updates has returned for the next call, so it has handled the last update.
        assert_eq!(taken.load(Ordering::SeqCst), 7 * turn);
    }
}

#[tokio::test]
async fn updates_after_a_turn_are_not_taken_before_its_end() {
    let sides = Sides::new(1 << 16, Options::default);
    let (client, mut agent_calls) = (sides.client, sides.agent_calls);
    tokio::spawn(async move {
        while let Some(call) = agent_calls.next().await {
            match call {
                AgentCall::Initialize(_, reply) => {
                    reply.ok(v1::InitializeResponse::new(v1::ProtocolVersion::V1));
                }
                AgentCall::Prompt(request, reply) => {
                    let session = client.session(request.session_id);
                    session.send_message("before").await.unwrap();
                    reply.ok(v1::PromptResponse::new(v1::StopReason::EndTurn));
                    session.send_message("after").await.unwrap();
                }
                other => other.refuse(),
            }
        }
    });
    let (agent, mut calls) = (sides.agent, sides.client_calls);
    agent.initialize(hello()).await.unwrap();
    let mut transcript = Transcript::new();
    let session = agent.session("s");
    let turn = calls.until(session.prompt(["go"]), |call| {
        if let ClientCall::Session(said) = call {
            transcript.apply(said.update);
        }
    });
    turn.await.unwrap();
    assert_eq!(transcript.text(), "before");
    assert!(matches!(calls.next().await, Some(ClientCall::Session(_))));
}

/// An agent that calls back from inside its prompt while the client floods it, with room for one message in every
/// queue and a few bytes in the pipe.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn calls_during_a_prompt_do_not_deadlock_in_a_flood() {
    const TURNS: usize = 10_000;
    let tight = || Options::default().limits(Limits::default().inbound(1).outbound(1));
    let sides = Sides::new(64, tight);
    let (client, mut agent_calls) = (sides.client, sides.agent_calls);
    let agent_side = tokio::spawn(async move {
        while let Some(call) = agent_calls.next().await {
            match call {
                AgentCall::Initialize(_, reply) => {
                    reply.ok(v1::InitializeResponse::new(v1::ProtocolVersion::V1));
                }
                AgentCall::Prompt(request, reply) => {
                    let client = client.clone();
                    tokio::spawn(async move {
                        let read = v1::ReadTextFileRequest::new(request.session_id.clone(), "/a");
                        client
                            .session(request.session_id)
                            .send_message("x")
                            .await
                            .unwrap();
                        let file = client.request(read).await.unwrap();
                        assert_eq!(file.content, "text");
                        reply.ok(v1::PromptResponse::new(v1::StopReason::EndTurn));
                    });
                }
                other => other.refuse(),
            }
        }
    });
    let (agent, mut calls) = (sides.agent, sides.client_calls);
    let client_side = tokio::spawn(async move {
        let mut updates = 0;
        while let Some(call) = calls.next().await {
            match call {
                ClientCall::Session(_) => updates += 1,
                ClientCall::ReadTextFile(_, reply) => {
                    reply.ok(v1::ReadTextFileResponse::new("text"));
                }
                other => other.refuse(),
            }
        }
        updates
    });
    let fs = v1::FileSystemCapabilities::default().read_text_file(true);
    let capabilities = v1::ClientCapabilities::default().fs(fs);
    let request = hello().client_capabilities(capabilities);
    agent.initialize(request).await.unwrap();
    let flooder = agent.clone();
    let flood = tokio::spawn(async move {
        let params = attache_rpc::json::Raw::parse("{\"filler\":\"0123456789\"}").unwrap();
        while flooder.notify_extension("_flood", &params).await.is_ok() {}
    });
    let session = agent.session("s");
    for _ in 0..TURNS {
        let answer = session.prompt(["go"]).await.unwrap();
        assert_eq!(answer.stop_reason, v1::StopReason::EndTurn);
    }
    agent.close();
    flood.await.unwrap();
    drop((agent, session));
    assert_eq!(client_side.await.unwrap(), TURNS);
    agent_side.await.unwrap();
}
