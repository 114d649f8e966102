//! Reaching a server: its transport, and the beginning of the conversation.

use std::time::Duration;

use attache::process::{self, Child, Program, StopTimeouts};
use attache::v1;
use rmcp::model::ProtocolVersion;
use rmcp::service::{ClientInitializeError, ClientLifecycleMode, ClientServiceExt, RunningService};
use rmcp::transport::IntoTransport;
use rmcp::{RoleClient, ServiceError};
use tokio::time::Instant;

use super::changes::Counting;
use super::handler::Handler;
use super::lines::Lines;
use super::over_acp::OverAcp;
use super::server::Server;
use super::sse::Events;
use super::{environment, http, text};

/// A conversation with a server.
pub(super) struct Line {
    pub(super) running: RunningService<RoleClient, Handler>,
    pub(super) handler: Handler,
    pub(super) child: Option<Child>,
}

/// Why there is none.
pub(super) enum Refusal {
    /// The server does not know `initialize`; it may be one that has no handshake any more.
    Handshake(String),
    /// The connection ended, or never was.
    Gone(String),
    /// Anything else.
    Final(String),
}

/// Begins a conversation, or tells why not.
///
/// The handshake that all servers of today know comes first: some end when they are sent anything else. A server that
/// refuses it is asked once more, as one of the revision without a handshake.
pub(super) async fn dial(server: &Server, deadline: Instant) -> Result<Line, String> {
    let discover = || ClientLifecycleMode::Discover {
        preferred_versions: vec![ProtocolVersion::V_2026_07_28],
    };
    if let v1::McpServer::Acp(_) = server.config {
        return once(server, discover(), deadline)
            .await
            .map_err(Refusal::reason);
    }
    match once(server, ClientLifecycleMode::Initialize, deadline).await {
        Err(Refusal::Handshake(reason)) => {
            let line = once(server, discover(), deadline).await;
            line.map_err(|_| reason)
        }
        other => other.map_err(Refusal::reason),
    }
}

async fn once(
    server: &Server,
    mode: ClientLifecycleMode,
    deadline: Instant,
) -> Result<Line, Refusal> {
    let handler = Handler::new(&server.name, server.place.clone());
    match &server.config {
        v1::McpServer::Stdio(config) => stdio(server, config, handler, mode, deadline).await,
        v1::McpServer::Http(config) => {
            let transport = http::transport(config).map_err(final_refusal)?;
            begin(handler, transport, mode, deadline).await
        }
        v1::McpServer::Sse(config) => {
            let opening = tokio::time::timeout_at(deadline, Events::open(config)).await;
            let transport = opening.map_err(|_| late())?.map_err(final_refusal)?;
            begin(handler, transport, mode, deadline).await
        }
        v1::McpServer::Acp(config) => {
            let Some(client) = server.place.client.clone() else {
                return Err(Refusal::Final(
                    "there is no client to reach it through".to_owned(),
                ));
            };
            let transport = OverAcp::new(client, config.server_id.clone());
            server.listen(transport.ear(&handler));
            begin_counted(handler, transport, mode, deadline).await
        }
        _ => Err(Refusal::Final("its transport is not known".to_owned())),
    }
}

async fn stdio(
    server: &Server,
    config: &v1::McpServerStdio,
    handler: Handler,
    mode: ClientLifecycleMode,
    deadline: Instant,
) -> Result<Line, Refusal> {
    let program = Program::new(config.command.as_path()).args(&config.args);
    let program = environment::of(program, &config.env, &server.place.environment);
    let program = program.cwd(&server.place.cwd).stderr_tail(TAIL);
    let starting = tokio::time::timeout_at(deadline, program.spawn_piped()).await;
    let (child, stdin, stdout) = starting.map_err(|_| late())?.map_err(not_started)?;
    let beginning = begin(handler, Lines::new(stdout, stdin), mode, deadline);
    let begun = tokio::select! {
        begun = beginning => begun,
        () = gone(&child) => Err(Refusal::Gone("its process has ended".to_owned())),
    };
    match begun {
        Ok(mut line) => {
            line.child = Some(child);
            Ok(line)
        }
        Err(Refusal::Handshake(reason)) => {
            child.stop(StopTimeouts::default()).await;
            Err(Refusal::Handshake(reason))
        }
        Err(Refusal::Gone(reason)) => Err(Refusal::Final(last_words(&child, &reason).await)),
        Err(Refusal::Final(reason)) => Err(Refusal::Final(with_words(&child, reason))),
    }
}

/// Waits until a process has ended and what it wrote last has been read.
pub(super) async fn gone(child: &Child) {
    child.exited().await;
    tokio::time::sleep(DRAIN).await;
}

/// How a process ended, with the last line of its standard error; or this reason, if it has not ended.
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
) -> Result<Line, Refusal>
where
    T: IntoTransport<RoleClient, E, A>,
    E: std::error::Error + Send + Sync + 'static,
{
    let transport = Counting::new(transport.into_transport(), handler.clone());
    begin_counted(handler, transport, mode, deadline).await
}

/// The same over a transport that counts changes by itself.
async fn begin_counted<T, E, A>(
    handler: Handler,
    transport: T,
    mode: ClientLifecycleMode,
    deadline: Instant,
) -> Result<Line, Refusal>
where
    T: IntoTransport<RoleClient, E, A>,
    E: std::error::Error + Send + Sync + 'static,
{
    let beginning = handler.clone().serve_with_lifecycle(transport, mode);
    let running = tokio::time::timeout_at(deadline, beginning).await;
    let running = running.map_err(|_| late())?.map_err(refusal)?;
    Ok(Line {
        running,
        handler,
        child: None,
    })
}

fn refusal(error: ClientInitializeError) -> Refusal {
    match error {
        ClientInitializeError::JsonRpcError(error) => {
            Refusal::Handshake(format!("it refused to begin: {}", error.message))
        }
        ClientInitializeError::ConnectionClosed(_) => {
            Refusal::Gone("it closed the connection before it answered".to_owned())
        }
        ClientInitializeError::TransportError { error, .. } => {
            Refusal::Gone(unsent(error.error.as_ref()))
        }
        ClientInitializeError::NoCompatibleProtocolVersion { .. } => {
            Refusal::Final("it speaks no version of MCP that we speak".to_owned())
        }
        _ => Refusal::Final("it answered the handshake with something else".to_owned()),
    }
}

/// Why a request has no answer, as a server's reason.
pub(super) fn failed(error: &ServiceError) -> String {
    match error {
        ServiceError::McpError(error) => error.message.clone().into_owned(),
        ServiceError::TransportSend(error) => unsent(error.error.as_ref()),
        ServiceError::TransportClosed => "the connection has ended".to_owned(),
        ServiceError::UnexpectedResponse => "the answer is not what was asked for".to_owned(),
        ServiceError::Timeout { timeout } => format!("no answer within {} s", timeout.as_secs()),
        other => other.to_string(),
    }
}

fn unsent(error: &(dyn std::error::Error + 'static)) -> String {
    http::reason(error).unwrap_or_else(|| text::causes(error))
}

fn final_refusal(error: impl std::error::Error + 'static) -> Refusal {
    Refusal::Final(text::causes(&error))
}

fn not_started(error: process::Error) -> Refusal {
    Refusal::Final(error.to_string())
}

fn late() -> Refusal {
    Refusal::Final("it did not answer in time".to_owned())
}

impl Refusal {
    fn reason(self) -> String {
        match self {
            Refusal::Handshake(reason) | Refusal::Gone(reason) | Refusal::Final(reason) => reason,
        }
    }
}

const TAIL: usize = 16 * 1024;
/// How long a process may take to end after its connection has.
const EXIT: Duration = Duration::from_secs(1);
/// How long what a process wrote last may take to reach us.
const DRAIN: Duration = Duration::from_millis(300);
