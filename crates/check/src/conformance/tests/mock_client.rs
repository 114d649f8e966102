//! A client that conforms: it greets, opens a session in the directory it is told, prompts, serves, and ends.

mod service;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use attache_rpc::{Frame, Splitter};
use bytes::BytesMut;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::mock_agent::number;
use super::mutation::{Breaker, Mutations, Offers, Passed};
use crate::conformance::{Ends, Launch};
use service::Service;

/// Starts mocks that work in a directory.
pub(super) fn launch(folder: &Path, offers: Offers, breaker: Option<&'static Breaker>) -> Launch {
    let folder = folder.to_owned();
    let started = Arc::new(Mutex::new(HashMap::new()));
    Arc::new(move |act| {
        let folder = folder.clone();
        let connection = number(&started, act);
        Box::pin(async move {
            let (ours, theirs) = attache_transport::pipes(1 << 16);
            let mock = Mock::new(folder, offers, act == "cancelled");
            let mutations = Mutations::new(breaker, act, connection);
            tokio::spawn(serve(mock, mutations, theirs.0, theirs.1));
            Ok(Ends {
                read: Box::new(ours.0),
                write: Box::new(ours.1),
                child: None,
            })
        })
    })
}

async fn serve(
    mut mock: Mock,
    mut mutations: Mutations,
    mut read: impl AsyncReadExt + Unpin,
    mut write: impl AsyncWriteExt + Unpin,
) {
    let (mut splitter, mut buffer) = (Splitter::new(1 << 26), BytesMut::new());
    mock.ask("initialize", mock.hello());
    loop {
        for message in std::mem::take(&mut mock.out) {
            let lines = match mutations.say(&message) {
                Passed::Lines(lines) => lines,
                Passed::Slow(lines) => {
                    tokio::time::sleep(Duration::from_secs(5)).await;
                    lines
                }
                Passed::End => return,
            };
            for line in lines {
                if write.write_all(&line).await.is_err() {
                    return;
                }
            }
        }
        match splitter.next(&mut buffer) {
            Ok(Some(Frame::Message(line))) => match mutations.hear(&line) {
                Passed::Lines(lines) => lines.iter().for_each(|line| mock.hear(line)),
                Passed::Slow(_) | Passed::End => return,
            },
            _ if mock.done => return,
            _ => {
                let ended = !matches!(read.read_buf(&mut buffer).await, Ok(1..));
                if mutations.is_deadly(&buffer) {
                    return;
                }
                if ended && mutations.lingers() {
                    std::future::pending::<()>().await;
                }
                if ended {
                    return;
                }
            }
        }
    }
}

struct Mock {
    folder: PathBuf,
    offers: Offers,
    cancels: bool,
    open: HashMap<String, &'static str>,
    questions: Vec<Value>,
    next_id: i64,
    service: Service,
    done: bool,
    out: Vec<Value>,
}

impl Mock {
    fn new(folder: PathBuf, offers: Offers, cancels: bool) -> Self {
        Mock {
            service: Service::new(&folder),
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

    fn hello(&self) -> Value {
        let offers = match self.offers {
            Offers::Everything => json!({
                "fs": { "readTextFile": true, "writeTextFile": true },
                "terminal": true,
                "elicitation": { "form": {}, "url": {} },
            }),
            Offers::Nothing => json!({}),
        };
        json!({ "protocolVersion": 1, "clientCapabilities": offers, "clientInfo": { "name": "mock", "version": "1" } })
    }

    fn ask(&mut self, method: &'static str, params: Value) {
        let id = json!(self.next_id);
        self.next_id += 1;
        self.open.insert(id.to_string(), method);
        self.out
            .push(json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
    }

    fn hear(&mut self, line: &[u8]) {
        let Ok(message) = serde_json::from_slice::<Value>(line) else {
            return self.answer(&Value::Null, Err(-32700));
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
            (None, Some(id)) => self.answered(&id, message.get("result")),
            _ if message.is_array() => self.answer(&Value::Null, Err(-32600)),
            _ => {}
        }
    }

    fn request(&mut self, id: &Value, method: &str, params: &Value) {
        if method == "session/request_permission" && !self.questions.is_empty() {
            self.out.append(&mut self.questions);
            return self.answer(id, Ok(json!({ "outcome": { "outcome": "cancelled" } })));
        }
        let everything = self.offers == Offers::Everything;
        if method == "terminal/wait_for_exit" && self.service.runs(params) {
            return self.service.waits.push(id.clone());
        }
        let outcome = match method {
            "session/request_permission" => service::permission(params),
            _ if !everything => Err(-32601),
            _ => self.service.asked(method, params),
        };
        self.answer(id, outcome);
        for id in self.service.woken() {
            self.answer(&id, Ok(json!({ "exitCode": null, "signal": "SIGKILL" })));
        }
    }

    fn answered(&mut self, id: &Value, result: Option<&Value>) {
        let cwd = self.folder.to_string_lossy().into_owned();
        match (self.open.remove(&id.to_string()), result) {
            (Some("initialize"), Some(result))
                if result.get("protocolVersion") == Some(&json!(1)) =>
            {
                self.ask("session/new", json!({ "cwd": cwd, "mcpServers": [] }));
            }
            (Some("session/new"), Some(result)) => {
                let prompt = json!([{ "type": "text", "text": "hello" }]);
                self.ask(
                    "session/prompt",
                    json!({ "sessionId": result.get("sessionId"), "prompt": prompt }),
                );
            }
            (Some("session/new"), None) => self.ask("authenticate", json!({ "methodId": "key" })),
            (Some("authenticate"), Some(_)) => {
                self.ask("session/new", json!({ "cwd": cwd, "mcpServers": [] }));
            }
            // A client of a person stays when a turn has ended.
            (Some("session/prompt"), Some(_)) => {}
            (Some(_), _) => self.done = true,
            (None, _) => {}
        }
    }

    fn answer(&mut self, id: &Value, outcome: Result<Value, i64>) {
        self.out.push(match outcome {
            Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
            Err(code) => {
                json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": "refused" } })
            }
        });
    }
}
