//! Every example of the five documents, carried from a client to an agent or back by two translators: read from its
//! dialect, accepted by the official types, and written in its dialect again.

use std::collections::BTreeSet;

use agent_client_protocol_schema::v1;
use expect_test::{Expect, expect};
use serde_json::{Value, json};

use super::call_translator::{CallIds, id, understood};
use super::official::{accepts_params, accepts_result, read};
use super::official::{rewritten_params, rewritten_result};
use crate::{Call, CallTranslator, Dialect, Role, TranslatedCall};

struct Document {
    number: &'static str,
    dialect: Dialect,
    lines: &'static str,
    /// Examples that change on the round trip, each with the reason.
    changed: &'static [(&'static str, &'static str)],
    /// Examples of which the official crate drops a part, each with that part.
    unread: &'static [(&'static str, &'static str)],
}

const DOCUMENTS: [Document; 5] = [
    Document {
        number: "000",
        dialect: Dialect::Official,
        lines: include_str!("../../fixtures/documents/000.jsonl"),
        changed: &[(
            "36.1",
            "session/set_model is written as the option that took its place",
        )],
        unread: &[],
    },
    Document {
        number: "001",
        dialect: Dialect::Bridge,
        lines: include_str!("../../fixtures/documents/001.jsonl"),
        changed: &[
            ("6.1", "bare tool content is sent wrapped"),
            ("7.1", "plan entries are sent with a priority"),
            ("10.2", "mediaType is sent as mimeType"),
        ],
        unread: &[],
    },
    Document {
        number: "002",
        dialect: Dialect::Draft,
        lines: include_str!("../../fixtures/documents/002.jsonl"),
        changed: &[("25.1", "a tool call without a status is sent as pending")],
        unread: &[],
    },
    Document {
        number: "003",
        dialect: Dialect::Pharo,
        lines: include_str!("../../fixtures/documents/003.jsonl"),
        changed: &[],
        unread: &[],
    },
    Document {
        number: "004",
        dialect: Dialect::Official,
        lines: include_str!("../../fixtures/documents/004.jsonl"),
        changed: &[],
        unread: &[
            (
                "10.1",
                "the crate does not write the kind other, which is the default",
            ),
            ("23.1", "the result null is an empty object"),
        ],
    },
];

#[test]
fn older_official_documents() {
    check("000", expect!["53 blocks, 53 values carried, 5 skipped"]);
    check("004", expect!["50 blocks, 50 values carried, 0 skipped"]);
}

#[test]
fn the_early_bridge() {
    check("001", expect!["16 blocks, 12 values carried, 6 skipped"]);
}

#[test]
fn the_draft_of_february_2026() {
    check("002", expect!["51 blocks, 67 values carried, 2 skipped"]);
}

#[test]
fn the_pharo_shape() {
    check("003", expect!["51 blocks, 63 values carried, 3 skipped"]);
}

#[test]
fn official_examples_pass_every_translator() {
    for dialect in Dialect::ALL {
        DocumentRelay::new(document("004"), dialect).carry_all();
    }
}

fn check(number: &str, expect: Expect) {
    let document = document(number);
    let report = DocumentRelay::new(document, document.dialect).report();
    println!("{number} ({}): {report}", document.dialect);
    expect.assert_eq(&report);
}

fn document(number: &str) -> &'static Document {
    let document = DOCUMENTS.iter().find(|document| document.number == number);
    document.expect("a document of that number")
}

/// The way of one document's examples through two translators, as a relay would carry them. Every block is a
/// conversation of its own, in which the sessions that it names exist.
struct DocumentRelay {
    document: &'static Document,
    dialect: Dialect,
    client: CallTranslator,
    agent: CallTranslator,
    pending: CallIds,
    carried: usize,
    skipped: usize,
    changed: BTreeSet<String>,
    unread: BTreeSet<String>,
}

impl DocumentRelay {
    fn new(document: &'static Document, dialect: Dialect) -> Self {
        DocumentRelay {
            document,
            dialect,
            client: CallTranslator::new(dialect, Role::Client),
            agent: CallTranslator::new(dialect, Role::Agent),
            pending: CallIds::default(),
            carried: 0,
            skipped: 0,
            changed: BTreeSet::new(),
            unread: BTreeSet::new(),
        }
    }

    /// How many blocks and values there were. Fails if a block is missing, or a value comes back changed or is not
    /// understood as a whole without a reason.
    fn report(mut self) -> String {
        let blocks = self.carry_all();
        let document = self.document;
        assert_eq!(
            self.changed,
            places(document.changed),
            "changed in {}",
            document.number
        );
        assert_eq!(
            self.unread,
            places(document.unread),
            "unread in {}",
            document.number
        );
        let (carried, skipped) = (self.carried, self.skipped);
        format!("{blocks} blocks, {carried} values carried, {skipped} skipped")
    }

    fn carry_all(&mut self) -> usize {
        let lines = self.document.lines.lines();
        let lines: Vec<Value> = lines.map(value).collect();
        let blocks: Vec<&[Value]> = lines.chunk_by(|a, b| a["block"] == b["block"]).collect();
        for (number, block) in (1..).zip(&blocks) {
            assert_eq!(
                block[0]["block"],
                json!(number),
                "a block of {} is missing",
                self.document.number
            );
            self.open(block);
            for line in *block {
                assert_eq!(line["document"], self.document.number);
                match line["skip"].as_str() {
                    Some(reason) => self.skip(reason),
                    None => self.carry(line),
                }
            }
        }
        blocks.len()
    }

    fn skip(&mut self, reason: &str) {
        let named = ["placeholder: ", "not ACP: "];
        assert!(
            named.iter().any(|prefix| reason.starts_with(prefix)),
            "{reason}"
        );
        self.skipped += 1;
    }

    fn open(&mut self, block: &[Value]) {
        self.client = CallTranslator::new(self.dialect, Role::Client);
        self.agent = CallTranslator::new(self.dialect, Role::Agent);
        self.pending = CallIds::default();
        let sessions = block.iter().filter_map(session_of);
        for session in sessions.collect::<BTreeSet<String>>() {
            let params = match self.dialect {
                Dialect::Draft => json!({"workingDirectory": "/p"}),
                _ => json!({"cwd": "/p", "mcpServers": []}),
            };
            let (_, opened) = self.carry_call("session/new", &params);
            assert_eq!(opened, Ok(()));
            let model = json!({"id": "m", "name": "Model", "category": "model",
                "type": "select", "currentValue": "a", "options": []});
            let result = json!({"sessionId": session, "configOptions": [model]});
            let (_, opened) = self.carry_result("session/new", &result);
            assert_eq!(opened, Ok(()));
        }
    }

    fn carry(&mut self, line: &Value) {
        let (json, kind) = (&line["json"], line["as"].as_str().expect("a kind"));
        let at = format!("{}.{}", line["block"], line["value"]);
        let example = Example::of(self.document.dialect, kind, json);
        let (sent, (back, verdict)) = match example {
            Example::Call(method, params) => (params.clone(), self.carry_call(&method, &params)),
            Example::Result(method, result) => {
                (result.clone(), self.carry_result(&method, &result))
            }
            Example::Error(error) => (error.clone(), (self.carry_error(&error), Ok(()))),
        };
        if back != sent {
            self.changed.insert(at.clone());
        }
        if let Err(unread) = verdict {
            println!("{at}: {unread}");
            self.unread.insert(at);
        }
        self.carried += 1;
    }

    /// Carries a call to the other side. Checks that the official crate understands everything on the way.
    fn carry_call(&mut self, method: &str, params: &Value) -> (Value, Result<(), String>) {
        let id = self.pending.call(method);
        let id = Some(&id).filter(|_| !is_notification(method));
        let (from, to) = self.translators(!is_for_client(method));
        let text = params.to_string();
        let translated = from.read_call(Call {
            id,
            method,
            params: Some(&text),
        });
        let translated = translated.unwrap_or_else(|error| panic!("{method} {text}: {error}"));
        let (official, params) = single(translated).expect("it goes on");
        accepted(&official, accepts_params(&official, &params), &params);
        let verdict = understood(&params, rewritten_params(&official, &params));
        let written = to.write_call(Call {
            id,
            method: &official,
            params: Some(&params),
        });
        let back = match written.map(single) {
            Ok(Some((written, params))) if written == method => value(&params),
            other => json!(format!("{other:?}")),
        };
        (back, verdict)
    }

    fn carry_result(&mut self, method: &str, result: &Value) -> (Value, Result<(), String>) {
        let id = self.pending.answer(method);
        let (from, to) = self.translators(is_for_client(method));
        let text = result.to_string();
        let official = from.read_result(&id, method, &text);
        let official = official.expect("it can be read");
        accepted(method, accepts_result(method, &official), &official);
        let verdict = understood(&official, rewritten_result(method, &official));
        let back = match to.write_result(&id, method, &official) {
            Ok(written) => value(&written),
            Err(error) => json!(error.to_string()),
        };
        (back, verdict)
    }

    fn carry_error(&mut self, error: &Value) -> Value {
        let error = attache_rpc::json::from_str(&error.to_string()).expect("an error");
        let official = self.agent.read_error(id(), "session/new", error);
        accepted(
            "error",
            accepts_type("Error", &attache_rpc::json::to_string(&official)),
            "",
        );
        let written = self.client.write_error(id(), "session/new", official);
        value(&attache_rpc::json::to_string(&written))
    }

    /// The side that a message comes from, and the one that it goes to.
    fn translators(&mut self, from_client: bool) -> (&mut CallTranslator, &mut CallTranslator) {
        if from_client {
            (&mut self.client, &mut self.agent)
        } else {
            (&mut self.agent, &mut self.client)
        }
    }
}

/// An example as the message that carries it.
enum Example {
    Call(String, Value),
    Result(String, Value),
    Error(Value),
}

impl Example {
    fn of(dialect: Dialect, kind: &str, json: &Value) -> Self {
        match kind.split_once(' ').unwrap_or((kind, "")) {
            ("message", _) => {
                let method = json["method"].as_str().expect("a method");
                Example::Call(method.to_owned(), json["params"].clone())
            }
            ("response", method) => Example::Result(method.to_owned(), json["result"].clone()),
            ("params", method) => Example::Call(method.to_owned(), json.clone()),
            ("result", method) => Example::Result(method.to_owned(), json.clone()),
            ("error", _) => Example::Error(json["error"].clone()),
            ("update", _) => update(dialect, json),
            ("type" | "member", name) => part(dialect, name, json),
            (other, _) => panic!("{other}: no kind of example"),
        }
    }
}

fn update(dialect: Dialect, update: &Value) -> Example {
    let params = match dialect {
        Dialect::Draft => with(update, "sessionId", json!("s")),
        _ => json!({"sessionId": "s", "update": update}),
    };
    Example::Call("session/update".to_owned(), params)
}

/// A part in the smallest message that has a place for it.
fn part(dialect: Dialect, name: &str, part: &Value) -> Example {
    let is_draft = dialect == Dialect::Draft;
    let (prompt, client, agent) = if is_draft {
        ("content", "capabilities", "capabilities")
    } else {
        ("prompt", "clientCapabilities", "agentCapabilities")
    };
    let call = |method: &str, params: Value| Example::Call(method.to_owned(), params);
    let result = |method: &str, result: Value| Example::Result(method.to_owned(), result);
    let tool = |member: &str| {
        let tag = if dialect == Dialect::Pharo {
            "type"
        } else {
            "sessionUpdate"
        };
        update(
            dialect,
            &json!({tag: "tool_call_update", "toolCallId": "t", member: [part]}),
        )
    };
    match name {
        "ContentBlock" => call("session/prompt", json!({"sessionId": "s", prompt: [part]})),
        "ToolCallContent" => tool("content"),
        "ToolCallLocation" => tool("locations"),
        "ClientCapabilities" => call("initialize", greeting(json!({client: part}), "clientInfo")),
        "AgentCapabilities" => result("initialize", greeting(json!({agent: part}), "agentInfo")),
        "InitializeRequest" => call("initialize", greeting(part.clone(), "clientInfo")),
        "InitializeResponse" => result("initialize", greeting(part.clone(), "agentInfo")),
        "NewSessionResponse" => result("session/new", with(part, "sessionId", json!("s"))),
        "McpServer" if is_draft => {
            let servers = json!([{"name": "m", "transport": part}]);
            let params = json!({"workingDirectory": "/p", "mcpServers": servers});
            call("session/new", params)
        }
        "McpServer" => call("session/new", json!({"cwd": "/p", "mcpServers": [part]})),
        other => panic!("{other}: no place for it"),
    }
}

fn greeting(part: Value, info: &str) -> Value {
    let part = with(&part, "protocolVersion", json!(1));
    with(&part, info, json!({"name": "n", "version": "1"}))
}

fn with(object: &Value, name: &str, member: Value) -> Value {
    let mut object = object.clone();
    object[name] = member;
    object
}

/// The session that a message is about, unless it opens it.
fn session_of(line: &Value) -> Option<String> {
    let json = &line["json"];
    let params = json.get("params").unwrap_or(json);
    let session = params["sessionId"].as_str();
    let opens = line["as"]
        .as_str()
        .is_some_and(|kind| kind.ends_with("session/new"));
    match session {
        Some(session) => (!opens).then(|| session.to_owned()),
        None => Some("s".to_owned()),
    }
}

/// The forwarded call, if there is exactly one.
fn single(translated: TranslatedCall<'_>) -> Option<(String, String)> {
    match translated {
        TranslatedCall::Call { method, params } => {
            Some((method.into_owned(), params?.into_owned()))
        }
        TranslatedCall::Calls(mut calls) => {
            assert_eq!(calls.len(), 1, "one example is one call");
            let (method, params) = calls.pop()?;
            Some((method, params?))
        }
        TranslatedCall::Response(_) | TranslatedCall::Nothing => None,
    }
}

/// The official types leave out what they cannot read in lists, so the items are asked for one by one.
fn accepted(method: &str, verdict: Result<(), String>, official: &str) {
    assert_eq!(verdict, Ok(()), "{method} {official}");
    let Ok(official) = serde_json::from_str::<Value>(official) else {
        return;
    };
    for (pointer, name) in [
        ("/update/content", "ToolCallContent"),
        ("/update/locations", "ToolCallLocation"),
        ("/mcpServers", "McpServer"),
        ("/prompt", "ContentBlock"),
    ] {
        let items = official.pointer(pointer).and_then(Value::as_array);
        for item in items.into_iter().flatten() {
            assert_eq!(accepts_type(name, &item.to_string()), Ok(()), "{item}");
        }
    }
}

fn places(list: &[(&str, &str)]) -> BTreeSet<String> {
    list.iter().map(|(at, _)| (*at).to_owned()).collect()
}

fn is_notification(method: &str) -> bool {
    ["session/update", "session/cancel"].contains(&method)
}

fn value(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}

/// Whether the official type of that name accepts a bare value.
fn accepts_type(name: &str, text: &str) -> Result<(), String> {
    let rewritten = match name {
        "AgentCapabilities" => read::<v1::AgentCapabilities>(text),
        "ClientCapabilities" => read::<v1::ClientCapabilities>(text),
        "ContentBlock" => read::<v1::ContentBlock>(text),
        "InitializeRequest" => read::<v1::InitializeRequest>(text),
        "InitializeResponse" => read::<v1::InitializeResponse>(text),
        "McpServer" => read::<v1::McpServer>(text),
        "NewSessionResponse" => read::<v1::NewSessionResponse>(text),
        "SessionUpdate" => read::<v1::SessionUpdate>(text),
        "ToolCallContent" => read::<v1::ToolCallContent>(text),
        "ToolCallLocation" => read::<v1::ToolCallLocation>(text),
        "Error" => read::<v1::Error>(text),
        name => Err(format!("{name}: no type of this list")),
    };
    rewritten.map(drop)
}

fn is_for_client(method: &str) -> bool {
    let families = [
        "fs/",
        "terminal/",
        "session/update",
        "session/request_permission",
    ];
    families.iter().any(|family| method.starts_with(family))
}
