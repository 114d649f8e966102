//! The agent of `interop/README.md`: it obeys the first text of a prompt.

mod turn;

use std::collections::HashMap;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;

use attache::agent::ClientHandle;
use attache::json::{Raw, RawObject};
use attache::schema::error;
use attache::{AgentCall, Error, Extension, v1};

use turn::Turn;

#[tokio::main(flavor = "current_thread")]
async fn main() -> io::Result<()> {
    let (client, mut calls) = attache::agent::stdio()?;
    let mut sessions = Sessions::default();
    while let Some(call) = calls.next().await {
        match call {
            AgentCall::Initialize(_, reply) => {
                let us = v1::Implementation::new("interop-agent", "1.0.0");
                reply.ok(v1::InitializeResponse::new(v1::ProtocolVersion::V1).agent_info(us));
            }
            AgentCall::NewSession(request, reply) => reply.with(sessions.open(&request)),
            AgentCall::Prompt(request, reply) => match sessions.turn(&client, &request) {
                Ok(turn) => {
                    tokio::spawn(async move {
                        let ended = turn.run(first_text(&request.prompt), &reply).await;
                        reply.with(ended.map(v1::PromptResponse::new));
                    });
                }
                Err(error) => reply.fail(error),
            },
            AgentCall::Extension(call, reply) if call.method == "_interop/echo" => {
                reply.with(echo(&call));
            }
            other => other.refuse(),
        }
    }
    Ok(())
}

#[derive(Default)]
struct Sessions(HashMap<v1::SessionId, Session>);

struct Session {
    cwd: PathBuf,
    tool_calls: Arc<AtomicU32>,
}

impl Sessions {
    fn open(&mut self, request: &v1::NewSessionRequest) -> Result<v1::NewSessionResponse, Error> {
        let cwd = request.cwd.as_path();
        if !cwd.is_absolute() || !cwd.is_dir() {
            let reason = "cwd is not the absolute path of a folder";
            return Err(error::unusable_params(reason));
        }
        let session = Session {
            cwd: cwd.to_owned(),
            tool_calls: Arc::default(),
        };
        let id = v1::SessionId::from(format!("session-{}", self.0.len() + 1));
        self.0.insert(id.clone(), session);
        Ok(v1::NewSessionResponse::new(id))
    }

    fn turn(&self, client: &ClientHandle, request: &v1::PromptRequest) -> Result<Turn, Error> {
        let id = &request.session_id;
        let session = self.0.get(id);
        let session = session.ok_or_else(|| error::session_not_found(id))?;
        Ok(Turn {
            client: client.clone(),
            session: client.session(id.clone()),
            cwd: session.cwd.clone(),
            tool_calls: Arc::clone(&session.tool_calls),
        })
    }
}

fn first_text(prompt: &[v1::ContentBlock]) -> &str {
    let text = prompt.iter().find_map(|block| match block {
        v1::ContentBlock::Text(text) => Some(text.text.as_str()),
        _ => None,
    });
    text.unwrap_or_default()
}

fn echo(call: &Extension) -> Result<Raw, Error> {
    let missing = || error::unusable_params("there is no `value`");
    let params = call.params.as_ref().ok_or_else(missing)?;
    let params: RawObject = params
        .read()
        .map_err(|fault| error::invalid_params(&fault))?;
    let value = params.get("value").ok_or_else(missing)?;
    Ok(Raw::of(&RawObject::new().with("value", value)))
}
