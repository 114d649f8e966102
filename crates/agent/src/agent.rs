//! The agent as a client meets it: every call of the protocol, and who takes it.

mod opening;
mod replay;
mod session_locks;
mod stored;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use attache::agent::{AgentCalls, ClientHandle};
use attache::schema::error;
use attache::{AgentCall, Error, Reply, v1};
use attache_host::permissions::{Config, Permissions, Policy, Preset};
use attache_journal::Store;
use attache_model::Catalog;
use futures_util::future::join_all;
use tokio::select;

use crate::session::Session;
use crate::tools::ToolEnvironment;
use crate::{initialize, providers, turn};
use session_locks::SessionLocks;

/// What an agent is made of.
#[derive(Debug)]
pub struct Setup {
    /// Where sessions are kept.
    pub store: Store,
    /// Who answers.
    pub models: Catalog,
    /// How much it does at once.
    pub limits: Limits,
    /// What the tools work with.
    pub equipment: ToolEnvironment,
    /// Rules that the user wrote. Those that deny or ask count here; those that allow are for the client, who answers
    /// the agent's requests.
    pub policy: Option<Policy>,
}

/// How much an agent does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Requests to the model in one turn.
    pub requests: usize,
    /// How long an MCP server may take to be connected.
    pub connecting: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            requests: 200,
            connecting: Duration::from_secs(20),
        }
    }
}

/// Serves a client until it is gone, then ends all sessions and everything that they have started.
pub async fn serve(client: ClientHandle, mut calls: AgentCalls, setup: Setup) {
    let agent = Arc::new(Agent {
        client,
        store: setup.store,
        models: setup.models,
        limits: setup.limits,
        equipment: setup.equipment,
        has_policy: setup.policy.is_some(),
        permissions: permissions(setup.policy),
        sessions: Mutex::default(),
        locks: SessionLocks::default(),
    });
    while let Some(call) = calls.next().await {
        agent.handle(call);
    }
    agent.end().await;
}

/// Nothing is stored: decisions that outlive a session are the client's.
fn permissions(policy: Option<Policy>) -> Permissions {
    let mut config = Config::new(Preset::Ask);
    config.policy = policy;
    Permissions::open(config).0
}

/// What all sessions share.
#[derive(Debug)]
pub(crate) struct Agent {
    pub(crate) client: ClientHandle,
    pub(crate) store: Store,
    pub(crate) models: Catalog,
    pub(crate) limits: Limits,
    pub(crate) equipment: ToolEnvironment,
    /// Rules, and what users have decided in the sessions that are open.
    pub(crate) permissions: Permissions,
    pub(crate) has_policy: bool,
    sessions: Mutex<HashMap<v1::SessionId, Arc<Session>>>,
    locks: SessionLocks,
}

impl Agent {
    fn handle(self: &Arc<Self>, call: AgentCall) {
        let agent = Arc::clone(self);
        match call {
            AgentCall::Initialize(_, reply) => {
                reply.ok(initialize::initialize_response(&self.models))
            }
            AgentCall::Authenticate(request, reply) => {
                reply.with(initialize::authenticate(&self.models, &request.method_id));
            }
            AgentCall::NewSession(request, reply) => {
                respond_with_session(reply, async move { agent.start(request).await });
            }
            AgentCall::LoadSession(request, reply) => {
                respond_with_session(reply, async move { agent.load(request).await });
            }
            AgentCall::ResumeSession(request, reply) => {
                respond_with_session(reply, async move { agent.resume(request).await });
            }
            AgentCall::ForkSession(request, reply) => {
                respond_with_session(reply, async move { agent.fork(request).await });
            }
            AgentCall::Prompt(request, reply) => match self.session(&request.session_id) {
                Ok(session) => turn::take(&session, request, reply),
                Err(error) => reply.fail(error),
            },
            AgentCall::SetSessionMode(request, reply) => respond(reply, async move {
                let session = agent.session(&request.session_id)?;
                session.set_mode(request.mode_id.as_str()).await?;
                Ok(v1::SetSessionModeResponse::new())
            }),
            AgentCall::SetSessionConfigOption(request, reply) => respond(reply, async move {
                let session = agent.session(&request.session_id)?;
                session.choose(&request).await?;
                Ok(v1::SetSessionConfigOptionResponse::new(session.options()))
            }),
            AgentCall::CloseSession(request, reply) => respond(reply, async move {
                let _alone = agent.locks.lock(&request.session_id).await;
                let session = agent.session(&request.session_id)?;
                agent.close(&session).await;
                Ok(v1::CloseSessionResponse::new())
            }),
            AgentCall::MessageMcp(notification) => {
                for session in self.open_sessions() {
                    session.servers.deliver(&notification);
                }
            }
            // The connection has taken back what the session's turns wait for; one that is idle has nothing to cancel.
            AgentCall::Cancel(_) => {}
            other => self.handle_stored(other),
        }
    }

    /// Calls about sessions that are stored, and about models.
    fn handle_stored(self: &Arc<Self>, call: AgentCall) {
        let agent = Arc::clone(self);
        match call {
            AgentCall::ListSessions(request, reply) => {
                respond(reply, async move { agent.list(request).await });
            }
            AgentCall::DeleteSession(request, reply) => {
                respond(reply, async move { agent.delete(request).await });
            }
            AgentCall::ArchiveSession(request, reply) => {
                respond(reply, async move { agent.archive(request).await });
            }
            AgentCall::UnarchiveSession(request, reply) => {
                respond(reply, async move { agent.unarchive(request).await });
            }
            AgentCall::SessionStatus(request, reply) => {
                respond(reply, async move { agent.status(request).await });
            }
            AgentCall::SetSessionTitle(request, reply) => {
                respond(reply, async move { agent.set_title(request).await });
            }
            AgentCall::ListProviders(_, reply) => reply.ok(providers::list(&self.models)),
            AgentCall::SetProvider(request, reply) => respond(reply, async move {
                providers::set(&agent.models, request)?;
                agent.models_changed().await;
                agent.discover_models();
                Ok(v1::SetProviderResponse::new())
            }),
            AgentCall::DisableProvider(request, reply) => respond(reply, async move {
                providers::disable(&agent.models, &request);
                agent.models_changed().await;
                Ok(v1::DisableProviderResponse::new())
            }),
            other => other.refuse(),
        }
    }

    /// The session of that name, if it is open.
    pub(crate) fn session(&self, id: &v1::SessionId) -> Result<Arc<Session>, Error> {
        let session = self.sessions().get(id).cloned();
        session.ok_or_else(|| error::session_not_found(id))
    }

    /// From now on the client can name the session.
    fn register(&self, session: &Arc<Session>) {
        let (id, session) = (session.id().clone(), Arc::clone(session));
        self.sessions().insert(id, session);
    }

    fn open_sessions(&self) -> Vec<Arc<Session>> {
        self.sessions().values().cloned().collect()
    }

    fn sessions(&self) -> MutexGuard<'_, HashMap<v1::SessionId, Arc<Session>>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends a session's work and lets go of it. Whoever stops waiting does not stop it halfway.
    async fn close(self: &Arc<Self>, session: &Arc<Session>) {
        let (agent, session) = (Arc::clone(self), Arc::clone(session));
        let closed = tokio::spawn(async move {
            session.close().await;
            let mut sessions = agent.sessions();
            let open = sessions.get(session.id());
            if open.is_some_and(|open| Arc::ptr_eq(open, &session)) {
                sessions.remove(session.id());
            }
        });
        // It fails only with the runtime.
        drop(closed.await);
    }

    /// Asks providers for their models while nobody waits.
    fn discover_models(self: &Arc<Self>) {
        let agent = Arc::clone(self);
        tokio::spawn(async move {
            let before = agent.models.infos();
            // Whoever chooses a model of one that does not respond hears of it.
            drop(agent.models.discover().await);
            if agent.models.infos() != before {
                agent.models_changed().await;
            }
        });
    }

    async fn models_changed(&self) {
        for session in self.open_sessions() {
            // A client that is gone needs no news.
            drop(session.announce_options().await);
        }
    }

    async fn end(self: &Arc<Self>) {
        let sessions = self.open_sessions();
        join_all(sessions.iter().map(|session| self.close(session))).await;
        // What cannot be written has been told to whoever waited for it.
        drop(self.store.flush().await);
    }
}

/// Answers a request in a task of its own, unless the client takes it back.
fn respond<T>(reply: Reply<T>, work: impl Future<Output = Result<T, Error>> + Send + 'static)
where
    T: attache::json::Encode + Send + 'static,
{
    tokio::spawn(async move {
        let outcome = select! {
            biased;
            () = reply.cancelled() => Err(error::cancelled()),
            outcome = work => outcome,
        };
        reply.with(outcome);
    });
}

/// The same for a request that opens a session, which is announced once the client knows it.
fn respond_with_session<T>(
    reply: Reply<T>,
    work: impl Future<Output = Result<(Arc<Session>, T), Error>> + Send + 'static,
) where
    T: attache::json::Encode + Send + 'static,
{
    tokio::spawn(async move {
        let outcome = select! {
            biased;
            () = reply.cancelled() => Err(error::cancelled()),
            outcome = work => outcome,
        };
        match outcome {
            Ok((session, response)) => {
                reply.ok(response);
                session.mark_announced();
                session.announce_commands().await;
            }
            Err(error) => reply.fail(error),
        }
    });
}
