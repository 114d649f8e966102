//! Starts, loads, resumes and forks sessions.

use std::path::PathBuf;
use std::sync::Arc;

use attache::agent::ClientSession;
use attache::schema::error;
use attache::{Error, v1};
use attache_host::Roots;
use attache_journal::{Journal, Store, StoredSession, new_id};
use attache_mcp::{self as mcp, Servers};
use tokio::runtime::Handle;
use tokio::sync::mpsc;

use super::Agent;
use super::replay::replay;
use crate::failure::{Failure, of_session};
use crate::permission::AGENT;
use crate::recovery::{self, JournalState};
use crate::session::{Session, SessionParts};
use crate::settings::{Instructions, Settings};
use crate::tools::{FileRules, Workplace};

/// Deletes a new session on drop, unless the client gets to know it first.
struct NewSessionGuard(Option<(Store, v1::SessionId)>);

impl NewSessionGuard {
    fn new(store: &Store, id: &v1::SessionId) -> NewSessionGuard {
        NewSessionGuard(Some((store.clone(), id.clone())))
    }

    fn keep(mut self) {
        self.0 = None;
    }
}

impl Drop for NewSessionGuard {
    fn drop(&mut self) {
        if let (Some((store, id)), Ok(runtime)) = (self.0.take(), Handle::try_current()) {
            runtime.spawn(async move { drop(store.delete(id.as_str()).await) });
        }
    }
}

/// The params that all requests which open a session have in common.
struct OpenParams {
    cwd: PathBuf,
    additional: Vec<PathBuf>,
    servers: Vec<v1::McpServer>,
    system_prompt: Option<v1::SystemPrompt>,
}

/// A session whose journal is open and that does not run yet.
struct OpeningSession {
    client: ClientSession,
    journal: Journal,
    params: OpenParams,
    roots: Roots,
    settings: Settings,
}

macro_rules! open_params {
    ($request:ident) => {
        OpenParams {
            cwd: $request.cwd.as_path().to_owned(),
            additional: $request
                .additional_directories
                .iter()
                .map(|path| path.as_path().to_owned())
                .collect(),
            servers: $request.mcp_servers,
            system_prompt: $request.system_prompt,
        }
    };
}

impl Agent {
    pub(super) async fn start(
        self: &Arc<Self>,
        request: v1::NewSessionRequest,
    ) -> Result<(Arc<Session>, v1::NewSessionResponse), Error> {
        let params = open_params!(request);
        let roots = params.roots().await?;
        let silent = self.models.discover().await;
        let settings = Settings {
            model: self.models.default_model(),
            instructions: params.instructions()?,
            ..Settings::default()
        };
        self.models.open(&settings.model).map_err(Failure::from)?;
        let info = params.info(&settings)?;
        let id = v1::SessionId::from(info.id.as_str());
        let guard = NewSessionGuard::new(&self.store, &id);
        let journal = self.store.create(info).await.map_err(Failure::from)?;
        let opened = OpeningSession {
            client: self.client.session(id.clone()),
            journal,
            params,
            roots,
            settings,
        };
        let session = self.open(opened, Some(JournalState::default()));
        report_silent_providers(&session, silent);
        let response = v1::NewSessionResponse::new(id)
            .modes(session.modes())
            .config_options(session.options());
        guard.keep();
        self.register(&session);
        Ok((session, response))
    }

    pub(super) async fn load(
        self: &Arc<Self>,
        request: v1::LoadSessionRequest,
    ) -> Result<(Arc<Session>, v1::LoadSessionResponse), Error> {
        let id = request.session_id.clone();
        let _alone = self.locks.lock(&id).await;
        let reopened = self.reopen(id, open_params!(request)).await?;
        let journal_state = replay(&reopened.client, &reopened.journal).await?;
        let session = self.open(reopened, journal_state);
        if let Some(info) = session.model_info().filter(|_| session.settings().used > 0) {
            session.send_usage(&info).await.map_err(Failure::from)?;
        }
        let response = v1::LoadSessionResponse::new()
            .modes(session.modes())
            .config_options(session.options());
        self.register(&session);
        Ok((session, response))
    }

    pub(super) async fn resume(
        self: &Arc<Self>,
        request: v1::ResumeSessionRequest,
    ) -> Result<(Arc<Session>, v1::ResumeSessionResponse), Error> {
        let id = request.session_id.clone();
        let _alone = self.locks.lock(&id).await;
        let reopened = self.reopen(id, open_params!(request)).await?;
        let journal_state = recovery::read_if_interrupted(&reopened.journal).await;
        let journal_state = journal_state.map_err(Failure::from)?;
        let session = self.open(reopened, journal_state);
        let response = v1::ResumeSessionResponse::new()
            .modes(session.modes())
            .config_options(session.options());
        self.register(&session);
        Ok((session, response))
    }

    pub(super) async fn fork(
        self: &Arc<Self>,
        request: v1::ForkSessionRequest,
    ) -> Result<(Arc<Session>, v1::ForkSessionResponse), Error> {
        let from = request.session_id.clone();
        let params = open_params!(request);
        let roots = params.roots().await?;
        let stored = self.store.info(from.as_str()).await;
        let stored = stored.map_err(|fault| of_session(fault, &from))?;
        let settings = self.restored(&stored, &params).await?;
        let info = params.info(&settings)?;
        let id = v1::SessionId::from(info.id.as_str());
        let guard = NewSessionGuard::new(&self.store, &id);
        let journal = self.store.fork(from.as_str(), info).await;
        let journal = journal.map_err(Failure::from)?;
        let opened = OpeningSession {
            client: self.client.session(id.clone()),
            journal,
            params,
            roots,
            settings,
        };
        let session = self.open(opened, None);
        let response = v1::ForkSessionResponse::new(id)
            .modes(session.modes())
            .config_options(session.options());
        guard.keep();
        self.register(&session);
        Ok((session, response))
    }

    /// Opens a stored session. If it is open here, it is closed first: the client starts over with it.
    async fn reopen(
        self: &Arc<Self>,
        id: v1::SessionId,
        params: OpenParams,
    ) -> Result<OpeningSession, Error> {
        let roots = params.roots().await?;
        if let Ok(open) = self.session(&id) {
            self.close(&open).await;
            drop(open);
        }
        let opened = self.store.open_session(id.as_str()).await;
        let (info, journal) = opened.map_err(|fault| of_session(fault, &id))?;
        let settings = self.restored(&info, &params).await?;
        Ok(OpeningSession {
            client: self.client.session(id),
            journal,
            params,
            roots,
            settings,
        })
    }

    /// The stored settings of a session. The default model replaces one that is no longer available.
    async fn restored(&self, info: &StoredSession, params: &OpenParams) -> Result<Settings, Error> {
        let mut settings: Settings =
            serde_json::from_value(info.settings.clone()).unwrap_or_default();
        if self.models.open(&settings.model).is_err() {
            // Providers that do not respond are not chosen.
            drop(self.models.discover().await);
            settings.model = self.models.default_model();
        }
        self.models.open(&settings.model).map_err(Failure::from)?;
        settings.instructions = params.instructions()?;
        Ok(settings)
    }

    fn open(
        self: &Arc<Self>,
        opened: OpeningSession,
        journal_state: Option<JournalState>,
    ) -> Arc<Session> {
        let OpeningSession {
            client,
            journal,
            params,
            roots,
            settings,
        } = opened;
        // The rules are checked against the opened file, so no other name of it evades them.
        let roots = roots
            .deny(self.permissions.deny_path_rules(AGENT))
            .ask(self.permissions.ask_path_rules(AGENT));
        let (events, heard) = mpsc::channel(MOST_EVENTS);
        let place = mcp::ServerContext {
            roots: roots.paths().map(PathBuf::from).collect(),
            session: Some(client.id().clone()),
            client: Some(self.client.clone()),
            environment: self.environment.terminals.environment().clone(),
            deadline: self.limits.connecting,
            ..mcp::ServerContext::new(roots.cwd())
        };
        let rules = match self.has_policy {
            true => FileRules::new(self.permissions.clone(), AGENT, client.id(), roots.cwd()),
            false => FileRules::default(),
        };
        let session = Arc::new(Session::new(SessionParts {
            agent: Arc::clone(self),
            place: Workplace::with_rules(client.clone(), roots, self.environment.clone(), rules),
            servers: Servers::connect(params.servers, place, events),
            client,
            journal,
            journal_state,
            settings,
        }));
        tokio::spawn(listen(Arc::downgrade(&session), heard));
        session
    }
}

/// Notifies the user of providers that did not list their models. The session works without them.
fn report_silent_providers(session: &Arc<Session>, silent: Vec<attache_model::Error>) {
    if silent.is_empty() {
        return;
    }
    let session = Arc::clone(session);
    tokio::spawn(async move {
        session.wait_until_opened().await;
        for fault in silent {
            let title = "A model provider does not respond".to_owned();
            let severity = v1::NoticeSeverity::Warning;
            session.notice(severity, title, fault.to_string()).await;
        }
    });
}

/// Turns events of MCP servers into notices and new command lists.
async fn listen(session: std::sync::Weak<Session>, mut events: mpsc::Receiver<mcp::ServerEvent>) {
    while let Some(event) = events.recv().await {
        let Some(session) = session.upgrade() else {
            return;
        };
        session.wait_until_opened().await;
        match event {
            mcp::ServerEvent::Failed { server, reason } => {
                let title = format!("MCP server {server} is not available");
                session
                    .notice(v1::NoticeSeverity::Warning, title, reason)
                    .await;
            }
            mcp::ServerEvent::Ended { server, reason } => {
                let title = format!("MCP server {server} has ended");
                session
                    .notice(v1::NoticeSeverity::Warning, title, reason)
                    .await;
            }
            mcp::ServerEvent::Ready { .. } | mcp::ServerEvent::PromptsChanged { .. } => {
                session.announce_commands().await;
            }
            mcp::ServerEvent::ToolsChanged { .. } | mcp::ServerEvent::ResourcesChanged { .. } => {}
        }
    }
}

impl OpenParams {
    fn info(&self, settings: &Settings) -> Result<StoredSession, Error> {
        let mut info = StoredSession::new(new_id().map_err(Failure::from)?, &self.cwd);
        info.additional.clone_from(&self.additional);
        info.settings = serde_json::to_value(settings).unwrap_or_default();
        Ok(info)
    }

    async fn roots(&self) -> Result<Roots, Error> {
        if self.servers.len() > mcp::MOST_NAMED {
            let words = format!(
                "`mcpServers` names {} servers; name at most {}",
                self.servers.len(),
                mcp::MOST_NAMED
            );
            return Err(error::unusable_params(&words));
        }
        let (cwd, additional) = (self.cwd.clone(), self.additional.clone());
        let opened = tokio::task::spawn_blocking(move || Roots::open(&cwd, &additional)).await;
        match opened {
            Ok(opened) => opened.map_err(|fault| error::unusable_params(&fault.to_string())),
            Err(_) => Err(error::internal("the directories could not be read")),
        }
    }

    fn instructions(&self) -> Result<Option<Instructions>, Error> {
        let Some(prompt) = &self.system_prompt else {
            return Ok(None);
        };
        let alone = match prompt.mode {
            v1::SystemPromptMode::Append => false,
            v1::SystemPromptMode::Override => true,
            _ => {
                return Err(error::unusable_params(
                    "the mode of the system prompt is unknown",
                ));
            }
        };
        let texts: Option<Vec<&str>> = prompt
            .content
            .iter()
            .map(v1::ContentBlock::as_text)
            .collect();
        match texts.map(|texts| texts.join("\n")) {
            Some(text) if !text.trim().is_empty() => Ok(Some(Instructions { text, alone })),
            _ => Err(error::unusable_params(
                "the system prompt must be a non-empty text",
            )),
        }
    }
}

const MOST_EVENTS: usize = 64;
