//! Opens, configures, lists, closes and deletes sessions.

use std::path::PathBuf;
use std::time::Duration;

use attache::schema::method::RequestToAgent;
use attache::schema::{FilePath, error};
use attache::{AgentHandle, CallError, v1};
use attache_host::{Host, Roots};
use tokio::time::timeout;

use super::sessions::SessionState;
use super::{Conversation, failure};
use crate::command::{OpenRequest, SessionStart};
use crate::event::{CommandFailure, Event, OpenedSession};
use crate::mcp;

impl Conversation {
    pub(super) fn open_session(&mut self, opening: OpenRequest) {
        let Some((agent, initialized)) = self.agent.clone().zip(self.initialized.as_ref()) else {
            return self.fail(failure::agent_exited(method(&opening.start)));
        };
        let directories = match check_offered(&opening, &initialized.agent_capabilities) {
            Ok(directories) => directories,
            Err(why) => return self.fail(why),
        };
        match &opening.start {
            SessionStart::Load(id) | SessionStart::Resume(id) if self.is_busy(id) => {
                let why = "a turn is running in the session; cancel it first";
                return self.fail(failure::local(method(&opening.start), why));
            }
            // Updates may arrive before the response.
            SessionStart::Load(id) | SessionStart::Resume(id) => {
                let cwd = opening.cwd.clone();
                self.sessions.insert(id.clone(), cwd, SessionState::Opening);
            }
            SessionStart::New | SessionStart::Fork(_) => self.sessions.expect(),
        }
        let opening_session = SessionOpening {
            agent,
            host: self.setup.host.clone(),
            directories,
            opening: opening.clone(),
            time: self.setup.times.open,
        };
        self.run_then(
            opening_session.open(),
            move |conversation, outcome| match outcome {
                Ok((opened, roots)) => conversation.opened(opened, roots),
                Err(why) => conversation.not_opened(&opening.start, why),
            },
        );
    }

    fn opened(&mut self, opened: OpenedSession, roots: Roots) {
        let session = opened.session.clone();
        let cwd = opened.request.cwd.clone();
        let is_new = matches!(
            opened.request.start,
            SessionStart::New | SessionStart::Fork(_)
        );
        if is_new && self.sessions.is_in_use(&session) {
            let start = &opened.request.start;
            let why = format!(
                "the agent responded with the id `{session}`, which another open session has; close that session first"
            );
            return self.not_opened(start, failure::local(method(start), &why));
        }
        if is_new {
            // Decisions under this id belong to another session.
            self.setup.host.permissions.end_session(&session);
        }
        self.setup.host.open(&session, roots);
        if is_new {
            self.sessions
                .insert(session.clone(), cwd, SessionState::Open);
        } else if let Some(session) = self.sessions.get_mut(&session) {
            session.state = SessionState::Open;
        }
        self.emit(Event::SessionOpened(Box::new(opened)));
        if is_new {
            for told in self.sessions.take_early(&session) {
                self.handle_update(told);
            }
            self.sessions.settle();
        }
        self.start_next_turn(&session);
    }

    fn not_opened(&mut self, start: &SessionStart, why: CommandFailure) {
        match start {
            SessionStart::New | SessionStart::Fork(_) => self.sessions.settle(),
            SessionStart::Load(id) | SessionStart::Resume(id) => {
                let id = id.clone();
                self.forget_session(&id);
            }
        }
        self.fail(why);
    }

    pub(super) fn list_sessions(&mut self, cwd: Option<PathBuf>, cursor: Option<String>) {
        let mut request = v1::ListSessionsRequest::new();
        request.cwd = match cwd.map(FilePath::try_from).transpose() {
            Ok(cwd) => cwd,
            Err(path) => return self.fail(not_utf8("session/list", &path)),
        };
        request.cursor = cursor;
        self.request("session/list", request, |conversation, page| {
            conversation.emit(Event::SessionsListed(page));
        });
    }

    /// Closes a session. For an agent that does not offer `session/close`, the session is closed only in the client.
    pub(super) fn close_session(&mut self, session: v1::SessionId) {
        if self.sessions.get(&session).is_none() {
            return self.fail(failure::no_session("session/close", &session));
        }
        self.cancel(&session);
        self.forget_session(&session);
        let initialized = self.initialized.as_ref();
        let capabilities =
            initialized.map(|initialized| &initialized.agent_capabilities.session_capabilities);
        if capabilities.is_none_or(|it| it.close.is_none()) {
            return self.emit(Event::SessionClosed(session));
        }
        let request = v1::CloseSessionRequest::new(session.clone());
        self.request_removal("session/close", request, Event::SessionClosed(session));
    }

    pub(super) fn delete_session(&mut self, session: v1::SessionId) {
        if self.sessions.get(&session).is_some() {
            self.cancel(&session);
            self.forget_session(&session);
        }
        let request = v1::DeleteSessionRequest::new(session.clone());
        self.request_removal("session/delete", request, Event::SessionDeleted(session));
    }

    pub(super) fn set_mode(&mut self, session: v1::SessionId, mode: v1::SessionModeId) {
        if self.sessions.open_mut(&session).is_none() {
            return self.fail(failure::no_session("session/set_mode", &session));
        }
        let request = v1::SetSessionModeRequest::new(session.clone(), mode.clone());
        self.request("session/set_mode", request, move |conversation, _| {
            conversation.emit(Event::ModeSet { session, mode });
        });
    }

    pub(super) fn set_option(
        &mut self,
        session: v1::SessionId,
        option: v1::SessionConfigId,
        value: v1::SessionConfigOptionValue,
    ) {
        let what = "session/set_config_option";
        if self.sessions.open_mut(&session).is_none() {
            return self.fail(failure::no_session(what, &session));
        }
        let request = v1::SetSessionConfigOptionRequest::new(session.clone(), option, value);
        self.request(what, request, move |conversation, answer| {
            let options = answer.config_options;
            conversation.emit(Event::OptionsSet { session, options });
        });
    }

    /// Sends a request that removes a session. A session that does not exist counts as removed.
    fn request_removal<R>(&mut self, what: &'static str, request: R, done: Event)
    where
        R: RequestToAgent + Send + Sync + 'static,
        R::Response: Default + Send,
    {
        let Some(agent) = self.agent.clone() else {
            return self.fail(failure::agent_exited(what));
        };
        let time = self.setup.times.answer;
        let asked = async move { timeout(time, agent.request(request)).await };
        self.run_then(asked, move |conversation, outcome| {
            let outcome = outcome.map(|answer| {
                answer.or_else(|failure| match failure.refusal() {
                    Some(refusal) => {
                        error::removal_outcome(Err(refusal.clone())).map_err(|_| failure)
                    }
                    None => Err(failure),
                })
            });
            match failure::from_outcome(what, outcome) {
                Ok(_) => conversation.emit(done),
                Err(why) => conversation.fail(why),
            }
        });
    }

    /// Removes a session and its children, here and from the host.
    fn forget_session(&mut self, session: &v1::SessionId) {
        let family = self.sessions.remove(session);
        for session in &family {
            drop(self.withdraw(session, "the session was closed"));
        }
        let host = self.setup.host.clone();
        self.serve_beside(async move {
            for session in family {
                host.close(&session).await;
            }
        });
    }

    /// Sends a request and handles the response.
    pub(super) fn request<R>(
        &mut self,
        what: &'static str,
        request: R,
        then: impl FnOnce(&mut Conversation, R::Response) + Send + 'static,
    ) where
        R: RequestToAgent + Send + Sync + 'static,
        R::Response: Send,
    {
        let time = self.setup.times.answer;
        self.request_within(time, what, request, then);
    }

    pub(super) fn request_within<R>(
        &mut self,
        time: Duration,
        what: &'static str,
        request: R,
        then: impl FnOnce(&mut Conversation, R::Response) + Send + 'static,
    ) where
        R: RequestToAgent + Send + Sync + 'static,
        R::Response: Send,
    {
        let Some(agent) = self.agent.clone() else {
            return self.fail(failure::agent_exited(what));
        };
        let asked = async move { timeout(time, agent.request(request)).await };
        self.run_then(
            asked,
            move |conversation, outcome| match failure::from_outcome(what, outcome) {
                Ok(answer) => then(conversation, answer),
                Err(why) => conversation.fail(why),
            },
        );
    }
}

/// The method that opens a session in this way.
pub(super) fn method(start: &SessionStart) -> &'static str {
    match start {
        SessionStart::New => "session/new",
        SessionStart::Load(_) => "session/load",
        SessionStart::Resume(_) => "session/resume",
        SessionStart::Fork(_) => "session/fork",
    }
}

/// A session that is being opened.
struct SessionOpening {
    agent: AgentHandle,
    host: Host,
    directories: WireDirectories,
    opening: OpenRequest,
    time: Duration,
}

/// The session's directories as wire paths.
struct WireDirectories {
    cwd: FilePath,
    additional: Vec<FilePath>,
}

impl SessionOpening {
    /// Opens the directories, then sends the request. The host serves an earlier session before the response arrives.
    async fn open(self) -> Result<(OpenedSession, Roots), CommandFailure> {
        let what = method(&self.opening.start);
        let roots = open_roots(&self.opening).await;
        let roots = roots.map_err(|why| failure::local(what, &why))?;
        if let SessionStart::Load(id) | SessionStart::Resume(id) = &self.opening.start {
            self.host.open(id, roots.clone());
        }
        let answer = timeout(self.time, self.request()).await;
        let opened = failure::from_outcome(what, answer)?;
        Ok((opened, roots))
    }

    async fn request(&self) -> Result<OpenedSession, CallError> {
        let WireDirectories { cwd, additional } = &self.directories;
        let (cwd, additional) = (cwd.clone(), additional.clone());
        let servers = self.opening.mcp_servers.clone();
        let (session, modes, options) = match &self.opening.start {
            SessionStart::New => {
                let request = v1::NewSessionRequest::new(cwd, servers);
                let answer = self
                    .agent
                    .request(request.additional_directories(additional));
                let answer = answer.await?;
                (answer.session_id, answer.modes, answer.config_options)
            }
            SessionStart::Load(id) => {
                let request = v1::LoadSessionRequest::new(id.clone(), cwd, servers);
                let answer = self
                    .agent
                    .request(request.additional_directories(additional));
                let answer = answer.await?;
                (id.clone(), answer.modes, answer.config_options)
            }
            SessionStart::Resume(id) => {
                let request = v1::ResumeSessionRequest::new(id.clone(), cwd).mcp_servers(servers);
                let answer = self
                    .agent
                    .request(request.additional_directories(additional));
                let answer = answer.await?;
                (id.clone(), answer.modes, answer.config_options)
            }
            SessionStart::Fork(id) => {
                let request = v1::ForkSessionRequest::new(id.clone(), cwd).mcp_servers(servers);
                let answer = self
                    .agent
                    .request(request.additional_directories(additional));
                let answer = answer.await?;
                (answer.session_id, answer.modes, answer.config_options)
            }
        };
        Ok(OpenedSession {
            session,
            request: self.opening.clone(),
            modes,
            options: options.unwrap_or_default(),
        })
    }
}

async fn open_roots(opening: &OpenRequest) -> Result<Roots, String> {
    let (cwd, additional) = (opening.cwd.clone(), opening.additional.clone());
    let opened = tokio::task::spawn_blocking(move || Roots::open(&cwd, &additional));
    match opened.await {
        Ok(Ok(roots)) => Ok(roots),
        Ok(Err(error)) => Err(error.to_string()),
        Err(_) => Err("the directories could not be opened".to_owned()),
    }
}

/// Checks that the agent offers everything that this request needs.
fn check_offered(
    opening: &OpenRequest,
    offered: &v1::AgentCapabilities,
) -> Result<WireDirectories, CommandFailure> {
    let what = method(&opening.start);
    let sessions = &offered.session_capabilities;
    let can = match opening.start {
        SessionStart::New => true,
        SessionStart::Load(_) => offered.load_session,
        SessionStart::Resume(_) => sessions.resume.is_some(),
        SessionStart::Fork(_) => sessions.fork.is_some(),
    };
    if !can {
        let why = match opening.start {
            SessionStart::Load(_) => "the agent cannot load sessions; start a new session",
            SessionStart::Resume(_) => {
                "the agent cannot resume sessions; load the session, or start a new one"
            }
            SessionStart::New | SessionStart::Fork(_) => {
                "the agent cannot fork sessions; start a new session"
            }
        };
        return Err(failure::not_offered(what, why));
    }
    if !opening.additional.is_empty() && sessions.additional_directories.is_none() {
        let why = "the agent does not support additional directories; omit them";
        return Err(failure::not_offered(what, why));
    }
    mcp::check(&opening.mcp_servers, &offered.mcp_capabilities)
        .map_err(|error| failure::not_offered(what, &error.to_string()))?;
    let path = |path: &PathBuf| {
        if path.is_absolute() {
            FilePath::try_from(path.clone()).map_err(|path| not_utf8(what, &path))
        } else {
            let why = format!("`{}` is not an absolute path", path.display());
            Err(failure::local(what, &why))
        }
    };
    Ok(WireDirectories {
        cwd: path(&opening.cwd)?,
        additional: opening
            .additional
            .iter()
            .map(path)
            .collect::<Result<_, _>>()?,
    })
}

fn not_utf8(what: &str, path: &std::path::Path) -> CommandFailure {
    let why = format!(
        "the path `{}` is not UTF-8, which the protocol requires",
        path.display()
    );
    failure::local(what, &why)
}
