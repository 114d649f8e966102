//! The agent as a client sees it: dispatches every call of the protocol.

mod open_session;
mod replay;
mod session_locks;
mod stored_sessions;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use attache::agent::{AgentCalls, ClientHandle};
use attache::schema::error;
use attache::{AgentCall, Error, Reply, v1};
use attache_host::permissions::{PermissionConfig, Permissions, Policy, Preset};
use attache_journal::Store;
use attache_model::Catalog;
use futures_util::future::join_all;
use tokio::select;

use crate::session::Session;
use crate::tools::ToolEnvironment;
use crate::{initialize, providers, turn};
use session_locks::SessionLocks;

/// The parts that an agent is built from.
#[derive(Debug)]
pub struct Setup {
    /// The store of sessions.
    pub store: Store,
    /// The providers and models.
    pub models: Catalog,
    /// Limits on what one turn or connection may use.
    pub limits: Limits,
    /// The files, terminals and web access that the tools use.
    pub environment: ToolEnvironment,
    /// The user's rules. Only rules that deny or ask apply here. Rules that allow are for the client, which answers the
    /// agent's permission requests.
    pub policy: Option<Policy>,
}

/// Limits of an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Maximum requests to the model in one turn.
    pub requests: usize,
    /// How long connecting to an MCP server may take.
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

/// Serves a client until the connection closes, then ends all sessions and everything they started.
pub async fn serve(client: ClientHandle, mut calls: AgentCalls, setup: Setup) {
    let agent = Arc::new(Agent {
        client,
        store: setup.store,
        models: setup.models,
        limits: setup.limits,
        environment: setup.environment,
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

/// Stores no decisions: those that outlive a session belong to the client.
fn permissions(policy: Option<Policy>) -> Permissions {
    let mut config = PermissionConfig::new(Preset::Ask);
    config.policy = policy;
    Permissions::open(config).0
}

/// State that all sessions share.
#[derive(Debug)]
pub(crate) struct Agent {
    pub(crate) client: ClientHandle,
    pub(crate) store: Store,
    pub(crate) models: Catalog,
    pub(crate) limits: Limits,
    pub(crate) environment: ToolEnvironment,
    /// The rules, and the user's decisions in open sessions.
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
            // The connection has already cancelled what the session's turns wait for. An idle session has nothing to cancel.
            AgentCall::Cancel(_) => {}
            other => self.handle_stored(other),
        }
    }

    /// Calls about stored sessions and about models.
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
            AgentCall::AuthStatus(_, reply) => reply.ok(initialize::auth_status(&self.models)),
            AgentCall::ListProviders(_, reply) => reply.ok(providers::list(&self.models)),
            AgentCall::SetProvider(request, reply) => respond(reply, async move {
                let before = initialize::auth_status(&agent.models);
                providers::set(&agent.models, request)?;
                agent.report_auth_status(&before).await;
                agent.models_changed().await;
                agent.discover_models();
                Ok(v1::SetProviderResponse::new())
            }),
            AgentCall::DisableProvider(request, reply) => respond(reply, async move {
                let before = initialize::auth_status(&agent.models);
                providers::disable(&agent.models, &request);
                agent.report_auth_status(&before).await;
                agent.models_changed().await;
                Ok(v1::DisableProviderResponse::new())
            }),
            other => other.refuse(),
        }
    }

    /// The open session with this id.
    pub(crate) fn session(&self, id: &v1::SessionId) -> Result<Arc<Session>, Error> {
        let session = self.sessions().get(id).cloned();
        session.ok_or_else(|| error::session_not_found(id))
    }

    /// Makes the session available to calls of the client.
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

    /// Ends a session's work and removes it. Runs to completion even if the caller stops waiting.
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
        // Fails only if the runtime is shutting down.
        drop(closed.await);
    }

    /// Asks providers for their models in the background.
    fn discover_models(self: &Arc<Self>) {
        let agent = Arc::clone(self);
        tokio::spawn(async move {
            let before = agent.models.infos();
            // The user sees the error on choosing a model of a provider that does not respond.
            drop(agent.models.discover().await);
            if agent.models.infos() != before {
                agent.models_changed().await;
            }
        });
    }

    /// Notifies the client of its login state if it differs from the one before a change of a provider.
    async fn report_auth_status(&self, before: &v1::AuthStatusResponse) {
        let state = initialize::auth_status(&self.models).state;
        if state != before.state {
            // A closed connection needs no notification.
            drop(
                self.client
                    .notify(v1::AuthStatusUpdateNotification::new(state))
                    .await,
            );
        }
    }

    async fn models_changed(&self) {
        for session in self.open_sessions() {
            // A closed connection needs no update.
            drop(session.announce_options().await);
        }
    }

    async fn end(self: &Arc<Self>) {
        let sessions = self.open_sessions();
        join_all(sessions.iter().map(|session| self.close(session))).await;
        // Callers that waited for a write have already got its error.
        drop(self.store.flush().await);
    }
}

/// Handles a request in a task of its own, unless the client cancels it.
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

/// Like [`respond`], for a request that opens a session. Updates of the session follow the response.
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
                session.mark_opened();
                session.announce_commands().await;
            }
            Err(error) => reply.fail(error),
        }
    });
}
