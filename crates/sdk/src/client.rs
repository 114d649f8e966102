//! The client's side: talk to the agent through an [`AgentHandle`], take what it asks and tells from [`ClientCalls`].

use std::future::Future;
use std::ops::Deref;
use std::pin::pin;
use std::sync::Arc;

use attache_process::{self as process, Child, Program};
use attache_rpc::{NonJsonLines, SendOptions, SessionKey};
use attache_schema::method::Request;
use attache_schema::v1;
use attache_transport::{self as transport, Inbox};
use tokio::io::{AsyncRead, AsyncWrite};

use crate::connection::Connection;
use crate::session_index::ClientSessionIndex;
use crate::{CallError, ClientCall, Options, calls};

/// A client on any stream of bytes.
pub fn connect<R, W>(read: R, write: W, options: Options) -> (AgentHandle, ClientCalls)
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let options = transport::Options {
        limits: options.limits,
        framing: options.framing,
        non_json_lines: NonJsonLines::Skip,
        stall: options.stall,
        grace: options.grace,
        session_index: Box::new(ClientSessionIndex),
        translator: options.translator,
    };
    let (link, inbox) = transport::connect(read, write, options);
    let connection = Arc::new(Connection::of_client(link));
    let agent = AgentHandle {
        connection: Arc::clone(&connection),
    };
    (agent, ClientCalls { connection, inbox })
}

/// Starts an agent and connects to its standard input and output. When the [`Child`] is dropped the agent and
/// everything it has started are killed; [`Child::stop`] ends them gently.
pub async fn spawn(
    program: &Program,
    options: Options,
) -> Result<(AgentHandle, ClientCalls, Child), process::Error> {
    let (child, stdin, stdout) = program.spawn_piped().await?;
    let (agent, calls) = connect(stdout, stdin, options);
    Ok((agent, calls, child))
}

/// What the agent asks and tells, in the order of the wire.
#[derive(Debug)]
pub struct ClientCalls {
    connection: Arc<Connection>,
    inbox: Inbox,
}

impl ClientCalls {
    /// Takes the next call. `None` when the agent has gone and everything has been said.
    ///
    /// Calls that cannot be read, or that we have not offered to serve, are answered here and not shown.
    pub async fn next(&mut self) -> Option<ClientCall> {
        calls::next_for_client(&self.connection, &mut self.inbox).await
    }

    /// Waits for something and takes every call that comes in the meantime. The answer to a prompt comes after
    /// everything that the agent said before it.
    pub async fn until<T>(
        &mut self,
        something: impl Future<Output = T>,
        mut take: impl FnMut(ClientCall),
    ) -> T {
        let mut something = pin!(something);
        loop {
            tokio::select! {
                biased;
                done = &mut something => return done,
                call = self.next() => match call {
                    Some(call) => take(call),
                    None => return something.await,
                },
            }
        }
    }
}

/// The agent, as a client sees it. It can be cloned and used from any task.
#[derive(Debug, Clone)]
pub struct AgentHandle {
    connection: Arc<Connection>,
}

impl AgentHandle {
    /// Begins the conversation: agrees on the version, and learns what the agent can do.
    pub async fn initialize(
        &self,
        request: v1::InitializeRequest,
    ) -> Result<v1::InitializeResponse, CallError> {
        self.connection.handshake().client = Some(request.client_capabilities.clone());
        let answer = self.connection.request_ref(&request).await?;
        if answer.protocol_version != v1::ProtocolVersion::V1 {
            return Err(CallError::Version(answer.protocol_version.0));
        }
        let mut handshake = self.connection.handshake();
        handshake.agent = Some(answer.agent_capabilities.clone());
        handshake.auth_methods.clone_from(&answer.auth_methods);
        drop(handshake);
        Ok(answer)
    }

    /// Asks the agent, and logs in if it wants that first, in the way that `choose` picks of those it offers.
    pub async fn request_with_login<R: Request>(
        &self,
        request: R,
        choose: impl FnOnce(&[v1::AuthMethod]) -> Option<v1::AuthMethodId>,
    ) -> Result<R::Response, CallError> {
        let refused = match self.connection.request_ref(&request).await {
            Err(error) if error.wants_login() => error,
            other => return other,
        };
        let methods = self.connection.handshake().auth_methods.clone();
        let Some(method) = choose(&methods) else {
            return Err(refused);
        };
        self.request(v1::AuthenticateRequest::new(method)).await?;
        self.connection.request_ref(&request).await
    }

    /// One session of the agent.
    pub fn session(&self, id: impl Into<v1::SessionId>) -> AgentSession {
        AgentSession {
            agent: self.clone(),
            id: id.into(),
        }
    }

    /// What the agent has said it can do; `None` before `initialize`.
    pub fn capabilities(&self) -> Option<v1::AgentCapabilities> {
        self.connection.handshake().agent.clone()
    }
}

impl Deref for AgentHandle {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        &self.connection
    }
}

/// One session, as a client sees it.
#[derive(Debug, Clone)]
pub struct AgentSession {
    agent: AgentHandle,
    id: v1::SessionId,
}

impl AgentSession {
    /// The session's id.
    pub fn id(&self) -> &v1::SessionId {
        &self.id
    }

    /// Runs a turn. The answer comes after everything that the turn has brought; take calls meanwhile.
    pub async fn prompt(
        &self,
        content: impl IntoIterator<Item = impl Into<v1::ContentBlock>>,
    ) -> Result<v1::PromptResponse, CallError> {
        let request = v1::PromptRequest::new(self.id.clone(), content);
        self.agent.request(request).await
    }

    /// Cancels the turn that runs, before everything else that waits to be said. The questions to a person that are
    /// still open are answered with `cancelled`; the turn's own answer still comes.
    pub async fn cancel(&self) -> Result<(), CallError> {
        let options = SendOptions::urgent(SessionKey::named(self.id.as_str()));
        let notification = v1::CancelNotification::new(self.id.clone());
        self.agent.connection.turns.cancel(options.session);
        self.agent
            .connection
            .notify_in_session(options, &notification)
            .await?;
        let link = &self.agent.connection.link;
        let cancelled = v1::RequestPermissionResponse::new(v1::RequestPermissionOutcome::Cancelled);
        for request in link.open_requests(options.session) {
            link.respond(&request, options, Ok(&cancelled));
        }
        Ok(())
    }
}
