//! The agent's side: take calls from [`AgentCalls`], talk to the client through a [`ClientHandle`].

use std::io;
use std::ops::Deref;
use std::sync::Arc;

use attache_rpc::json::{Encode, Raw};
use attache_rpc::{NonJsonLines, SendOptions, SessionKey};
use attache_schema::{FilePath, v1};
use attache_transport::{self as transport, Inbox};
use tokio::io::{AsyncRead, AsyncWrite};

use crate::connection::Connection;
use crate::session_index::AgentSessionIndex;
use crate::{AgentCall, CallError, Options, calls};

/// An agent on standard input and output, which belong to the protocol from now on: what the program prints goes to
/// standard error. Must be called within a tokio runtime, once.
pub fn stdio() -> io::Result<(ClientHandle, AgentCalls)> {
    stdio_with(Options::default())
}

/// The same with settings of your own.
pub fn stdio_with(options: Options) -> io::Result<(ClientHandle, AgentCalls)> {
    let (read, write) = transport::stdio()?;
    Ok(connect(read, write, options))
}

/// An agent on any stream of bytes.
pub fn connect<R, W>(read: R, write: W, options: Options) -> (ClientHandle, AgentCalls)
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let options = transport::Options {
        limits: options.limits,
        framing: options.framing,
        non_json_lines: NonJsonLines::Reject,
        stall: options.stall,
        grace: options.grace,
        session_index: Box::new(AgentSessionIndex),
        translator: options.translator,
    };
    let (link, inbox) = transport::connect(read, write, options);
    let connection = Arc::new(Connection::of_agent(link));
    let client = ClientHandle {
        connection: Arc::clone(&connection),
    };
    (client, AgentCalls { connection, inbox })
}

/// What the client asks and tells, in the order of the wire.
#[derive(Debug)]
pub struct AgentCalls {
    connection: Arc<Connection>,
    inbox: Inbox,
}

impl AgentCalls {
    /// Takes the next call. `None` when the client has gone and everything has been said.
    ///
    /// Calls that cannot be read, or that come before `initialize`, are answered here and not shown.
    pub async fn next(&mut self) -> Option<AgentCall> {
        calls::next_for_agent(&self.connection, &mut self.inbox).await
    }
}

/// The client, as an agent sees it. It can be cloned and used from any task.
#[derive(Debug, Clone)]
pub struct ClientHandle {
    connection: Arc<Connection>,
}

impl ClientHandle {
    /// One session of the client.
    pub fn session(&self, id: impl Into<v1::SessionId>) -> ClientSession {
        let id = id.into();
        ClientSession {
            session: SessionKey::named(id.as_str()),
            id,
            client: self.clone(),
        }
    }

    /// What the client has said it can do; `None` before `initialize`.
    pub fn capabilities(&self) -> Option<v1::ClientCapabilities> {
        self.connection.handshake().client.clone()
    }
}

impl Deref for ClientHandle {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        &self.connection
    }
}

/// One session, as an agent sees it.
#[derive(Debug, Clone)]
pub struct ClientSession {
    client: ClientHandle,
    id: v1::SessionId,
    session: SessionKey,
}

impl ClientSession {
    /// The session's id.
    pub fn id(&self) -> &v1::SessionId {
        &self.id
    }

    /// The client that the session belongs to.
    pub fn client(&self) -> &ClientHandle {
        &self.client
    }

    /// Tells what has happened. Waits while the client does not read.
    pub async fn update(&self, update: impl Into<v1::SessionUpdate>) -> Result<(), CallError> {
        let notification = v1::SessionNotification::new(self.id.clone(), update);
        let options = SendOptions::of(self.session);
        self.client
            .connection
            .notify_in_session(options, &notification)
            .await
    }

    /// Tells what has happened in JSON that was made before: the text of an update.
    pub async fn update_raw(&self, update: &Raw) -> Result<(), CallError> {
        let params = RawUpdateParams {
            session: &self.id,
            update,
        };
        let connection = &self.client.connection;
        connection
            .update_in_session(SendOptions::of(self.session), &params)
            .await
    }

    /// Says something to the person: a part of the agent's message.
    pub async fn say(&self, text: impl Into<String>) -> Result<(), CallError> {
        let chunk = v1::ContentChunk::new(text.into());
        self.update(v1::SessionUpdate::AgentMessageChunk(chunk))
            .await
    }

    /// Shows a part of the agent's reasoning.
    pub async fn think(&self, text: impl Into<String>) -> Result<(), CallError> {
        let chunk = v1::ContentChunk::new(text.into());
        self.update(v1::SessionUpdate::AgentThoughtChunk(chunk))
            .await
    }

    /// Asks the person whether a tool may run.
    pub async fn request_permission(
        &self,
        tool_call: v1::ToolCallUpdate,
        options: impl IntoIterator<Item = v1::PermissionOption>,
    ) -> Result<v1::RequestPermissionOutcome, CallError> {
        let id = self.id.clone();
        let request = v1::RequestPermissionRequest::new(id, tool_call, options);
        Ok(self.client.request(request).await?.outcome)
    }

    /// Reads a whole file as the client sees it, unsaved changes included.
    pub async fn read_text_file(&self, path: impl Into<FilePath>) -> Result<String, CallError> {
        let request = v1::ReadTextFileRequest::new(self.id.clone(), path);
        Ok(self.client.request(request).await?.content)
    }

    /// Writes a whole file through the client.
    pub async fn write_text_file(
        &self,
        path: impl Into<FilePath>,
        content: impl Into<String>,
    ) -> Result<(), CallError> {
        let request = v1::WriteTextFileRequest::new(self.id.clone(), path, content);
        self.client.request(request).await.map(drop)
    }
}

/// The params of `session/update`, whose update is text.
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
