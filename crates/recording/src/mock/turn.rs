//! Plays the scenario of a turn.

use std::collections::VecDeque;
use std::time::Duration;

use attache_rpc::json::{Reader, to_string};
use attache_rpc::{Error, Id};

use super::scenario::{ScenarioStep, words};
use super::{MockAction, MockAgent, Scenario, scenarios};

#[derive(Debug)]
pub(super) struct MockTurn {
    request: Id,
    steps: VecDeque<ScenarioStep>,
    state: TurnState,
    /// The values of `$name` in JSON.
    names: Vec<(String, String)>,
    /// Tool calls that have not ended.
    tools: Vec<String>,
    /// The number of chunks of a flood sent so far.
    sent: u64,
}

#[derive(Debug, PartialEq, Eq)]
enum TurnState {
    /// The next step is due at this time after the start.
    Due(Duration),
    /// A request is open; this member of its result is remembered.
    AwaitingResponse(Id, Option<&'static str>),
    Hanging,
}

impl MockTurn {
    pub(super) fn new(
        request: Id,
        scenario: Option<&Scenario>,
        missing: Option<&str>,
        number: u64,
        now: Duration,
        cwd: &str,
    ) -> MockTurn {
        let steps = match (scenario, missing) {
            (Some(scenario), Some(need)) => {
                let name = scenario.name;
                explain(&format!(
                    "`{name}` needs clientCapabilities.{need}, which your client does not have."
                ))
            }
            (Some(scenario), None) => scenario.steps.clone().into(),
            (None, _) => explain(&help()),
        };
        let cwd = cwd.trim_end_matches('/');
        MockTurn {
            request,
            steps,
            state: TurnState::Due(now),
            names: vec![
                ("$turn".to_owned(), number.to_string()),
                ("$cwd".to_owned(), json_escaped(cwd)),
            ],
            tools: Vec::new(),
            sent: 0,
        }
    }

    /// When the next step is due; `None` if the client has to act first.
    pub(super) fn due(&self) -> Option<Duration> {
        match self.state {
            TurnState::Due(due) => Some(due),
            TurnState::AwaitingResponse(..) | TurnState::Hanging => None,
        }
    }

    fn fill(&self, json: &str) -> String {
        let mut filled = json.to_owned();
        for (name, value) in &self.names {
            filled = filled.replace(name, value);
        }
        filled
    }

    fn note_tool(&mut self, update: &str) {
        let member = |name| Reader::new(update).tag(name).ok().flatten();
        let Some(id) = member("toolCallId") else {
            return;
        };
        self.tools.retain(|open| *open != id);
        let status = member("status");
        if !matches!(status.as_deref(), Some("completed" | "failed")) {
            self.tools.push(id.into_owned());
        }
    }
}

impl MockAgent {
    /// Plays the next step of a session's turn.
    pub(super) fn play_step(&mut self, name: &str, now: Duration) {
        let Some(session) = self.sessions.get_mut(name) else {
            return;
        };
        let Some(mut turn) = session.turn.take() else {
            return;
        };
        let Some(step) = turn.steps.pop_front() else {
            return;
        };
        let goes_on = match step {
            ScenarioStep::Update(update) => {
                let mut update = turn.fill(&update).replace("$session", &json_escaped(name));
                if update.contains("$options") {
                    update = update.replace("$options", &self.other_options(name));
                }
                turn.note_tool(&update);
                self.send_recorded_update(name, &update);
                true
            }
            ScenarioStep::Flood(count, text) => {
                let update = words("agent_message_chunk", text);
                let more = (count - turn.sent).min(CHUNKS_PER_STEP);
                (0..more).for_each(|_| self.update(name, &update));
                turn.sent += more;
                match turn.sent < count {
                    true => turn.steps.push_front(ScenarioStep::Flood(count, text)),
                    false => turn.sent = 0,
                }
                true
            }
            ScenarioStep::Long(size) => {
                let text = "0123456789abcdef".repeat(size / 16);
                self.update(name, &words("agent_message_chunk", &text));
                true
            }
            ScenarioStep::Notify(method, params) => {
                let params = turn.fill(params).replace("$session", &json_escaped(name));
                self.notify(method, &params);
                true
            }
            ScenarioStep::Request(method, params, member) => {
                let params = turn.fill(params).replace("$session", &json_escaped(name));
                let id = self.send_request(name, method, &params);
                turn.state = TurnState::AwaitingResponse(id, member);
                true
            }
            ScenarioStep::Wait(time) => {
                turn.state = TurnState::Due(now + time);
                true
            }
            ScenarioStep::Hang => {
                turn.state = TurnState::Hanging;
                true
            }
            ScenarioStep::Stop(reason, more) => {
                let more = more
                    .strip_prefix('{')
                    .and_then(|more| more.strip_suffix('}'));
                let more = more.map(|more| format!(",{more}")).unwrap_or_default();
                let result = format!(r#"{{"stopReason":"{reason}"{more}}}"#);
                self.respond(&turn.request, &result);
                false
            }
            ScenarioStep::Fail(code, message) => {
                self.respond_error(&turn.request, &Error::new(code, message));
                false
            }
            ScenarioStep::Crash(code) => {
                self.out.push(MockAction::Crash(code));
                false
            }
        };
        if goes_on && let Some(session) = self.sessions.get_mut(name) {
            session.turn = Some(turn);
        }
    }

    /// The options of a session after a change of the model.
    fn other_options(&mut self, name: &str) -> String {
        if let Some(session) = self.sessions.get_mut(name) {
            let other = if session.model == "small" {
                "large"
            } else {
                "small"
            };
            session.model = other.to_owned();
        }
        self.options(name)
    }

    /// Sends an update that is replayed when the session is loaded.
    fn send_recorded_update(&mut self, name: &str, update: &str) {
        self.update(name, update);
        let kind = Reader::new(update).tag("sessionUpdate").ok().flatten();
        let Some(session) = self.sessions.get_mut(name) else {
            return;
        };
        match kind.as_deref() {
            Some("session_info_update") => {
                let title = Reader::new(update).tag("title").ok().flatten();
                session.title = title.map(std::borrow::Cow::into_owned);
            }
            Some("current_mode_update") => {
                let mode = Reader::new(update).tag("currentModeId").ok().flatten();
                session.mode = mode.map(std::borrow::Cow::into_owned).unwrap_or_default();
            }
            _ => {}
        }
        if kind.is_some_and(|kind| HISTORY.contains(&&*kind)) {
            session.history.push(update.to_owned());
        }
    }

    fn send_request(&mut self, name: &str, method: &str, params: &str) -> Id {
        self.requests_sent += 1;
        let id = Id::from(self.requests_sent);
        self.open_requests.insert(id.clone(), name.to_owned());
        let number = self.requests_sent;
        self.write(format!(
            r#"{{"jsonrpc":"2.0","id":{number},"method":"{method}","params":{params}}}"#
        ));
        id
    }

    /// Handles the response to a request of ours; `None` is an error.
    pub(super) fn handle_response(&mut self, id: &Id, result: Option<&str>, now: Duration) {
        let Some(name) = self.open_requests.remove(id) else {
            return;
        };
        let Some(session) = self.sessions.get_mut(&name) else {
            return;
        };
        let Some(turn) = &mut session.turn else {
            return;
        };
        let TurnState::AwaitingResponse(asked, member) = &turn.state else {
            return;
        };
        if asked != id {
            return;
        }
        let found = result.zip(*member).and_then(|(result, member)| {
            let found = Reader::new(result).tag(member).ok()??;
            Some((format!("${member}"), json_escaped(&found)))
        });
        turn.names.extend(found);
        turn.state = TurnState::Due(now);
        if result.is_none() {
            turn.steps = explain("You responded with an error, so this scenario ends.");
            fail_open_tools(turn);
        }
    }

    /// Ends the turn of a session, if it has one: its tool calls first, then the response.
    pub(super) fn cancel(&mut self, name: &str) {
        let Some(session) = self.sessions.get_mut(name) else {
            return;
        };
        let Some(mut turn) = session.turn.take() else {
            return;
        };
        turn.steps.clear();
        fail_open_tools(&mut turn);
        while let Some(ScenarioStep::Update(update)) = turn.steps.pop_front() {
            self.send_recorded_update(name, &update);
        }
        self.respond(&turn.request, r#"{"stopReason":"cancelled"}"#);
    }
}

/// Marks the open tool calls as failed, before the remaining steps.
fn fail_open_tools(turn: &mut MockTurn) {
    for tool in std::mem::take(&mut turn.tools) {
        let id = to_string(&tool);
        turn.steps.push_front(ScenarioStep::Update(format!(
            r#"{{"sessionUpdate":"tool_call_update","toolCallId":{id},"status":"failed"}}"#
        )));
    }
}

fn explain(text: &str) -> VecDeque<ScenarioStep> {
    VecDeque::from([
        ScenarioStep::Update(words("agent_message_chunk", text)),
        ScenarioStep::Stop("end_turn", ""),
    ])
}

fn help() -> String {
    let mut text = "Enter one of these words:\n\n".to_owned();
    for scenario in scenarios() {
        text.push_str(&format!("- `{}`: {}\n", scenario.name, scenario.about));
    }
    text
}

/// A text, escaped for a JSON string.
fn json_escaped(text: &str) -> String {
    let quoted = to_string(text);
    quoted[1..quoted.len() - 1].to_owned()
}

/// The limit of the updates that are kept for replay.
const HISTORY: [&str; 5] = [
    "agent_message_chunk",
    "agent_thought_chunk",
    "tool_call",
    "tool_call_update",
    "plan",
];
/// The number of chunks that are sent before other work gets a turn.
const CHUNKS_PER_STEP: u64 = 100;
