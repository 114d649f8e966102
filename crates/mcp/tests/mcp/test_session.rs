//! A session with MCP servers, for tests.

use std::path::Path;
use std::time::Duration;

use attache::v1;
use attache_mcp::{CallResult, Content, ServerContext, ServerEvent, ServerStatus, Servers};
use tokio::sync::mpsc;

use crate::fake;

/// Servers and their events.
pub(crate) struct TestSession {
    pub(crate) servers: Servers,
    pub(crate) events: mpsc::Receiver<ServerEvent>,
    pub(crate) place: tempfile::TempDir,
}

/// The secret that every fake server gets.
pub(crate) const CANARY: &str = "canary-5f1c";

impl TestSession {
    pub(crate) async fn open(list: Vec<v1::McpServer>) -> TestSession {
        TestSession::open_with(list, |_| {}).await
    }

    pub(crate) async fn open_with(
        list: Vec<v1::McpServer>,
        change: impl FnOnce(&mut ServerContext),
    ) -> TestSession {
        let place = tempfile::tempdir().unwrap();
        let mut session = ServerContext::new(place.path());
        change(&mut session);
        let (sender, events) = mpsc::channel(64);
        let servers = Servers::connect(list, session, sender);
        servers.ready().await;
        TestSession {
            servers,
            events,
            place,
        }
    }

    /// Calls a tool of the first server.
    pub(crate) async fn call(&self, tool: &str) -> String {
        self.call_with(tool, "{}").await
    }

    pub(crate) async fn call_with(&self, tool: &str, input: &str) -> String {
        let name = format!("mcp__fake__{tool}");
        said(&self.servers.call(&name, input, drop).await)
    }

    /// The next event, except [`ServerEvent::Ready`].
    pub(crate) async fn event(&mut self) -> ServerEvent {
        loop {
            let event = tokio::time::timeout(PATIENCE, self.events.recv()).await;
            match event.expect("no event").expect("no more events") {
                ServerEvent::Ready { .. } => {}
                event => return event,
            }
        }
    }

    pub(crate) fn status(&self) -> ServerStatus {
        self.servers.states().remove(0).status
    }

    /// Waits until a file has content and returns it.
    pub(crate) async fn file(&self, name: &str) -> String {
        wait_for(|| {
            std::fs::read_to_string(self.place.path().join(name))
                .ok()
                .filter(|text| !text.is_empty())
        })
        .await
    }
}

/// The fake server as a process.
pub(crate) fn stdio(name: &str, manner: &str) -> v1::McpServer {
    let exe = std::env::current_exe().unwrap();
    stdio_of(name, &exe, manner)
}

pub(crate) fn stdio_of(name: &str, program: &Path, manner: &str) -> v1::McpServer {
    let command = program.to_str().unwrap();
    let env = [
        v1::EnvVariable::new(fake::MANNER, manner),
        v1::EnvVariable::new(fake::SECRET, CANARY),
    ];
    let args: [&str; 0] = [];
    v1::McpServer::Stdio(v1::McpServerStdio::new(name, command, args, env))
}

/// The text for the model, in one string.
pub(crate) fn said(result: &CallResult) -> String {
    let words = result.for_model.iter().map(|content| match content {
        Content::Text(words) => words.clone(),
        Content::Image { media_type, data } => format!("<{media_type} {data}>"),
        Content::Audio { media_type, data } => format!("<{media_type} {data}>"),
    });
    let words: Vec<_> = words.collect();
    let failed = if result.failed { "failed: " } else { "" };
    format!("{failed}{}", words.join(" | "))
}

/// Waits until `look` returns a value, for some seconds.
pub(crate) async fn wait_for<T>(mut look: impl FnMut() -> Option<T>) -> T {
    let looking = async {
        loop {
            if let Some(found) = look() {
                return found;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(PATIENCE, looking)
        .await
        .expect("it never came")
}

pub(crate) const PATIENCE: Duration = Duration::from_secs(15);
