//! Prepares a conversation from the command line and the configuration.

mod host;

pub(crate) use host::{policy_files, sandbox};

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, bail};
use attache::process::Program;
use attache::v1;
use attache_client::agents::Agent;
use attache_client::archive::Recorder;
use attache_client::command::{OpenRequest, SessionStart};
use attache_client::config::Configuration;
use attache_client::conversation::{LineDirection, Setup};
use attache_client::mcp;
use attache_client::session_setting::SessionSetting;
use attache_host::exec::Watcher;
use attache_host::ownership;
use attache_host::permissions::{Expiry, Preset};
use attache_recording::{RecordedStream, RecordingWriter, Secrets};

use crate::arguments::ConversationArguments;
use crate::{agents, sessions, text};

/// Everything that a conversation needs to start.
pub(crate) struct PreparedConversation {
    pub(crate) agent: Agent,
    pub(crate) program: Program,
    pub(crate) setup: Setup,
    pub(crate) opening: OpenRequest,
    pub(crate) recorder: Recorder,
    pub(crate) preset: Preset,
    pub(crate) expiry: Expiry,
    pub(crate) watcher: Option<Watcher>,
    trace: Option<RecordingWriter>,
}

/// Whether a user can answer prompts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Presence {
    Attended,
    Unattended,
}

/// The session to open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum SessionChoice {
    New,
    /// Continue with a replay of the history, if the agent supports that.
    Load(v1::SessionId),
    /// Continue without a replay, if the agent supports that.
    Resume(v1::SessionId),
    /// Continue the latest session of the directory.
    Latest,
}

impl PreparedConversation {
    /// Finds all errors that can be found before the agent starts.
    pub(crate) fn of(
        arguments: &ConversationArguments,
        presence: Presence,
    ) -> anyhow::Result<PreparedConversation> {
        let cwd = match &arguments.cwd {
            Some(path) => directory("--cwd", path)?,
            None => std::env::current_dir().context("the current directory")?,
        };
        let configuration = agents::configuration(&cwd, &[])?;
        let agent = agents::choose_from(&arguments.agent, &configuration)?;
        let preset = host::preset(&arguments.approval, &configuration, presence);
        let (host, mut warnings) = host::host(arguments, &configuration, preset, presence)?;
        if presence == Presence::Attended {
            // The screen covers messages on standard error.
            let changed = configuration.changed.iter().map(ToString::to_string);
            warnings.splice(0..0, changed);
        }
        let recorder = sessions::archive()?.recorder(&agent.name);
        let recorder = recorder.terminals(host.terminals.clone());
        let (watcher, warning) = host::watcher(arguments, &host, &agent.identity())?;
        let warnings = warnings.into_iter().chain(warning);
        let mut setup = Setup::new(agent.identity(), host)
            .offer(|offer| host::limit_offer(arguments, presence, offer));
        setup = warnings.into_iter().fold(setup, Setup::warn);
        setup = watcher.iter().cloned().fold(setup, Setup::watch);
        let trace = match &arguments.trace {
            Some(path) => {
                let recording = RecordingWriter::create(path, &agent.name, Secrets::Redacted);
                Some(recording.with_context(|| format!("--trace {}", path.display()))?)
            }
            None => None,
        };
        if let Some(trace) = &trace {
            let trace = trace.clone();
            setup = setup.listen(move |direction, line| {
                let stream = match direction {
                    LineDirection::FromAgent => RecordedStream::Agent,
                    LineDirection::ToAgent => RecordedStream::Client,
                };
                trace.record_line(stream, line.strip_suffix(b"\n").unwrap_or(line));
            });
        }
        Ok(PreparedConversation {
            program: with_policy(&agent, arguments, &configuration, &cwd).cwd(&cwd),
            recorder,
            opening: open_request(arguments, &configuration, cwd)?,
            preset,
            expiry: configuration
                .expiry
                .as_ref()
                .map_or(Expiry::Never, |it| it.value),
            agent,
            setup,
            watcher,
            trace,
        })
    }

    /// Ends the recording after the conversation.
    pub(crate) fn finish(trace: Option<RecordingWriter>) {
        let finished = trace.map(|trace| trace.finish("the conversation is over", LAST_LINES));
        if let Some(Err(fault)) = finished {
            crate::print::note!("attache: the trace is incomplete: {}", text::line(&fault));
        }
    }

    /// The recording of the wire, to pass to [`Self::finish`].
    pub(crate) fn trace(&self) -> Option<RecordingWriter> {
        self.trace.clone()
    }
}

impl SessionChoice {
    pub(crate) fn of(arguments: &ConversationArguments) -> SessionChoice {
        match (&arguments.session, &arguments.resume) {
            (Some(id), _) => SessionChoice::Load(id.as_str().into()),
            (None, Some(Some(id))) => SessionChoice::Resume(id.as_str().into()),
            (None, Some(None)) => SessionChoice::Latest,
            (None, None) => SessionChoice::New,
        }
    }
}

/// The settings for the session, in order: a model may add options of its own.
pub(crate) fn session_settings(arguments: &ConversationArguments) -> Vec<SessionSetting> {
    let mode = arguments.mode.clone().map(SessionSetting::Mode);
    let model = arguments.model.clone().map(SessionSetting::Model);
    let options = arguments.set.iter().cloned();
    let options = options.map(|(key, value)| SessionSetting::Option(key, value));
    mode.into_iter().chain(model).chain(options).collect()
}

fn open_request(
    arguments: &ConversationArguments,
    configuration: &Configuration,
    cwd: PathBuf,
) -> anyhow::Result<OpenRequest> {
    let additional = arguments
        .add_dir
        .iter()
        .map(|path| directory("--add-dir", path));
    let configured = configuration.mcp_servers.iter();
    let mut mcp_servers: Vec<v1::McpServer> =
        configured.map(|server| server.value.clone()).collect();
    for source in &arguments.mcp {
        mcp_servers.extend(mcp::read(source)?);
    }
    Ok(OpenRequest {
        start: match SessionChoice::of(arguments) {
            SessionChoice::New | SessionChoice::Latest => SessionStart::New,
            SessionChoice::Load(id) => SessionStart::Load(id),
            SessionChoice::Resume(id) => SessionStart::Resume(id),
        },
        additional: additional.collect::<anyhow::Result<_>>()?,
        cwd,
        mcp_servers,
    })
}

/// The agent's program. Attaché's own agent also gets the policies, so that its tools obey the rules even when they do
/// not ask the client.
fn with_policy(
    agent: &Agent,
    arguments: &ConversationArguments,
    configuration: &Configuration,
    cwd: &Path,
) -> Program {
    let program = agent.program();
    if !agents::is_own(agent) {
        return program;
    }
    let policies: Vec<OsString> = match arguments.approval.policy.as_deref() {
        Some(json) if json.trim_start().starts_with('{') => vec![json.into()],
        Some(path) => vec![absolute(Path::new(path))],
        None => {
            let configured = configuration.policies().map(|it| absolute(&it.value));
            let kept = configuration.kept.iter().map(|it| absolute(&it.file));
            configured.chain(kept).collect()
        }
    };
    // The agent may run in a user namespace, in which it cannot see who owns these files.
    let own = agents::sources(cwd, &[]).map(|sources| sources.user);
    let files = policies.iter().map(PathBuf::from).chain(own);
    let checked: Vec<String> = files
        .filter_map(|file| ownership::digest_to_accept(&file))
        .collect();
    let program = policies.into_iter().fold(program, |program, policy| {
        program.arg("--policy").arg(policy)
    });
    checked.into_iter().fold(program, |program, digest| {
        program.arg("--checked").arg(digest)
    })
}

/// The absolute path, because the agent runs in another directory.
fn absolute(path: &Path) -> OsString {
    let whole = std::path::absolute(path);
    whole.unwrap_or_else(|_| path.to_owned()).into()
}

fn directory(flag: &str, path: &Path) -> anyhow::Result<PathBuf> {
    let place = || format!("{flag} {}", path.display());
    let found = path.canonicalize().with_context(place)?;
    if !found.is_dir() {
        bail!("{}: not a directory", place());
    }
    Ok(found)
}

/// Time for the recording to finish writing.
const LAST_LINES: Duration = Duration::from_secs(2);
