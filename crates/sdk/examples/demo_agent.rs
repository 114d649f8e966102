//! An agent that pretends to work, for trying a client: text, a file it reads, a change it asks about, and an answer that
//! depends on yours. A new prompt replaces the one that is running in the same session. Does what the example agent of
//! the TypeScript SDK does.

use std::collections::HashMap;
use std::time::Duration;

use attache::agent::ClientSession;
use attache::{AgentCall, CallError, Reply, schema::error, v1};
use tokio::task::JoinHandle;
use tokio::time::sleep;

#[tokio::main(flavor = "current_thread")]
async fn main() -> std::io::Result<()> {
    let (client, mut calls) = attache::agent::stdio()?;
    let mut turns: HashMap<v1::SessionId, Option<JoinHandle<()>>> = HashMap::new();
    while let Some(call) = calls.next().await {
        match call {
            AgentCall::Initialize(_, reply) => {
                let us = v1::Implementation::new("demo-agent", "1.0.0");
                reply.ok(v1::InitializeResponse::new(v1::ProtocolVersion::V1).agent_info(us));
            }
            AgentCall::Authenticate(_, reply) => reply.ok(v1::AuthenticateResponse::new()),
            AgentCall::NewSession(_, reply) => {
                let id = v1::SessionId::unique();
                turns.insert(id.clone(), None);
                reply.ok(v1::NewSessionResponse::new(id));
            }
            AgentCall::Prompt(request, reply) => match turns.get_mut(&request.session_id) {
                Some(turn) => {
                    let session = client.session(request.session_id);
                    let before = turn.take();
                    *turn = Some(tokio::spawn(take_over(before, session, reply)));
                }
                None => reply.fail(error::session_not_found(&request.session_id)),
            },
            other => other.refuse(),
        }
    }
    Ok(())
}

/// Ends the turn that is running in the session, then takes the next one.
async fn take_over(
    before: Option<JoinHandle<()>>,
    session: ClientSession,
    reply: Reply<v1::PromptResponse>,
) {
    if let Some(before) = before {
        before.abort();
        drop(before.await);
    }
    reply.run(turn(session)).await;
}

async fn turn(session: ClientSession) -> Result<v1::PromptResponse, CallError> {
    session
        .send_message("Let me look at the project first. ")
        .await?;
    sleep(THINKING).await;
    read(&session).await?;
    sleep(THINKING).await;
    session
        .send_message("One setting has to change. ")
        .await?;
    let stop_reason = match change(&session).await? {
        v1::RequestPermissionOutcome::Cancelled => v1::StopReason::Cancelled,
        outcome => {
            sleep(THINKING).await;
            let text = match outcome.selects("allow") {
                true => "Done: the new host is in the configuration.",
                false => "I left the configuration as it was.",
            };
            session.send_message(text).await?;
            v1::StopReason::EndTurn
        }
    };
    Ok(v1::PromptResponse::new(stop_reason))
}

/// A tool call that needs no permission.
async fn read(session: &ClientSession) -> Result<(), CallError> {
    let path = "/project/README.md";
    let call = v1::ToolCall::new(v1::ToolCallId::unique(), "Read README.md")
        .kind(v1::ToolKind::Read)
        .locations([v1::ToolCallLocation::new(path)]);
    let done = v1::ToolCallUpdate::new(call.tool_call_id.clone())
        .status(v1::ToolCallStatus::Completed)
        .content([v1::ToolCallContent::from("# A project\n\nNothing else is known.")]);
    session.update(call).await?;
    sleep(THINKING).await;
    session.update(done).await
}

/// A tool call that the user decides about.
async fn change(session: &ClientSession) -> Result<v1::RequestPermissionOutcome, CallError> {
    let path = "/project/config.json";
    let diff = v1::Diff::new(path, "{\"host\": \"new\"}\n").old_text("{\"host\": \"old\"}\n");
    let call = v1::ToolCall::new(v1::ToolCallId::unique(), "Change the host in config.json")
        .kind(v1::ToolKind::Edit)
        .locations([v1::ToolCallLocation::new(path)])
        .content([diff]);
    let change = v1::ToolCallUpdate::new(call.tool_call_id.clone());
    session.update(call).await?;
    let options = [
        v1::PermissionOption::new("allow", "Change it", v1::PermissionOptionKind::AllowOnce),
        v1::PermissionOption::new("reject", "Leave it", v1::PermissionOptionKind::RejectOnce),
    ];
    let outcome = session.request_permission(change.clone(), options).await?;
    let status = match outcome.selects("allow") {
        true => v1::ToolCallStatus::Completed,
        false => v1::ToolCallStatus::Failed,
    };
    session.update(change.status(status)).await?;
    Ok(outcome)
}

/// What a model would need to answer.
const THINKING: Duration = Duration::from_secs(1);
