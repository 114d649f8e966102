//! Starts an agent to find out its version and whether it is logged in.

use std::time::Duration;

use attache::process::{Program, StopTimeouts};
use attache::{Options, client, v1};
use attache_dialect::Role;
use tokio::io::AsyncReadExt;
use tokio::time::timeout;

use super::Agent;
use attache_text::plain;

/// What an agent reports about itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Probe {
    /// The version that the agent reports.
    pub version: Option<String>,
    /// Whether the agent is logged in.
    pub login: LoginStatus,
}

/// Whether an agent is logged in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoginStatus {
    /// The agent is logged in.
    In,
    /// The agent is logged out and requires a login.
    Out,
    /// The agent needs no login.
    NotNeeded,
    /// The agent does not report it before a session opens.
    Unknown,
    /// The agent did not respond.
    NoAnswer,
}

impl LoginStatus {
    /// The status in a word or two, as `attache agents` shows it.
    pub fn name(self) -> &'static str {
        match self {
            LoginStatus::In => "logged in",
            LoginStatus::Out => "logged out",
            LoginStatus::NotNeeded => "no login needed",
            LoginStatus::Unknown => "login unknown",
            LoginStatus::NoAnswer => "no answer",
        }
    }
}

impl Agent {
    /// Starts the agent twice: with `--version`, and over ACP for its login status. Takes at most half a minute and leaves
    /// nothing running.
    pub async fn probe(&self) -> Probe {
        let (said, (told, login)) = tokio::join!(self.version(), self.login());
        Probe {
            version: told.or(said),
            login,
        }
    }

    async fn version(&self) -> Option<String> {
        let program = Program::new(self.installed()?).arg("--version");
        let variables = self.env.iter();
        let program = variables.fold(program, |program, (name, value)| {
            program.env(name, value.reveal())
        });
        first_line(&program).await
    }

    /// The version in the `initialize` response, and the login status.
    async fn login(&self) -> (Option<String>, LoginStatus) {
        let started = client::spawn(&self.program(), detecting_options()).await;
        let Ok((agent, mut calls, child)) = started else {
            return (None, LoginStatus::NoAnswer);
        };
        let questions = async {
            let answer = agent.initialize(initialize_request()).await.ok()?;
            let version = answer.agent_info.map(|info| line(&info.version));
            let state = match answer.agent_capabilities.auth.status {
                Some(_) => agent.request(v1::AuthStatusRequest::new()).await.ok(),
                None => None,
            };
            let login = match state.map(|status| status.state) {
                Some(v1::AuthState::Authenticated) => LoginStatus::In,
                Some(v1::AuthState::Unauthenticated) => LoginStatus::Out,
                Some(v1::AuthState::NotRequired) => LoginStatus::NotNeeded,
                None if answer.auth_methods.is_empty() => LoginStatus::NotNeeded,
                _ => LoginStatus::Unknown,
            };
            Some((version, login))
        };
        let answered = timeout(HANDSHAKE, calls.until(questions, drop)).await;
        agent.close();
        child.stop(StopTimeouts::default()).await;
        answered
            .ok()
            .flatten()
            .unwrap_or((None, LoginStatus::NoAnswer))
    }
}

/// Connection options that detect the agent's dialect from its first messages.
pub(crate) fn detecting_options() -> Options {
    Options::default().translator(attache_dialect::detect(Role::Agent))
}

/// The `initialize` request for an agent that is only examined. It offers no capabilities.
pub(crate) fn initialize_request() -> v1::InitializeRequest {
    let us = v1::Implementation::new("attache", env!("CARGO_PKG_VERSION"));
    v1::InitializeRequest::new(v1::ProtocolVersion::V1).client_info(us)
}

/// The first line that a program prints within a few seconds.
pub(crate) async fn first_line(program: &Program) -> Option<String> {
    let (child, stdin, stdout) = program.spawn_piped().await.ok()?;
    drop(stdin);
    let mut text = Vec::new();
    let read = timeout(VERSION, stdout.take(LIMIT).read_to_end(&mut text)).await;
    child.stop(StopTimeouts::default()).await;
    read.ok()?.ok()?;
    let text = String::from_utf8_lossy(&text);
    let mut lines = text.lines().map(line);
    lines.find(|line| !line.is_empty())
}

pub(crate) fn line(text: &str) -> String {
    plain::line(text.trim()).chars().take(WIDTH).collect()
}

const VERSION: Duration = Duration::from_secs(3);
const HANDSHAKE: Duration = Duration::from_secs(20);
const LIMIT: u64 = 4096;
const WIDTH: usize = 200;
