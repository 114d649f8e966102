//! A guided tour of everything that a client can show: an agent without a model, with a slash command for each kind of
//! update.

mod offers;
mod turn;
mod updates;

use std::collections::HashMap;
use std::io;

use attache::agent::ClientHandle;
use attache::schema::error;
use attache::{AgentCall, CallError, Error, v1};

#[tokio::main(flavor = "current_thread")]
async fn main() -> io::Result<()> {
    let (client, mut calls) = attache::agent::stdio()?;
    let mut tour = Tour::default();
    while let Some(call) = calls.next().await {
        tour.take(&client, call);
    }
    Ok(())
}

#[derive(Default)]
struct Tour {
    sessions: HashMap<v1::SessionId, Session>,
}

#[derive(Clone)]
struct Session {
    cwd: attache::schema::FilePath,
    mode: v1::SessionModeId,
    options: Vec<v1::SessionConfigOption>,
    prompts: Vec<Vec<v1::ContentBlock>>,
}

impl Tour {
    fn take(&mut self, client: &ClientHandle, call: AgentCall) {
        match call {
            AgentCall::Initialize(_, reply) => reply.ok(offers::initialize_response()),
            AgentCall::NewSession(request, reply) => {
                let id = v1::SessionId::from(format!("tour-{}", self.sessions.len() + 1));
                let session = Session {
                    cwd: request.cwd,
                    mode: "ask".into(),
                    options: offers::options(client),
                    prompts: Vec::new(),
                };
                let opened = v1::NewSessionResponse::new(id.clone());
                let modes = offers::modes(session.mode.clone());
                reply.ok(opened.modes(modes).config_options(session.options.clone()));
                self.sessions.insert(id.clone(), session);
                let session = client.session(id);
                tokio::spawn(async move { session.update(offers::commands()).await });
            }
            AgentCall::LoadSession(request, reply) => match self.session(&request.session_id) {
                Ok(known) => {
                    let known = known.clone();
                    let session = client.session(request.session_id);
                    tokio::spawn(async move {
                        let replayed = turn::replay(&session, &known.prompts).await;
                        let loaded = v1::LoadSessionResponse::new()
                            .modes(offers::modes(known.mode))
                            .config_options(known.options);
                        reply.with(replayed.map(|()| loaded));
                    });
                }
                Err(error) => reply.fail(error),
            },
            AgentCall::ListSessions(_, reply) => {
                let listed = self.sessions.iter().map(|(id, session)| {
                    let title = format!("A tour, {} prompts so far", session.prompts.len());
                    v1::SessionInfo::new(id.clone(), session.cwd.clone()).title(title)
                });
                reply.ok(v1::ListSessionsResponse::new(listed));
            }
            AgentCall::DeleteSession(request, reply) => {
                self.sessions.remove(&request.session_id);
                reply.ok(v1::DeleteSessionResponse::new());
            }
            AgentCall::SetSessionMode(request, reply) => {
                let set = self.session(&request.session_id);
                let set = set.map(|session| session.mode = request.mode_id);
                reply.with(set.map(|()| v1::SetSessionModeResponse::new()));
            }
            AgentCall::SetSessionConfigOption(request, reply) => {
                let set = self.session(&request.session_id);
                reply.with(set.and_then(|session| {
                    offers::set(&mut session.options, &request)?;
                    let options = session.options.clone();
                    Ok(v1::SetSessionConfigOptionResponse::new(options))
                }));
            }
            AgentCall::Prompt(request, reply) => match self.session(&request.session_id) {
                Ok(known) => {
                    known.prompts.push(request.prompt.clone());
                    let stop = turn::Stop::of(client, &request, known);
                    tokio::spawn(reply.run(async move {
                        let reason = stop.run().await?;
                        Ok::<_, CallError>(v1::PromptResponse::new(reason))
                    }));
                }
                Err(error) => reply.fail(error),
            },
            other => other.refuse(),
        }
    }

    fn session(&mut self, id: &v1::SessionId) -> Result<&mut Session, Error> {
        let session = self.sessions.get_mut(id);
        session.ok_or_else(|| error::session_not_found(id))
    }
}
