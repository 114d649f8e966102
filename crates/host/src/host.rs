//! The services of a client in one value.

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

/// Everything a client offers to an agent. A host knows the roots of every session and records each operation in the
/// audit log.
///
/// Clones share the same host. Requests for a session that is not open are rejected.
#[derive(Debug, Clone)]
pub struct Host {
    /// Files inside the roots.
    pub files: Files,
    /// Terminals.
    pub terminals: Terminals,
    /// The rules and decisions on what agents may do.
    pub permissions: Permissions,
    /// The audit log.
    pub log: Log,
    /// The name of the agent, for the log.
    agent: Arc<str>,
    sessions: Sessions,
    /// The terminals whose output has room for a notice, each with the notice for the user if there is one.
    notices: Arc<Mutex<HashMap<v1::TerminalId, Option<String>>>>,
    /// Directories in which the agent works beside the one it starts in.
    directories: Arc<[PathBuf]>,
    /// Whether the agent may mount file systems while paths are denied.
    nested_mounts: NestedMounts,
    /// Limits how many files are read or written at the same time; each takes a thread.
    file_permits: Arc<Semaphore>,
}

impl Host {
    /// Creates a host without sessions.
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

    /// Sets the name of the agent, which the log records.
    #[must_use]
    pub fn for_agent(mut self, agent: &str) -> Host {
        self.agent = agent.into();
        self
    }

    /// Sets the directories in which the agent works beside the one it starts in.
    #[must_use]
    pub fn with_directories(mut self, directories: &[PathBuf]) -> Host {
        self.directories = directories.into();
        self
    }

    /// Opens a session with these roots.
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

    /// The roots of an open session.
    pub fn roots(&self, session: &v1::SessionId) -> Option<Roots> {
        self.sessions.roots(session)
    }

    /// Closes a session and ends its commands. Their output stays visible.
    pub async fn suspend(&self, session: &v1::SessionId) {
        for (terminal, status) in self.sessions.close(session) {
            // The agent may have released it meanwhile.
            drop(self.terminals.release(session, &terminal).await);
            if status == TerminalStatus::Running {
                self.log_exit(session, &terminal);
            }
        }
    }

    /// Closes a session and forgets everything about it.
    pub async fn close(&self, session: &v1::SessionId) {
        self.suspend(session).await;
        self.terminals.end_session(session).await;
        self.permissions.end_session(session);
    }

    /// Handles `fs/read_text_file`.
    ///
    /// # Errors
    ///
    /// The error response: the session is not open, or the file cannot be read.
    pub async fn read_text_file(
        &self,
        request: &v1::ReadTextFileRequest,
    ) -> Result<v1::ReadTextFileResponse, Error> {
        self.read_inspected(request, &InspectedPath::default())
            .await
    }

    /// Like [`read_text_file`](Host::read_text_file), for a path that [`inspect_read`](Host::inspect_read) returned and
    /// permissions allowed. A file that an ask rule covers by another name is read only if it is still the inspected
    /// one.
    ///
    /// # Errors
    ///
    /// See [`read_text_file`](Host::read_text_file).
    pub async fn read_inspected(
        &self,
        request: &v1::ReadTextFileRequest,
        judged: &InspectedPath,
    ) -> Result<v1::ReadTextFileResponse, Error> {
        let roots = self.session_roots(&request.session_id)?;
        let roots = roots.with_approved_alias(judged.alias.clone());
        let (files, log, copy) = (self.files.clone(), self.log.clone(), request.clone());
        let agent = Arc::clone(&self.agent);
        self.blocking(move || {
            let read = files.read(&roots, copy.path.as_path(), copy.line, copy.limit);
            log.append(&Event::Read {
                agent: &agent,
                session: copy.session_id.as_str(),
                path: copy.path.as_path().to_owned(),
                outcome: read.as_ref().map(bytes).map_err(ToString::to_string),
            });
            log.settle();
            Ok(v1::ReadTextFileResponse::new(read?))
        })
        .await
    }

    /// Inspects a path before it is read.
    pub async fn inspect_read(&self, request: &v1::ReadTextFileRequest) -> InspectedPath {
        let look = |_: &Files, roots: &Roots, path: &Path| {
            let is_outside = matches!(roots.resolve(path), Err(files::FileError::Outside { .. }));
            (FileOnDisk::Missing, is_outside)
        };
        self.inspect(&request.session_id, request.path.as_path(), look)
            .await
    }

    /// Inspects a path before it is written, including the current content. The log does not record this read because
    /// the agent does not get the content.
    pub async fn inspect_write(&self, request: &v1::WriteTextFileRequest) -> InspectedPath {
        let content = request.content.clone();
        let look = move |files: &Files, roots: &Roots, path: &Path| {
            let before = file_on_disk(files, roots, path);
            let is_refused = match files.check_write(roots, path, &content) {
                // The rule decides, and the user sees which rule it was.
                Ok(()) | Err(files::FileError::DeniedByPolicy { .. }) => false,
                Err(_) => true,
            };
            (before, is_refused)
        };
        self.inspect(&request.session_id, request.path.as_path(), look)
            .await
    }

    /// Reads the files at these paths, up to 8 MiB in total. The log does not record these reads because the agent does
    /// not get the content.
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
        look_at: impl FnOnce(&Files, &Roots, &Path) -> (FileOnDisk, bool) + Send + 'static,
    ) -> InspectedPath {
        let Some(roots) = self.roots(session) else {
            return InspectedPath::default();
        };
        let (files, path) = (self.files.clone(), path.to_owned());
        let look = move || {
            let alias = files.ask_rule_alias(&roots, &path);
            let other = alias.as_ref().and_then(|alias| alias.other.clone());
            let (before, is_refused) = look_at(&files, &roots, &path);
            Ok(InspectedPath {
                resolved: other.or_else(|| roots.resolve_links(&path)),
                before,
                is_refused,
                // The user cannot be asked about an unknown name.
                alias: alias.filter(|alias| alias.other.is_some()),
            })
        };
        self.blocking(look).await.unwrap_or_default()
    }

    /// Handles `fs/write_text_file`.
    ///
    /// # Errors
    ///
    /// The error response: the session is not open, or the file cannot be written.
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

    /// Resolves a request into what will run, to be judged, shown and then passed to
    /// [`create_terminal`](Host::create_terminal). A whole command line becomes a program with arguments or a line for
    /// the shell; a file that appears later does not change that. Variables that the command inherits with the same
    /// value are removed.
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
        let copy = request.clone();
        let resolved = self.blocking(move || Ok(terminals::resolve_command(&copy, roots.cwd())));
        resolved.await.unwrap_or(request)
    }

    /// Handles `terminal/create`, for a request from [`resolve_command`](Host::resolve_command).
    ///
    /// # Errors
    ///
    /// The error response: the session is not open, or the command does not start.
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
            // The session was closed while the command started, so nobody else would end it.
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

    /// A notice for the user with the variables that a session's first command does not get. The agent gets the notice
    /// in the output of a command that fails and names such a variable.
    pub fn notice(&self, terminal: &v1::TerminalId) -> Option<String> {
        self.notices().get(terminal).cloned().flatten()
    }

    fn notices(&self) -> MutexGuard<'_, HashMap<v1::TerminalId, Option<String>>> {
        self.notices.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Handles `terminal/output`.
    ///
    /// # Errors
    ///
    /// The error response: the session is not open, or has no such terminal.
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
            self.terminals.append_missing_variables(&mut output);
        }
        Ok(output)
    }

    /// Handles `terminal/wait_for_exit`.
    ///
    /// # Errors
    ///
    /// The error response: the session is not open, or has no such terminal.
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

    /// Handles `terminal/kill`.
    ///
    /// # Errors
    ///
    /// The error response: the session is not open, or has no such terminal.
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

    /// Handles `terminal/release`.
    ///
    /// # Errors
    ///
    /// The error response: the session is not open, or has no such terminal.
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

    /// Waits until all events are in the log, so that no operation happens that the log would not show after a crash.
    pub async fn settle_log(&self) {
        if !self.log.is_settled() {
            let log = self.log.clone();
            // The closure does not panic, and without a thread there is nothing to wait for.
            tokio::task::spawn_blocking(move || log.settle()).await.ok();
        }
    }

    fn session_roots(&self, session: &v1::SessionId) -> Result<Roots, Error> {
        let roots = self.sessions.roots(session);
        roots.ok_or_else(|| error::session_not_found(session))
    }

    /// Logs the exit of a command, once.
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
            return Err(error::internal("the host is shutting down"));
        };
        let done = tokio::task::spawn_blocking(work).await;
        done.unwrap_or_else(|_| Err(error::internal("the thread for file access failed")))
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
    FileOnDisk::Unknown("the file is too large".to_owned())
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

/// With less room, a notice would displace the output.
const ROOM_FOR_NOTICE: u64 = 4096;
const FILES_AT_ONCE: usize = 16;
const MOST_SHOWN: usize = 1024 * 1024;
const MOST_LOOKED_AT: usize = 8 * 1024 * 1024;
