//! The client of `interop/README.md`: starts an agent, sends it one prompt after the other, prints what happens.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "the trace is what this program is for"
)]

mod conversation;
mod terminal;
mod trace;

use std::env;
use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use attache::json::{Raw, RawObject};
use attache::process::{Program, StopTimeouts, guard};
use attache::{AgentHandle, CallError, ClientCalls, Options, v1};

use conversation::Conversation;
use trace::Line;

fn main() -> ExitCode {
    guard::run_if_asked();
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("interop_client: {reason}");
            ExitCode::FAILURE
        }
    }
}

#[tokio::main(flavor = "current_thread")]
async fn run() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args_os().skip(1);
    let name = arguments.next();
    let name = name.ok_or("usage: interop_client AGENT [ARGUMENT…]")?;
    let program = Program::new(name).args(arguments);
    let cwd = env::current_dir()?;
    let (agent, mut calls, child) = attache::client::spawn(&program, Options::default()).await?;
    let talk = talk(&agent, &mut calls, cwd);
    let talked = match tokio::time::timeout(LIMIT, talk).await {
        Ok(talked) => talked.map_err(|error| error.to_string()),
        Err(_) => Err(format!("not done after {} s", LIMIT.as_secs())),
    };
    let ending = child.stop(StopTimeouts::default()).await;
    Ok(talked.map_err(|reason| format!("{reason} ({ending})"))?)
}

async fn talk(
    agent: &AgentHandle,
    calls: &mut ClientCalls,
    cwd: PathBuf,
) -> Result<(), Box<dyn Error>> {
    let session = begin(agent, &cwd.to_string_lossy()).await?;
    let mut conversation = Conversation::new(agent.session(session), cwd);
    for step in STEPS {
        conversation.begin_step(step);
        let turn = conversation.session().clone();
        let ended = calls.until(turn.prompt([step.prompt]), |call| {
            conversation.handle_call(call)
        });
        match ended.await {
            Ok(ended) => conversation.step_line("stop", &ended.stop_reason).print(),
            Err(failure) => {
                let Some(error) = failure.refusal() else {
                    return Err(failure.into());
                };
                let line = conversation.step_line("error", &error.code);
                line.with("message", &error.message).print();
            }
        }
    }
    let question = Raw::of(&RawObject::new().with("value", Raw::of(&7)));
    let answer = agent.request_extension("_interop/echo", &question).await?;
    let value = answer.read::<RawObject>()?.get("value");
    Line::of("call", "_interop/echo")
        .with("value", &value)
        .print();
    Ok(())
}

async fn begin(agent: &AgentHandle, cwd: &str) -> Result<v1::SessionId, CallError> {
    let files = v1::FileSystemCapabilities::new()
        .read_text_file(true)
        .write_text_file(true);
    let us = v1::Implementation::new("interop-client", "1.0.0");
    let offer = v1::ClientCapabilities::new().fs(files).terminal(true);
    let hello = v1::InitializeRequest::new(v1::ProtocolVersion::V1)
        .client_info(us)
        .client_capabilities(offer);
    let answer = agent.initialize(hello).await?;
    Line::of("call", "initialize")
        .with("protocolVersion", &answer.protocol_version)
        .with("agent", &answer.agent_info.map(|agent| agent.name))
        .with("loadSession", &answer.agent_capabilities.load_session)
        .print();

    let request = v1::NewSessionRequest::new(cwd, []);
    let session = agent.request(request).await?.session_id;
    Line::of("call", "session/new")
        .with("session", &session)
        .print();
    Ok(session)
}

#[derive(Clone, Copy)]
struct Step {
    prompt: &'static str,
    reaction: Reaction,
}

/// The reaction of the client when the agent requests permission, or waits.
#[derive(Clone, Copy, PartialEq)]
enum Reaction {
    Nothing,
    Select(&'static str),
    Cancel,
}

const fn step(prompt: &'static str, reaction: Reaction) -> Step {
    Step { prompt, reaction }
}

const STEPS: [Step; 12] = [
    step("stream 5", Reaction::Nothing),
    step("tool", Reaction::Nothing),
    step("permission", Reaction::Select("allow")),
    step("permission", Reaction::Select("reject")),
    step("permission", Reaction::Cancel),
    step("wait", Reaction::Cancel),
    step("write note.txt one\ntwo\nthree\n", Reaction::Nothing),
    step("read note.txt", Reaction::Nothing),
    step("terminal", Reaction::Nothing),
    step("ext", Reaction::Nothing),
    step("fail", Reaction::Nothing),
    step("something else", Reaction::Nothing),
];

const LIMIT: Duration = Duration::from_secs(30);
