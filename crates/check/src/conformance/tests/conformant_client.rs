//! A client that conforms: it initializes the agent, opens a session, prompts, and serves the agent's requests.

mod service;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use attache_rpc::{Frame, Splitter};
use bytes::BytesMut;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::conformant_agent::connection_number;
use super::mutation::{Forwarded, MockCapabilities, Mutation, Mutator};
use crate::conformance::{PeerLauncher, PeerStreams};
use service::ClientServices;

/// Starts clients that work in a directory.
pub(super) fn launch(
    folder: &Path,
    offers: MockCapabilities,
    mutation: Option<&'static Mutation>,
) -> PeerLauncher {
    let folder = folder.to_owned();
    let started = Arc::new(Mutex::new(HashMap::new()));
    Arc::new(move |case| {
        let folder = folder.clone();
        let connection = connection_number(&started, case);
        Box::pin(async move {
            let (ours, theirs) = attache_transport::pipes(1 << 16);
            let mock = ConformantClient::new(folder, offers, case == "cancellation");
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

async fn serve(
    mut mock: ConformantClient,
    mut mutator: Mutator,
    mut read: impl AsyncReadExt + Unpin,
    mut write: impl AsyncWriteExt + Unpin,
) {
    let (mut splitter, mut buffer) = (Splitter::new(1 << 26), BytesMut::new());
    mock.send_request("initialize", mock.initialize_params());
    loop {
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
        match splitter.next(&mut buffer) {
            Ok(Some(Frame::Message(line))) => match mutator.receive(&line) {
                Forwarded::Lines(lines) => lines.iter().for_each(|line| mock.receive(line)),
                Forwarded::Slow(_) | Forwarded::End => return,
            },
            _ if mock.done => return,
            _ => {
                let ended = !matches!(read.read_buf(&mut buffer).await, Ok(1..));
                if mutator.ends_mock(&buffer) {
                    return;
                }
                if ended && mutator.keeps_running() {
                    std::future::pending::<()>().await;
                }
                if ended {
                    return;
                }
            }
        }
    }
}

struct ConformantClient {
    folder: PathBuf,
    offers: MockCapabilities,
    cancels: bool,
    open: HashMap<String, &'static str>,
    questions: Vec<Value>,
    next_id: i64,
    service: ClientServices,
    done: bool,
    out: Vec<Value>,
}

impl ConformantClient {
    fn new(folder: PathBuf, offers: MockCapabilities, cancels: bool) -> Self {
        ConformantClient {
            service: ClientServices::new(&folder),
            folder,
            offers,
            cancels,
            open: HashMap::new(),
            questions: Vec::new(),
            next_id: 0,
            done: false,
            out: Vec::new(),
        }
    }

    fn initialize_params(&self) -> Value {
        let offers = match self.offers {
            MockCapabilities::All => json!({
                "fs": { "readTextFile": true, "writeTextFile": true },
                "terminal": true,
                "elicitation": { "form": {}, "url": {} },
            }),
            MockCapabilities::None => json!({}),
        };
        json!({ "protocolVersion": 1, "clientCapabilities": offers, "clientInfo": { "name": "mock", "version": "1" } })
    }

    fn send_request(&mut self, method: &'static str, params: Value) {
        let id = json!(self.next_id);
        self.next_id += 1;
        self.open.insert(id.to_string(), method);
        self.out
            .push(json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
    }

    fn receive(&mut self, line: &[u8]) {
        let Ok(message) = serde_json::from_slice::<Value>(line) else {
            return self.respond(&Value::Null, Err(-32700));
        };
        let id = message.get("id").cloned();
        match (message.get("method").and_then(Value::as_str), id) {
            (Some(method), Some(id)) => {
                let params = message.get("params").cloned().unwrap_or_default();
                self.request(&id, method, &params);
            }
            (Some("session/update"), None) if self.cancels => {
                let cancel = json!({ "jsonrpc": "2.0", "method": "session/cancel", "params": { "sessionId": "check-session" } });
                self.cancels = false;
                self.questions.push(cancel);
            }
            (None, Some(id)) => self.handle_response(&id, message.get("result")),
            _ if message.is_array() => self.respond(&Value::Null, Err(-32600)),
            _ => {}
        }
    }

    fn request(&mut self, id: &Value, method: &str, params: &Value) {
        if method == "session/request_permission" && !self.questions.is_empty() {
            self.out.append(&mut self.questions);
            return self.respond(id, Ok(json!({ "outcome": { "outcome": "cancelled" } })));
        }
        let everything = self.offers == MockCapabilities::All;
        if method == "terminal/wait_for_exit" && self.service.runs(params) {
            return self.service.waits.push(id.clone());
        }
        let outcome = match method {
            "session/request_permission" => service::permission(params),
            _ if !everything => Err(-32601),
            _ => self.service.handle_request(method, params),
        };
        self.respond(id, outcome);
        for id in self.service.released_waits() {
            self.respond(&id, Ok(json!({ "exitCode": null, "signal": "SIGKILL" })));
        }
    }

    fn handle_response(&mut self, id: &Value, result: Option<&Value>) {
        let cwd = self.folder.to_string_lossy().into_owned();
        match (self.open.remove(&id.to_string()), result) {
            (Some("initialize"), Some(result))
                if result.get("protocolVersion") == Some(&json!(1)) =>
            {
                self.send_request("session/new", json!({ "cwd": cwd, "mcpServers": [] }));
            }
            (Some("session/new"), Some(result)) => {
                let prompt = json!([{ "type": "text", "text": "hello" }]);
                self.send_request(
                    "session/prompt",
                    json!({ "sessionId": result.get("sessionId"), "prompt": prompt }),
                );
            }
            (Some("session/new"), None) => {
                self.send_request("authenticate", json!({ "methodId": "key" }))
            }
            (Some("authenticate"), Some(_)) => {
                self.send_request("session/new", json!({ "cwd": cwd, "mcpServers": [] }));
            }
            // An interactive client keeps running after a turn.
            (Some("session/prompt"), Some(_)) => {}
            (Some(_), _) => self.done = true,
            (None, _) => {}
        }
    }

    fn respond(&mut self, id: &Value, outcome: Result<Value, i64>) {
        self.out.push(match outcome {
            Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
            Err(code) => {
                json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": "refused" } })
            }
        });
    }
}
