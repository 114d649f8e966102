//! What both sides of a connection have said so far, as far as rules depend on it.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use attache_rpc::Error;
use attache_rpc::json::{Decode, MaybeUndefined, from_str};

use super::mcp;
use super::session_setup::SessionSetup;
use crate::call::{AgentNotification, AgentRequest, ClientRequest};
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

/// Following the conversation: each message goes through one of these after it has been checked.
impl Context {
    /// The client has sent a request.
    pub fn on_client_request(&mut self, request: &ClientRequest) {
        if let (ClientRequest::Initialize(_), Initialization::NotStarted) =
            (request, self.initialization)
        {
            self.initialization = Initialization::Requested;
        }
        let servers = SessionSetup::of(request).map_or(&[][..], |setup| setup.servers);
        for (_, id) in mcp::ids(servers) {
            *self.mcp_servers.entry(id.clone()).or_default() += 1;
        }
    }

    /// The agent has answered a request.
    pub fn on_agent_response(&mut self, request: &ClientRequest, outcome: Result<&str, &Error>) {
        match outcome {
            Ok(result) => self.succeeded(request, result),
            Err(_) => self.failed(request),
        }
    }

    /// The agent has sent a request.
    pub fn on_agent_request(&mut self, request: &AgentRequest) {
        if let Some(page) = page(request) {
            self.open_pages.insert(page.clone());
            if self.requested_pages.len() < MOST_PAGES {
                self.requested_pages.insert(page.clone());
            }
        }
    }

    /// The client has answered a request. A page that the person agreed to open stays open until the agent says that
    /// it is dealt with.
    pub fn on_client_response(&mut self, request: &AgentRequest, outcome: Result<&str, &Error>) {
        let action = outcome.ok().and_then(read);
        let agreed = matches!(
            action,
            Some(v1::CreateElicitationResponse {
                action: v1::ElicitationAction::Accept(_),
                ..
            })
        );
        if let Some(page) = page(request).filter(|_| !agreed) {
            self.open_pages.remove(page);
        }
    }

    /// The agent has sent a notification.
    pub fn on_agent_notification(&mut self, notification: &AgentNotification) {
        match notification {
            AgentNotification::CompleteElicitation(done) => {
                self.open_pages.remove(&done.elicitation_id);
            }
            AgentNotification::Session(news) => self.updated(&news.session_id, &news.update),
            _ => {}
        }
    }

    fn succeeded(&mut self, request: &ClientRequest, result: &str) {
        match request {
            ClientRequest::Initialize(request) => self.initialized(request, result),
            ClientRequest::NewSession(_) => {
                if let Some(session) = read::<v1::NewSessionResponse>(result) {
                    self.set_choices(&session.session_id, session.modes, session.config_options);
                }
            }
            ClientRequest::ForkSession(_) => {
                if let Some(session) = read::<v1::ForkSessionResponse>(result) {
                    self.set_choices(&session.session_id, session.modes, session.config_options);
                }
            }
            ClientRequest::LoadSession(request) => self.restored(&request.session_id, result),
            ClientRequest::ResumeSession(request) => self.restored(&request.session_id, result),
            ClientRequest::CloseSession(request) => self.forget(&request.session_id),
            ClientRequest::DeleteSession(request) => self.forget(&request.session_id),
            ClientRequest::ArchiveSession(request) => self.forget(&request.session_id),
            ClientRequest::SetSessionMode(request) => {
                self.mode_set(&request.session_id, &request.mode_id);
            }
            ClientRequest::SetSessionConfigOption(request) => {
                if let Some(set) = read::<v1::SetSessionConfigOptionResponse>(result) {
                    self.options_set(&request.session_id, &set.config_options);
                }
            }
            _ => {}
        }
    }

    /// Servers of a session that did not come about can be named again, unless another session has them.
    fn failed(&mut self, request: &ClientRequest) {
        if let (ClientRequest::Initialize(_), Initialization::Requested) =
            (request, self.initialization)
        {
            self.initialization = Initialization::NotStarted;
        }
        let servers = SessionSetup::of(request).map_or(&[][..], |setup| setup.servers);
        for (_, id) in mcp::ids(servers) {
            if let Entry::Occupied(mut named) = self.mcp_servers.entry(id.clone()) {
                *named.get_mut() = named.get().saturating_sub(1);
                if *named.get() == 0 {
                    named.remove();
                }
            }
        }
    }

    fn initialized(&mut self, request: &v1::InitializeRequest, result: &str) {
        self.initialization = Initialization::Done;
        let Some(answer) = read::<v1::InitializeResponse>(result) else {
            return;
        };
        self.client = request.client_capabilities.clone();
        self.agent = answer.agent_capabilities;
        self.auth_methods = answer.auth_methods;
    }

    /// The answers to loading and resuming have the same members.
    fn restored(&mut self, session: &v1::SessionId, result: &str) {
        if let Some(offers) = read::<v1::LoadSessionResponse>(result) {
            self.set_choices(session, offers.modes, offers.config_options);
        }
    }

    fn set_choices(
        &mut self,
        session: &v1::SessionId,
        modes: Option<v1::SessionModeState>,
        config_options: Option<Vec<v1::SessionConfigOption>>,
    ) {
        let offers = SessionChoices {
            modes,
            config_options,
        };
        self.sessions.insert(session.clone(), offers);
    }

    fn forget(&mut self, session: &v1::SessionId) {
        self.sessions.remove(session);
    }

    fn updated(&mut self, session: &v1::SessionId, update: &v1::SessionUpdate) {
        match update {
            v1::SessionUpdate::CurrentModeUpdate(update) => {
                self.mode_set(session, &update.current_mode_id);
            }
            v1::SessionUpdate::ConfigOptionUpdate(update) => {
                self.options_set(session, &update.config_options);
            }
            v1::SessionUpdate::SubagentUpdate(update) => self.announced(update),
            v1::SessionUpdate::UserMessageChunk(_)
            | v1::SessionUpdate::AgentMessageChunk(_)
            | v1::SessionUpdate::AgentThoughtChunk(_)
            | v1::SessionUpdate::ToolCall(_)
            | v1::SessionUpdate::ToolCallUpdate(_)
            | v1::SessionUpdate::Plan(_)
            | v1::SessionUpdate::PlanUpdate(_)
            | v1::SessionUpdate::PlanRemoved(_)
            | v1::SessionUpdate::AvailableCommandsUpdate(_)
            | v1::SessionUpdate::SessionInfoUpdate(_)
            | v1::SessionUpdate::UsageUpdate(_)
            | v1::SessionUpdate::Notice(_)
            | v1::SessionUpdate::CompactionUpdate(_)
            | v1::SessionUpdate::CompactionSummaryChunk(_)
            | v1::SessionUpdate::SessionMessage(_)
            | v1::SessionUpdate::SessionMessageChunk(_)
            | v1::SessionUpdate::Other(_) => {}
        }
    }

    fn mode_set(&mut self, session: &v1::SessionId, mode: &v1::SessionModeId) {
        let offers = self.sessions.get_mut(session);
        if let Some(modes) = offers.and_then(|offers| offers.modes.as_mut()) {
            modes.current_mode_id = mode.clone();
        }
    }

    fn options_set(&mut self, session: &v1::SessionId, options: &[v1::SessionConfigOption]) {
        if let Some(offers) = self.sessions.get_mut(session) {
            offers.config_options = Some(options.to_vec());
        }
    }

    fn announced(&mut self, update: &v1::SubagentUpdate) {
        let child = self.children.entry(update.session_id.clone()).or_default();
        match &update.capabilities {
            MaybeUndefined::Undefined => {}
            MaybeUndefined::Null => *child = v1::SubagentSessionCapabilities::default(),
            MaybeUndefined::Value(capabilities) => *child = capabilities.clone(),
        }
    }
}

fn page(request: &AgentRequest) -> Option<&v1::ElicitationId> {
    match request {
        AgentRequest::CreateElicitation(v1::CreateElicitationRequest {
            mode: v1::ElicitationMode::Url(url),
            ..
        }) => Some(&url.elicitation_id),
        _ => None,
    }
}

/// An answer that cannot be read teaches nothing; the check of it says so.
fn read<T: Decode>(result: &str) -> Option<T> {
    from_str(result).ok()
}

const MOST_PAGES: usize = 4096;
