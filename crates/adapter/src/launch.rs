//! Finds the CLI, and prepares its arguments, environment and files.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use attache::process::Program;
use attache::v1;
use serde_json::{Value, json};

use crate::provider::{self, Provider};

/// How to start the CLI, for all sessions.
#[derive(Debug, Clone)]
pub struct Launcher {
    /// The CLI's executable.
    pub program: PathBuf,
    /// Whether sessions may use the mode that never asks.
    pub bypass: bool,
}

/// The CLI was not found.
#[derive(Debug, thiserror::Error)]
pub enum CliNotFound {
    /// There is no program at the given path.
    #[error("no program at `{}`: check --cli and CLAUDE_CODE_EXECUTABLE", .0.display())]
    AtPath(PathBuf),
    /// The CLI is in none of the usual places.
    #[error(
        "the Claude Code CLI was not found: install it with `npm i -g @anthropic-ai/claude-code`, or name it with --cli or CLAUDE_CODE_EXECUTABLE"
    )]
    Anywhere,
}

impl Launcher {
    /// Finds the CLI: the given path, `CLAUDE_CODE_EXECUTABLE`, `PATH`, then the usual places.
    ///
    /// # Errors
    ///
    /// When there is no such program.
    pub fn find(named: Option<PathBuf>) -> Result<Launcher, CliNotFound> {
        let variable = || env::var_os("CLAUDE_CODE_EXECUTABLE").filter(|it| !it.is_empty());
        let named = named.or_else(|| variable().map(PathBuf::from));
        let program = match named {
            // Sessions have their own working directories, so the path must be absolute.
            Some(program) if program.is_file() => std::path::absolute(&program).unwrap_or(program),
            Some(program) => return Err(CliNotFound::AtPath(program)),
            None => candidates()
                .find(|place| place.is_file())
                .ok_or(CliNotFound::Anywhere)?,
        };
        Ok(Launcher {
            program,
            bypass: may_bypass(),
        })
    }
}

/// How to start the CLI for one session.
#[derive(Debug, Clone)]
pub(crate) struct SessionLaunch {
    pub(crate) launcher: Launcher,
    pub(crate) id: String,
    pub(crate) origin: SessionOrigin,
    pub(crate) cwd: PathBuf,
    pub(crate) directories: Vec<String>,
    pub(crate) servers: Vec<v1::McpServer>,
    pub(crate) system_prompt: Option<v1::SystemPrompt>,
    pub(crate) provider: Option<Provider>,
}

/// Origin of a session: new, its own transcript, or a copy of another one.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum SessionOrigin {
    New,
    /// Its own transcript.
    Resume,
    /// A copy of another session's transcript.
    Fork(String),
}

impl SessionLaunch {
    /// The command line for the CLI.
    pub(crate) fn program(&self, origin: &SessionOrigin, files: &LaunchFiles) -> Program {
        let mut program = Program::new(&self.launcher.program).cwd(&self.cwd).args([
            "--output-format",
            "stream-json",
            "--verbose",
            "--input-format",
            "stream-json",
            "--include-partial-messages",
            "--permission-prompt-tool",
            "stdio",
            "--replay-user-messages",
            "--setting-sources=user,project,local",
        ]);
        program = match origin {
            SessionOrigin::New => program.arg(format!("--session-id={}", self.id)),
            SessionOrigin::Resume => program.arg(format!("--resume={}", self.id)),
            SessionOrigin::Fork(other) => program
                .arg(format!("--resume={other}"))
                .arg("--fork-session")
                .arg(format!("--session-id={}", self.id)),
        };
        if self.launcher.bypass {
            program = program.arg("--allow-dangerously-skip-permissions");
        }
        for directory in &self.directories {
            program = program.arg(format!("--add-dir={directory}"));
        }
        if let Some(config) = &files.mcp_config {
            program = program.arg("--mcp-config").arg(config);
        }
        if let Some(file) = &files.system_prompt {
            let flag = match self.system_prompt.as_ref().map(|prompt| &prompt.mode) {
                Some(v1::SystemPromptMode::Override) => "--system-prompt-file",
                _ => "--append-system-prompt-file",
            };
            program = program.arg(flag).arg(file);
        }
        self.environment(program, files)
    }

    fn environment(&self, program: Program, files: &LaunchFiles) -> Program {
        let mut program = program
            .env_remove("CLAUDECODE")
            .env("CLAUDE_CODE_ENTRYPOINT", "sdk-acp")
            .env("CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS", "1")
            .env("PWD", &self.cwd);
        if env::var_os(TODO_TOOLS).is_none() {
            program = program.env(TODO_TOOLS, "1");
        }
        for (name, value) in self.provider.iter().flat_map(Provider::environment) {
            program = match value {
                Some(value) => program.env(name, value),
                None => program.env_remove(name),
            };
        }
        // A prefix that the user has set stays.
        if let Some((prefix, address)) = &files.shell
            && env::var_os(PREFIX).is_none()
        {
            program = program.env(PREFIX, prefix).env(ADDRESS, address);
        }
        program
    }
}

/// Files to start a CLI with, in the private folder. Dropping this removes those that a running CLI no longer needs,
/// because they may contain secrets.
#[derive(Debug, Default)]
pub(crate) struct LaunchFiles {
    pub(crate) mcp_config: Option<PathBuf>,
    pub(crate) system_prompt: Option<PathBuf>,
    /// The wrapper for shell commands, and the address that it needs.
    pub(crate) shell: Option<(PathBuf, OsString)>,
}

impl Drop for LaunchFiles {
    fn drop(&mut self) {
        for file in [&self.mcp_config, &self.system_prompt]
            .into_iter()
            .flatten()
        {
            // If this fails, the file is removed with the folder.
            std::fs::remove_file(file).ok();
        }
    }
}

/// The MCP servers in the CLI's configuration format.
pub fn server_config(servers: &[v1::McpServer]) -> Value {
    let servers = configs(servers).into_iter();
    json!({ "mcpServers": Value::Object(servers.collect()) })
}

/// Why the servers' names can't be used; `None` if they can.
pub fn unusable_names(servers: &[v1::McpServer]) -> Option<&'static str> {
    if servers.len() > MAX_SERVERS {
        return Some("`mcpServers` names too many servers: name at most 256");
    }
    let mut names: Vec<_> = configs(servers).into_iter().map(|(name, _)| name).collect();
    names.sort();
    if names.iter().any(|name| name.trim().is_empty()) {
        return Some("an MCP server in `mcpServers` has no name: give each one of its own");
    }
    let is_twice = names.windows(2).any(|pair| pair[0] == pair[1]);
    is_twice
        .then_some("two MCP servers in `mcpServers` have the same name: give each one of its own")
}

fn configs(servers: &[v1::McpServer]) -> Vec<(String, Value)> {
    let pairs = |pairs: Vec<(&str, &str)>| {
        let pairs = pairs
            .into_iter()
            .map(|(name, value)| (name.to_owned(), json!(value)));
        Value::Object(pairs.collect())
    };
    let headers = |headers: &[v1::HttpHeader]| {
        pairs(
            headers
                .iter()
                .map(|it| (it.name.as_str(), it.value.reveal()))
                .collect(),
        )
    };
    let servers = servers.iter().filter_map(|server| match server {
        v1::McpServer::Stdio(it) => {
            let env = it.env.iter().map(|it| (it.name.as_str(), it.value.reveal()));
            let command = it.command.as_str();
            let config = json!({ "type": "stdio", "command": command, "args": it.args, "env": pairs(env.collect()) });
            Some((it.name.clone(), config))
        }
        v1::McpServer::Http(it) => {
            let config = json!({ "type": "http", "url": it.url, "headers": headers(&it.headers) });
            Some((it.name.clone(), config))
        }
        v1::McpServer::Sse(it) => {
            let config = json!({ "type": "sse", "url": it.url, "headers": headers(&it.headers) });
            Some((it.name.clone(), config))
        }
        _ => None,
    });
    servers.collect()
}

/// The configuration folder of the user's CLI.
pub fn config_folder() -> PathBuf {
    match env::var_os("CLAUDE_CONFIG_DIR") {
        Some(folder) => PathBuf::from(folder),
        None => home().join(".claude"),
    }
}

fn candidates() -> impl Iterator<Item = PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let path: Vec<_> = env::split_paths(&path).collect();
    let usual = USUAL.iter().map(|place| home().join(place));
    let candidates = path.into_iter().chain(usual);
    candidates
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(NAME))
}

fn home() -> PathBuf {
    env::var_os("HOME").map(PathBuf::from).unwrap_or_default()
}

/// Whether the CLI accepts the mode that never asks. It refuses for root, unless told that it runs in a sandbox.
#[cfg(unix)]
fn may_bypass() -> bool {
    !rustix::process::geteuid().is_root() || env::var_os("IS_SANDBOX").is_some_and(|it| it == "1")
}

#[cfg(not(unix))]
fn may_bypass() -> bool {
    true
}

/// Whether a program can be started in this directory.
pub(crate) fn is_folder(path: &Path) -> bool {
    path.is_absolute() && path.is_dir()
}

/// Whether the user has set request headers, which may be all that the API needs.
pub(crate) fn has_headers() -> bool {
    env::var_os(provider::HEADERS).is_some()
}

/// Variable with the socket and the token for the shell wrapper.
pub(crate) const ADDRESS: &str = "ATTACHE_CLAUDE_SHELL";
pub(crate) const PREFIX: &str = "CLAUDE_CODE_SHELL_PREFIX";
const TODO_TOOLS: &str = "CLAUDE_CODE_ENABLE_TODO_TOOLS";
const NAME: &str = if cfg!(windows) {
    "claude.exe"
} else {
    "claude"
};
const USUAL: &[&str] = &[
    ".claude/local",
    ".claude/local/node_modules/.bin",
    ".npm-global/bin",
    "/usr/local/bin",
    ".local/bin",
    "node_modules/.bin",
    ".yarn/bin",
];

/// Maximum MCP servers of one session.
const MAX_SERVERS: usize = 256;
