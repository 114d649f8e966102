//! The mock keeps every rule, and shows everything that there is to show.

use std::collections::BTreeSet;
use std::time::Duration;

use attache_rpc::Message;
use attache_testkit::{Side, Trace, TraceEntry, TraceEvent};

use super::super::mock::{Act, Mock, Scenario, find, scenarios};

/// A client that offers everything and answers whatever it is asked.
struct Talk {
    mock: Mock,
    trace: Trace,
    now: Duration,
    asked: u64,
    crashed: Option<u8>,
}

impl Talk {
    fn new(scenario: Option<&'static Scenario>) -> Talk {
        let mut talk = Talk {
            mock: Mock::new(scenario),
            trace: Trace::default(),
            now: Duration::ZERO,
            asked: 0,
            crashed: None,
        };
        talk.ask("initialize", HELLO);
        talk
    }

    fn ask(&mut self, method: &str, params: &str) {
        self.asked += 1;
        let id = self.asked;
        self.say(&format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#
        ));
    }

    fn prompt(&mut self, text: &str) {
        let params =
            format!(r#"{{"sessionId":"mock-1","prompt":[{{"type":"text","text":"{text}"}}]}}"#);
        self.ask("session/prompt", &params);
    }

    fn say(&mut self, line: &str) {
        self.note(Side::Client, line);
        let acts = self.mock.hear(line.as_bytes(), self.now);
        self.act(acts);
    }

    /// Lets it go on until it has nothing more to do by itself.
    fn settle(&mut self) {
        loop {
            let acts = self.mock.go_on(self.now);
            if acts.is_empty() {
                return;
            }
            self.act(acts);
        }
    }

    fn act(&mut self, acts: Vec<Act>) {
        for act in acts {
            match act {
                Act::Write(line) => {
                    self.note(Side::Agent, &line);
                    if let Ok(Message::Request { id, method, .. }) = Message::parse(line.as_bytes())
                    {
                        let result = answer(&method);
                        self.say(&format!(
                            r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#
                        ));
                    }
                }
                Act::Sleep(until) => self.now = until,
                Act::Crash(code) => self.crashed = Some(code),
            }
        }
    }

    fn note(&mut self, from: Side, line: &str) {
        let event = TraceEvent::Line(line.as_bytes().to_vec().into());
        self.trace.push(TraceEntry { from, event });
    }

    fn last(&self) -> String {
        self.trace.lines_of(Side::Agent).last().unwrap()
    }

    fn check(&self, what: &str) {
        let found = self.trace.violations();
        let found: Vec<String> = found.iter().map(ToString::to_string).collect();
        assert!(found.is_empty(), "{what}: {found:#?}\n{}", self.trace);
    }
}

fn answer(method: &str) -> &'static str {
    match method {
        "session/request_permission" => r#"{"outcome":{"outcome":"selected","optionId":"once"}}"#,
        "terminal/create" => r#"{"terminalId":"term \"1\""}"#,
        "terminal/output" => {
            r#"{"output":"hello\n","truncated":false,"exitStatus":{"exitCode":0}}"#
        }
        "terminal/wait_for_exit" => r#"{"exitCode":0}"#,
        "fs/read_text_file" => r#"{"content":"two\n"}"#,
        "elicitation/create" => r#"{"action":"decline"}"#,
        _ => "{}",
    }
}

#[test]
fn every_scenario_keeps_every_rule() {
    let mut shown = BTreeSet::new();
    for scenario in scenarios() {
        let mut talk = Talk::new(None);
        talk.ask("session/new", SESSION);
        talk.prompt(scenario.name);
        talk.settle();
        if scenario.name == "hang" {
            talk.say(
                r#"{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"mock-1"}}"#,
            );
        }
        talk.check(scenario.name);
        match scenario.name {
            "crash" => assert_eq!(talk.crashed, Some(3)),
            "error" => assert!(talk.last().contains("\"error\"")),
            _ => assert!(
                talk.last().contains("stopReason"),
                "{}: {}",
                scenario.name,
                talk.last()
            ),
        }
        for line in talk.trace.lines_of(Side::Agent) {
            shown.extend(words(&line));
        }
        // A second turn, for ids that must not come again; then the whole history.
        if talk.crashed.is_none() {
            talk.prompt(if scenario.name == "hang" {
                "text"
            } else {
                scenario.name
            });
            talk.settle();
            talk.ask("session/load", LOAD);
            talk.settle();
            talk.check(scenario.name);
            for line in talk.trace.lines_of(Side::Agent) {
                shown.extend(words(&line));
            }
        }
    }
    let missing: Vec<&&str> = EVERYTHING
        .iter()
        .filter(|word| !shown.contains(**word))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}

/// The kinds, statuses and methods that a line names.
fn words(line: &str) -> Vec<String> {
    let mut found = Vec::new();
    for part in line.split('"').skip(1).step_by(2) {
        found.push(part.to_owned());
    }
    found
}

#[test]
fn a_client_that_offers_nothing_is_told_so() {
    for scenario in scenarios()
        .iter()
        .filter(|scenario| !scenario.needs.is_empty())
    {
        let mut talk = Talk::new(None);
        talk.mock = Mock::new(None);
        talk.trace = Trace::default();
        let bare = r#"{"protocolVersion":1,"clientCapabilities":{},"clientInfo":{"name":"c","version":"1"}}"#;
        talk.ask("initialize", bare);
        talk.ask("session/new", SESSION);
        talk.prompt(scenario.name);
        talk.settle();
        talk.check(scenario.name);
        assert!(
            talk.trace.to_string().contains("which you do not offer"),
            "{}",
            scenario.name
        );
    }
}

#[test]
fn sessions_are_set_up_set_listed_and_closed() {
    let mut talk = Talk::new(None);
    talk.ask("session/new", SESSION);
    talk.ask(
        "session/set_mode",
        r#"{"sessionId":"mock-1","modeId":"code"}"#,
    );
    talk.ask(
        "session/set_config_option",
        r#"{"sessionId":"mock-1","configId":"model","value":"large"}"#,
    );
    talk.ask(
        "session/set_config_option",
        r#"{"sessionId":"mock-1","configId":"careful","type":"boolean","value":true}"#,
    );
    talk.prompt("title");
    talk.settle();
    talk.ask("session/list", "{}");
    assert!(
        talk.last().contains("A session with a mock"),
        "{}",
        talk.last()
    );
    talk.ask("session/close", r#"{"sessionId":"mock-1"}"#);
    talk.ask("session/resume", LOAD);
    assert!(
        talk.last().contains("\"currentModeId\":\"code\""),
        "{}",
        talk.last()
    );
    talk.ask("session/delete", r#"{"sessionId":"mock-1"}"#);
    talk.check("sessions");
    talk.ask("session/load", LOAD);
    assert!(talk.last().contains("\"error\""));
    talk.ask("nothing/like_it", "{}");
    assert!(talk.last().contains("-32601"));
}

#[test]
fn a_login_is_wanted_before_a_session() {
    let mut talk = Talk::new(find("auth"));
    talk.ask("session/new", SESSION);
    assert!(talk.last().contains("-32000"), "{}", talk.last());
    talk.ask("authenticate", r#"{"methodId":"mock-login"}"#);
    talk.ask("session/new", SESSION);
    talk.prompt("anything");
    talk.settle();
    talk.check("auth");
    assert!(talk.last().contains("end_turn"));
}

#[test]
fn two_sessions_do_not_wait_for_each_other() {
    let mut talk = Talk::new(None);
    talk.ask("session/new", SESSION);
    talk.ask("session/new", SESSION);
    talk.prompt("hang");
    talk.settle();
    let params = r#"{"sessionId":"mock-2","prompt":[{"type":"text","text":"text"}]}"#;
    talk.ask("session/prompt", params);
    talk.settle();
    assert!(talk.last().contains("end_turn"), "{}", talk.last());
    talk.prompt("text");
    assert!(
        talk.last().contains("-32600"),
        "one turn at a time: {}",
        talk.last()
    );
}

const HELLO: &str = r#"{"protocolVersion":1,"clientInfo":{"name":"c","version":"1"},"clientCapabilities":{"fs":{"readTextFile":true,"writeTextFile":true},"terminal":true,"session":{"compaction":{},"notices":{},"configOptions":{"boolean":{}}},"subagents":{},"plan":{},"auth":{"terminal":true},"elicitation":{"form":{},"url":{}}}}"#;
const SESSION: &str = r#"{"cwd":"/project","mcpServers":[]}"#;
const LOAD: &str = r#"{"sessionId":"mock-1","cwd":"/project","mcpServers":[]}"#;

/// What must occur somewhere.
const EVERYTHING: &[&str] = &[
    "user_message_chunk",
    "agent_message_chunk",
    "agent_thought_chunk",
    "tool_call",
    "tool_call_update",
    "plan",
    "plan_update",
    "plan_removed",
    "available_commands_update",
    "current_mode_update",
    "config_option_update",
    "session_info_update",
    "usage_update",
    "notice",
    "compaction_update",
    "compaction_summary_chunk",
    "subagent_update",
    "session_message",
    "read",
    "edit",
    "delete",
    "move",
    "search",
    "execute",
    "think",
    "fetch",
    "switch_mode",
    "other",
    "pending",
    "in_progress",
    "completed",
    "failed",
    "content",
    "diff",
    "terminal",
    "image",
    "audio",
    "resource_link",
    "resource",
    "allow_once",
    "allow_always",
    "reject_once",
    "reject_always",
    "session/request_permission",
    "fs/read_text_file",
    "fs/write_text_file",
    "terminal/create",
    "terminal/output",
    "terminal/wait_for_exit",
    "terminal/kill",
    "terminal/release",
    "elicitation/create",
    "elicitation/complete",
    "end_turn",
    "refusal",
    "max_tokens",
    "max_turn_requests",
    "cancelled",
    "info",
    "warning",
    "error",
    "high",
    "medium",
    "low",
    "form",
    "url",
];
