//! Sessions that are opened: new ones, and those that are stored.

use std::path::PathBuf;

use attache::schema::{FilePath, error};
use attache::{Error, Reply, v1};

use super::{Agent, offers, replaying};
use crate::launch::{self, Launch, Start};
use crate::session::{self, Opened};

/// A session to be opened, whichever request asks for it.
struct Wish {
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
        let wish = new_id().map(|id| Wish {
            id,
            cwd: request.cwd,
            directories: request.additional_directories,
            servers: request.mcp_servers,
            system_prompt: request.system_prompt,
        });
        let start = async { Ok(Start::Nothing) };
        self.open(start, wish, reply, |id, opened| {
            v1::NewSessionResponse::new(id)
                .meta(offers::about(&opened.settings))
                .modes(opened.settings.modes())
                .config_options(opened.settings.options())
        });
    }

    pub(super) fn resume_session(
        &mut self,
        request: v1::ResumeSessionRequest,
        reply: Reply<v1::ResumeSessionResponse>,
    ) {
        let stored = self.stored(&request.session_id, &request.cwd);
        let start = async move { Ok(start_of(stored().as_ref())) };
        let wish = self
            .known(&request.session_id, &request.cwd)
            .map(|()| Wish {
                id: request.session_id,
                cwd: request.cwd,
                directories: request.additional_directories,
                servers: request.mcp_servers,
                system_prompt: request.system_prompt,
            });
        self.open(start, wish, reply, |_, opened| {
            v1::ResumeSessionResponse::new()
                .meta(offers::about(&opened.settings))
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
        let stored = self.stored(&from, &request.cwd)();
        let stored = stored.ok_or_else(|| error::session_not_found(&from));
        let start = async move { Ok(Start::Another(from.as_str().to_owned())) };
        let wish = stored.and_then(|_| new_id()).map(|id| Wish {
            id,
            cwd: request.cwd,
            directories: request.additional_directories,
            servers: request.mcp_servers,
            system_prompt: request.system_prompt,
        });
        self.open(start, wish, reply, |id, opened| {
            v1::ForkSessionResponse::new(id)
                .meta(offers::about(&opened.settings))
                .modes(opened.settings.modes())
                .config_options(opened.settings.options())
        });
    }

    pub(super) fn load_session(
        &mut self,
        request: v1::LoadSessionRequest,
        reply: Reply<v1::LoadSessionResponse>,
    ) {
        let stored = self.stored(&request.session_id, &request.cwd);
        let session = self.client.session(request.session_id.clone());
        let shows = self.shows();
        let start = async move {
            let transcript = stored();
            let start = start_of(transcript.as_ref());
            if let Some(transcript) = transcript {
                replaying::replay(&session, transcript, shows).await?;
            }
            Ok(start)
        };
        let wish = self
            .known(&request.session_id, &request.cwd)
            .map(|()| Wish {
                id: request.session_id,
                cwd: request.cwd,
                directories: request.additional_directories,
                servers: request.mcp_servers,
                system_prompt: request.system_prompt,
            });
        self.open(start, wish, reply, |_, opened| {
            v1::LoadSessionResponse::new()
                .meta(offers::about(&opened.settings))
                .modes(opened.settings.modes())
                .config_options(opened.settings.options())
        });
    }

    /// Opens a session in a task of its own, once it is known what it starts from.
    fn open<T: attache::json::Encode + Send + 'static>(
        &mut self,
        start: impl Future<Output = Result<Start, Error>> + Send + 'static,
        wish: Result<Wish, Error>,
        reply: Reply<T>,
        answer: impl FnOnce(v1::SessionId, &Opened) -> T + Send + 'static,
    ) {
        let launch = wish.and_then(|wish| self.launch(wish));
        let (id, mut launch) = match launch {
            Ok(launch) => launch,
            Err(error) => return reply.fail(error),
        };
        // One that is open already gives way to the new one.
        let closed = self.close(&id);
        let session = self.client.session(id.clone());
        let (shows, news) = (self.shows(), self.opened.clone());
        tokio::spawn(async move {
            if let Some(closed) = closed {
                closed.await;
            }
            let opened = tokio::select! {
                opened = async {
                    launch.start = start.await?;
                    session::open(session, launch, shows).await
                } => opened,
                () = reply.cancelled() => return,
            };
            match opened {
                Ok(opened) => {
                    let answer = answer(id.clone(), &opened);
                    // The orders are known before the client knows the session.
                    if news.send((id, opened.orders.clone())).await.is_ok() {
                        reply.ok(answer);
                        opened.run();
                    }
                }
                Err(error) => reply.fail(error),
            }
        });
    }

    fn launch(&self, wish: Wish) -> Result<(v1::SessionId, Launch), Error> {
        let launcher = match &self.launcher {
            Ok(launcher) => launcher.clone(),
            Err(missing) => return Err(error::internal(&missing.to_string())),
        };
        if !launch::is_folder(wish.cwd.as_path()) {
            let words = "`cwd` is not the absolute path of a directory";
            return Err(error::unusable_params(words));
        }
        let is_folder = |path: &FilePath| launch::is_folder(path.as_path());
        if !wish.directories.iter().all(is_folder) {
            let words = "`additionalDirectories` contains something other than absolute paths of directories";
            return Err(error::unusable_params(words));
        }
        let is_over_acp = |server: &v1::McpServer| matches!(server, v1::McpServer::Acp(_));
        if wish.servers.iter().any(is_over_acp) {
            let words = "MCP servers over this connection are not offered";
            return Err(error::unusable_params(words));
        }
        if let Some(words) = launch::unusable_names(&wish.servers) {
            return Err(error::unusable_params(words));
        }
        let launch = Launch {
            launcher,
            id: wish.id.as_str().to_owned(),
            start: Start::Nothing,
            cwd: wish.cwd.as_path().to_owned(),
            directories: wish
                .directories
                .iter()
                .map(|it| it.as_str().to_owned())
                .collect(),
            servers: wish.servers,
            system_prompt: wish.system_prompt,
            provider: self.provider.clone(),
        };
        Ok((wish.id, launch))
    }

    /// Whether there is such a session: one that is stored, or open and not stored yet.
    fn known(&self, id: &v1::SessionId, cwd: &FilePath) -> Result<(), Error> {
        match self.sessions.contains_key(id) || self.stored(id, cwd)().is_some() {
            true => Ok(()),
            false => Err(error::session_not_found(id)),
        }
    }

    /// Finds the transcript of a session. A CLI may write it only when it ends.
    fn stored(
        &self,
        id: &v1::SessionId,
        cwd: &FilePath,
    ) -> impl FnOnce() -> Option<PathBuf> + Send + use<> {
        let (store, id, cwd) = (self.store.clone(), id.clone(), cwd.clone());
        move || store.find(id.as_str(), cwd.as_str())
    }
}

fn start_of(transcript: Option<&PathBuf>) -> Start {
    match transcript {
        Some(_) => Start::Itself,
        None => Start::Nothing,
    }
}

fn new_id() -> Result<v1::SessionId, Error> {
    let id = session::uuid();
    id.map(v1::SessionId::from)
        .map_err(|failed| error::internal(&failed.to_string()))
}
