//! Tests of the mock agent: it follows every rule, and its scenarios contain every kind of message.

use std::collections::BTreeSet;
use std::time::Duration;

use attache_rpc::Message;
use attache_testkit::{Side, Trace, TraceEntry, TraceEvent};

use super::super::mock::{MockAction, MockAgent, Scenario, find_scenario, scenarios};

/// A client with all capabilities that responds to every request.
struct MockConversation {
    mock: MockAgent,
    trace: Trace,
    now: Duration,
    asked: u64,
    crashed: Option<u8>,
}

impl MockConversation {
    fn new(scenario: Option<&'static Scenario>) -> MockConversation {
        let mut conversation = MockConversation {
            mock: MockAgent::new(scenario),
            trace: Trace::default(),
            now: Duration::ZERO,
            asked: 0,
            crashed: None,
        };
        conversation.ask("initialize", HELLO);
        conversation
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
        let actions = self.mock.receive(line.as_bytes(), self.now);
        self.action(actions);
    }

    /// Runs the mock agent until it waits for input.
    fn settle(&mut self) {
        loop {
            let actions = self.mock.advance(self.now);
            if actions.is_empty() {
                return;
            }
            self.action(actions);
        }
    }

    fn action(&mut self, actions: Vec<MockAction>) {
        for action in actions {
            match action {
                MockAction::Write(line) => {
                    self.note(Side::Agent, &line);
                    if let Ok(Message::Request { id, method, .. }) = Message::parse(line.as_bytes())
                    {
                        let result = answer(&method);
                        self.say(&format!(
                            r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#
                        ));
                    }
                }
                MockAction::Sleep(until) => self.now = until,
                MockAction::Crash(code) => self.crashed = Some(code),
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
        let mut conversation = MockConversation::new(None);
        conversation.ask("session/new", SESSION);
        conversation.prompt(scenario.name);
        conversation.settle();
        if scenario.name == "hang" {
            conversation.say(
                r#"{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"mock-1"}}"#,
            );
        }
        conversation.check(scenario.name);
        match scenario.name {
            "crash" => assert_eq!(conversation.crashed, Some(3)),
            "error" => assert!(conversation.last().contains("\"error\"")),
            _ => assert!(
                conversation.last().contains("stopReason"),
                "{}: {}",
                scenario.name,
                conversation.last()
            ),
        }
        for line in conversation.trace.lines_of(Side::Agent) {
            shown.extend(words(&line));
        }
        // A second turn shows that ids are not reused; then the session is loaded.
        if conversation.crashed.is_none() {
            conversation.prompt(if scenario.name == "hang" {
                "text"
            } else {
                scenario.name
            });
            conversation.settle();
            conversation.ask("session/load", LOAD);
            conversation.settle();
            conversation.check(scenario.name);
            for line in conversation.trace.lines_of(Side::Agent) {
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

/// All quoted strings in a line, among them its kinds, statuses and methods.
fn words(line: &str) -> Vec<String> {
    let mut found = Vec::new();
    for part in line.split('"').skip(1).step_by(2) {
        found.push(part.to_owned());
    }
    found
}

#[test]
fn a_scenario_reports_a_missing_client_capability() {
    for scenario in scenarios()
        .iter()
        .filter(|scenario| !scenario.needs.is_empty())
    {
        let mut conversation = MockConversation::new(None);
        conversation.mock = MockAgent::new(None);
        conversation.trace = Trace::default();
        let bare = r#"{"protocolVersion":1,"clientCapabilities":{},"clientInfo":{"name":"c","version":"1"}}"#;
        conversation.ask("initialize", bare);
        conversation.ask("session/new", SESSION);
        conversation.prompt(scenario.name);
        conversation.settle();
        conversation.check(scenario.name);
        assert!(
            conversation
                .trace
                .to_string()
                .contains("which your client does not have"),
            "{}",
            scenario.name
        );
    }
}

#[test]
fn sessions_are_set_up_set_listed_and_closed() {
    let mut conversation = MockConversation::new(None);
    conversation.ask("session/new", SESSION);
    conversation.ask(
        "session/set_mode",
        r#"{"sessionId":"mock-1","modeId":"code"}"#,
    );
    conversation.ask(
        "session/set_config_option",
        r#"{"sessionId":"mock-1","configId":"model","value":"large"}"#,
    );
    conversation.ask(
        "session/set_config_option",
        r#"{"sessionId":"mock-1","configId":"careful","type":"boolean","value":true}"#,
    );
    conversation.prompt("title");
    conversation.settle();
    conversation.ask("session/list", "{}");
    assert!(
        conversation.last().contains("A session with a mock"),
        "{}",
        conversation.last()
    );
    conversation.ask("session/close", r#"{"sessionId":"mock-1"}"#);
    conversation.ask("session/resume", LOAD);
    assert!(
        conversation.last().contains("\"currentModeId\":\"code\""),
        "{}",
        conversation.last()
    );
    conversation.ask("session/delete", r#"{"sessionId":"mock-1"}"#);
    conversation.check("sessions");
    conversation.ask("session/load", LOAD);
    assert!(conversation.last().contains("\"error\""));
    conversation.ask("nothing/like_it", "{}");
    assert!(conversation.last().contains("-32601"));
}

#[test]
fn a_session_requires_a_login() {
    let mut conversation = MockConversation::new(find_scenario("auth"));
    conversation.ask("session/new", SESSION);
    assert!(
        conversation.last().contains("-32000"),
        "{}",
        conversation.last()
    );
    conversation.ask("authenticate", r#"{"methodId":"mock-login"}"#);
    conversation.ask("session/new", SESSION);
    conversation.prompt("anything");
    conversation.settle();
    conversation.check("auth");
    assert!(conversation.last().contains("end_turn"));
}

#[test]
fn two_sessions_do_not_wait_for_each_other() {
    let mut conversation = MockConversation::new(None);
    conversation.ask("session/new", SESSION);
    conversation.ask("session/new", SESSION);
    conversation.prompt("hang");
    conversation.settle();
    let params = r#"{"sessionId":"mock-2","prompt":[{"type":"text","text":"text"}]}"#;
    conversation.ask("session/prompt", params);
    conversation.settle();
    assert!(
        conversation.last().contains("end_turn"),
        "{}",
        conversation.last()
    );
    conversation.prompt("text");
    assert!(
        conversation.last().contains("-32600"),
        "one turn at a time: {}",
        conversation.last()
    );
}

const HELLO: &str = r#"{"protocolVersion":1,"clientInfo":{"name":"c","version":"1"},"clientCapabilities":{"fs":{"readTextFile":true,"writeTextFile":true},"terminal":true,"session":{"compaction":{},"notices":{},"configOptions":{"boolean":{}}},"subagents":{},"plan":{},"auth":{"terminal":true},"elicitation":{"form":{},"url":{}}}}"#;
const SESSION: &str = r#"{"cwd":"/project","mcpServers":[]}"#;
const LOAD: &str = r#"{"sessionId":"mock-1","cwd":"/project","mcpServers":[]}"#;

/// The kinds, statuses and methods that must occur in some scenario.
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
