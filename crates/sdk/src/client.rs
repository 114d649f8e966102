//! The client's side: talk to the agent through an [`AgentHandle`], take what it asks and tells from [`ClientCalls`].

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;

use attache_rpc::json::{Encode, Raw};
use attache_rpc::{Flow, Garbage, Stream};
use attache_schema::dialect::Peer;
use attache_schema::method::{Notification, Request};
use attache_schema::v1;
use attache_transport::process::{self, Child, Program};
use attache_transport::{self as transport, Closed, Inbox};
use tokio::io::{AsyncRead, AsyncWrite};

use crate::border;
use crate::core::Core;
use crate::lookout::ForClient;
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
        garbage: Garbage::Skip,
        stall: options.stall,
        grace: options.grace,
        lookout: Box::new(ForClient),
        border: border::at(Peer::Agent, options.dialect),
    };
    let (link, inbox) = transport::connect(read, write, options);
    let core = Arc::new(Core::of_client(link));
    let agent = AgentHandle {
        core: Arc::clone(&core),
    };
    (agent, ClientCalls { core, inbox })
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
    core: Arc<Core>,
    inbox: Inbox,
}

impl ClientCalls {
    /// Takes the next call. `None` when the agent has gone and everything has been said.
    ///
    /// Calls that cannot be read, or that we have not offered to serve, are answered here and not shown.
    pub async fn next(&mut self) -> Option<ClientCall> {
        calls::next_for_client(&self.core, &mut self.inbox).await
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
    core: Arc<Core>,
}

impl AgentHandle {
    /// Begins the conversation: agrees on the version, and learns what the agent can do.
    pub async fn initialize(
        &self,
        request: v1::InitializeRequest,
    ) -> Result<v1::InitializeResponse, CallError> {
        self.core.known().client = Some(request.client_capabilities.clone());
        let answer = self.core.ask(&request).await?;
        if answer.protocol_version != v1::ProtocolVersion::V1 {
            return Err(CallError::Version(answer.protocol_version.0));
        }
        let mut known = self.core.known();
        known.agent = Some(answer.agent_capabilities.clone());
        known.auth_methods.clone_from(&answer.auth_methods);
        drop(known);
        Ok(answer)
    }

    /// Asks the agent. A call that it has not offered to serve is an error and is not sent.
    ///
    /// The answer to `session/prompt` and `session/load` comes after the updates before it have been taken from
    /// [`ClientCalls`]; other answers come at once.
    pub async fn ask<R: Request>(&self, request: R) -> Result<R::Response, CallError> {
        self.core.ask(&request).await
    }

    /// Asks the agent, and logs in if it wants that first, in the way that `choose` picks of those it offers.
    pub async fn ask_with_login<R: Request>(
        &self,
        request: R,
        choose: impl FnOnce(&[v1::AuthMethod]) -> Option<v1::AuthMethodId>,
    ) -> Result<R::Response, CallError> {
        let refused = match self.core.ask(&request).await {
            Err(error) if error.wants_login() => error,
            other => return other,
        };
        let methods = self.core.known().auth_methods.clone();
        let Some(method) = choose(&methods) else {
            return Err(refused);
        };
        self.ask(v1::AuthenticateRequest::new(method)).await?;
        self.core.ask(&request).await
    }

    /// Tells the agent.
    pub async fn tell<N: Notification>(&self, notification: N) -> Result<(), CallError> {
        self.core.tell_any(&notification).await
    }

    /// Asks something outside the protocol; the method's name starts with `_`.
    pub async fn ask_extension(
        &self,
        method: &str,
        params: &(impl Encode + ?Sized),
    ) -> Result<Raw, CallError> {
        self.core.ask_extension(method, &Raw::of(params)).await
    }

    /// Tells something outside the protocol.
    pub async fn tell_extension(
        &self,
        method: &str,
        params: &(impl Encode + ?Sized),
    ) -> Result<(), CallError> {
        self.core.tell_extension(method, &Raw::of(params)).await
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
        self.core.known().agent.clone()
    }

    /// Waits until everything that has been said is written.
    pub async fn flush(&self) {
        self.core.link.flush().await;
    }

    /// Closes the connection after everything that has been said is written.
    pub fn close(&self) {
        self.core.link.close();
    }

    /// Waits until the connection has ended, and tells why.
    pub async fn closed(&self) -> Closed {
        self.core.link.closed().await
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
        self.agent.ask(request).await
    }

    /// Cancels the turn that runs, before everything else that waits to be said. The questions to a person that are
    /// still open are answered with `cancelled`; the turn's own answer still comes.
    pub async fn cancel(&self) -> Result<(), CallError> {
        let flow = Flow::urgent(Stream::named(self.id.as_str()));
        let notification = v1::CancelNotification::new(self.id.clone());
        self.agent.core.cancels(flow.stream);
        self.agent.core.tell(&notification, flow).await?;
        let link = &self.agent.core.link;
        let cancelled = v1::RequestPermissionResponse::new(v1::RequestPermissionOutcome::Cancelled);
        for question in link.open_requests(flow.stream) {
            link.answer(&question, flow, Ok(&cancelled));
        }
        Ok(())
    }
}
