//! A client in forty lines: it starts an agent, sends a prompt, allows each step once and prints the agent's text.

#![allow(clippy::print_stdout, reason = "a program that talks to people")]

use attache::process::{Program, guard};
use attache::{ClientCall, Options, Transcript, schema::error, v1};

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
    let cwd = std::env::current_dir()?.to_string_lossy().into_owned();
    let new = agent.request(v1::NewSessionRequest::new(cwd, [])).await?;
    let session = agent.session(new.session_id);
    let mut transcript = Transcript::new();
    let turn = calls.until(session.prompt(["Say hello"]), |call| match call {
        ClientCall::Session(update) => drop(transcript.apply(update.update)),
        ClientCall::RequestPermission(request, reply) => {
            let once = request.allow_once().or_else(|| request.reject_once());
            reply.with(once.ok_or_else(|| error::unusable_params("no option for one time")));
        }
        other => other.refuse(),
    });
    let response = turn.await?;
    println!("{}\n{}", transcript.text(), response.stop_reason.as_str());
    child.stop(Default::default()).await;
    Ok(())
}
