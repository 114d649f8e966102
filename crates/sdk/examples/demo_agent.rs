//! An agent that pretends to work, for trying a client: text, a file it reads, a change it asks about, and an answer that
//! depends on yours. A new prompt ends the turn that is running in the same session. Does what the example agent of the
//! TypeScript SDK does.

use std::collections::HashMap;
use std::time::Duration;

use attache::agent::ClientSession;
use attache::{AgentCall, CallError, Reply, schema::error, v1};
use tokio::sync::oneshot;
use tokio::time::sleep;

#[tokio::main(flavor = "current_thread")]
async fn main() -> std::io::Result<()> {
    let (client, mut calls) = attache::agent::stdio()?;
    // For each session, what ends its turn when it is dropped.
    let mut turns: HashMap<v1::SessionId, Option<oneshot::Sender<()>>> = HashMap::new();
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
                    let (keep, replaced) = oneshot::channel();
                    *turn = Some(keep);
                    let session = client.session(request.session_id);
                    tokio::spawn(run(session, reply, replaced));
                }
                None => reply.fail(error::session_not_found(&request.session_id)),
            },
            other => other.refuse(),
        }
    }
    Ok(())
}

/// Takes a turn until it ends, is cancelled, or is replaced by the next one.
async fn run(
    session: ClientSession,
    reply: Reply<v1::PromptResponse>,
    replaced: oneshot::Receiver<()>,
) {
    let turn = async {
        tokio::select! {
            outcome = turn(&session) => outcome.map(v1::PromptResponse::new),
            _ = replaced => Ok(v1::PromptResponse::new(v1::StopReason::Cancelled)),
        }
    };
    reply.run(turn).await;
}

async fn turn(session: &ClientSession) -> Result<v1::StopReason, CallError> {
    session
        .send_message("Let me look at the project first. ")
        .await?;
    sleep(THINKING).await;
    read(session).await?;
    sleep(THINKING).await;
    session.send_message("One setting has to change. ").await?;
    let outcome = change(session).await?;
    if outcome == v1::RequestPermissionOutcome::Cancelled {
        return Ok(v1::StopReason::Cancelled);
    }
    sleep(THINKING).await;
    let text = match outcome.selects("allow") {
        true => "Done: the new host is in the configuration.",
        false => "I left the configuration as it was.",
    };
    session.send_message(text).await?;
    Ok(v1::StopReason::EndTurn)
}

/// A tool call that needs no permission.
async fn read(session: &ClientSession) -> Result<(), CallError> {
    let call = v1::ToolCall::new(v1::ToolCallId::unique(), "Read README.md")
        .kind(v1::ToolKind::Read)
        .locations([v1::ToolCallLocation::new("/project/README.md")]);
    session.update(call.clone()).await?;
    sleep(THINKING).await;
    let text = v1::ContentBlock::from("# A project\n\nNothing else is known.");
    let done = call
        .change()
        .status(v1::ToolCallStatus::Completed)
        .content([text]);
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
    session.update(call.clone()).await?;
    let options = [
        v1::PermissionOption::new("allow", "Change it", v1::PermissionOptionKind::AllowOnce),
        v1::PermissionOption::new("reject", "Leave it", v1::PermissionOptionKind::RejectOnce),
    ];
    let outcome = session.request_permission(call.change(), options).await?;
    let status = match outcome.selects("allow") {
        true => v1::ToolCallStatus::Completed,
        false => v1::ToolCallStatus::Failed,
    };
    session.update(call.change().status(status)).await?;
    Ok(outcome)
}

/// What a model would need to answer.
const THINKING: Duration = Duration::from_secs(1);
