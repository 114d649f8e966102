//! A client in forty lines: it starts an agent, sends a prompt, says yes to everything and prints what it hears.

#![allow(clippy::print_stdout, reason = "a program that talks to people")]

use attache::process::{Program, guard};
use attache::{ClientCall, Options, v1};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    guard::run_if_asked();
    run()
}

#[tokio::main(flavor = "current_thread")]
async fn run() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().ok_or("usage: client COMMAND…")?;
    let program = Program::new(name).args(arguments);
    let (agent, mut calls, child) = attache::client::spawn(&program, Options::default()).await?;

    let us = v1::Implementation::new("example-client", "1.0.0");
    let hello = v1::InitializeRequest::new(v1::ProtocolVersion::V1).client_info(us);
    agent.initialize(hello).await?;
    let cwd = std::env::current_dir()?;
    let request = v1::NewSessionRequest::new(cwd.to_string_lossy().into_owned(), []);
    let session = agent.session(agent.ask(request).await?.session_id);
    let turn = session.prompt(["Say hello"]);
    let ended = calls.until(turn, take).await?;
    println!("\n{}", ended.stop_reason.as_str());
    child.stop(Default::default()).await;
    Ok(())
}

fn take(call: ClientCall) {
    match call {
        ClientCall::Session(said) => {
            if let v1::SessionUpdate::AgentMessageChunk(chunk) = said.update {
                print!("{}", chunk.content.as_text().unwrap_or("…"));
            }
        }
        ClientCall::RequestPermission(request, reply) => {
            let outcome = match request.options.into_iter().next() {
                Some(option) => v1::SelectedPermissionOutcome::new(option.option_id).into(),
                None => v1::RequestPermissionOutcome::Cancelled,
            };
            reply.ok(v1::RequestPermissionResponse::new(outcome));
        }
        other => other.refuse(),
    }
}
