//! A proxy that forwards every message in both directions without decoding it. Put it in front of any agent's command.

use std::time::Duration;

use attache::process::{Program, guard};
use attache::rpc::json::Object;
use attache::rpc::{Error, NonJsonLines, SendOptions, SessionKey};
use attache::transport::{
    CallError, Delivery, Inbox, IncomingCall, Options, PeerHandle, connect, stdio,
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    guard::run_if_asked();
    run()
}

#[tokio::main(flavor = "current_thread")]
async fn run() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().ok_or("usage: proxy COMMAND [ARGUMENT…]")?;
    let program = Program::new(name).args(arguments);
    let (child, stdin, stdout) = program.spawn_piped().await?;
    let (agent, from_agent) = connect(stdout, stdin, patient(NonJsonLines::Skip));
    let (read, write) = stdio()?;
    let (client, from_client) = connect(read, write, patient(NonJsonLines::Reject));
    let outcome = tokio::select! {
        () = pass(from_client, client.clone(), agent.clone()) => Ok(()),
        () = pass(from_agent, agent, client.clone()) => Err("the agent is gone"),
    };
    let ending = child.stop(Default::default()).await;
    client.flush().await;
    Ok(outcome.map_err(|gone| format!("{gone}: {ending}"))?)
}

/// No time limits: a slow side may delay the other side for as long as it needs.
fn patient(non_json_lines: NonJsonLines) -> Options {
    Options::default()
        .non_json_lines(non_json_lines)
        .stall(Duration::MAX)
}

/// Forwards the calls of one side to the other side, and the responses back.
async fn pass(mut inbox: Inbox, from: PeerHandle, to: PeerHandle) {
    while let Some(incoming) = inbox.next().await {
        match incoming {
            IncomingCall::Notification(call) => {
                if to.relay(call.line().clone(), IN_TURN).await.is_err() {
                    return;
                }
            }
            IncomingCall::Request(id, call) => {
                let (method, order) = (call.method(), Delivery::InOrder);
                let asked = match call.payload() {
                    Some(params) => to.start(method, &params, IN_TURN, order).await,
                    None => to.start(method, &Object::default(), IN_TURN, order).await,
                };
                let from = from.clone();
                tokio::spawn(async move {
                    let answer = match asked {
                        Ok(asked) => asked.response_or_cancel(from.cancelled(&id)).await,
                        Err(error) => Err(error),
                    };
                    let answer = answer.map_err(refusal);
                    from.respond(&id, IN_TURN, answer.as_ref());
                });
            }
        }
    }
}

fn refusal(error: CallError) -> Error {
    match error {
        CallError::Refused(error) => error,
        other => Error::new(Error::INTERNAL, other.to_string()),
    }
}

const IN_TURN: SendOptions = SendOptions::of(SessionKey::CONNECTION);
