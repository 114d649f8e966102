//! Where the servers of a session work.

use std::path::PathBuf;
use std::time::Duration;

use attache::{ClientHandle, v1};
use attache_host::environment::ChildEnvironment;

/// Where a session works, and what its servers may count on.
#[derive(Debug, Clone)]
pub struct ServerContext {
    /// Where servers that are processes run.
    pub cwd: PathBuf,
    /// The directories of the session, for servers that ask.
    pub roots: Vec<PathBuf>,
    /// The session that questions of servers belong to.
    pub session: Option<v1::SessionId>,
    /// The client: for servers that are reached through it, and for questions to the person.
    pub client: Option<ClientHandle>,
    /// The environment of servers that are processes, beside what their configuration names.
    pub environment: ChildEnvironment,
    /// How long a server may take to get ready.
    pub deadline: Duration,
    /// How long a call may go without an answer and without progress.
    pub patience: Duration,
}

impl ServerContext {
    /// A context without a client.
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

    /// Whether the client shows forms to the person.
    pub(super) fn can_ask(&self) -> bool {
        let client = self.client.as_ref().filter(|_| self.session.is_some());
        let can = client.and_then(|client| client.capabilities());
        can.and_then(|can| can.elicitation)
            .is_some_and(|can| can.form.is_some())
    }
}

/// How long a server may take to get ready, unless told: some are installed when they are started.
const DEADLINE: Duration = Duration::from_secs(30);
const PATIENCE: Duration = Duration::from_secs(600);
