//! The sessions that an agent keeps: listed, read and deleted through the agent itself. It is started for that, and
//! stopped afterwards.

use std::path::Path;
use std::time::Duration;

use attache::client::{self, AgentHandle, ClientCalls};
use attache::process::{Child, StopTimeouts};
use attache::{CallError, ClientCall, CloseReason, Transcript, v1};
use tokio::time::timeout;

use crate::agents::{Agent, AgentNotInstalled, detecting_options, initialize_request};

/// An agent that was started for its sessions.
#[derive(Debug)]
pub struct AgentSessions {
    handle: AgentHandle,
    calls: ClientCalls,
    child: Child,
    can: v1::AgentCapabilities,
    patience: Duration,
}

/// Why an agent's sessions cannot be reached.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AgentSessionsError {
    /// It is not installed.
    #[error(transparent)]
    AgentNotInstalled(#[from] AgentNotInstalled),
    /// It does not start.
    #[error("{0}")]
    Start(String),
    /// It ended.
    #[error("{0}")]
    Ended(String),
    /// It does not answer.
    #[error("the agent does not answer `{0}`")]
    Late(&'static str),
    /// It does not offer this.
    #[error("the agent does not offer `{0}`")]
    NotOffered(&'static str),
    /// It wants a login.
    #[error("the agent wants a login first: {0}")]
    Login(CallError),
    /// It has no such session.
    #[error("the agent has no session `{0}`")]
    NoSession(v1::SessionId),
    /// It answers with an error.
    #[error("`{method}` failed: {error}")]
    Refused {
        /// What was asked.
        method: &'static str,
        /// The answer.
        error: CallError,
    },
}

/// The sessions of an agent, as far as they were asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionListing {
    /// The sessions.
    pub sessions: Vec<v1::SessionInfo>,
    /// Whether the agent has more than anybody wants to see.
    pub is_cut: bool,
}

impl AgentSessions {
    /// Starts an agent in a directory and greets it.
    ///
    /// # Errors
    ///
    /// When it is not installed, does not start or does not answer.
    pub async fn start(
        agent: &Agent,
        cwd: &Path,
        patience: Duration,
    ) -> Result<AgentSessions, AgentSessionsError> {
        agent.locate()?;
        let program = agent.program().cwd(cwd);
        let started = client::spawn(&program, detecting_options()).await;
        let (handle, calls, child) =
            started.map_err(|error| AgentSessionsError::Start(error.to_string()))?;
        let mut visit = AgentSessions {
            handle: handle.clone(),
            calls,
            child,
            can: v1::AgentCapabilities::default(),
            patience,
        };
        let answer = visit
            .wait("initialize", handle.initialize(initialize_request()), drop)
            .await?;
        visit.can = answer.agent_capabilities;
        Ok(visit)
    }

    /// What the agent offers.
    pub fn capabilities(&self) -> &v1::AgentCapabilities {
        &self.can
    }

    /// Asks for all sessions, or those of a directory, page by page.
    ///
    /// # Errors
    ///
    /// When the agent does not offer it, refuses, or does not answer.
    pub async fn list(&mut self, cwd: Option<&Path>) -> Result<SessionListing, AgentSessionsError> {
        if self.can.session_capabilities.list.is_none() {
            return Err(AgentSessionsError::NotOffered("session/list"));
        }
        let mut request = v1::ListSessionsRequest::new();
        if let Some(cwd) = cwd.and_then(Path::to_str) {
            request = request.cwd(v1_path(cwd));
        }
        let mut listing = SessionListing {
            sessions: Vec::new(),
            is_cut: false,
        };
        for _ in 0..PAGES {
            let page = self.ask("session/list", request.clone()).await?;
            listing.sessions.extend(page.sessions);
            match page.next_cursor {
                Some(next) if listing.sessions.len() < SESSIONS => request = request.cursor(next),
                Some(_) => break,
                None => return Ok(listing),
            }
        }
        listing.sessions.truncate(SESSIONS);
        listing.is_cut = true;
        Ok(listing)
    }

    /// Has the agent tell a session again. `cwd` is where to look for it unless the agent knows better.
    ///
    /// # Errors
    ///
    /// When the agent does not offer it, has no such session, refuses, or does not answer.
    pub async fn read(
        &mut self,
        session: &v1::SessionId,
        cwd: &Path,
    ) -> Result<Transcript, AgentSessionsError> {
        if !self.can.load_session {
            return Err(AgentSessionsError::NotOffered("session/load"));
        }
        let cwd = match self.known(session).await? {
            Some(info) => info.cwd,
            None => v1_path(&cwd.to_string_lossy()),
        };
        let mut transcript = Transcript::new();
        let handle = self.handle.clone();
        let load = v1::LoadSessionRequest::new(session.clone(), cwd, []);
        // Requests are dropped, which refuses them.
        let take = |call| {
            if let ClientCall::Session(notification) = call
                && notification.session_id == *session
            {
                transcript.apply(notification.update);
            }
        };
        let answer = self.wait("session/load", handle.request(load), take).await;
        match answer {
            Err(error) if error.is_no_session() => {
                Err(AgentSessionsError::NoSession(session.clone()))
            }
            Err(error) => Err(error),
            Ok(_) => Ok(transcript),
        }
    }

    /// Has the agent delete a session.
    ///
    /// # Errors
    ///
    /// As with [`AgentSessions::read`].
    pub async fn delete(&mut self, session: &v1::SessionId) -> Result<(), AgentSessionsError> {
        if self.can.session_capabilities.delete.is_none() {
            return Err(AgentSessionsError::NotOffered("session/delete"));
        }
        self.known(session).await?;
        let request = v1::DeleteSessionRequest::new(session.clone());
        match self.ask("session/delete", request).await {
            Err(error) if error.is_no_session() => {
                Err(AgentSessionsError::NoSession(session.clone()))
            }
            Err(error) => Err(error),
            Ok(_) => Ok(()),
        }
    }

    /// Stops the agent and everything that it has started.
    pub async fn end(self) {
        self.handle.close();
        self.child.stop(StopTimeouts::default()).await;
    }

    /// What the agent lists of a session; `None` if it cannot list, an error if it lists others only.
    async fn known(
        &mut self,
        session: &v1::SessionId,
    ) -> Result<Option<v1::SessionInfo>, AgentSessionsError> {
        let listing = match self.list(None).await {
            Ok(listing) => listing,
            Err(AgentSessionsError::NotOffered(_) | AgentSessionsError::Refused { .. }) => {
                return Ok(None);
            }
            Err(error) => return Err(error),
        };
        let mut sessions = listing.sessions.into_iter();
        let found = sessions.find(|info| info.session_id == *session);
        if found.is_none() && !listing.is_cut {
            return Err(AgentSessionsError::NoSession(session.clone()));
        }
        Ok(found)
    }

    async fn ask<R: attache::schema::method::Request>(
        &mut self,
        method: &'static str,
        request: R,
    ) -> Result<R::Response, AgentSessionsError> {
        let handle = self.handle.clone();
        self.wait(method, handle.request(request), drop).await
    }

    async fn wait<T>(
        &mut self,
        method: &'static str,
        answer: impl Future<Output = Result<T, CallError>>,
        take: impl FnMut(ClientCall),
    ) -> Result<T, AgentSessionsError> {
        let answer = timeout(self.patience, self.calls.until(answer, take)).await;
        match answer {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(CallError::Closed(CloseReason::PeerClosed | CloseReason::Io(_)))) => {
                match timeout(Duration::from_secs(1), self.child.wait()).await {
                    Ok(ending) => Err(AgentSessionsError::Ended(ending.to_string())),
                    Err(_) => Err(AgentSessionsError::Ended(
                        "the agent closed the connection".to_owned(),
                    )),
                }
            }
            Ok(Err(error)) if error.requires_login() => Err(AgentSessionsError::Login(error)),
            Ok(Err(error)) => Err(AgentSessionsError::Refused { method, error }),
            Err(_) => Err(AgentSessionsError::Late(method)),
        }
    }
}

impl AgentSessionsError {
    /// Agents do not agree on how to say it.
    fn is_no_session(&self) -> bool {
        let AgentSessionsError::Refused { error, .. } = self else {
            return false;
        };
        let code = error.refusal().map(v1::ErrorCode::of);
        matches!(
            code,
            Some(v1::ErrorCode::ResourceNotFound | v1::ErrorCode::InvalidParams)
        )
    }
}

fn v1_path(path: &str) -> attache::schema::FilePath {
    path.into()
}

const PAGES: usize = 200;
const SESSIONS: usize = 10_000;
