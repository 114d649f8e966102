//! An agent that conforms. Each prompt names the behaviour that it triggers.

mod store;
mod turn;

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use attache_rpc::{Frame, Splitter};
use bytes::BytesMut;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::mutation::{Forwarded, MockCapabilities, Mutation, Mutator};
use crate::conformance::{PeerLauncher, PeerStreams};
use store::SessionStore;
use turn::Turn;

/// Starts agents that share their stored sessions.
pub(super) fn launch(
    offers: MockCapabilities,
    mutation: Option<&'static Mutation>,
) -> PeerLauncher {
    let store = Arc::new(Mutex::new(SessionStore::default()));
    let started = Arc::new(Mutex::new(HashMap::<&str, usize>::new()));
    Arc::new(move |case| {
        let store = Arc::clone(&store);
        let connection = connection_number(&started, case);
        Box::pin(async move {
            let (ours, theirs) = attache_transport::pipes(1 << 16);
            let mock = ConformantAgent {
                offers,
                store,
                initialized: false,
                client: Value::Null,
                turns: Vec::new(),
                next_id: 1,
                out: Vec::new(),
            };
            let mutator = Mutator::new(mutation, case, connection);
            tokio::spawn(serve(mock, mutator, theirs.0, theirs.1));
            Ok(PeerStreams {
                read: Box::new(ours.0),
                write: Box::new(ours.1),
                child: None,
            })
        })
    })
}

/// The number of earlier connections of a test case.
pub(super) fn connection_number(
    started: &Mutex<HashMap<&'static str, usize>>,
    case: &'static str,
) -> usize {
    let mut started = started.lock().unwrap();
    let count = started.entry(case).or_default();
    *count += 1;
    *count - 1
}

async fn serve(
    mut mock: ConformantAgent,
    mut mutator: Mutator,
    mut read: impl AsyncReadExt + Unpin,
    mut write: impl AsyncWriteExt + Unpin,
) {
    let (mut splitter, mut buffer) = (Splitter::new(1 << 26), BytesMut::new());
    loop {
        while let Ok(Some(Frame::Message(line))) = splitter.next(&mut buffer) {
            let Forwarded::Lines(heard) = mutator.receive(&line) else {
                return;
            };
            for line in heard {
                mock.receive(&line);
            }
            for message in std::mem::take(&mut mock.out) {
                let lines = match mutator.send(&message) {
                    Forwarded::Lines(lines) => lines,
                    Forwarded::Slow(lines) => {
                        tokio::time::sleep(Duration::from_secs(5)).await;
                        lines
                    }
                    Forwarded::End => return,
                };
                for line in lines {
                    if write.write_all(&line).await.is_err() {
                        return;
                    }
                }
            }
        }
        let ended = !matches!(read.read_buf(&mut buffer).await, Ok(1..));
        if mutator.ends_mock(&buffer) {
            return;
        }
        if ended {
            if mutator.keeps_running() {
                std::future::pending::<()>().await;
            }
            return;
        }
    }
}

struct ConformantAgent {
    offers: MockCapabilities,
    store: Arc<Mutex<SessionStore>>,
    initialized: bool,
    client: Value,
    turns: Vec<Turn>,
    next_id: i64,
    out: Vec<Value>,
}

type Outcome = Result<Value, i64>;

impl ConformantAgent {
    fn receive(&mut self, line: &[u8]) {
        if line.iter().all(u8::is_ascii_whitespace) {
            return;
        }
        let Ok(message) = serde_json::from_slice::<Value>(line) else {
            return self.respond(&Value::Null, Err(-32700));
        };
        let call = message
            .get("method")
            .and_then(Value::as_str)
            .map(str::to_owned);
        let id = message.get("id").cloned();
        match (message.is_object(), call, id) {
            (false, ..) => self.respond(&Value::Null, Err(-32600)),
            (true, Some(_), Some(id)) if id.is_object() => self.respond(&Value::Null, Err(-32600)),
            (true, Some(method), Some(id)) => {
                let params = message.get("params").cloned().unwrap_or(json!({}));
                self.request(&id, &method, &params);
            }
            (true, Some(method), None) => {
                if method == "session/cancel" {
                    let session = message.pointer("/params/sessionId").and_then(Value::as_str);
                    self.cancel(session.unwrap_or(""));
                }
            }
            (true, None, Some(id)) => {
                let outcome = message.get("result").cloned().ok_or(0);
                self.handle_response(&id, outcome);
            }
            (true, None, None) => {}
        }
    }

    fn request(&mut self, id: &Value, method: &str, params: &Value) {
        if !self.initialized && method != "initialize" {
            return self.respond(id, Err(-32600));
        }
        if method == "session/prompt" {
            return self.prompt(id, params);
        }
        let outcome = self.outcome(method, params);
        let opened = outcome
            .as_ref()
            .ok()
            .and_then(|it| it.get("sessionId").cloned());
        if method == "session/load" && outcome.is_ok() {
            self.replay(params);
        }
        self.respond(id, outcome);
        if let (Some(session), MockCapabilities::All) = (opened, self.offers) {
            let commands = json!([{ "name": "go", "description": "Goes" }]);
            self.update(&session, json!({ "sessionUpdate": "available_commands_update", "availableCommands": commands }));
        }
    }

    fn outcome(&mut self, method: &str, params: &Value) -> Outcome {
        match method {
            "initialize" => self.initialize(params),
            "session/new" => {
                let boolean = self
                    .client
                    .pointer("/session/configOptions/boolean")
                    .is_some();
                self.store().open(params).map(|id| self.opened(id, boolean))
            }
            "authenticate" => Err(-32602),
            _ if self.offers == MockCapabilities::None => Err(-32601),
            "session/set_mode" => self.store().set_mode(params),
            "session/set_config_option" => self.store().set_option(params),
            "session/close" => {
                let session = text(params, "/sessionId").to_owned();
                self.cancel(&session);
                Ok(json!({}))
            }
            "auth/status" => Ok(json!({ "state": "not_required" })),
            "session/fork" => {
                let boolean = self
                    .client
                    .pointer("/session/configOptions/boolean")
                    .is_some();
                self.store().fork(params).map(|id| self.opened(id, boolean))
            }
            _ => self.store().handle_request(method, params),
        }
    }

    fn initialize(&mut self, params: &Value) -> Outcome {
        let version = params.get("protocolVersion").and_then(Value::as_u64);
        if version.is_none_or(|version| version > 65535) {
            return Err(-32602);
        }
        self.initialized = true;
        self.client = params
            .get("clientCapabilities")
            .cloned()
            .unwrap_or_default();
        let capabilities = match self.offers {
            MockCapabilities::All => json!({
                "loadSession": true,
                "promptCapabilities": { "image": true, "audio": true, "embeddedContext": true },
                "mcpCapabilities": { "http": false, "sse": false },
                "sessionCapabilities": {
                    "list": {}, "delete": {}, "additionalDirectories": {}, "resume": {}, "close": {},
                    "fork": {}, "archive": {}, "status": {}, "title": {},
                },
                "auth": { "logout": {}, "status": {} },
            }),
            MockCapabilities::None => json!({}),
        };
        Ok(json!({
            "protocolVersion": 1,
            "agentCapabilities": capabilities,
            "authMethods": [{ "id": "key", "name": "Key" }],
            "agentInfo": { "name": "mock", "version": "1" },
        }))
    }

    fn opened(&self, id: String, boolean: bool) -> Value {
        match self.offers {
            MockCapabilities::None => json!({ "sessionId": id }),
            MockCapabilities::All => json!({
                "sessionId": id,
                "modes": { "currentModeId": "a", "availableModes": [{ "id": "a", "name": "A" }, { "id": "b", "name": "B" }] },
                "configOptions": store::options("x", boolean),
            }),
        }
    }

    fn prompt(&mut self, id: &Value, params: &Value) {
        let session = text(params, "/sessionId").to_owned();
        let blocks = params.get("prompt").and_then(Value::as_array);
        let known = |it: &Value| {
            ["text", "image", "audio", "resource_link", "resource"].contains(&text(it, "/type"))
        };
        let outcome = match blocks {
            Some(blocks)
                if params.get("sessionId").is_some_and(Value::is_string)
                    && blocks.iter().all(known) =>
            {
                Ok(())
            }
            _ => Err(-32602),
        };
        let outcome =
            outcome.and_then(|()| self.store().is_open(&session).then_some(()).ok_or(-32002));
        if let Err(code) = outcome {
            return self.respond(id, Err(code));
        }
        let said = blocks
            .into_iter()
            .flatten()
            .map(|it| text(it, "/text"))
            .find(|it| !it.is_empty());
        let said = said.unwrap_or("").to_owned();
        self.store().record_prompt(&session, &said);
        self.start_turn(session, id.clone(), &said);
    }

    fn replay(&mut self, params: &Value) {
        let session = json!(text(params, "/sessionId"));
        let said = self.store().history(text(params, "/sessionId"));
        for text in said {
            self.update(&session, json!({ "sessionUpdate": "user_message_chunk", "content": { "type": "text", "text": text } }));
            self.update(&session, json!({ "sessionUpdate": "agent_message_chunk", "content": { "type": "text", "text": "done" } }));
        }
    }

    fn send_request(&mut self, method: &str, params: Value) -> Value {
        let id = json!(self.next_id);
        self.next_id += 1;
        self.out
            .push(json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    fn update(&mut self, session: &Value, update: Value) {
        let params = json!({ "sessionId": session, "update": update });
        self.out
            .push(json!({ "jsonrpc": "2.0", "method": "session/update", "params": params }));
    }

    fn respond(&mut self, id: &Value, outcome: Outcome) {
        self.out.push(match outcome {
            Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
            Err(code) => {
                json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": "refused" } })
            }
        });
    }

    fn store(&self) -> std::sync::MutexGuard<'_, SessionStore> {
        self.store.lock().unwrap()
    }
}

fn text<'a>(value: &'a Value, pointer: &str) -> &'a str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or("")
}
