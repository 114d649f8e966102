//! The client's side: send messages to the agent with an [`AgentHandle`], receive its calls from [`ClientCalls`].

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};

use attache_process::{self as process, Child, Program};
use attache_rpc::{NonJsonLines, SendOptions, SessionKey};
use attache_schema::method::{Notification, RequestToAgent};
use attache_schema::v1;
use attache_transport::{self as transport, Inbox};
use futures_core::Stream;
use tokio::io::{AsyncRead, AsyncWrite};

use crate::connection::Connection;
use crate::session_index::ClientSessionIndex;
use crate::{CallError, ClientCall, Options, Role, calls};

/// Connects a client to the agent on any byte stream.
pub fn connect<R, W>(read: R, write: W, options: Options) -> (AgentHandle, ClientCalls)
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    connect_over("stream", read, write, options)
}

/// `transport` is what carries the bytes, for the log.
fn connect_over<R, W>(
    transport: &'static str,
    read: R,
    write: W,
    options: Options,
) -> (AgentHandle, ClientCalls)
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let options = transport::Options::default()
        .limits(options.limits)
        .framing(options.framing)
        .non_json_lines(NonJsonLines::Skip)
        .stall(options.stall)
        .grace(options.grace)
        .session_index(ClientSessionIndex)
        .peer("agent")
        .transport(transport)
        .translator(options.translator)
        .tap(options.tap);
    let (link, inbox) = transport::connect(read, write, options);
    let connection = Arc::new(Connection::new(link, Role::Agent));
    let agent = AgentHandle {
        connection: Arc::clone(&connection),
    };
    (agent, ClientCalls { connection, inbox })
}

/// Starts an agent and connects to its standard input and output. Dropping the [`Child`] kills the agent and all
/// processes that it started; [`Child::stop`] lets them exit first.
pub async fn spawn(
    program: &Program,
    options: Options,
) -> Result<(AgentHandle, ClientCalls, Child), process::Error> {
    let (child, stdin, stdout) = program.spawn_piped().await?;
    let (agent, calls) = connect_over("child process", stdout, stdin, options);
    Ok((agent, calls, child))
}

/// The requests and notifications of the agent, in the order in which they arrive.
#[derive(Debug)]
pub struct ClientCalls {
    connection: Arc<Connection>,
    inbox: Inbox,
}

impl ClientCalls {
    /// Waits for the next call. Returns `None` when the connection is closed and everything has been sent.
    ///
    /// Requests that are invalid, or whose capability the client does not advertise, get an error response here and are
    /// not returned.
    pub async fn next(&mut self) -> Option<ClientCall> {
        poll_fn(|cx| self.poll_call(cx)).await
    }

    fn poll_call(&mut self, cx: &mut Context<'_>) -> Poll<Option<ClientCall>> {
        calls::poll_for_client(&self.connection, &mut self.inbox, cx)
    }

    /// Awaits a future, usually a prompt, and passes every call that arrives meanwhile to a closure. The response to a
    /// prompt is delivered after all messages that the agent sent before it.
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

/// The same calls as [`next`](ClientCalls::next) returns.
impl Stream for ClientCalls {
    type Item = ClientCall;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<ClientCall>> {
        self.poll_call(cx)
    }
}

/// Sends requests and notifications to the agent. It can be cloned and used from any task.
#[derive(Debug, Clone)]
pub struct AgentHandle {
    pub(crate) connection: Arc<Connection>,
}

impl AgentHandle {
    /// Sends `initialize`, which negotiates the protocol version and exchanges capabilities. Fails with
    /// [`CallErrorKind::Version`](crate::CallErrorKind::Version) if the agent does not support version 1.
    pub async fn initialize(
        &self,
        request: v1::InitializeRequest,
    ) -> Result<v1::InitializeResponse, CallError> {
        self.request(request).await
    }

    /// Sends a request. If the agent requires a login first, sends `authenticate` with the method that `choose` picks,
    /// then repeats the request.
    pub async fn request_with_login<R: RequestToAgent>(
        &self,
        request: R,
        choose: impl FnOnce(&[v1::AuthMethod]) -> Option<v1::AuthMethodId>,
    ) -> Result<R::Response, CallError> {
        let refused = match self.connection.request(&request).await {
            Err(error) if error.requires_login() => error,
            other => return other,
        };
        let methods = self.connection.handshake().auth_methods.clone();
        let Some(method) = choose(&methods) else {
            return Err(refused);
        };
        self.request(v1::AuthenticateRequest::new(method)).await?;
        self.connection.request(&request).await
    }

    /// A handle to one session of the agent.
    pub fn session(&self, id: impl Into<v1::SessionId>) -> AgentSession {
        AgentSession {
            agent: self.clone(),
            id: id.into(),
        }
    }

    /// The capabilities of the agent; `None` before `initialize`.
    pub fn capabilities(&self) -> Option<v1::AgentCapabilities> {
        self.connection.handshake().agent.clone()
    }
}

/// One session of a client, for sending prompts and cancellations to the agent.
#[derive(Debug, Clone)]
pub struct AgentSession {
    agent: AgentHandle,
    id: v1::SessionId,
}

impl AgentSession {
    /// Id of the session.
    pub fn id(&self) -> &v1::SessionId {
        &self.id
    }

    /// Sends `session/prompt` and waits until the turn ends. The response is delivered after all updates of the turn,
    /// so receive calls meanwhile, for example with [`ClientCalls::until`].
    ///
    /// Dropping the future does not cancel the turn: it sends `$/cancel_request`, which many agents ignore. To cancel the
    /// turn, call [`cancel`](Self::cancel) and keep awaiting this future.
    pub async fn prompt(
        &self,
        content: impl IntoIterator<Item = impl Into<v1::ContentBlock>>,
    ) -> Result<v1::PromptResponse, CallError> {
        let request = v1::PromptRequest::new(self.id.clone(), content);
        self.agent.request(request).await
    }

    /// Sends `session/cancel` ahead of other queued messages, and responds to the pending permission requests of the
    /// session with `cancelled`. The prompt still gets its own response.
    pub async fn cancel(&self) -> Result<(), CallError> {
        let options = SendOptions::urgent(SessionKey::named(self.id.as_str()));
        let notification = v1::CancelNotification::new(self.id.clone());
        self.agent.connection.turns.cancel(options.session);
        let method = <v1::CancelNotification as Notification>::METHOD;
        let connection = &self.agent.connection;
        connection
            .notify_in_session(method, options, &notification)
            .await?;
        let link = &self.agent.connection.link;
        let cancelled = v1::RequestPermissionResponse::new(v1::RequestPermissionOutcome::Cancelled);
        for request in link.open_requests(options.session) {
            link.respond(&request, options, Ok(&cancelled));
        }
        Ok(())
    }
}
