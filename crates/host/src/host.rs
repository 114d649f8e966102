//! All that a client serves, in one value.

mod confinement;
mod inspection;
mod sessions;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use attache_process::NestedMounts;
use attache_rpc::Error;
use attache_schema::{error, v1};
use tokio::sync::Semaphore;

use crate::Roots;
use crate::audit::{Event, Log};
use crate::files::{self, Files};
use crate::permissions::Permissions;
use crate::terminals::{self, Terminals};
pub use inspection::{FileOnDisk, InspectedPath};
use sessions::{Sessions, TerminalStatus};

/// All that a client serves, in one value: it knows the roots of every session and notes what was done in the log.
///
/// Clones are the same host. A request of a session that is not open is refused.
#[derive(Debug, Clone)]
pub struct Host {
    /// Files inside the roots.
    pub files: Files,
    /// Commands.
    pub terminals: Terminals,
    /// Who may do what.
    pub permissions: Permissions,
    /// What was done.
    pub log: Log,
    /// Who is served, for the log.
    agent: Arc<str>,
    sessions: Sessions,
    /// Of the first command of each session.
    /// For each terminal with room for one, what its user is to know.
    notices: Arc<Mutex<HashMap<v1::TerminalId, Option<String>>>>,
    /// Where the agent works beside the directory it is started in.
    directories: Arc<[PathBuf]>,
    /// Whether the agent can mount while paths are denied.
    nested_mounts: NestedMounts,
    /// Files that are read or written at the same time: each takes a thread.
    file_permits: Arc<Semaphore>,
}

impl Host {
    /// A host without a session.
    pub fn new(files: Files, terminals: Terminals, permissions: Permissions, log: Log) -> Host {
        Host {
            files,
            terminals,
            permissions,
            log,
            agent: Arc::default(),
            sessions: Sessions::default(),
            notices: Arc::default(),
            directories: Arc::default(),
            nested_mounts: NestedMounts::default(),
            file_permits: Arc::new(Semaphore::new(FILES_AT_ONCE)),
        }
    }

    /// The same host, serving an agent of this name: the log tells it.
    #[must_use]
    pub fn for_agent(mut self, agent: &str) -> Host {
        self.agent = agent.into();
        self
    }

    /// The same host, for an agent that works in these directories as well.
    #[must_use]
    pub fn with_directories(mut self, directories: &[PathBuf]) -> Host {
        self.directories = directories.into();
        self
    }

    /// Serves a session from now on, inside these roots.
    pub fn open(&self, session: &v1::SessionId, roots: Roots) {
        let roots = roots
            .deny(self.permissions.deny_path_rules(&self.agent))
            .ask(self.permissions.ask_path_rules(&self.agent));
        roots.start_denied_search();
        if roots.denied().is_cut() {
            self.permissions.enforce_paths(&self.agent, false);
        }
        let missing = roots.denied().missing().iter().cloned();
        self.permissions.expect_missing(missing);
        let additional: Vec<PathBuf> = roots.paths().skip(1).map(PathBuf::from).collect();
        self.permissions.add_directories(session, &additional);
        self.sessions.open(session, roots);
    }

    /// The roots of a session that is served.
    pub fn roots(&self, session: &v1::SessionId) -> Option<Roots> {
        self.sessions.roots(session)
    }

    /// Serves a session no longer: its commands are ended. What they wrote can still be looked at.
    pub async fn suspend(&self, session: &v1::SessionId) {
        for (terminal, status) in self.sessions.close(session) {
            // One that the agent has released meanwhile is what we want.
            drop(self.terminals.release(session, &terminal).await);
            if status == TerminalStatus::Running {
                self.log_exit(session, &terminal);
            }
        }
    }

    /// Serves a session no longer and forgets everything of it.
    pub async fn close(&self, session: &v1::SessionId) {
        self.suspend(session).await;
        self.terminals.end_session(session).await;
        self.permissions.end_session(session);
    }

    /// `fs/read_text_file`
    ///
    /// # Errors
    ///
    /// The error to answer with: the session is not open, or the file cannot be read.
    pub async fn read_text_file(
        &self,
        request: &v1::ReadTextFileRequest,
    ) -> Result<v1::ReadTextFileResponse, Error> {
        self.read_inspected(request, &InspectedPath::default())
            .await
    }

    /// The same for what was judged by [`inspect_read`](Host::inspect_read): a file that a rule asks about by another name
    /// is read if it is the one that was judged.
    ///
    /// # Errors
    ///
    /// As [`read_text_file`](Host::read_text_file).
    pub async fn read_inspected(
        &self,
        request: &v1::ReadTextFileRequest,
        judged: &InspectedPath,
    ) -> Result<v1::ReadTextFileResponse, Error> {
        let roots = self.session_roots(&request.session_id)?;
        let roots = roots.with_approved_alias(judged.alias.clone());
        let (files, log, asked) = (self.files.clone(), self.log.clone(), request.clone());
        let agent = Arc::clone(&self.agent);
        self.blocking(move || {
            let read = files.read(&roots, asked.path.as_path(), asked.line, asked.limit);
            log.append(&Event::Read {
                agent: &agent,
                session: asked.session_id.as_str(),
                path: asked.path.as_path().to_owned(),
                outcome: read.as_ref().map(bytes).map_err(ToString::to_string),
            });
            log.settle();
            Ok(v1::ReadTextFileResponse::new(read?))
        })
        .await
    }

    /// Where a path leads that is to be read.
    pub async fn inspect_read(&self, request: &v1::ReadTextFileRequest) -> InspectedPath {
        let look = |_: &Files, roots: &Roots, path: &Path| {
            let is_outside = matches!(roots.resolve(path), Err(files::FileError::Outside { .. }));
            (None, is_outside)
        };
        self.inspect(&request.session_id, request.path.as_path(), look)
            .await
    }

    /// Where a path leads that is to be written, and what is there. It is not noted, as the agent is not given it.
    pub async fn inspect_write(&self, request: &v1::WriteTextFileRequest) -> InspectedPath {
        let content = request.content.clone();
        let look = move |files: &Files, roots: &Roots, path: &Path| {
            let text = files.read(roots, path, None, None).ok();
            let text = text.filter(|text| text.len() <= MOST_SHOWN);
            let is_refused = match files.check_write(roots, path, &content) {
                // The rule decides, and is told to the user.
                Ok(()) | Err(files::FileError::DeniedByPolicy { .. }) => false,
                Err(_) => true,
            };
            (text, is_refused)
        };
        self.inspect(&request.session_id, request.path.as_path(), look)
            .await
    }

    /// What is at these paths now, up to 8 MiB of it. It is not noted, as the agent is not given it.
    pub async fn files_on_disk(
        &self,
        session: &v1::SessionId,
        paths: Vec<PathBuf>,
    ) -> Vec<FileOnDisk> {
        let Some(roots) = self.roots(session) else {
            return Vec::new();
        };
        let files = self.files.clone();
        let look = move || {
            let mut room = MOST_LOOKED_AT;
            let looks = paths.iter().map(|path| {
                let look = file_on_disk(&files, &roots, path);
                match &look {
                    FileOnDisk::Text(text) if text.len() > room => too_much(),
                    FileOnDisk::Text(text) => {
                        room -= text.len();
                        look
                    }
                    _ => look,
                }
            });
            Ok(looks.collect())
        };
        self.blocking(look).await.unwrap_or_default()
    }

    async fn inspect(
        &self,
        session: &v1::SessionId,
        path: &Path,
        look_at: impl FnOnce(&Files, &Roots, &Path) -> (Option<String>, bool) + Send + 'static,
    ) -> InspectedPath {
        let Some(roots) = self.roots(session) else {
            return InspectedPath::default();
        };
        let (files, path) = (self.files.clone(), path.to_owned());
        let look = move || {
            let alias = files.ask_rule_alias(&roots, &path);
            let other = alias.as_ref().and_then(|alias| alias.other.clone());
            let (text, is_refused) = look_at(&files, &roots, &path);
            Ok(InspectedPath {
                resolved: other.or_else(|| roots.resolve_links(&path)),
                text,
                is_refused,
                // A name that nobody knows cannot be asked about.
                alias: alias.filter(|alias| alias.other.is_some()),
            })
        };
        self.blocking(look).await.unwrap_or_default()
    }

    /// `fs/write_text_file`
    ///
    /// # Errors
    ///
    /// The error to answer with: the session is not open, or the file cannot be written.
    pub async fn write_text_file(
        &self,
        request: v1::WriteTextFileRequest,
    ) -> Result<v1::WriteTextFileResponse, Error> {
        let roots = self.session_roots(&request.session_id)?;
        let (files, log) = (self.files.clone(), self.log.clone());
        let agent = Arc::clone(&self.agent);
        self.blocking(move || {
            log.settle();
            let written = files.write(&roots, request.path.as_path(), &request.content);
            let outcome = written.as_ref().map(|()| bytes(&request.content));
            log.append(&Event::Wrote {
                agent: &agent,
                session: request.session_id.as_str(),
                path: PathBuf::from(request.path.as_str()),
                outcome: outcome.map_err(ToString::to_string),
            });
            log.settle();
            written?;
            Ok(v1::WriteTextFileResponse::new())
        })
        .await
    }

    /// The request as it will be run, to be judged, shown and then created: a whole line becomes a program with its
    /// arguments or a line for the shell, and a file that appears meanwhile does not change that. Variables that are what
    /// the command gets anyway are left out.
    pub async fn resolve_command(
        &self,
        request: v1::CreateTerminalRequest,
    ) -> v1::CreateTerminalRequest {
        let mut request = request;
        let environment = self.terminals.environment();
        request.env.retain(|variable| {
            let inherited = environment.get(&variable.name);
            inherited.is_none_or(|value| value != variable.value.reveal())
        });
        let roots = self.roots(&request.session_id);
        let Some(roots) = roots.filter(|_| terminals::may_be_line(&request)) else {
            return request;
        };
        let asked = request.clone();
        let resolved = self.blocking(move || Ok(terminals::resolve_command(&asked, roots.cwd())));
        resolved.await.unwrap_or(request)
    }

    /// `terminal/create`, for a request that [`resolve_command`](Host::resolve_command) gave.
    ///
    /// # Errors
    ///
    /// The error to answer with: the session is not open, or the command does not start.
    pub async fn create_terminal(
        &self,
        request: &v1::CreateTerminalRequest,
    ) -> Result<v1::CreateTerminalResponse, Error> {
        let session = &request.session_id;
        let roots = self.session_roots(session)?;
        self.settle_log().await;
        let created = self.terminals.create_resolved(&roots, request).await;
        let command = terminals::shown_command(request);
        self.log.append(&Event::Ran {
            agent: &self.agent,
            session: session.as_str(),
            command: &command,
            outcome: created.as_ref().map(AsRef::as_ref).map_err(to_string),
        });
        self.settle_log().await;
        let terminal = created?;
        if !self.sessions.add_terminal(session, &terminal) {
            // Closed while the command was being started: nobody would end it any more.
            drop(self.terminals.release(session, &terminal).await);
            return Err(error::session_not_found(session));
        }
        let has_room = |limit: u64| limit >= ROOM_FOR_NOTICE;
        if request.output_byte_limit.is_none_or(has_room) {
            let notice = self.terminals.notice(session);
            self.notices().insert(terminal.clone(), notice);
        }
        Ok(v1::CreateTerminalResponse::new(terminal))
    }

    /// What the first command of a session lacks of the user's environment, for the user. The output of any command that fails
    /// and names such a variable says it to the agent.
    pub fn notice(&self, terminal: &v1::TerminalId) -> Option<String> {
        self.notices().get(terminal).cloned().flatten()
    }

    fn notices(&self) -> MutexGuard<'_, HashMap<v1::TerminalId, Option<String>>> {
        self.notices.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// `terminal/output`
    ///
    /// # Errors
    ///
    /// The error to answer with: the session is not open, or has no such terminal.
    pub fn terminal_output(
        &self,
        request: &v1::TerminalOutputRequest,
    ) -> Result<v1::TerminalOutputResponse, Error> {
        self.session_roots(&request.session_id)?;
        let output = self
            .terminals
            .output(&request.session_id, &request.terminal_id);
        let mut output = output?;
        if self.notices().contains_key(&request.terminal_id) {
            self.terminals.explain(&mut output);
        }
        Ok(output)
    }

    /// `terminal/wait_for_exit`
    ///
    /// # Errors
    ///
    /// The error to answer with: the session is not open, or has no such terminal.
    pub async fn wait_for_terminal_exit(
        &self,
        request: &v1::WaitForTerminalExitRequest,
    ) -> Result<v1::WaitForTerminalExitResponse, Error> {
        let (session, terminal) = (&request.session_id, &request.terminal_id);
        self.session_roots(session)?;
        let status = self.terminals.wait(session, terminal).await?;
        self.log_exit_once(session, terminal);
        let mut response = v1::WaitForTerminalExitResponse::new();
        response.exit_code = status.exit_code;
        response.signal = status.signal;
        Ok(response)
    }

    /// `terminal/kill`
    ///
    /// # Errors
    ///
    /// The error to answer with: the session is not open, or has no such terminal.
    pub async fn kill_terminal(
        &self,
        request: &v1::KillTerminalRequest,
    ) -> Result<v1::KillTerminalResponse, Error> {
        let (session, terminal) = (&request.session_id, &request.terminal_id);
        self.session_roots(session)?;
        self.terminals.kill(session, terminal).await?;
        self.log_exit_once(session, terminal);
        Ok(v1::KillTerminalResponse::new())
    }

    /// `terminal/release`
    ///
    /// # Errors
    ///
    /// The error to answer with: the session is not open, or has no such terminal.
    pub async fn release_terminal(
        &self,
        request: &v1::ReleaseTerminalRequest,
    ) -> Result<v1::ReleaseTerminalResponse, Error> {
        let (session, terminal) = (&request.session_id, &request.terminal_id);
        self.session_roots(session)?;
        self.terminals.release(session, terminal).await?;
        self.log_exit_once(session, terminal);
        self.sessions.remove_terminal(session, terminal);
        self.notices().remove(terminal);
        Ok(v1::ReleaseTerminalResponse::new())
    }

    /// Waits until what was noted is in the log, so that nothing comes of what the log would not tell after a crash.
    pub async fn settle_log(&self) {
        if !self.log.is_settled() {
            let log = self.log.clone();
            // It does not panic; and without a thread there is nothing left to wait for.
            tokio::task::spawn_blocking(move || log.settle()).await.ok();
        }
    }

    fn session_roots(&self, session: &v1::SessionId) -> Result<Roots, Error> {
        let roots = self.sessions.roots(session);
        roots.ok_or_else(|| error::session_not_found(session))
    }

    /// Notes how a command ended, once.
    fn log_exit_once(&self, session: &v1::SessionId, terminal: &v1::TerminalId) {
        if self.sessions.mark_ended(session, terminal) {
            self.log_exit(session, terminal);
        }
    }

    fn log_exit(&self, session: &v1::SessionId, terminal: &v1::TerminalId) {
        let exit = self.terminals.view(terminal).and_then(|view| view.exit);
        self.log.append(&Event::Ended {
            agent: &self.agent,
            session: session.as_str(),
            terminal: terminal.as_str(),
            outcome: exit.map_or_else(|| "unknown".to_owned(), |exit| describe_exit(&exit)),
        });
    }

    async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let Ok(_permit) = Arc::clone(&self.file_permits).acquire_owned().await else {
            return Err(error::internal("files are no longer served"));
        };
        let done = tokio::task::spawn_blocking(work).await;
        done.unwrap_or_else(|_| Err(error::internal("the file's thread has failed")))
    }
}

fn file_on_disk(files: &Files, roots: &Roots, path: &Path) -> FileOnDisk {
    match files.read(roots, path, None, None) {
        Ok(text) if text.len() > MOST_SHOWN => too_much(),
        Ok(text) => FileOnDisk::Text(text),
        Err(files::FileError::NotFound { .. }) => FileOnDisk::Missing,
        Err(error) => FileOnDisk::Unknown(error.to_string()),
    }
}

fn too_much() -> FileOnDisk {
    FileOnDisk::Unknown("it is too large to compare".to_owned())
}

fn bytes(text: impl AsRef<str>) -> u64 {
    u64::try_from(text.as_ref().len()).unwrap_or(u64::MAX)
}

fn to_string(error: &impl Display) -> String {
    error.to_string()
}

fn describe_exit(exit: &v1::TerminalExitStatus) -> String {
    match (exit.exit_code, &exit.signal) {
        (_, Some(signal)) => format!("signal {signal}"),
        (Some(code), None) => format!("exit code {code}"),
        (None, None) => "unknown".to_owned(),
    }
}

/// In less, a notice would take the place of the output.
const ROOM_FOR_NOTICE: u64 = 4096;
const FILES_AT_ONCE: usize = 16;
const MOST_SHOWN: usize = 1024 * 1024;
const MOST_LOOKED_AT: usize = 8 * 1024 * 1024;
