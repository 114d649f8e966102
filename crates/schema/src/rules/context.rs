//! What both sides of a connection have said so far, as far as rules depend on it.

mod learn;

use std::collections::{HashMap, HashSet};

use crate::v1;

/// What both sides of a connection have said so far. It is kept up to date by handing it each message after that
/// message has been checked.
///
/// ```
/// use attache_schema::call::ClientRequest;
/// use attache_schema::rules::{Context, Initialization, agent, client};
/// use attache_schema::{json, v1};
///
/// let mut context = Context::default();
/// context.initialization = Initialization::Done; // we join in the middle
/// let request = ClientRequest::from(v1::NewSessionRequest::new("project", []));
///
/// let found = client::check_request(&request, &context);
/// assert_eq!(
///     found[0].to_string(),
///     "session/new params.cwd: the path is relative; send the absolute path (rule 68, MUST)"
/// );
/// context.on_client_request(&request);
///
/// let result = json::to_string(&v1::NewSessionResponse::new("s1"));
/// assert!(agent::check_response(&request, Ok(&result), &context).is_empty());
/// context.on_agent_response(&request, Ok(&result));
/// assert!(context.sessions.contains_key("s1"));
/// ```
#[derive(Debug, Clone, Default)]
pub struct Context {
    /// Whether the connection has been initialized.
    pub initialization: Initialization,
    /// What the client offers.
    pub client: v1::ClientCapabilities,
    /// What the agent offers.
    pub agent: v1::AgentCapabilities,
    /// The ways to log in.
    pub auth_methods: Vec<v1::AuthMethod>,
    /// The sessions set up on this connection. What is not in here cannot be judged by what it offers.
    pub sessions: HashMap<v1::SessionId, SessionChoices>,
    /// The child sessions announced on this connection, and what the client may do with them.
    pub children: HashMap<v1::SessionId, v1::SubagentSessionCapabilities>,
    /// The MCP servers that are reached over this connection, and how often each has been named.
    pub mcp_servers: HashMap<v1::McpServerAcpId, usize>,
    /// The pages that a person has been asked to open and not yet dealt with.
    pub open_pages: HashSet<v1::ElicitationId>,
    /// The pages that a person has ever been asked to open, up to a number: then no page is called unknown any more.
    pub requested_pages: HashSet<v1::ElicitationId>,
}

impl Context {
    /// Whether a page may have been asked for.
    pub(super) fn may_have_been_requested(&self, page: &v1::ElicitationId) -> bool {
        self.requested_pages.len() >= MOST_PAGES || self.requested_pages.contains(page)
    }
}

/// How far the first exchange of a connection has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Initialization {
    /// Nobody has begun it.
    #[default]
    NotStarted,
    /// The client has called `initialize`.
    Requested,
    /// The agent has answered.
    Done,
}

/// What a session lets the client choose.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SessionChoices {
    /// Its modes.
    pub modes: Option<v1::SessionModeState>,
    /// Its config options.
    pub config_options: Option<Vec<v1::SessionConfigOption>>,
}

const MOST_PAGES: usize = 4096;
