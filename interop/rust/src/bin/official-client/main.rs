//! The interop client on the official crate: `official-client AGENT [ARGUMENT…]`. `interop/README.md` describes what it
//! sends and prints.

mod fake_editor;
mod trace;
mod terminal;

use std::env;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use agent_client_protocol::schema::ProtocolVersion;
use agent_client_protocol::v1::{ConnectionTo, schema as v1};
use agent_client_protocol::{
    AcpAgent, Agent, Client, LineDirection, Result, UntypedMessage, on_receive_notification,
    on_receive_request,
};
use serde_json::json;

use fake_editor::FakeEditor;

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let reason = match tokio::time::timeout(Duration::from_secs(30), run()).await {
        Ok(Ok(())) => return ExitCode::SUCCESS,
        Ok(Err(error)) => error.to_string(),
        Err(_) => "not done after 30 s".to_owned(),
    };
    eprintln!("official-client: {reason}");
    ExitCode::FAILURE
}

async fn run() -> Result<()> {
    let agent = AcpAgent::from_args(env::args().skip(1))?.with_debug(|line, direction| {
        if direction == LineDirection::Stderr {
            eprintln!("{line}");
        }
    });
    let editor = Arc::new(FakeEditor::new()?);
    let (at_notification, at_wait, at_request, at_work) =
        (editor.clone(), editor.clone(), editor.clone(), editor);
    Client
        .v1()
        .name("interop-client")
        .on_receive_notification(
            async move |notification: v1::AgentNotification, agent: ConnectionTo<Agent>| {
                at_notification.handle_notification(notification, &agent)
            },
            on_receive_notification!(),
        )
        .on_receive_request(
            async move |request: v1::WaitForTerminalExitRequest,
                        responder,
                        agent: ConnectionTo<Agent>| {
                let exit = at_wait.exit(&request);
                // Not in the handler: it blocks the loop that delivers everything else.
                agent.spawn(async move { responder.respond_with_result(exit.await) })
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: v1::AgentRequest, responder, agent: ConnectionTo<Agent>| {
                responder.respond_with_result(at_request.handle_request(request, &agent))
            },
            on_receive_request!(),
        )
        .connect_with(agent, async move |agent: ConnectionTo<Agent>| {
            conversation(&at_work, &agent).await
        })
        .await
}

async fn conversation(editor: &FakeEditor, agent: &ConnectionTo<Agent>) -> Result<()> {
    let files = v1::FileSystemCapabilities::new()
        .read_text_file(true)
        .write_text_file(true);
    let initialize = v1::InitializeRequest::new(ProtocolVersion::V1)
        .client_info(v1::Implementation::new("interop-client", "1.0.0"))
        .client_capabilities(v1::ClientCapabilities::new().fs(files).terminal(true));
    let response = agent.send_request(initialize).block_task().await?;
    fake_editor::print(&json!({
        "call": "initialize",
        "protocolVersion": response.protocol_version,
        "agent": response.agent_info.map(|info| info.name),
        "loadSession": response.agent_capabilities.load_session,
    }));

    let new = v1::NewSessionRequest::new(editor.cwd());
    let session = agent.send_request(new).block_task().await?.session_id;
    fake_editor::print(&json!({ "call": "session/new", "session": session }));

    for step in STEPS {
        editor.start(step);
        let text = v1::ContentBlock::Text(v1::TextContent::new(step.prompt));
        let prompt = v1::PromptRequest::new(session.clone(), vec![text]);
        match agent.send_request(prompt).block_task().await {
            Ok(turn) => editor.print_event(json!({ "stop": turn.stop_reason })),
            Err(error) => {
                editor.print_event(json!({ "error": i32::from(error.code), "message": error.message }));
            }
        }
    }

    let echo = UntypedMessage::new("_interop/echo", json!({ "value": 7 }))?;
    let response = agent.send_request(echo).block_task().await?;
    fake_editor::print(&json!({ "call": "_interop/echo", "value": response["value"] }));
    Ok(())
}

#[derive(Clone, Copy)]
struct Step {
    prompt: &'static str,
    action: ClientAction,
}

#[derive(Clone, Copy, PartialEq)]
enum ClientAction {
    Nothing,
    Select(&'static str),
    Cancel,
}

const fn step(prompt: &'static str, action: ClientAction) -> Step {
    Step { prompt, action }
}

const STEPS: [Step; 12] = [
    step("stream 5", ClientAction::Nothing),
    step("tool", ClientAction::Nothing),
    step("permission", ClientAction::Select("allow")),
    step("permission", ClientAction::Select("reject")),
    step("permission", ClientAction::Cancel),
    step("wait", ClientAction::Cancel),
    step("write note.txt one\ntwo\nthree\n", ClientAction::Nothing),
    step("read note.txt", ClientAction::Nothing),
    step("terminal", ClientAction::Nothing),
    step("ext", ClientAction::Nothing),
    step("fail", ClientAction::Nothing),
    step("something else", ClientAction::Nothing),
];
