//! Recorded messages of real agents and clients: each is decoded and encoded again without loss.
//!
//! The fixtures are cut from recordings, one message of each shape, with paths made up and long texts shortened.

use std::collections::{BTreeMap, BTreeSet};

use attache_rpc::{Error, Message};
use expect_test::{Expect, expect};
use serde_json::Value;

use super::official;
use crate::call;
use crate::json::{self, Decode, Encode};
use crate::method::Request;
use crate::v1;

/// Replays recordings and compares the report: the number of messages, the rejected ones, and the changes.
fn check(recordings: &[(&str, &str)], expect: Expect) {
    let mut report = String::new();
    let mut unused: BTreeSet<&UnsupportedMember> = UNSUPPORTED_MEMBERS.iter().collect();
    for (name, lines) in recordings {
        let mut conversation = RecordedConversation::default();
        lines.lines().for_each(|line| conversation.line(line));
        unused.retain(|row| !conversation.unsupported.contains(row));
        report += &format!("{name}: {}", conversation.summary());
    }
    expect.assert_eq(&report);
    assert!(!report.contains("LOST") && !report.contains("ALTERED"));
    assert!(unused.is_empty(), "nobody sends {unused:?}");
}

#[test]
fn recordings_are_read_and_written_back() {
    check(
        RECORDINGS,
        expect![[r#"
            codex-acp: 50 messages, 50 read
                2 default written out
                1 left out of initialize result: agentCapabilities.sessionCapabilities.subagents, a client's capability in the schema
                1 left out of session/load result: models, superseded by config options, still sent
                1 left out of session/new result: models, superseded by config options, still sent
                9 null left out
            gemini-cli: 41 messages, 41 read
                2 default left out
                4 default written out
                1 left out of session/new result: models, superseded by config options, still sent
            goose: 41 messages, 41 read
                2 default written out
                1 left out of session/load result: models, superseded by config options, still sent
                1 left out of session/new result: models, superseded by config options, still sent
            probes: 63 messages, 39 read
                refused 1: an answer to nothing
                refused 2: expected an object, found an array
                refused 3: jsonrpc: expected "2.0"
                refused 2: neither method nor id
                refused 3: nope/b: Method not found (-32601)
                refused 3: nope/c: Method not found (-32601)
                refused 3: nope/d: Method not found (-32601)
                refused 1: nope/f: Method not found (-32601)
                refused 3: session/new: Invalid params: params.cwd: expected a string, found a number (-32602)
                refused 3: session/new: Invalid params: params: expected an object, found null (-32602)
                20 default written out
                1 left out of initialize result: agentCapabilities.sessionCapabilities.subagents, a client's capability in the schema
            rust-sdk: 67 messages, 67 read
                2 default written out
                2 null left out
            ts-sdk: 13 messages, 13 read
                2 default left out
                5 default written out
            v2-claude: 5 messages, 4 read
                refused 1: session/new: Invalid params: params.mcpServers: missing (-32602)
                2 default written out
                1 left out of initialize result: capabilities, v2
                1 left out of initialize result: info, v2
                1 left out of initialize: capabilities, v2
                1 left out of initialize: info, v2
            v2-codex: 18 messages, 16 read
                refused 1: session/new: Invalid params: params.mcpServers: missing (-32602)
                refused 1: session/prompt result: stopReason: missing
                2 default written out
                1 left out of initialize result: authMethods[], v2 calls the id methodId
                1 left out of initialize result: capabilities, v2
                1 left out of initialize result: info, v2
                1 left out of initialize: capabilities, v2
                1 left out of initialize: info, v2
                1 left out of session/new result: availableCommands, v2
                1 left out of session/new result: configOptions[], v2 calls the id configId
            v2-simple: 14 messages, 12 read
                refused 1: session/new: Invalid params: params.mcpServers: missing (-32602)
                refused 1: session/prompt result: stopReason: missing
                3 default written out
                1 left out of initialize result: capabilities, v2
                1 left out of initialize result: info, v2
                1 left out of initialize: capabilities, v2
                1 left out of initialize: info, v2
        "#]],
    );
}

const RECORDINGS: &[(&str, &str)] = &[
    (
        "codex-acp",
        include_str!("../../fixtures/traffic/codex-acp.jsonl"),
    ),
    (
        "gemini-cli",
        include_str!("../../fixtures/traffic/gemini-cli.jsonl"),
    ),
    ("goose", include_str!("../../fixtures/traffic/goose.jsonl")),
    (
        "probes",
        include_str!("../../fixtures/traffic/probes.jsonl"),
    ),
    (
        "rust-sdk",
        include_str!("../../fixtures/traffic/rust-sdk.jsonl"),
    ),
    (
        "ts-sdk",
        include_str!("../../fixtures/traffic/ts-sdk.jsonl"),
    ),
    (
        "v2-claude",
        include_str!("../../fixtures/traffic/v2-claude.jsonl"),
    ),
    (
        "v2-codex",
        include_str!("../../fixtures/traffic/v2-codex.jsonl"),
    ),
    (
        "v2-simple",
        include_str!("../../fixtures/traffic/v2-simple.jsonl"),
    ),
];

/// Members that agents send and our types lack: the message, the member, and why it may be dropped.
type UnsupportedMember = (&'static str, &'static str, &'static str);

const UNSUPPORTED_MEMBERS: &[UnsupportedMember] = &[
    (
        "initialize result",
        "agentCapabilities.sessionCapabilities.subagents",
        "a client's capability in the schema",
    ),
    (
        "session/new result",
        "models",
        "superseded by config options, still sent",
    ),
    (
        "session/load result",
        "models",
        "superseded by config options, still sent",
    ),
    ("initialize", "info", "v2"),
    ("initialize", "capabilities", "v2"),
    ("initialize result", "info", "v2"),
    ("initialize result", "capabilities", "v2"),
    (
        "initialize result",
        "authMethods[]",
        "v2 calls the id methodId",
    ),
    ("session/new result", "availableCommands", "v2"),
    (
        "session/new result",
        "configOptions[]",
        "v2 calls the id configId",
    ),
];

/// One recording as it is replayed.
#[derive(Default)]
struct RecordedConversation {
    messages: usize,
    read: usize,
    /// The methods of requests that are not answered yet, by who open_requests and the id.
    open_requests: BTreeMap<(&'static str, String), String>,
    refused: BTreeMap<String, usize>,
    changes: BTreeMap<String, usize>,
    unsupported: BTreeSet<&'static UnsupportedMember>,
}

impl RecordedConversation {
    fn line(&mut self, line: &str) {
        self.messages += 1;
        let record = json::Object::parse(line).expect("a line of the fixture");
        let from = match record.get("from").expect("who said it") {
            "\"client\"" => "client",
            _ => "agent",
        };
        let text = record.get("message").expect("what was said");
        match Message::parse_str(text) {
            Ok(message) => self.message(from, text, &message),
            Err(malformed) => self.refuse(&malformed.reason),
        }
    }

    fn message(&mut self, from: &'static str, text: &str, message: &Message<'_>) {
        let mut again = String::new();
        message.write(&mut again);
        self.compare("message", text, &again);
        match message {
            Message::Request { id, method, params } => {
                let request = (from, id.to_string());
                self.open_requests.insert(request, method.to_string());
                self.call(method, *params, call_again(from, true, method, *params));
            }
            Message::Notification { method, params } => {
                self.call(method, *params, call_again(from, false, method, *params));
            }
            Message::Response { id, result } => {
                let peer = if from == "agent" { "client" } else { "agent" };
                match self.open_requests.remove(&(peer, id.to_string())) {
                    Some(method) => self.result(&method, result),
                    None => self.refuse("an answer to nothing"),
                }
            }
            Message::Failure { .. } => self.read += 1,
        }
    }

    fn call(&mut self, method: &str, params: Option<&str>, again: Result<String, Error>) {
        let params = params.unwrap_or("null");
        match again {
            Ok(again) => self.compare_payload(method, params, &again),
            Err(error) => {
                let official = official::accepts_params(method, params);
                assert!(
                    official.is_err(),
                    "the official types read {method} {params}"
                );
                self.refuse(&format!("{method}: {error}"));
            }
        }
    }

    fn result(&mut self, method: &str, result: &str) {
        let subject = format!("{method} result");
        match result_again(method, result) {
            Ok(again) => self.compare_payload(&subject, result, &again),
            Err(error) => {
                let official = official::accepts_result(method, result);
                assert!(
                    official.is_err(),
                    "the official types read {subject} {result}"
                );
                self.refuse(&format!("{subject}: {error}"));
            }
        }
    }

    fn refuse(&mut self, reason: &str) {
        *self.refused.entry(reason.to_owned()).or_default() += 1;
    }

    fn compare_payload(&mut self, subject: &str, received: &str, written: &str) {
        self.read += 1;
        self.compare(subject, received, written);
    }

    fn compare(&mut self, subject: &str, received: &str, written: &str) {
        let value = |text| serde_json::from_str::<Value>(text).expect("JSON");
        for (path, change) in changes(String::new(), &value(received), &value(written)) {
            let unsupported = UNSUPPORTED_MEMBERS
                .iter()
                .find(|row| row.0 == subject && row.1 == path);
            let shown = match (unsupported, change) {
                (Some(row), Change::Lost) => {
                    self.unsupported.insert(row);
                    format!("left out of {subject}: {path}, {}", row.2)
                }
                (_, Change::Harmless(why)) => why.to_owned(),
                (None, Change::Lost) => format!("LOST from {subject}: {path}"),
                (_, Change::Altered) => format!("ALTERED in {subject}: {path}"),
            };
            *self.changes.entry(shown).or_default() += 1;
        }
    }

    fn summary(&self) -> String {
        let mut text = format!("{} messages, {} read\n", self.messages, self.read);
        for (reason, count) in &self.refused {
            text += &format!("    refused {count}: {reason}\n");
        }
        for (change, count) in &self.changes {
            text += &format!("    {count} {change}\n");
        }
        text
    }
}

/// Reads a call as its receiver would, and writes its parameters.
fn call_again(
    from: &str,
    wants_answer: bool,
    method: &str,
    params: Option<&str>,
) -> Result<String, Error> {
    let mut out = String::new();
    match (from, wants_answer) {
        ("client", true) => call::ClientRequest::decode(method, params)?.encode_params(&mut out),
        ("client", false) => {
            call::ClientNotification::decode(method, params)?.encode_params(&mut out);
        }
        (_, true) => call::AgentRequest::decode(method, params)?.encode_params(&mut out),
        (_, false) => call::AgentNotification::decode(method, params)?.encode_params(&mut out),
    }
    Ok(out)
}

/// Reads the result of a request as its caller would, and writes it.
fn result_again(method: &str, result: &str) -> Result<String, json::DecodeError> {
    type RewriteFn = fn(&str) -> Result<String, json::DecodeError>;
    fn row<R: Request>() -> (&'static str, RewriteFn) {
        (R::METHOD.name, again::<R::Response>)
    }
    fn again<T: Decode + Encode>(text: &str) -> Result<String, json::DecodeError> {
        json::from_str::<T>(text).map(|value| json::to_string(&value))
    }
    let rows = [
        row::<v1::InitializeRequest>(),
        row::<v1::NewSessionRequest>(),
        row::<v1::LoadSessionRequest>(),
        row::<v1::CloseSessionRequest>(),
        row::<v1::ListSessionsRequest>(),
        row::<v1::SetSessionModeRequest>(),
        row::<v1::PromptRequest>(),
        row::<v1::RequestPermissionRequest>(),
        row::<v1::ReadTextFileRequest>(),
        row::<v1::WriteTextFileRequest>(),
        row::<v1::CreateTerminalRequest>(),
        row::<v1::TerminalOutputRequest>(),
        row::<v1::WaitForTerminalExitRequest>(),
        row::<v1::KillTerminalRequest>(),
        row::<v1::ReleaseTerminalRequest>(),
        row::<v1::CreateElicitationRequest>(),
    ];
    let row = rows.iter().find(|(name, _)| *name == method);
    row.unwrap_or_else(|| panic!("a row for {method}")).1(result)
}

/// How decoding and encoding changed a member.
enum Change {
    /// The member has the same meaning as before.
    Harmless(&'static str),
    /// The member is missing.
    Lost,
    /// The member has another value, or is new.
    Altered,
}

fn changes(path: String, received: &Value, written: &Value) -> Vec<(String, Change)> {
    match (received, written) {
        (Value::Object(received), Value::Object(written)) => {
            let names: BTreeSet<&String> = received.keys().chain(written.keys()).collect();
            let inner = |name: &String| {
                let path = if path.is_empty() {
                    name.clone()
                } else {
                    format!("{path}.{name}")
                };
                member(path, received.get(name), written.get(name))
            };
            names.into_iter().flat_map(inner).collect()
        }
        (Value::Array(received), Value::Array(written)) if received.len() == written.len() => {
            let path = format!("{path}[]");
            let pairs = received.iter().zip(written);
            pairs
                .flat_map(|(received, written)| changes(path.clone(), received, written))
                .collect()
        }
        (Value::Array(_), Value::Array(_)) => vec![(format!("{path}[]"), Change::Lost)],
        (received, written) if received == written => Vec::new(),
        _ => vec![(path, Change::Altered)],
    }
}

fn member(
    path: String,
    received: Option<&Value>,
    written: Option<&Value>,
) -> Vec<(String, Change)> {
    let change = match (received, written) {
        (Some(received), Some(written)) => return changes(path, received, written),
        (Some(Value::Null), None) => Change::Harmless("null left out"),
        (Some(received), None) if is_default(&path, received) => {
            Change::Harmless("default left out")
        }
        (Some(_), None) => Change::Lost,
        (None, Some(written)) if is_default(&path, written) => {
            Change::Harmless("default written out")
        }
        (None, _) => Change::Altered,
    };
    vec![(path, change)]
}

/// Whether a member has the meaning that it would have if it were absent.
fn is_default(path: &str, value: &Value) -> bool {
    let name = path.rsplit('.').next().unwrap_or(path);
    match value {
        Value::Bool(value) => !value,
        Value::Array(items) => items.is_empty(),
        // Elsewhere an empty object is a marker that means "supported".
        Value::Object(members) => {
            CAPABILITIES.contains(&name)
                && members.iter().all(|(name, value)| is_default(name, value))
        }
        Value::String(value) => {
            matches!((name, &**value), ("kind", "other") | ("status", "pending"))
        }
        _ => false,
    }
}

/// Members that are always there for their receiver, with all off if nothing was sent.
const CAPABILITIES: &[&str] = &[
    "agentCapabilities",
    "auth",
    "clientCapabilities",
    "fs",
    "mcpCapabilities",
    "promptCapabilities",
    "sessionCapabilities",
];
