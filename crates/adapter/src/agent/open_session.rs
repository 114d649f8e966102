//! Requests that open a session: new, load, resume and fork.

use std::path::PathBuf;

use attache::schema::{FilePath, error};
use attache::{Error, Reply, v1};

use super::{Agent, initialize, transcript_replay};
use crate::launch::{self, SessionLaunch, SessionOrigin};
use crate::session::{self, ReadySession};

/// The parameters that all requests to open a session share.
struct SessionParams {
    id: v1::SessionId,
    cwd: FilePath,
    directories: Vec<FilePath>,
    servers: Vec<v1::McpServer>,
    system_prompt: Option<v1::SystemPrompt>,
}

impl Agent {
    pub(super) fn new_session(
        &mut self,
        request: v1::NewSessionRequest,
        reply: Reply<v1::NewSessionResponse>,
    ) {
        let params = new_id().map(|id| SessionParams {
            id,
            cwd: request.cwd,
            directories: request.additional_directories,
            servers: request.mcp_servers,
            system_prompt: request.system_prompt,
        });
        let origin = async { Ok(SessionOrigin::New) };
        self.open(origin, params, reply, |id, opened| {
            v1::NewSessionResponse::new(id)
                .meta(initialize::cli_version(&opened.settings))
                .modes(opened.settings.modes())
                .config_options(opened.settings.options())
        });
    }

    pub(super) fn resume_session(
        &mut self,
        request: v1::ResumeSessionRequest,
        reply: Reply<v1::ResumeSessionResponse>,
    ) {
        let stored = self.find_transcript(&request.session_id, &request.cwd);
        let origin = async move { Ok(origin_of(stored().as_ref())) };
        let params = self
            .check_exists(&request.session_id, &request.cwd)
            .map(|()| SessionParams {
                id: request.session_id,
                cwd: request.cwd,
                directories: request.additional_directories,
                servers: request.mcp_servers,
                system_prompt: request.system_prompt,
            });
        self.open(origin, params, reply, |_, opened| {
            v1::ResumeSessionResponse::new()
                .meta(initialize::cli_version(&opened.settings))
                .modes(opened.settings.modes())
                .config_options(opened.settings.options())
        });
    }

    pub(super) fn fork_session(
        &mut self,
        request: v1::ForkSessionRequest,
        reply: Reply<v1::ForkSessionResponse>,
    ) {
        let from = request.session_id;
        let stored = self.find_transcript(&from, &request.cwd)();
        let stored = stored.ok_or_else(|| error::session_not_found(&from));
        let origin = async move { Ok(SessionOrigin::Fork(from.as_str().to_owned())) };
        let params = stored.and_then(|_| new_id()).map(|id| SessionParams {
            id,
            cwd: request.cwd,
            directories: request.additional_directories,
            servers: request.mcp_servers,
            system_prompt: request.system_prompt,
        });
        self.open(origin, params, reply, |id, opened| {
            v1::ForkSessionResponse::new(id)
                .meta(initialize::cli_version(&opened.settings))
                .modes(opened.settings.modes())
                .config_options(opened.settings.options())
        });
    }

    pub(super) fn load_session(
        &mut self,
        request: v1::LoadSessionRequest,
        reply: Reply<v1::LoadSessionResponse>,
    ) {
        let stored = self.find_transcript(&request.session_id, &request.cwd);
        let session = self.client.session(request.session_id.clone());
        let display = self.display_support();
        let origin = async move {
            let transcript = stored();
            let origin = origin_of(transcript.as_ref());
            if let Some(transcript) = transcript {
                transcript_replay::replay(&session, transcript, display).await?;
            }
            Ok(origin)
        };
        let params = self
            .check_exists(&request.session_id, &request.cwd)
            .map(|()| SessionParams {
                id: request.session_id,
                cwd: request.cwd,
                directories: request.additional_directories,
                servers: request.mcp_servers,
                system_prompt: request.system_prompt,
            });
        self.open(origin, params, reply, |_, opened| {
            v1::LoadSessionResponse::new()
                .meta(initialize::cli_version(&opened.settings))
                .modes(opened.settings.modes())
                .config_options(opened.settings.options())
        });
    }

    /// Opens a session in its own task, once `origin` is known.
    fn open<T: attache::json::Encode + Send + 'static>(
        &mut self,
        origin: impl Future<Output = Result<SessionOrigin, Error>> + Send + 'static,
        params: Result<SessionParams, Error>,
        reply: Reply<T>,
        answer: impl FnOnce(v1::SessionId, &ReadySession) -> T + Send + 'static,
    ) {
        let launch = params.and_then(|params| self.launch(params));
        let (id, mut launch) = match launch {
            Ok(launch) => launch,
            Err(error) => return reply.fail(error),
        };
        // A session with this id that is open already is closed first.
        let closed = self.close(&id);
        let session = self.client.session(id.clone());
        let (display, news) = (self.display_support(), self.opened.clone());
        tokio::spawn(async move {
            if let Some(closed) = closed {
                closed.await;
            }
            let opened = tokio::select! {
                opened = async {
                    launch.origin = origin.await?;
                    session::open(session, launch, display).await
                } => opened,
                () = reply.cancelled() => return,
            };
            match opened {
                Ok(opened) => {
                    let answer = answer(id.clone(), &opened);
                    // The agent must know the session before the client does.
                    if news.send((id, opened.orders.clone())).await.is_ok() {
                        reply.ok(answer);
                        opened.run();
                    }
                }
                Err(error) => reply.fail(error),
            }
        });
    }

    fn launch(&self, params: SessionParams) -> Result<(v1::SessionId, SessionLaunch), Error> {
        let launcher = match &self.launcher {
            Ok(launcher) => launcher.clone(),
            Err(missing) => return Err(error::internal(&missing.to_string())),
        };
        if !launch::is_folder(params.cwd.as_path()) {
            let words = "`cwd` is not the absolute path of a directory";
            return Err(error::unusable_params(words));
        }
        let is_folder = |path: &FilePath| launch::is_folder(path.as_path());
        if !params.directories.iter().all(is_folder) {
            let words = "`additionalDirectories` contains something other than absolute paths of directories";
            return Err(error::unusable_params(words));
        }
        let is_over_acp = |server: &v1::McpServer| matches!(server, v1::McpServer::Acp(_));
        if params.servers.iter().any(is_over_acp) {
            let words = "MCP servers over this connection are not offered";
            return Err(error::unusable_params(words));
        }
        if let Some(words) = launch::unusable_names(&params.servers) {
            return Err(error::unusable_params(words));
        }
        let launch = SessionLaunch {
            launcher,
            id: params.id.as_str().to_owned(),
            origin: SessionOrigin::New,
            cwd: params.cwd.as_path().to_owned(),
            directories: params
                .directories
                .iter()
                .map(|it| it.as_str().to_owned())
                .collect(),
            servers: params.servers,
            system_prompt: params.system_prompt,
            provider: self.provider.clone(),
        };
        Ok((params.id, launch))
    }

    /// Fails unless the session is stored, or is open and not stored yet.
    fn check_exists(&self, id: &v1::SessionId, cwd: &FilePath) -> Result<(), Error> {
        match self.sessions.contains_key(id) || self.find_transcript(id, cwd)().is_some() {
            true => Ok(()),
            false => Err(error::session_not_found(id)),
        }
    }

    /// Finds the transcript of a session. Call it after the session is closed: a CLI may write its transcript only on
    /// exit.
    fn find_transcript(
        &self,
        id: &v1::SessionId,
        cwd: &FilePath,
    ) -> impl FnOnce() -> Option<PathBuf> + Send + use<> {
        let (store, id, cwd) = (self.store.clone(), id.clone(), cwd.clone());
        move || store.find(id.as_str(), cwd.as_str())
    }
}

fn origin_of(transcript: Option<&PathBuf>) -> SessionOrigin {
    match transcript {
        Some(_) => SessionOrigin::Resume,
        None => SessionOrigin::New,
    }
}

fn new_id() -> Result<v1::SessionId, Error> {
    let id = session::uuid();
    id.map(v1::SessionId::from)
        .map_err(|failed| error::internal(&failed.to_string()))
}
