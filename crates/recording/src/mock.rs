//! An agent that plays scripted scenarios, for tests of clients. It sends every kind of message that an agent can send, and
//! follows the protocol to the letter.
//!
//! [`MockAgent`] does no I/O: it turns incoming lines into actions. [`serve`] connects it with streams and a clock.

mod requests;
mod scenario;
mod serve;
mod turn;

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use attache_rpc::{Error, Id, Message, write_failure};
use attache_schema::v1;
use attache_testkit::WireMessage;

pub use scenario::{Scenario, find_scenario, scenarios};
pub use serve::serve;
use turn::MockTurn;

/// The mock agent.
#[derive(Debug)]
pub struct MockAgent {
    /// The scenario of every prompt; `None` if the first word of a prompt selects it.
    scenario: Option<&'static Scenario>,
    client: v1::ClientCapabilities,
    initialized: bool,
    logged_in: bool,
    sessions: BTreeMap<String, MockSession>,
    /// The session of each open request of the agent.
    open_requests: HashMap<Id, String>,
    requests_sent: i64,
    turns: u64,
    out: Vec<MockAction>,
}

/// What the caller has to do next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MockAction {
    /// Write this line and a line break.
    Write(String),
    /// Wait until this time after the start, and handle lines that arrive meanwhile.
    Sleep(Duration),
    /// Exit with this code at once.
    Crash(u8),
}

#[derive(Debug, Default)]
struct MockSession {
    cwd: String,
    title: Option<String>,
    /// Updates that are replayed when the session is loaded.
    history: Vec<String>,
    mode: String,
    model: String,
    careful: bool,
    open: bool,
    turn: Option<MockTurn>,
}

impl MockAgent {
    /// An agent that plays one scenario for every prompt, or the one that the first word of the prompt names.
    pub fn new(scenario: Option<&'static Scenario>) -> MockAgent {
        MockAgent {
            scenario,
            client: v1::ClientCapabilities::new(),
            initialized: false,
            logged_in: false,
            sessions: BTreeMap::new(),
            open_requests: HashMap::new(),
            requests_sent: 0,
            turns: 0,
            out: Vec::new(),
        }
    }

    /// Handles a line of the client. `now` is the time since the start.
    pub fn receive(&mut self, line: &[u8], now: Duration) -> Vec<MockAction> {
        match WireMessage::read(line) {
            WireMessage::Request(id, method, params) => {
                self.handle_request(&id, &method, params.as_deref(), now);
            }
            WireMessage::Notification(method, params) => {
                self.handle_notification(&method, params.as_deref())
            }
            WireMessage::Response(id, result) => self.handle_response(&id, Some(&result), now),
            WireMessage::Failure(id, _) => self.handle_response(&id, None, now),
            WireMessage::Raw(_) => {
                if let Err(malformed) = Message::parse(line.trim_ascii_end())
                    && let Some((id, error)) = malformed.error_response()
                {
                    self.respond_error(&id, &error);
                }
            }
            WireMessage::Closed => {}
        }
        std::mem::take(&mut self.out)
    }

    /// The next actions that need no input, at `now` since the start. Empty if the agent waits for a line.
    pub fn advance(&mut self, now: Duration) -> Vec<MockAction> {
        while self.out.is_empty() {
            let due = self.sessions.keys();
            let due: Vec<(Duration, String)> = due
                .filter_map(|name| Some((self.due(name)?, name.clone())))
                .collect();
            let Some((soonest, _)) = due.iter().min() else {
                break;
            };
            if *soonest > now {
                self.out.push(MockAction::Sleep(*soonest));
            }
            for (due, name) in &due {
                if *due <= now {
                    self.play_step(name, now);
                }
            }
        }
        std::mem::take(&mut self.out)
    }

    fn due(&self, session: &str) -> Option<Duration> {
        let turn = self.sessions.get(session)?.turn.as_ref()?;
        turn.due()
    }

    fn write(&mut self, line: String) {
        self.out.push(MockAction::Write(line));
    }

    fn respond(&mut self, id: &Id, result: &str) {
        let id = id.as_str();
        self.write(format!(
            r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#
        ));
    }

    fn respond_error(&mut self, id: &Id, error: &Error) {
        let mut out = String::new();
        write_failure(&mut out, id, error);
        self.write(out);
    }

    fn notify(&mut self, method: &str, params: &str) {
        self.write(format!(
            r#"{{"jsonrpc":"2.0","method":"{method}","params":{params}}}"#
        ));
    }

    fn update(&mut self, session: &str, update: &str) {
        let name = attache_rpc::json::to_string(session);
        self.notify(
            "session/update",
            &format!(r#"{{"sessionId":{name},"update":{update}}}"#),
        );
    }
}
