//! The ACP side: an agent that runs one CLI per session.

mod initialize;
mod login;
mod open_session;
mod transcript_replay;

use std::collections::HashMap;
use std::io;
use std::pin::pin;
use std::time::Duration;

use attache::agent::{AgentCalls, ClientHandle};
use attache::json::Raw;
use attache::schema::{FilePath, error};
use attache::{AgentCall, Error, Extension, Options, Reply, v1};
use attache_dialect::Role;
use tokio::sync::mpsc;

use crate::launch::{self, CliNotFound, Launcher};
use crate::mapping::DisplaySupport;
use crate::provider::{self, Provider};
use crate::session::{SessionCommand, SessionHandle};
use crate::store::{Cursor, TranscriptStore};

/// Serves a client on standard input and output until it disconnects or `end` completes.
///
/// # Errors
///
/// When standard input or output cannot be used.
pub async fn serve(
    launcher: Result<Launcher, CliNotFound>,
    end: impl Future<Output = ()>,
) -> io::Result<()> {
    let options = Options::default()
        .translator(attache_dialect::detect(Role::Client))
        .grace(GRACE);
    let (client, calls) = attache::agent::stdio_with(options)?;
    let store = TranscriptStore::new(launch::config_folder());
    let mut serving = pin!(serve_on(client.clone(), calls, launcher, store));
    tokio::select! {
        () = &mut serving => return Ok(()),
        () = end => {}
    }
    client.close();
    serving.await;
    Ok(())
}

/// Serves a client on a connection until it disconnects.
pub async fn serve_on(
    client: ClientHandle,
    mut calls: AgentCalls,
    launcher: Result<Launcher, CliNotFound>,
    store: TranscriptStore,
) {
    let (opened, mut news) = mpsc::channel(16);
    let mut agent = Agent {
        client,
        launcher,
        store,
        provider: None,
        sessions: HashMap::new(),
        opened,
    };
    loop {
        tokio::select! {
            // Register a session before its client can send requests for it.
            biased;
            Some((id, orders)) = news.recv() => drop(agent.sessions.insert(id, orders)),
            call = calls.next() => match call {
                Some(call) => agent.handle(call),
                None => break,
            },
            // A disconnected client no longer wants its turns. Its other requests are still answered.
            _ = agent.client.closed(), if !agent.sessions.is_empty() => agent.close_all().await,
        }
    }
    agent.close_all().await;
}

struct Agent {
    client: ClientHandle,
    launcher: Result<Launcher, CliNotFound>,
    store: TranscriptStore,
    /// The endpoint for sessions opened from now on.
    provider: Option<Provider>,
    sessions: HashMap<v1::SessionId, SessionHandle>,
    opened: mpsc::Sender<(v1::SessionId, SessionHandle)>,
}

impl Agent {
    fn handle(&mut self, call: AgentCall) {
        match call {
            AgentCall::Initialize(request, reply) => {
                let cli = self.launcher.as_ref().ok();
                let cli = cli.map(|launcher| launcher.program.as_path());
                reply.ok(initialize::response(&request.client_capabilities, cli));
            }
            AgentCall::Authenticate(request, reply) => self
                .run_with_launcher(reply, async move |launcher| {
                    login::authenticate(&launcher, &request.method_id).await
                }),
            AgentCall::Logout(_, reply) => {
                self.run_with_launcher(reply, async |launcher| login::logout(&launcher).await);
            }
            AgentCall::AuthStatus(_, reply) => self.auth_status(reply),
            AgentCall::ListProviders(_, reply) => reply.ok(provider::list(self.provider.as_ref())),
            AgentCall::SetProvider(request, reply) => {
                let provider = Provider::from_request(&request);
                reply.with(provider.map(|provider| {
                    self.provider = Some(provider);
                    v1::SetProviderResponse::new()
                }));
            }
            AgentCall::DisableProvider(request, reply) => {
                self.provider
                    .take_if(|_| provider::is_known_id(&request.provider_id));
                reply.ok(v1::DisableProviderResponse::new());
            }
            AgentCall::NewSession(request, reply) => self.new_session(request, reply),
            AgentCall::LoadSession(request, reply) => self.load_session(request, reply),
            AgentCall::ResumeSession(request, reply) => self.resume_session(request, reply),
            AgentCall::ForkSession(request, reply) => self.fork_session(request, reply),
            AgentCall::ListSessions(request, reply) => self.list_sessions(request, reply),
            AgentCall::DeleteSession(request, reply) => self.delete_session(request, reply),
            AgentCall::CloseSession(request, reply) => {
                let closed = self.close(&request.session_id);
                tokio::spawn(async move {
                    match closed {
                        Some(closed) => {
                            closed.await;
                            reply.ok(v1::CloseSessionResponse::new());
                        }
                        None => reply.fail(error::session_not_found(&request.session_id)),
                    }
                });
            }
            AgentCall::Prompt(request, reply) => {
                let id = request.session_id.clone();
                self.send_command(&id, reply, |reply| SessionCommand::Prompt(request, reply));
            }
            AgentCall::SetSessionMode(request, reply) => {
                let mode = request.mode_id.as_str().to_owned();
                self.send_command(&request.session_id, reply, |reply| {
                    SessionCommand::SetMode(mode, reply)
                });
            }
            AgentCall::SetSessionConfigOption(request, reply) => {
                let id = request.session_id.clone();
                self.send_command(&id, reply, |reply| {
                    SessionCommand::SetOption(request, reply)
                });
            }
            AgentCall::Cancel(cancel) => {
                if let Some(orders) = self.sessions.get(&cancel.session_id) {
                    // If the queue is full there is a turn, which notices the cancellation by itself.
                    orders.sender.try_send(SessionCommand::Cancel).ok();
                }
            }
            AgentCall::Extension(call, reply) => self.handle_extension(&call, reply),
            other => other.refuse(),
        }
    }

    fn auth_status(&self, reply: Reply<v1::AuthStatusResponse>) {
        if self.provider.is_some() {
            return reply.ok(v1::AuthStatusResponse::new(v1::AuthState::NotRequired));
        }
        if self.launcher.is_err() {
            return reply.ok(v1::AuthStatusResponse::new(v1::AuthState::Unknown));
        }
        self.run_with_launcher(reply, async |launcher| Ok(login::status(&launcher).await));
    }

    /// Runs a task that needs the CLI but no session.
    fn run_with_launcher<T, F>(&self, reply: Reply<T>, question: impl FnOnce(Launcher) -> F)
    where
        T: attache::json::Encode + Send + 'static,
        F: Future<Output = Result<T, Error>> + Send + 'static,
    {
        match &self.launcher {
            Ok(launcher) => {
                let answer = question(launcher.clone());
                tokio::spawn(async move { reply.with(answer.await) });
            }
            Err(missing) => reply.fail(error::internal(&missing.to_string())),
        }
    }

    fn handle_extension(&mut self, call: &Extension, reply: Reply<Raw>) {
        let params = call.params.as_ref();
        let id = params.and_then(|params| params.string_member("sessionId"));
        let id = v1::SessionId::from(id.unwrap_or_default());
        match call.method.as_str() {
            STEERING => {
                let prompt =
                    params.and_then(|params| params.read::<initialize::SteeringParams>().ok());
                match prompt {
                    Some(steering) => {
                        let prompt = steering.prompt;
                        self.send_command(&id, reply, |reply| SessionCommand::Steer(prompt, reply));
                    }
                    None => reply.fail(error::unusable_params("`prompt` is a list of blocks")),
                }
            }
            STOP_COMMAND => {
                let tool_call = params.and_then(|params| params.string_member("toolCallId"));
                let tool_call = tool_call.unwrap_or_default();
                self.send_command(&id, reply, |reply| {
                    SessionCommand::StopCommand(tool_call, reply)
                });
            }
            other => reply.fail(error::method_not_found(other)),
        }
    }

    /// Sends a command to a session. A session that has ended counts as not found.
    fn send_command<T: attache::json::Encode + Send + 'static>(
        &mut self,
        id: &v1::SessionId,
        reply: Reply<T>,
        order: impl FnOnce(Reply<T>) -> SessionCommand,
    ) {
        let Some(orders) = self.sessions.get(id).cloned() else {
            return reply.fail(error::session_not_found(id));
        };
        match orders.sender.try_reserve() {
            Ok(place) => place.send(order(reply)),
            Err(mpsc::error::TrySendError::Full(())) => {
                reply.fail(error::invalid_request(
                    "busy",
                    "too many requests are waiting in this session",
                ));
            }
            Err(mpsc::error::TrySendError::Closed(())) => {
                self.sessions.remove(id);
                reply.fail(error::session_not_found(id));
            }
        }
    }

    fn list_sessions(
        &self,
        request: v1::ListSessionsRequest,
        reply: Reply<v1::ListSessionsResponse>,
    ) {
        let after = match request.cursor.as_deref().map(str::parse::<Cursor>) {
            None => None,
            Some(Ok(after)) => Some(after),
            Some(Err(_)) => return reply.fail(error::unusable_params("unknown `cursor`")),
        };
        let store = self.store.clone();
        tokio::task::spawn_blocking(move || {
            let cwd = request.cwd.as_ref().map(FilePath::as_str);
            let (sessions, next) = store.list(cwd, after.as_ref());
            let mut response = v1::ListSessionsResponse::new(sessions);
            if let Some(next) = next {
                response = response.next_cursor(next.to_string());
            }
            reply.ok(response);
        });
    }

    fn delete_session(
        &mut self,
        request: v1::DeleteSessionRequest,
        reply: Reply<v1::DeleteSessionResponse>,
    ) {
        let closed = self.close(&request.session_id);
        let store = self.store.clone();
        tokio::spawn(async move {
            if let Some(closed) = closed {
                closed.await;
            }
            let id = request.session_id;
            let deleted = tokio::task::spawn_blocking(move || store.delete(id.as_str())).await;
            let deleted = deleted.unwrap_or_else(|failed| Err(io::Error::other(failed)));
            let deleted = deleted.map_err(|failed| error::internal(&failed.to_string()));
            reply.with(deleted.map(|()| v1::DeleteSessionResponse::new()));
        });
    }

    /// Closes a session if it is open. The returned future completes once it is closed.
    fn close(&mut self, id: &v1::SessionId) -> Option<impl Future<Output = ()> + Send + use<>> {
        let orders = self.sessions.remove(id)?;
        Some(orders.close())
    }

    async fn close_all(&mut self) {
        let ids: Vec<_> = self.sessions.keys().cloned().collect();
        let closing: Vec<_> = ids.iter().filter_map(|id| self.close(id)).collect();
        let mut closing: tokio::task::JoinSet<_> = closing.into_iter().collect();
        let closed = async { while closing.join_next().await.is_some() {} };
        // Sessions that take longer are killed when we exit.
        tokio::time::timeout(CLOSING, closed).await.ok();
    }

    fn display_support(&self) -> DisplaySupport {
        initialize::display_support(&self.client.capabilities().unwrap_or_default())
    }
}

/// For responses still under way when the client disconnects.
const GRACE: Duration = Duration::from_millis(500);
const CLOSING: Duration = Duration::from_secs(5);
const STEERING: &str = "_session/steering";
const STOP_COMMAND: &str = "_attache/stop_command";
