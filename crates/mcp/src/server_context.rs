//! The context that MCP servers of a session run in.

use std::path::PathBuf;
use std::time::Duration;

use attache::{ClientHandle, v1};
use attache_host::environment::ChildEnvironment;

/// The context that MCP servers of a session run in.
#[derive(Debug, Clone)]
pub struct ServerContext {
    /// The working directory of server processes.
    pub cwd: PathBuf,
    /// The session's directories, for servers that request them.
    pub roots: Vec<PathBuf>,
    /// The session in which servers' elicitations are sent.
    pub session: Option<v1::SessionId>,
    /// The client, for servers that are reached through it and for elicitations.
    pub client: Option<ClientHandle>,
    /// The environment of server processes, besides the variables of their configuration.
    pub environment: ChildEnvironment,
    /// How long connecting may take.
    pub deadline: Duration,
    /// How long a call may go without a response and without progress.
    pub patience: Duration,
}

impl ServerContext {
    /// A context without a client, with default limits.
    pub fn new(cwd: impl Into<PathBuf>) -> ServerContext {
        let cwd = cwd.into();
        ServerContext {
            roots: vec![cwd.clone()],
            cwd,
            session: None,
            client: None,
            environment: ChildEnvironment::default(),
            deadline: DEADLINE,
            patience: PATIENCE,
        }
    }

    /// Whether the client shows forms.
    pub(super) fn can_ask(&self) -> bool {
        let client = self.client.as_ref().filter(|_| self.session.is_some());
        let can = client.and_then(|client| client.capabilities());
        can.and_then(|can| can.elicitation)
            .is_some_and(|can| can.form.is_some())
    }
}

/// Default limit for connecting. Some servers are installed when they are started.
const DEADLINE: Duration = Duration::from_secs(30);
const PATIENCE: Duration = Duration::from_secs(600);
