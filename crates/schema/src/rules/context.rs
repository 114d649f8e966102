//! The state of a connection, as far as rules depend on it.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use attache_rpc::Error;
use attache_rpc::json::{Decode, MaybeUndefined, from_str};

use super::mcp;
use super::session_setup::SessionSetup;
use crate::call::{AgentNotification, AgentRequest, ClientRequest};
use crate::v1;

/// The state of a connection that the rules need. Pass each message to the matching `on_` method after you have checked
/// the message.
///
/// ```
/// use attache_schema::call::ClientRequest;
/// use attache_schema::rules::{Context, Initialization, agent, client};
/// use attache_schema::{json, v1};
///
/// let mut context = Context::default();
/// context.initialization = Initialization::Done; // we join midway
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
#[non_exhaustive]
pub struct Context {
    /// Whether the connection has been initialized.
    pub initialization: Initialization,
    /// Capabilities of the client.
    pub client: v1::ClientCapabilities,
    /// Capabilities of the agent.
    pub agent: v1::AgentCapabilities,
    /// Authentication methods that the agent offers.
    pub auth_methods: Vec<v1::AuthMethod>,
    /// Sessions that were set up on this connection, with their modes and config options. For other sessions, modes and
    /// options are not checked.
    pub sessions: HashMap<v1::SessionId, SessionChoices>,
    /// Child sessions that were announced on this connection, with their capabilities.
    pub children: HashMap<v1::SessionId, v1::SubagentSessionCapabilities>,
    /// MCP servers that are reached over this connection, with the number of sessions that name each.
    pub mcp_servers: HashMap<v1::McpServerAcpId, usize>,
    /// Web pages of elicitations that are not complete.
    pub open_pages: HashSet<v1::ElicitationId>,
    /// All web pages of elicitations so far, up to a limit. Once it is reached, no page counts as unknown.
    pub requested_pages: HashSet<v1::ElicitationId>,
}

impl Context {
    /// Whether the agent may have requested this page.
    pub(super) fn may_have_been_requested(&self, page: &v1::ElicitationId) -> bool {
        self.requested_pages.len() >= MOST_PAGES || self.requested_pages.contains(page)
    }
}

/// Progress of the `initialize` request of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Initialization {
    /// The client has not sent `initialize`.
    #[default]
    NotStarted,
    /// The client has sent `initialize`.
    Requested,
    /// The agent has responded.
    Done,
}

/// The modes and config options that a session offers.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct SessionChoices {
    /// Modes of the session.
    pub modes: Option<v1::SessionModeState>,
    /// Config options of the session.
    pub config_options: Option<Vec<v1::SessionConfigOption>>,
}

/// Call the matching method with each message after you have checked the message.
impl Context {
    /// Updates the state after the client has sent a request.
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

    /// Updates the state after the agent has responded to a request.
    pub fn on_agent_response(&mut self, request: &ClientRequest, outcome: Result<&str, &Error>) {
        match outcome {
            Ok(result) => self.succeeded(request, result),
            Err(_) => self.failed(request),
        }
    }

    /// Updates the state after the agent has sent a request.
    pub fn on_agent_request(&mut self, request: &AgentRequest) {
        if let Some(page) = page(request) {
            self.open_pages.insert(page.clone());
            if self.requested_pages.len() < MOST_PAGES {
                self.requested_pages.insert(page.clone());
            }
        }
    }

    /// Updates the state after the client has responded to a request. A web page that the user agreed to open stays
    /// open until `elicitation/complete`.
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

    /// Updates the state after the agent has sent a notification.
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

    /// The MCP servers of a failed session may be named again, unless another session has them.
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

    /// The results of `session/load` and `session/resume` have the same members.
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

/// A result that does not match the schema is ignored here; its check reports it.
fn read<T: Decode>(result: &str) -> Option<T> {
    from_str(result).ok()
}

const MOST_PAGES: usize = 4096;
