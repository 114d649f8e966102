//! The files and terminals of one session, through the client where it offers them, otherwise inside the same boundary that
//! our own client enforces. Paths outside the roots are refused before the user is asked.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use attache::agent::ClientSession;
use attache::schema::FilePath;
use attache::v1;
use attache_host::Roots;
use attache_host::files::{FileError, Files};
use attache_host::terminals::Terminals;
use tokio::task::JoinHandle;

use super::fetch::WebClient;
use super::file_rules::{FileAccess, FileRules};
use super::run::{BackgroundJobs, ClosingTerminals};
use super::tool_error::ToolError;
use crate::instructions;

/// Files, terminals and web access that all sessions share.
#[derive(Debug, Clone, Default)]
pub struct ToolEnvironment {
    /// Files, where the client does not offer its own.
    pub files: Files,
    /// Commands, where the client does not offer terminals.
    pub terminals: Terminals,
    /// Access to web pages.
    pub pages: WebClient,
}

/// The files and terminals of one session. Clones share them; dropping the last one ends every background command.
#[derive(Debug, Clone)]
pub struct Workplace(Arc<WorkplaceInner>);

#[derive(Debug)]
struct WorkplaceInner {
    session: ClientSession,
    roots: Roots,
    environment: ToolEnvironment,
    background: BackgroundJobs,
    closing_terminals: ClosingTerminals,
    rules: FileRules,
}

impl Workplace {
    /// A workplace inside the session's roots, without rules about files.
    pub fn new(session: ClientSession, roots: Roots, environment: ToolEnvironment) -> Workplace {
        Workplace::with_rules(session, roots, environment, FileRules::default())
    }

    /// A workplace with the user's rules about files.
    pub fn with_rules(
        session: ClientSession,
        roots: Roots,
        environment: ToolEnvironment,
        rules: FileRules,
    ) -> Workplace {
        Workplace(Arc::new(WorkplaceInner {
            rules,
            session,
            roots,
            environment,
            background: BackgroundJobs::default(),
            closing_terminals: ClosingTerminals::default(),
        }))
    }

    /// The directories of the session.
    pub fn roots(&self) -> &Roots {
        &self.0.roots
    }

    /// Ends all background commands and waits until they have ended.
    pub async fn close(&self) {
        self.0.background.close().await;
    }

    /// The text of a file that the user linked to, with unsaved changes. The error is a sentence.
    pub(crate) async fn linked_text(&self, path: &Path) -> Result<String, String> {
        let Some(path) = path.to_str() else {
            return Err("the path is not UTF-8".to_owned());
        };
        let read = async {
            self.text(&self.resolve_for_reading("read", path).await?, None)
                .await
        };
        read.await.map_err(ToolError::sentence)
    }

    /// The project's instructions for agents. They are read from now on, whether or not the caller waits yet.
    pub(crate) fn notes(&self) -> impl Future<Output = String> + use<> {
        let rules = self.rules().clone();
        let read = move |files: &Files, roots: &Roots| {
            let is_open = |path: &Path| {
                let leads = files.resolve_read(roots, path);
                let names = leads.iter().map(PathBuf::as_path).chain([path]);
                let mut denied = names.filter_map(|path| rules.withholding("read", path));
                denied.next().is_none()
            };
            Ok(instructions::project_notes(files, roots, &is_open))
        };
        let notes = self.start_on_disk(read);
        async { notes.await.ok().and_then(Result::ok).unwrap_or_default() }
    }

    /// Waits briefly until the commands of dropped calls have ended.
    pub(crate) async fn wait_for_closing_terminals(&self) {
        self.0.closing_terminals.over().await;
    }

    pub(super) fn closing_terminals(&self) -> &ClosingTerminals {
        &self.0.closing_terminals
    }

    pub(super) fn session(&self) -> &ClientSession {
        &self.0.session
    }

    pub(super) fn terminals(&self) -> &Terminals {
        &self.0.environment.terminals
    }

    pub(super) fn pages(&self) -> &WebClient {
        &self.0.environment.pages
    }

    pub(super) fn background(&self) -> &BackgroundJobs {
        &self.0.background
    }

    /// The client's capabilities.
    pub(super) fn offers(&self) -> v1::ClientCapabilities {
        let offered = self.0.session.client().capabilities();
        offered.unwrap_or_default()
    }

    /// The absolute form of a path, links not resolved.
    pub(super) fn absolute(&self, path: &str) -> PathBuf {
        let path = self.0.roots.cwd().join(path);
        path.components().collect()
    }

    /// A path for display: relative to the working directory if it is below it.
    pub(super) fn shown(&self, path: &Path) -> String {
        let below = path.strip_prefix(self.0.roots.cwd()).unwrap_or(path);
        match below.as_os_str().is_empty() {
            true => ".".to_owned(),
            false => below.display().to_string(),
        }
    }

    /// Resolves a path for reading. Fails if a rule denies the given or the resolved path.
    pub(super) async fn resolve_for_reading(
        &self,
        tool: &str,
        path: &str,
    ) -> Result<PathBuf, ToolError> {
        let path = self.absolute(path);
        self.check_rules(tool, FileAccess::Read, &path)?;
        let leads = self
            .on_disk(move |files, roots| files.resolve_read(roots, &path))
            .await?;
        self.check_rules(tool, FileAccess::Read, &leads)?;
        Ok(leads)
    }

    /// Resolves a path for writing. Fails if a rule denies the given or the resolved path.
    pub(super) async fn resolve_for_writing(
        &self,
        tool: &str,
        path: &str,
    ) -> Result<PathBuf, ToolError> {
        let path = self.absolute(path);
        self.check_rules(tool, FileAccess::Change, &path)?;
        let leads = self
            .on_disk(move |files, roots| files.resolve_write(roots, &path))
            .await?;
        self.check_rules(tool, FileAccess::Change, &leads)?;
        Ok(leads)
    }

    /// Fails if a rule denies the access.
    pub(super) fn check_rules(
        &self,
        tool: &str,
        access: FileAccess,
        path: &Path,
    ) -> Result<(), ToolError> {
        self.0.rules.check(tool, access, path, &self.shown(path))
    }

    pub(super) fn rules(&self) -> &FileRules {
        &self.0.rules
    }

    /// The whole text of a file, or some lines of it.
    pub(super) async fn text(
        &self,
        path: &Path,
        window: Option<(u32, u32)>,
    ) -> Result<String, ToolError> {
        let (line, limit) = window.unzip();
        if !self.offers().fs.read_text_file {
            let path = path.to_owned();
            let read = move |files: &Files, roots: &Roots| files.read(roots, &path, line, limit);
            return self.on_disk(read).await;
        }
        // Our rules apply even if the client would read the file. It need not be on disk: it may not be saved yet.
        let asked = path.to_owned();
        let judged = self.on_disk(move |files, roots| files.resolve_read(roots, &asked));
        if let Err(fault) = judged.await
            && fault.is_denied()
        {
            return Err(fault);
        }
        let id = self.0.session.id().clone();
        let mut request = v1::ReadTextFileRequest::new(id, told(path)?);
        request.line = line;
        request.limit = limit;
        let text = self.0.session.client().request(request).await?.content;
        match text.contains('\0') {
            true => Err(FileError::NotText {
                path: path.to_owned(),
            }
            .into()),
            false => Ok(text),
        }
    }

    /// The text of a file; `None` if it does not exist.
    pub(super) async fn old_text(&self, path: &Path) -> Result<Option<String>, ToolError> {
        let fault = match self.text(path, None).await {
            Ok(text) => return Ok(Some(text)),
            Err(fault) => fault,
        };
        // Clients report a missing file in different ways.
        let on_disk = path.to_owned();
        let looked = self.on_disk(move |files, roots| files.open(roots, &on_disk).map(drop));
        match looked.await {
            Err(looked) if looked.is_missing() => Ok(None),
            // The error from disk is clearer: a directory, a special file.
            Err(looked) => Err(looked),
            Ok(()) => Err(fault),
        }
    }

    /// Replaces a file's text if it has not changed since `old` was read.
    pub(super) async fn replace(
        &self,
        path: &Path,
        old: Option<&str>,
        new: &str,
    ) -> Result<(), ToolError> {
        let changed = || ToolError::changed(&self.shown(path));
        let named = path.to_owned();
        let leads = self.on_disk(move |files, roots| files.resolve_write(roots, &named));
        if leads.await? != path || self.old_text(path).await?.as_deref() != old {
            return Err(changed());
        }
        if self.offers().fs.write_text_file {
            let id = self.0.session.id().clone();
            let request = v1::WriteTextFileRequest::new(id, told(path)?, new);
            self.0.session.client().request(request).await?;
            return Ok(());
        }
        let (path, new) = (path.to_owned(), new.to_owned());
        self.on_disk(move |files, roots| files.write(roots, &path, &new))
            .await
    }

    /// Runs file operations on a blocking thread. They run to completion even if the caller stops waiting.
    pub(super) async fn on_disk<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Files, &Roots) -> Result<T, FileError> + Send + 'static,
    ) -> Result<T, ToolError> {
        let done = self.start_on_disk(work).await;
        Ok(done.map_err(|_| ToolError::lost())??)
    }

    /// Like [`on_disk`](Self::on_disk), but the work begins before the caller waits.
    fn start_on_disk<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Files, &Roots) -> Result<T, FileError> + Send + 'static,
    ) -> JoinHandle<Result<T, FileError>> {
        let (files, roots) = (self.0.environment.files.clone(), self.0.roots.clone());
        tokio::task::spawn_blocking(move || work(&files, &roots))
    }

    pub(super) fn files(&self) -> &Files {
        &self.0.environment.files
    }
}

fn told(path: &Path) -> Result<FilePath, ToolError> {
    let bad = |path| FileError::BadPath {
        path,
        why: "it is not UTF-8",
    };
    Ok(FilePath::try_from(path.to_owned()).map_err(bad)?)
}
