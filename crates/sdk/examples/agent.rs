//! An agent in forty lines. It asks before it acts, and ends its tool call even if the turn is cancelled.
use attache::v1::ToolCallStatus::{Completed, Failed};
use attache::{AgentCall, CallError, Reply, agent::ClientSession, schema::error, v1};
#[tokio::main(flavor = "current_thread")]
async fn main() -> std::io::Result<()> {
    let (client, mut calls) = attache::agent::stdio()?;
    let us = v1::Implementation::new("example-agent", "1.0.0");
    let hello = v1::InitializeResponse::new(v1::ProtocolVersion::V1).agent_info(us);
    let mut sessions = Vec::new();
    while let Some(call) = calls.next().await {
        match call {
            AgentCall::Initialize(_, reply) => reply.ok(hello.clone()),
            AgentCall::NewSession(_, reply) => {
                let new = v1::NewSessionResponse::new(v1::SessionId::unique());
                sessions.push(new.session_id.clone());
                reply.ok(new);
            }
            AgentCall::Prompt(prompt, reply) if sessions.contains(&prompt.session_id) => {
                tokio::spawn(wave(client.session(prompt.session_id), reply));
            }
            AgentCall::Prompt(p, reply) => reply.fail(error::session_not_found(&p.session_id)),
            other => other.refuse(),
        }
    }
    Ok(())
}

async fn wave(session: ClientSession, reply: Reply<v1::PromptResponse>) {
    let call = v1::ToolCall::new(v1::ToolCallId::unique(), "Wave");
    let end = |status| session.update(call.change().status(status));
    let turn = async {
        session.update(call.clone()).await?;
        let is_allowed = session.ask_to_allow_once(&call).await?;
        let text = if is_allowed { "Hello!" } else { "Goodbye!" };
        session.send_message(text).await?;
        end(if is_allowed { Completed } else { Failed }).await?;
        Ok::<_, CallError>(v1::PromptResponse::new(v1::StopReason::EndTurn))
    };
    reply.run_or_clean_up(turn, end(Failed)).await;
}
