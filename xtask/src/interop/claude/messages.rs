//! A Messages API on this machine. The prompt contains a script for the model, as JSON between `<<` and `>>`: a list of
//! answers, one for each request to the model, each a list of blocks: `{"text": …}`, `{"thinking": …}`, `{"tool": …,
//! "input": …}`, `{"pause": milliseconds}`, `{"hold": true}`, which sends nothing until the client disconnects, and
//! `{"error": status, "kind": …}`.

use std::io::{self, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::interop::model::http::{self, Request};

/// A model and the requests that it received.
#[derive(Clone)]
pub(super) struct FakeModel {
    pub(super) address: SocketAddr,
    /// The requests, head and body.
    requests: Arc<Mutex<Vec<String>>>,
}

impl FakeModel {
    /// Serves until the process ends.
    pub(super) fn serve() -> io::Result<FakeModel> {
        let requests: Arc<Mutex<Vec<String>>> = Arc::default();
        let theirs = Arc::clone(&requests);
        let address = http::serve(move |stream| answer(&theirs, stream))?;
        Ok(FakeModel { address, requests })
    }

    /// Whether any request contained this text.
    pub(super) fn received(&self, text: &str) -> bool {
        let requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        requests.iter().any(|request| request.contains(text))
    }
}

fn answer(requests: &Mutex<Vec<String>>, mut stream: TcpStream) -> io::Result<()> {
    let request = Request::read(&stream)?;
    let body: Value = serde_json::from_slice(&request.body).unwrap_or_default();
    if !request.path.ends_with("/messages") {
        http::begin(&mut stream, "application/json")?;
        return stream.write_all(
            json!({ "input_tokens": 10, "data": [] })
                .to_string()
                .as_bytes(),
        );
    }
    let blocks = blocks(&body);
    let mut requests = requests.lock().unwrap_or_else(PoisonError::into_inner);
    requests.push(format!("{}{body}", request.head));
    drop(requests);
    if let Some(status) = blocks.first().and_then(|block| block["error"].as_u64()) {
        return fail(&mut stream, status, &blocks[0]);
    }
    http::begin(&mut stream, "text/event-stream")?;
    write_blocks(&mut stream, &blocks)
}

/// The blocks for this request, from the last prompt with a script and the number of answers since.
fn blocks(body: &Value) -> Vec<Value> {
    let messages = body["messages"].as_array().map_or(&[][..], Vec::as_slice);
    let scripted = |message: &Value| {
        (message["role"] == "user")
            .then(|| script(message))
            .flatten()
    };
    let found = messages.iter().enumerate().rev();
    let found = found.filter_map(|(at, message)| Some((at, scripted(message)?)));
    let Some((at, script)) = found.into_iter().next() else {
        return vec![json!({ "text": "Hello from the model." })];
    };
    let answers = messages[at..]
        .iter()
        .filter(|message| message["role"] == "assistant");
    let turn = script.get(answers.count()).cloned();
    let turn = turn.unwrap_or_else(|| json!([{ "text": "That is all." }]));
    let plan = plan_file(&body.to_string());
    let turn = turn.to_string().replace("PLANFILE", &plan);
    serde_json::from_str(&turn).unwrap_or_default()
}

fn script(message: &Value) -> Option<Value> {
    let texts = match &message["content"] {
        Value::String(text) => vec![text.clone()],
        Value::Array(parts) => {
            let texts = parts.iter().filter_map(|part| part["text"].as_str());
            texts.map(str::to_owned).collect()
        }
        _ => Vec::new(),
    };
    let mut scripts = texts.iter().filter_map(|text| {
        let (_, rest) = text.split_once("<<")?;
        let (script, _) = rest.rsplit_once(">>")?;
        serde_json::from_str(script).ok()
    });
    scripts.next_back()
}

/// The file that the CLI asks the model to write its plan to.
fn plan_file(body: &str) -> String {
    let end = body
        .rfind(".md")
        .filter(|end| body[..*end].contains("/plans/"));
    let named = end.and_then(|_| {
        let at = body.rfind("/plans/")?;
        let start = body[..at].rfind([' ', '"', '`', '\n'])? + 1;
        let end = body[at..].find(".md")? + at + 3;
        Some(body[start..end].to_owned())
    });
    named.unwrap_or_default()
}

fn fail(stream: &mut TcpStream, status: u64, block: &Value) -> io::Result<()> {
    let kind = block["kind"].as_str().unwrap_or("invalid_request_error");
    let body = json!({ "type": "error", "error": { "type": kind, "message": "as scripted" } });
    let body = body.to_string();
    let head = format!(
        "HTTP/1.1 {status} No\r\nContent-Type: application/json\r\nContent-Length: {}\r\nx-should-retry: false\r\nConnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(body.as_bytes())
}

fn write_blocks(stream: &mut TcpStream, blocks: &[Value]) -> io::Result<()> {
    let id = format!("msg_{:016x}", random_id());
    let mut send = |kind: &str, mut event: Value| {
        event["type"] = json!(kind);
        http::event(stream, Some(kind), &event.to_string())
    };
    let usage = json!({ "input_tokens": 11, "output_tokens": 1, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0 });
    let message = json!({ "id": id, "type": "message", "role": "assistant", "model": "here", "content": [], "stop_reason": null, "stop_sequence": null, "usage": usage });
    send("message_start", json!({ "message": message }))?;
    let mut reason = "end_turn";
    for (index, block) in blocks.iter().enumerate() {
        if let Some(pause) = block["pause"].as_u64() {
            thread::sleep(Duration::from_millis(pause));
            continue;
        }
        if block["hold"] == true {
            for _ in 0..HOLD {
                thread::sleep(STEP);
                send("ping", json!({}))?;
            }
            continue;
        }
        let (start, deltas) = block_events(block, &id, index);
        if start["type"] == "tool_use" {
            reason = "tool_use";
        }
        send(
            "content_block_start",
            json!({ "index": index, "content_block": start }),
        )?;
        for delta in deltas {
            send(
                "content_block_delta",
                json!({ "index": index, "delta": delta }),
            )?;
        }
        send("content_block_stop", json!({ "index": index }))?;
    }
    let delta = json!({ "stop_reason": reason, "stop_sequence": null });
    send(
        "message_delta",
        json!({ "delta": delta, "usage": { "output_tokens": 7 } }),
    )?;
    send("message_stop", json!({}))
}

/// The start event of a block, and its deltas.
fn block_events(block: &Value, message: &str, index: usize) -> (Value, Vec<Value>) {
    if let Some(text) = block["thinking"].as_str() {
        let pieces = vec![
            json!({ "type": "thinking_delta", "thinking": text }),
            json!({ "type": "signature_delta", "signature": "c2ln" }),
        ];
        return (
            json!({ "type": "thinking", "thinking": "", "signature": "" }),
            pieces,
        );
    }
    if let Some(tool) = block["tool"].as_str() {
        let input = block["input"].to_string();
        let pieces = text_pieces(&input)
            .map(|piece| json!({ "type": "input_json_delta", "partial_json": piece }));
        let id = format!("toolu_{}_{index}", message.trim_start_matches("msg_"));
        return (
            json!({ "type": "tool_use", "id": id, "name": tool, "input": {} }),
            pieces.collect(),
        );
    }
    let text = block["text"].as_str().unwrap_or_default();
    let pieces = text_pieces(text).map(|piece| json!({ "type": "text_delta", "text": piece }));
    (json!({ "type": "text", "text": "" }), pieces.collect())
}

fn text_pieces(text: &str) -> impl Iterator<Item = String> {
    let letters: Vec<char> = text.chars().collect();
    let pieces: Vec<String> = letters
        .chunks(24)
        .map(|piece| piece.iter().collect())
        .collect();
    pieces.into_iter()
}

/// A random number for ids, which only have to differ.
fn random_id() -> u64 {
    use std::hash::{BuildHasher, RandomState};
    RandomState::new().hash_one(0)
}

const STEP: Duration = Duration::from_millis(100);
const HOLD: u32 = 600;
