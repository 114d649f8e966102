//! A client for one prompt: starts an agent, prints each update as it arrives, and allows every tool call, but only once.
//! Run it as `one_shot_client PROMPT COMMAND [ARGUMENT…]`.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program that talks to people"
)]

use attache::process::{Program, guard};
use attache::schema::FilePath;
use attache::{ClientCall, Options, v1};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    guard::run_if_asked();
    run()
}

#[tokio::main(flavor = "current_thread")]
async fn run() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let usage = "usage: one_shot_client PROMPT COMMAND [ARGUMENT…]";
    let prompt = arguments.next().ok_or(usage)?;
    let program = Program::new(arguments.next().ok_or(usage)?).args(arguments);
    let (agent, mut calls, child) = attache::client::spawn(&program, Options::default()).await?;

    let us = v1::Implementation::new("one-shot-client", "1.0.0");
    let initialize = v1::InitializeRequest::new(v1::ProtocolVersion::V1).client_info(us);
    let agent_info = agent.initialize(initialize).await?.agent_info;
    let name = agent_info.map_or("an agent without a name".to_owned(), |info| info.name);
    eprintln!("connected to {name:?}");

    let directory: FilePath = std::env::current_dir()?
        .try_into()
        .map_err(|_| "the name of the current directory is not UTF-8")?;
    let new = v1::NewSessionRequest::new(directory, []);
    let new = agent.request(new).await?;
    let session = agent.session(new.session_id);
    let response = calls.until(session.prompt([prompt]), show).await?;
    eprintln!("the turn ended: {}", response.stop_reason);
    child.stop(Default::default()).await;
    Ok(())
}

fn show(call: ClientCall) {
    match call {
        // `{:?}` escapes control characters, so the agent can't write to the terminal directly.
        ClientCall::Session(notification) => println!("{:?}", notification.update),
        ClientCall::RequestPermission(request, reply) => {
            eprintln!("allowing once: {:?}", request.tool_call.title);
            let cancelled = v1::RequestPermissionOutcome::Cancelled;
            let nothing = || v1::RequestPermissionResponse::new(cancelled);
            reply.ok(request.allow_once().unwrap_or_else(nothing));
        }
        other => other.refuse(),
    }
}
