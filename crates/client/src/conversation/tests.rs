//! The conversation against scripted agents, good ones and hostile ones: the events for the user, and the messages on the wire.

mod agent_exit;
mod event_line;
mod exec_attack;
mod forms;
mod grants;
mod grants_attack;
mod host_requests;
mod hostile;
mod permission_requests;
mod prompts_attack;
mod records_attack;
#[cfg(unix)]
mod replaced_attack;
mod session_lifecycle;
mod turns;

use std::time::Duration;

use attache::v1;
use attache_host::Host;
use attache_host::audit::Log;
use attache_host::files::Files;
use attache_host::permissions::{Permissions, Preset, Scope};
use attache_host::terminals::Terminals;
use attache_testkit::{ScriptedPeer, Side, scripted_agent};
use expect_test::Expect;
use tokio::time::timeout;

use super::{Conversation, Setup};
use crate::command::{Command, OpenRequest, PermissionAnswer, SessionStart};
use crate::event::Event;
use event_line::event_line;

/// A conversation, the agent that follows a script, and what was seen so far.
struct Fixture {
    conversation: Conversation,
    peer: ScriptedPeer,
    seen: String,
}

impl Fixture {
    /// A conversation whose agent has these capabilities. The script begins after `initialize`.
    async fn with(capabilities: &str, script: &str) -> Fixture {
        Fixture::initialized_with(&format!(r#""agentCapabilities":{capabilities}"#), script).await
    }

    /// The same, with an open session.
    async fn in_session(capabilities: &str, script: &str) -> Fixture {
        let script = format!("{BEGIN}{script}");
        let mut fixture = Fixture::with(capabilities, &script).await;
        fixture.open_new_session();
        fixture.until("opened").await;
        fixture.seen.clear();
        fixture
    }

    /// A conversation whose agent has this `initialize` response.
    async fn initialized_with(hello: &str, script: &str) -> Fixture {
        let script = format!(
            "-> initialize {{...}}\n<= {{\"protocolVersion\":1,{hello},\
             \"agentInfo\":{{\"name\":\"a\",\"version\":\"1\"}}}}\n{script}"
        );
        let mut fixture = Fixture::with_preset(&script, Preset::Ask);
        fixture.until("ready").await;
        fixture.seen.clear();
        fixture
    }

    fn with_preset(script: &str, preset: Preset) -> Fixture {
        Fixture::with_permissions(script, Permissions::preset(preset))
    }

    fn with_permissions(script: &str, permissions: Permissions) -> Fixture {
        let ((read, write), peer) = scripted_agent(script).unwrap();
        let conversation =
            Conversation::connect(read, write, Setup::new("scripted", host_with(permissions)));
        let seen = String::new();
        Fixture {
            conversation,
            peer,
            seen,
        }
    }

    fn open(&mut self, start: SessionStart) {
        self.conversation.submit(Command::OpenSession(OpenRequest {
            start,
            cwd: "/tmp".into(),
            additional: Vec::new(),
            mcp_servers: Vec::new(),
        }));
    }

    fn open_new_session(&mut self) {
        self.open(SessionStart::New);
    }

    fn prompt(&mut self, text: &str) {
        let (session, content) = ("s".into(), vec![text.into()]);
        self.conversation
            .submit(Command::Prompt { session, content });
    }

    /// Takes events up to one whose line begins like this.
    async fn until(&mut self, beginning: &str) -> Event {
        loop {
            let next = timeout(PATIENCE, self.conversation.next());
            let event = next
                .await
                .unwrap_or_else(|_| panic!("no {beginning}: {}", self.seen));
            let line = event_line(&event);
            self.seen.push_str(&line);
            self.seen.push('\n');
            if line.starts_with(beginning) {
                return event;
            }
        }
    }

    /// Compares what was seen. Fails if the agent's input differs from its script, or our side violates a rule of the
    /// protocol.
    async fn check(self, expected: Expect) {
        expected.assert_eq(&self.seen);
        let stop = self.conversation.stop();
        let (trace, ()) = tokio::join!(self.peer.finish(), stop);
        let trace = trace.unwrap();
        let found = trace.violations_of(Side::Client);
        let found: Vec<String> = found.iter().map(ToString::to_string).collect();
        assert!(found.is_empty(), "{found:#?}");
    }
}

fn host(preset: Preset) -> Host {
    host_with(Permissions::preset(preset))
}

fn host_with(permissions: Permissions) -> Host {
    let terminals = Terminals::default();
    Host::new(Files::default(), terminals, permissions, Log::none())
}

/// The option `yes` of a request, remembered for this scope.
fn allow(remember: Scope) -> PermissionAnswer {
    choose("yes", remember)
}

/// The option `no` of a request, remembered for this scope.
fn reject(remember: Scope) -> PermissionAnswer {
    choose("no", remember)
}

fn choose(option: &str, remember: Scope) -> PermissionAnswer {
    PermissionAnswer::Choose {
        option: option.into(),
        remember,
    }
}

fn session() -> v1::SessionId {
    "s".into()
}

/// The clock is paused, so this time passes at once when nothing happens.
const PATIENCE: Duration = Duration::from_secs(600);
const BEGIN: &str = r#"
-> session/new {"cwd":"/tmp","mcpServers":[]}
<= {"sessionId":"s"}
"#;
