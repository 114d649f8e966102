//! Connects to a server: its transport and the handshake.

use std::time::Duration;

use attache::process::{self, Child, Program, StopTimeouts};
use attache::v1;
use rmcp::model::ProtocolVersion;
use rmcp::service::{ClientInitializeError, ClientLifecycleMode, ClientServiceExt, RunningService};
use rmcp::transport::IntoTransport;
use rmcp::{RoleClient, ServiceError};
use tokio::time::Instant;

use super::acp_transport::AcpTransport;
use super::handler::Handler;
use super::list_changes::ChangeCounter;
use super::server::Server;
use super::sse_transport::SseTransport;
use super::stdio_transport::StdioTransport;
use super::{environment, http, text};

/// A connection to a server.
pub(super) struct Connection {
    pub(super) running: RunningService<RoleClient, Handler>,
    pub(super) handler: Handler,
    pub(super) child: Option<Child>,
}

/// Why connecting failed.
pub(super) enum ConnectError {
    /// The server rejected `initialize`; it may use the protocol revision without a handshake.
    Handshake(String),
    /// The connection ended or was never made.
    Gone(String),
    /// Anything else.
    Final(String),
}

/// Connects to a server.
///
/// First tries the handshake that all current servers know, because some exit on anything else. If the server rejects
/// it, connects again with the protocol revision without a handshake.
pub(super) async fn connect(server: &Server, deadline: Instant) -> Result<Connection, String> {
    let discover = || ClientLifecycleMode::Discover {
        preferred_versions: vec![ProtocolVersion::V_2026_07_28],
    };
    if let v1::McpServer::Acp(_) = server.config {
        return once(server, discover(), deadline)
            .await
            .map_err(ConnectError::reason);
    }
    match once(server, ClientLifecycleMode::Initialize, deadline).await {
        Err(ConnectError::Handshake(reason)) => {
            let line = once(server, discover(), deadline).await;
            line.map_err(|_| reason)
        }
        other => other.map_err(ConnectError::reason),
    }
}

async fn once(
    server: &Server,
    mode: ClientLifecycleMode,
    deadline: Instant,
) -> Result<Connection, ConnectError> {
    let handler = Handler::new(&server.name, server.context.clone());
    match &server.config {
        v1::McpServer::Stdio(config) => stdio(server, config, handler, mode, deadline).await,
        v1::McpServer::Http(config) => {
            let transport = http::transport(config).map_err(final_error)?;
            begin(handler, transport, mode, deadline).await
        }
        v1::McpServer::Sse(config) => {
            let opening = tokio::time::timeout_at(deadline, SseTransport::open(config)).await;
            let transport = opening.map_err(|_| late())?.map_err(final_error)?;
            begin(handler, transport, mode, deadline).await
        }
        v1::McpServer::Acp(config) => {
            let Some(client) = server.context.client.clone() else {
                return Err(ConnectError::Final(
                    "there is no client to reach it through".to_owned(),
                ));
            };
            let transport = AcpTransport::new(client, config.server_id.clone());
            server.listen(transport.inbox(&handler));
            begin_counted(handler, transport, mode, deadline).await
        }
        _ => Err(ConnectError::Final("its transport is not known".to_owned())),
    }
}

async fn stdio(
    server: &Server,
    config: &v1::McpServerStdio,
    handler: Handler,
    mode: ClientLifecycleMode,
    deadline: Instant,
) -> Result<Connection, ConnectError> {
    let program = Program::new(config.command.as_path()).args(&config.args);
    let program = environment::of(program, &config.env, &server.context.environment);
    let program = program.cwd(&server.context.cwd).stderr_tail(TAIL);
    let starting = tokio::time::timeout_at(deadline, program.spawn_piped()).await;
    let (child, stdin, stdout) = starting.map_err(|_| late())?.map_err(not_started)?;
    let beginning = begin(handler, StdioTransport::new(stdout, stdin), mode, deadline);
    let begun = tokio::select! {
        begun = beginning => begun,
        () = gone(&child) => Err(ConnectError::Gone("its process has ended".to_owned())),
    };
    match begun {
        Ok(mut line) => {
            line.child = Some(child);
            Ok(line)
        }
        Err(ConnectError::Handshake(reason)) => {
            child.stop(StopTimeouts::default()).await;
            Err(ConnectError::Handshake(reason))
        }
        Err(ConnectError::Gone(reason)) => {
            Err(ConnectError::Final(last_words(&child, &reason).await))
        }
        Err(ConnectError::Final(reason)) => Err(ConnectError::Final(with_words(&child, reason))),
    }
}

/// Waits until a process has ended and its last output has been read.
pub(super) async fn gone(child: &Child) {
    child.exited().await;
    tokio::time::sleep(DRAIN).await;
}

/// How a process ended, with the last line of its standard error; `reason` if it has not ended.
pub(super) async fn last_words(child: &Child, reason: &str) -> String {
    let how = match tokio::time::timeout(EXIT, child.wait()).await {
        Ok(ending) => format!("it {}", ending.status),
        Err(_) => reason.to_owned(),
    };
    with_words(child, how)
}

fn with_words(child: &Child, how: String) -> String {
    let said = child.stderr().text();
    match said
        .lines()
        .rev()
        .map(str::trim)
        .find(|line| !line.is_empty())
    {
        Some(line) => format!("{how}: {line}"),
        None => how,
    }
}

async fn begin<T, E, A>(
    handler: Handler,
    transport: T,
    mode: ClientLifecycleMode,
    deadline: Instant,
) -> Result<Connection, ConnectError>
where
    T: IntoTransport<RoleClient, E, A>,
    E: std::error::Error + Send + Sync + 'static,
{
    let transport = ChangeCounter::new(transport.into_transport(), handler.clone());
    begin_counted(handler, transport, mode, deadline).await
}

/// Like [`begin`], over a transport that counts changes itself.
async fn begin_counted<T, E, A>(
    handler: Handler,
    transport: T,
    mode: ClientLifecycleMode,
    deadline: Instant,
) -> Result<Connection, ConnectError>
where
    T: IntoTransport<RoleClient, E, A>,
    E: std::error::Error + Send + Sync + 'static,
{
    let beginning = handler.clone().serve_with_lifecycle(transport, mode);
    let running = tokio::time::timeout_at(deadline, beginning).await;
    let running = running.map_err(|_| late())?.map_err(connect_error)?;
    Ok(Connection {
        running,
        handler,
        child: None,
    })
}

fn connect_error(error: ClientInitializeError) -> ConnectError {
    match error {
        ClientInitializeError::JsonRpcError(error) => {
            ConnectError::Handshake(format!("it refused to begin: {}", error.message))
        }
        ClientInitializeError::ConnectionClosed(_) => {
            ConnectError::Gone("it closed the connection before it answered".to_owned())
        }
        ClientInitializeError::TransportError { error, .. } => {
            ConnectError::Gone(unsent(error.error.as_ref()))
        }
        ClientInitializeError::NoCompatibleProtocolVersion { .. } => {
            ConnectError::Final("it supports no MCP version that Attaché supports".to_owned())
        }
        _ => ConnectError::Final("it sent an invalid response to the handshake".to_owned()),
    }
}

/// Describes a failed request, for the `reason` of an error.
pub(super) fn failed(error: &ServiceError) -> String {
    match error {
        ServiceError::McpError(error) => error.message.clone().into_owned(),
        ServiceError::TransportSend(error) => unsent(error.error.as_ref()),
        ServiceError::TransportClosed => "the connection has ended".to_owned(),
        ServiceError::UnexpectedResponse => "it sent a response of the wrong type".to_owned(),
        ServiceError::Timeout { timeout } => format!("no answer within {} s", timeout.as_secs()),
        other => other.to_string(),
    }
}

fn unsent(error: &(dyn std::error::Error + 'static)) -> String {
    http::reason(error).unwrap_or_else(|| text::causes(error))
}

fn final_error(error: impl std::error::Error + 'static) -> ConnectError {
    ConnectError::Final(text::causes(&error))
}

fn not_started(error: process::Error) -> ConnectError {
    ConnectError::Final(error.to_string())
}

fn late() -> ConnectError {
    ConnectError::Final("it did not answer in time".to_owned())
}

impl ConnectError {
    fn reason(self) -> String {
        match self {
            ConnectError::Handshake(reason)
            | ConnectError::Gone(reason)
            | ConnectError::Final(reason) => reason,
        }
    }
}

const TAIL: usize = 16 * 1024;
/// How long a process may take to exit after its connection has ended.
const EXIT: Duration = Duration::from_secs(1);
/// How long the last output of a process may take to arrive.
const DRAIN: Duration = Duration::from_millis(300);
