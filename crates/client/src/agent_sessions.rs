//! Lists, reads and deletes the sessions that an agent stores. The agent is started for this and stopped afterwards.

use std::path::Path;
use std::time::Duration;

use attache::client::{self, AgentHandle, ClientCalls};
use attache::process::{Child, StopTimeouts};
use attache::schema::method::RequestToAgent;
use attache::{CallError, CallErrorKind, ClientCall, CloseReason, Transcript, v1};
use tokio::time::timeout;

use crate::agents::{Agent, AgentNotInstalled, detecting_options, initialize_request};

/// A running agent whose sessions can be listed, read and deleted.
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
    /// The agent is not installed.
    #[error(transparent)]
    AgentNotInstalled(#[from] AgentNotInstalled),
    /// The agent does not start.
    #[error("{0}")]
    Start(String),
    /// The agent exited.
    #[error("{0}")]
    Ended(String),
    /// The agent did not respond in time.
    #[error("the agent did not respond to `{0}` in time")]
    Late(&'static str),
    /// The agent does not offer this method.
    #[error("the agent does not offer `{0}`")]
    NotOffered(&'static str),
    /// The agent requires a login.
    #[error("the agent requires a login first: {}", .0.kind())]
    Login(CallError),
    /// The agent has no session with this id.
    #[error("the agent has no session `{0}`")]
    NoSession(v1::SessionId),
    /// The agent responded with an error.
    #[error("`{method}` failed: {}", .error.kind())]
    Refused {
        /// The request's method.
        method: &'static str,
        /// The error in the response.
        error: CallError,
    },
}

/// The sessions that an agent lists, up to a limit.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionListing {
    /// The sessions, in the agent's order.
    pub sessions: Vec<v1::SessionInfo>,
    /// Whether the agent has more sessions than the limit.
    pub is_cut: bool,
}

impl AgentSessions {
    /// Starts an agent in a directory and sends `initialize`.
    ///
    /// # Errors
    ///
    /// When the agent is not installed, does not start or does not respond within `patience`.
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

    /// The capabilities from the agent's `initialize` response.
    pub fn capabilities(&self) -> &v1::AgentCapabilities {
        &self.can
    }

    /// Lists all sessions, or those of a directory, page by page.
    ///
    /// # Errors
    ///
    /// When the agent does not offer `session/list`, responds with an error, or does not respond.
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

    /// Has the agent replay a session. `cwd` is the session's directory, unless the agent lists another one for it.
    ///
    /// # Errors
    ///
    /// When the agent does not offer the method, has no such session, responds with an error, or does not respond.
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

    /// The agent's list entry for a session. `None`: the agent cannot list sessions. An error: the list does not contain the
    /// session.
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

    async fn ask<R: RequestToAgent>(
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
            Ok(Err(error)) if is_exit(&error) => {
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

/// Whether the connection ended because the agent did.
fn is_exit(error: &CallError) -> bool {
    matches!(
        error.kind(),
        CallErrorKind::Closed(CloseReason::PeerClosed | CloseReason::Io(_))
    )
}

impl AgentSessionsError {
    /// Whether the error means that the session does not exist. Agents use different error codes for that.
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
