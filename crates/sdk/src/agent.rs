//! The agent's side: receive calls from [`AgentCalls`], send messages to the client with a [`ClientHandle`].

use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use attache_rpc::json::{Encode, Raw};
use attache_rpc::{NonJsonLines, SendOptions, SessionKey};
use attache_schema::method::Notification;
use attache_schema::{FilePath, v1};
use attache_transport::{self as transport, Inbox};
use futures_core::Stream;
use tokio::io::{AsyncRead, AsyncWrite};

use crate::connection::Connection;
use crate::session_index::AgentSessionIndex;
use crate::{AgentCall, CallError, Options, Role, calls};

/// Connects an agent to the client on standard input and output. From then on both carry only protocol messages; print
/// to standard error instead. Call it once, within a tokio runtime.
pub fn stdio() -> io::Result<(ClientHandle, AgentCalls)> {
    stdio_with(Options::default())
}

/// Connects an agent to the client on standard input and output, like [`stdio`], with these options.
pub fn stdio_with(options: Options) -> io::Result<(ClientHandle, AgentCalls)> {
    let (read, write) = transport::stdio()?;
    Ok(connect_over("stdio", read, write, options))
}

/// Connects an agent to the client on any byte stream.
pub fn connect<R, W>(read: R, write: W, options: Options) -> (ClientHandle, AgentCalls)
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
) -> (ClientHandle, AgentCalls)
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let options = transport::Options::default()
        .limits(options.limits)
        .framing(options.framing)
        .non_json_lines(NonJsonLines::Reject)
        .stall(options.stall)
        // A client does not need our response before it responds.
        .stalls_on_requests(false)
        .grace(options.grace)
        .session_index(AgentSessionIndex)
        .peer("client")
        .transport(transport)
        .translator(options.translator)
        .tap(options.tap);
    let (link, inbox) = transport::connect(read, write, options);
    let connection = Arc::new(Connection::new(link, Role::Client));
    let client = ClientHandle {
        connection: Arc::clone(&connection),
    };
    (client, AgentCalls { connection, inbox })
}

/// The requests and notifications of the client, in the order in which they arrive.
#[derive(Debug)]
pub struct AgentCalls {
    connection: Arc<Connection>,
    inbox: Inbox,
}

impl AgentCalls {
    /// Waits for the next call. Returns `None` when the connection is closed and everything has been sent.
    ///
    /// Requests that are invalid, or that come before `initialize`, get an error response here and are not returned.
    pub async fn next(&mut self) -> Option<AgentCall> {
        poll_fn(|cx| self.poll_call(cx)).await
    }

    fn poll_call(&mut self, cx: &mut Context<'_>) -> Poll<Option<AgentCall>> {
        calls::poll_for_agent(&self.connection, &mut self.inbox, cx)
    }
}

/// The same calls as [`next`](AgentCalls::next) returns.
impl Stream for AgentCalls {
    type Item = AgentCall;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<AgentCall>> {
        self.poll_call(cx)
    }
}

/// Sends requests and notifications to the client. It can be cloned and used from any task.
#[derive(Debug, Clone)]
pub struct ClientHandle {
    pub(crate) connection: Arc<Connection>,
}

impl ClientHandle {
    /// A handle to one session of the client.
    pub fn session(&self, id: impl Into<v1::SessionId>) -> ClientSession {
        let id = id.into();
        ClientSession {
            session: SessionKey::named(id.as_str()),
            id,
            client: self.clone(),
        }
    }

    /// The capabilities of the client; `None` before `initialize`.
    pub fn capabilities(&self) -> Option<v1::ClientCapabilities> {
        self.connection.handshake().client.clone()
    }
}

/// One session of an agent, for sending updates and requests about it to the client.
#[derive(Debug, Clone)]
pub struct ClientSession {
    client: ClientHandle,
    id: v1::SessionId,
    session: SessionKey,
}

impl ClientSession {
    /// Id of the session.
    pub fn id(&self) -> &v1::SessionId {
        &self.id
    }

    /// The client that the session belongs to.
    pub fn client(&self) -> &ClientHandle {
        &self.client
    }

    /// Sends a `session/update`. Waits while the outgoing queue is full because the client does not read.
    pub async fn update(&self, update: impl Into<v1::SessionUpdate>) -> Result<(), CallError> {
        let notification = v1::SessionNotification::new(self.id.clone(), update);
        self.send_update(&notification).await
    }

    /// Sends a `session/update` with an update that is already encoded as JSON. Waits like [`update`](Self::update).
    pub async fn update_raw(&self, update: &Raw) -> Result<(), CallError> {
        let params = RawUpdateParams {
            session: &self.id,
            update,
        };
        self.send_update(&params).await
    }

    async fn send_update(&self, params: &impl Encode) -> Result<(), CallError> {
        let method = <v1::SessionNotification as Notification>::METHOD;
        let options = SendOptions::of(self.session);
        let connection = &self.client.connection;
        connection.notify_in_session(method, options, params).await
    }

    /// Sends the next part of the agent's message to the user.
    pub async fn send_message(&self, text: impl Into<String>) -> Result<(), CallError> {
        let chunk = v1::ContentChunk::new(text.into());
        self.update(v1::SessionUpdate::AgentMessageChunk(chunk))
            .await
    }

    /// Sends the next part of the agent's reasoning.
    pub async fn send_thought(&self, text: impl Into<String>) -> Result<(), CallError> {
        let chunk = v1::ContentChunk::new(text.into());
        self.update(v1::SessionUpdate::AgentThoughtChunk(chunk))
            .await
    }

    /// Asks the user for permission to run a tool, with these options.
    pub async fn request_permission(
        &self,
        tool_call: v1::ToolCallUpdate,
        options: impl IntoIterator<Item = v1::PermissionOption>,
    ) -> Result<v1::RequestPermissionOutcome, CallError> {
        let id = self.id.clone();
        let request = v1::RequestPermissionRequest::new(id, tool_call, options);
        Ok(self.client.request(request).await?.outcome)
    }

    /// Asks the user to allow a tool call this time only, and returns whether they do. The options are "Allow" and
    /// "Reject".
    pub async fn ask_to_allow_once(&self, tool_call: &v1::ToolCall) -> Result<bool, CallError> {
        use v1::PermissionOptionKind::{AllowOnce, RejectOnce};
        let options = [
            v1::PermissionOption::new("allow", "Allow", AllowOnce),
            v1::PermissionOption::new("reject", "Reject", RejectOnce),
        ];
        let outcome = self.request_permission(tool_call.change(), options).await?;
        Ok(outcome.selects("allow"))
    }

    /// Reads a whole text file through the client, including unsaved changes in the editor.
    pub async fn read_text_file(&self, path: impl Into<FilePath>) -> Result<String, CallError> {
        let request = v1::ReadTextFileRequest::new(self.id.clone(), path);
        Ok(self.client.request(request).await?.content)
    }

    /// Writes a whole text file through the client.
    pub async fn write_text_file(
        &self,
        path: impl Into<FilePath>,
        content: impl Into<String>,
    ) -> Result<(), CallError> {
        let request = v1::WriteTextFileRequest::new(self.id.clone(), path, content);
        self.client.request(request).await.map(drop)
    }
}

/// The params of `session/update` with an update that is already encoded.
struct RawUpdateParams<'a> {
    session: &'a v1::SessionId,
    update: &'a Raw,
}

impl Encode for RawUpdateParams<'_> {
    fn encode(&self, out: &mut String) {
        out.push_str("{\"sessionId\":");
        self.session.encode(out);
        out.push_str(",\"update\":");
        self.update.encode(out);
        out.push('}');
    }
}
