//! A turn that is being played.

use std::collections::VecDeque;
use std::time::Duration;

use attache_rpc::json::{Reader, to_string};
use attache_rpc::{Error, Id};

use super::scenario::{Step, words};
use super::{Act, Mock, Scenario, scenarios};

#[derive(Debug)]
pub(super) struct Turn {
    request: Id,
    steps: VecDeque<Step>,
    state: State,
    /// What stands for `$name` in JSON.
    names: Vec<(String, String)>,
    /// Tool calls that have not ended.
    tools: Vec<String>,
    /// How much of a flood has been sent.
    sent: u64,
}

#[derive(Debug, PartialEq, Eq)]
enum State {
    /// The next step is due so long after the start.
    Due(Duration),
    /// A question is open; the member of its answer is remembered.
    Asking(Id, Option<&'static str>),
    Hanging,
}

impl Turn {
    pub(super) fn new(
        request: Id,
        scenario: Option<&Scenario>,
        lacks: Option<&str>,
        number: u64,
        now: Duration,
        cwd: &str,
    ) -> Turn {
        let steps = match (scenario, lacks) {
            (Some(scenario), Some(need)) => {
                let name = scenario.name;
                explained(&format!(
                    "`{name}` needs clientCapabilities.{need}, which you do not offer."
                ))
            }
            (Some(scenario), None) => scenario.steps.clone().into(),
            (None, _) => explained(&help()),
        };
        let cwd = cwd.trim_end_matches('/');
        Turn {
            request,
            steps,
            state: State::Due(now),
            names: vec![
                ("$turn".to_owned(), number.to_string()),
                ("$cwd".to_owned(), inside(cwd)),
            ],
            tools: Vec::new(),
            sent: 0,
        }
    }

    /// When the next step is due, unless somebody else has to do something first.
    pub(super) fn due(&self) -> Option<Duration> {
        match self.state {
            State::Due(due) => Some(due),
            State::Asking(..) | State::Hanging => None,
        }
    }

    fn filled(&self, json: &str) -> String {
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

impl Mock {
    /// Plays the next step of a session's turn.
    pub(super) fn step(&mut self, name: &str, now: Duration) {
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
            Step::Update(update) => {
                let mut update = turn.filled(&update).replace("$session", &inside(name));
                if update.contains("$options") {
                    update = update.replace("$options", &self.other_options(name));
                }
                turn.note_tool(&update);
                self.say(name, &update);
                true
            }
            Step::Flood(count, text) => {
                let update = words("agent_message_chunk", text);
                let more = (count - turn.sent).min(PORTION);
                (0..more).for_each(|_| self.update(name, &update));
                turn.sent += more;
                match turn.sent < count {
                    true => turn.steps.push_front(Step::Flood(count, text)),
                    false => turn.sent = 0,
                }
                true
            }
            Step::Long(size) => {
                let text = "0123456789abcdef".repeat(size / 16);
                self.update(name, &words("agent_message_chunk", &text));
                true
            }
            Step::Tell(method, params) => {
                let params = turn.filled(params).replace("$session", &inside(name));
                self.notify(method, &params);
                true
            }
            Step::Ask(method, params, member) => {
                let params = turn.filled(params).replace("$session", &inside(name));
                let id = self.question(name, method, &params);
                turn.state = State::Asking(id, member);
                true
            }
            Step::Wait(time) => {
                turn.state = State::Due(now + time);
                true
            }
            Step::Hang => {
                turn.state = State::Hanging;
                true
            }
            Step::Stop(reason, more) => {
                let more = more
                    .strip_prefix('{')
                    .and_then(|more| more.strip_suffix('}'));
                let more = more.map(|more| format!(",{more}")).unwrap_or_default();
                let result = format!(r#"{{"stopReason":"{reason}"{more}}}"#);
                self.respond(&turn.request, &result);
                false
            }
            Step::Fail(code, message) => {
                self.refuse(&turn.request, &Error::new(code, message));
                false
            }
            Step::Crash(code) => {
                self.out.push(Act::Crash(code));
                false
            }
        };
        if goes_on && let Some(session) = self.sessions.get_mut(name) {
            session.turn = Some(turn);
        }
    }

    /// The options of a session, with another model than it had.
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

    /// Tells of something that is told again when the session is loaded.
    fn say(&mut self, name: &str, update: &str) {
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

    fn question(&mut self, name: &str, method: &str, params: &str) -> Id {
        self.questions += 1;
        let id = Id::from(self.questions);
        self.asked.insert(id.clone(), name.to_owned());
        let number = self.questions;
        self.write(format!(
            r#"{{"jsonrpc":"2.0","id":{number},"method":"{method}","params":{params}}}"#
        ));
        id
    }

    /// The client has answered a question of ours, with a result unless it failed.
    pub(super) fn answered(&mut self, id: &Id, result: Option<&str>, now: Duration) {
        let Some(name) = self.asked.remove(id) else {
            return;
        };
        let Some(session) = self.sessions.get_mut(&name) else {
            return;
        };
        let Some(turn) = &mut session.turn else {
            return;
        };
        let State::Asking(asked, member) = &turn.state else {
            return;
        };
        if asked != id {
            return;
        }
        let found = result.zip(*member).and_then(|(result, member)| {
            let found = Reader::new(result).tag(member).ok()??;
            Some((format!("${member}"), inside(&found)))
        });
        turn.names.extend(found);
        turn.state = State::Due(now);
        if result.is_none() {
            turn.steps = explained("You responded with an error, so this scenario ends.");
            settle(turn);
        }
    }

    /// Ends a session's turn, if it has one: tool calls first, then the answer.
    pub(super) fn cancel(&mut self, name: &str) {
        let Some(session) = self.sessions.get_mut(name) else {
            return;
        };
        let Some(mut turn) = session.turn.take() else {
            return;
        };
        turn.steps.clear();
        settle(&mut turn);
        while let Some(Step::Update(update)) = turn.steps.pop_front() {
            self.say(name, &update);
        }
        self.respond(&turn.request, r#"{"stopReason":"cancelled"}"#);
    }
}

/// Ends the open tool calls before anything else.
fn settle(turn: &mut Turn) {
    for tool in std::mem::take(&mut turn.tools) {
        let id = to_string(&tool);
        turn.steps.push_front(Step::Update(format!(
            r#"{{"sessionUpdate":"tool_call_update","toolCallId":{id},"status":"failed"}}"#
        )));
    }
}

fn explained(text: &str) -> VecDeque<Step> {
    VecDeque::from([
        Step::Update(words("agent_message_chunk", text)),
        Step::Stop("end_turn", ""),
    ])
}

fn help() -> String {
    let mut text = "Enter one of these words:\n\n".to_owned();
    for scenario in scenarios() {
        text.push_str(&format!("- `{}`: {}\n", scenario.name, scenario.about));
    }
    text
}

/// A text as it stands inside a JSON string.
fn inside(text: &str) -> String {
    let quoted = to_string(text);
    quoted[1..quoted.len() - 1].to_owned()
}

/// What is told again.
const HISTORY: [&str; 5] = [
    "agent_message_chunk",
    "agent_thought_chunk",
    "tool_call",
    "tool_call_update",
    "plan",
];
/// How many chunks are sent before others have their turn.
const PORTION: u64 = 100;
