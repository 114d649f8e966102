//! Where the work of one session is done: its files and terminals, through the client where it offers them, otherwise
//! through the same boundary that our own client keeps. Paths outside the roots are refused before anybody is asked.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use attache::agent::ClientSession;
use attache::schema::FilePath;
use attache::v1;
use attache_host::Roots;
use attache_host::files::{Error, Files};
use attache_host::terminals::Terminals;

use super::fault::Fault;
use super::fetch::Pages;
use super::file_rules::{Access, FileRules};
use super::run::{Background, Departures};
use crate::instructions;

/// What all sessions work with.
#[derive(Debug, Clone, Default)]
pub struct Equipment {
    /// Files, where the client does not offer its own.
    pub files: Files,
    /// Commands, where the client does not offer terminals.
    pub terminals: Terminals,
    /// Pages of the web.
    pub pages: Pages,
}

/// Where the work of one session is done. Clones are the same place; with the last one every command in the background
/// is ended.
#[derive(Debug, Clone)]
pub struct Workplace(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    session: ClientSession,
    roots: Roots,
    equipment: Equipment,
    background: Background,
    departures: Departures,
    rules: FileRules,
}

impl Workplace {
    /// A place to work for a session, inside its roots, without rules about files.
    pub fn new(session: ClientSession, roots: Roots, equipment: Equipment) -> Workplace {
        Workplace::with_rules(session, roots, equipment, FileRules::default())
    }

    /// The same with the user's rules about files.
    pub fn with_rules(
        session: ClientSession,
        roots: Roots,
        equipment: Equipment,
        rules: FileRules,
    ) -> Workplace {
        Workplace(Arc::new(Inner {
            rules,
            session,
            roots,
            equipment,
            background: Background::default(),
            departures: Departures::default(),
        }))
    }

    /// The directories of the session.
    pub fn roots(&self) -> &Roots {
        &self.0.roots
    }

    /// Ends everything that runs in the background, and waits until it has ended.
    pub async fn close(&self) {
        self.0.background.close().await;
    }

    /// The whole text of a file that a person named, as they have it in front of them; an error in words.
    pub(crate) async fn named(&self, path: &Path) -> Result<String, String> {
        let Some(path) = path.to_str() else {
            return Err("the path is not UTF-8".to_owned());
        };
        let read = async { self.text(&self.to_read("read", path).await?, None).await };
        read.await.map_err(Fault::sentence)
    }

    /// What the project tells agents.
    pub(crate) async fn notes(&self) -> String {
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
        self.on_disk(read).await.unwrap_or_default()
    }

    /// Waits a moment for what a call that was given up has left running.
    pub(crate) async fn settled(&self) {
        self.0.departures.over().await;
    }

    pub(super) fn departures(&self) -> &Departures {
        &self.0.departures
    }

    pub(super) fn session(&self) -> &ClientSession {
        &self.0.session
    }

    pub(super) fn terminals(&self) -> &Terminals {
        &self.0.equipment.terminals
    }

    pub(super) fn pages(&self) -> &Pages {
        &self.0.equipment.pages
    }

    pub(super) fn background(&self) -> &Background {
        &self.0.background
    }

    /// What the client has offered.
    pub(super) fn offers(&self) -> v1::ClientCapabilities {
        let offered = self.0.session.client().capabilities();
        offered.unwrap_or_default()
    }

    /// A path from the top, as it was named.
    pub(super) fn absolute(&self, path: &str) -> PathBuf {
        let path = self.0.roots.cwd().join(path);
        path.components().collect()
    }

    /// A path as people and the model read it: from the working directory where it lies below.
    pub(super) fn shown(&self, path: &Path) -> String {
        let below = path.strip_prefix(self.0.roots.cwd()).unwrap_or(path);
        match below.as_os_str().is_empty() {
            true => ".".to_owned(),
            false => below.display().to_string(),
        }
    }

    /// Where a path leads that a tool is to read, unless a rule denies it by the name that was given or the one that it
    /// leads to.
    pub(super) async fn to_read(&self, tool: &str, path: &str) -> Result<PathBuf, Fault> {
        let path = self.absolute(path);
        self.obey(tool, Access::Look, &path)?;
        let leads = self
            .on_disk(move |files, roots| files.resolve_read(roots, &path))
            .await?;
        self.obey(tool, Access::Look, &leads)?;
        Ok(leads)
    }

    /// Where a path leads that a tool is to write, unless a rule denies it.
    pub(super) async fn to_write(&self, tool: &str, path: &str) -> Result<PathBuf, Fault> {
        let path = self.absolute(path);
        self.obey(tool, Access::Change, &path)?;
        let leads = self
            .on_disk(move |files, roots| files.resolve_write(roots, &path))
            .await?;
        self.obey(tool, Access::Change, &leads)?;
        Ok(leads)
    }

    /// Refuses what a rule denies.
    pub(super) fn obey(&self, tool: &str, access: Access, path: &Path) -> Result<(), Fault> {
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
    ) -> Result<String, Fault> {
        let (line, limit) = window.unzip();
        if !self.offers().fs.read_text_file {
            let path = path.to_owned();
            let read = move |files: &Files, roots: &Roots| files.read(roots, &path, line, limit);
            return self.on_disk(read).await;
        }
        // The client may read it by other rules than ours. Nothing need be on disk: it may not be saved yet.
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
        let text = self.0.session.client().ask(request).await?.content;
        match text.contains('\0') {
            true => Err(Error::NotText {
                path: path.to_owned(),
            }
            .into()),
            false => Ok(text),
        }
    }

    /// The whole text of a file; none if there is no such file.
    pub(super) async fn old_text(&self, path: &Path) -> Result<Option<String>, Fault> {
        let fault = match self.text(path, None).await {
            Ok(text) => return Ok(Some(text)),
            Err(fault) => fault,
        };
        // A client says in its own way that a file is missing.
        let on_disk = path.to_owned();
        let looked = self.on_disk(move |files, roots| files.open(roots, &on_disk).map(drop));
        match looked.await {
            Err(looked) if looked.is_missing() => Ok(None),
            // What the disk says is clearer: a directory, something special.
            Err(looked) => Err(looked),
            Ok(()) => Err(fault),
        }
    }

    /// Gives a file another text, if it still has the one that it had.
    pub(super) async fn replace(
        &self,
        path: &Path,
        old: Option<&str>,
        new: &str,
    ) -> Result<(), Fault> {
        let changed = || Fault::changed(&self.shown(path));
        let named = path.to_owned();
        let leads = self.on_disk(move |files, roots| files.resolve_write(roots, &named));
        if leads.await? != path || self.old_text(path).await?.as_deref() != old {
            return Err(changed());
        }
        if self.offers().fs.write_text_file {
            let id = self.0.session.id().clone();
            let request = v1::WriteTextFileRequest::new(id, told(path)?, new);
            self.0.session.client().ask(request).await?;
            return Ok(());
        }
        let (path, new) = (path.to_owned(), new.to_owned());
        self.on_disk(move |files, roots| files.write(roots, &path, &new))
            .await
    }

    /// Does something with files where blocking is allowed. Whoever gives up waiting does not stop it halfway.
    pub(super) async fn on_disk<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Files, &Roots) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Fault> {
        let (files, roots) = (self.0.equipment.files.clone(), self.0.roots.clone());
        let done = tokio::task::spawn_blocking(move || work(&files, &roots)).await;
        Ok(done.map_err(|_| Fault::lost())??)
    }

    pub(super) fn files(&self) -> &Files {
        &self.0.equipment.files
    }
}

fn told(path: &Path) -> Result<FilePath, Fault> {
    let bad = |path| Error::BadPath {
        path,
        why: "it is not UTF-8",
    };
    Ok(FilePath::try_from(path.to_owned()).map_err(bad)?)
}
