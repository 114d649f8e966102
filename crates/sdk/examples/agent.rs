//! An agent in forty lines. It requests permission before it acts, and its turns can be cancelled.

use attache::{AgentCall, CallError, schema::error, v1, v1::RequestPermissionOutcome};

#[tokio::main(flavor = "current_thread")]
async fn main() -> std::io::Result<()> {
    let (client, mut calls) = attache::agent::stdio()?;
    let mut sessions: Vec<v1::SessionId> = Vec::new();
    while let Some(call) = calls.next().await {
        match call {
            AgentCall::Initialize(_, reply) => {
                let us = v1::Implementation::new("example-agent", "1.0.0");
                reply.ok(v1::InitializeResponse::new(v1::ProtocolVersion::V1).agent_info(us));
            }
            AgentCall::NewSession(_, reply) => {
                let id = v1::SessionId::from(format!("session-{}", sessions.len() + 1));
                sessions.push(id.clone());
                reply.ok(v1::NewSessionResponse::new(id));
            }
            AgentCall::Prompt(request, reply) if !sessions.contains(&request.session_id) => {
                reply.fail(error::session_not_found(&request.session_id));
            }
            AgentCall::Prompt(request, reply) => {
                tokio::spawn(reply.run(turn(client.session(request.session_id))));
            }
            other => other.refuse(),
        }
    }
    Ok(())
}

async fn turn(session: attache::agent::ClientSession) -> Result<v1::PromptResponse, CallError> {
    session.send_message("Shall I? ").await?;
    let tool = v1::ToolCallUpdate::new("call-1").title("Wave");
    let yes = v1::PermissionOption::new("yes", "Yes", v1::PermissionOptionKind::AllowOnce);
    if let RequestPermissionOutcome::Selected(_) = session.request_permission(tool, [yes]).await? {
        session.send_message("Hello!").await?;
    }
    Ok(v1::PromptResponse::new(v1::StopReason::EndTurn))
}
