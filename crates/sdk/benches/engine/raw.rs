//! A loop over blocking pipes with the official types. Measures the cost without any engine.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::{BufRead, BufReader, BufWriter, StdinLock, StdoutLock, Write, stdin, stdout};
use std::time::Instant;

use agent_client_protocol::schema::ProtocolVersion;
use agent_client_protocol::v1::schema::{
    ContentBlock, ContentChunk, InitializeRequest, InitializeResponse, MessageId, PromptRequest,
    PromptResponse, SessionNotification, SessionUpdate, SetSessionModeRequest,
    SetSessionModeResponse, StopReason,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::figures;
use crate::task::{
    IN_FLIGHT, MODE, PER_MESSAGE, RoundTrips, SESSION, TEXT, Task, WARM_UP, Watch, message_id,
};

/// A call; its params are read in one pass with it where their type is known.
#[derive(Serialize, Deserialize)]
struct Call<'a, P> {
    jsonrpc: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<Value>,
    #[serde(borrow)]
    method: Cow<'a, str>,
    params: P,
}

#[derive(Serialize, Deserialize)]
struct Answer<'a, R> {
    jsonrpc: Cow<'a, str>,
    id: Value,
    result: R,
}

struct Pipes {
    input: BufReader<StdinLock<'static>>,
    output: BufWriter<StdoutLock<'static>>,
    line: Vec<u8>,
}

impl Pipes {
    fn new() -> Self {
        Pipes {
            input: BufReader::with_capacity(BUFFER, stdin().lock()),
            output: BufWriter::with_capacity(BUFFER, stdout().lock()),
            line: Vec::new(),
        }
    }

    /// Reads a line; `false` at the end. Flushes the output before it waits.
    fn read(&mut self) -> bool {
        if self.input.buffer().is_empty() {
            self.output.flush().unwrap();
        }
        self.line.clear();
        self.input.read_until(b'\n', &mut self.line).unwrap() > 0
    }

    fn write(&mut self, message: &impl Serialize) {
        serde_json::to_writer(&mut self.output, message).unwrap();
        self.output.write_all(b"\n").unwrap();
    }

    fn call(&mut self, id: Option<u64>, method: &str, params: impl Serialize) {
        self.write(&Call {
            jsonrpc: VERSION,
            id: id.map(Value::from),
            method: method.into(),
            params,
        });
    }

    fn answer(&mut self, id: Value, result: impl Serialize) {
        self.write(&Answer {
            jsonrpc: VERSION,
            id,
            result,
        });
    }

    fn next_answer<R: for<'a> Deserialize<'a>>(&mut self) -> R {
        assert!(self.read());
        let answer: Answer<'_, R> = serde_json::from_slice(&self.line).unwrap();
        answer.result
    }
}

pub(crate) fn agent() {
    let mut pipes = Pipes::new();
    let mut watch = None;
    while pipes.read() {
        let line = std::mem::take(&mut pipes.line);
        let call: Call<'_, &RawValue> = serde_json::from_slice(&line).unwrap();
        let (id, params) = (call.id.unwrap(), call.params.get());
        match &*call.method {
            "initialize" => pipes.answer(id, InitializeResponse::new(ProtocolVersion::V1)),
            "session/prompt" => {
                watch.get_or_insert_with(Watch::start);
                let request: PromptRequest = serde_json::from_str(params).unwrap();
                stream(&mut pipes, &request);
                pipes.answer(id, PromptResponse::new(StopReason::EndTurn));
            }
            "session/set_mode" => {
                watch.get_or_insert_with(Watch::start);
                let request: SetSessionModeRequest = serde_json::from_str(params).unwrap();
                assert_eq!(&*request.session_id.0, SESSION);
                pipes.answer(id, SetSessionModeResponse::new());
            }
            other => panic!("no method {other}"),
        }
        pipes.line = line;
    }
    if let Some(watch) = watch {
        watch.stop_cpu();
    }
}

fn stream(pipes: &mut Pipes, request: &PromptRequest) {
    let ContentBlock::Text(text) = &request.prompt[0] else {
        panic!("not a number: {:?}", request.prompt);
    };
    let n: usize = text.text.parse().unwrap();
    let mut id = MessageId::new(message_id(0));
    for i in 0..n {
        if i.is_multiple_of(PER_MESSAGE) {
            id = MessageId::new(message_id(i));
        }
        let chunk = ContentChunk::new(TEXT.into()).message_id(id.clone());
        let update = SessionUpdate::AgentMessageChunk(chunk);
        let figures = SessionNotification::new(request.session_id.clone(), update);
        pipes.call(None, "session/update", figures);
    }
}

pub(crate) fn client(task: Task) {
    let mut pipes = Pipes::new();
    let hello = InitializeRequest::new(ProtocolVersion::V1);
    pipes.call(Some(0), "initialize", hello);
    pipes.next_answer::<InitializeResponse>();
    match task {
        Task::Stream(n) => receive(&mut pipes, n),
        Task::Sequential(n) => ask_sequentially(&mut pipes, n),
        Task::InFlight(n) => ask_in_flight(&mut pipes, n),
    }
}

fn receive(pipes: &mut Pipes, n: usize) {
    let watch = Watch::start();
    let prompt = PromptRequest::new(SESSION, vec![n.to_string().into()]);
    pipes.call(Some(1), "session/prompt", prompt);
    let mut texts: HashMap<String, String> = HashMap::new();
    for _ in 0..n {
        assert!(pipes.read());
        let call: Call<'_, SessionNotification> = serde_json::from_slice(&pipes.line).unwrap();
        let SessionUpdate::AgentMessageChunk(chunk) = call.params.update else {
            panic!("no chunk");
        };
        let (ContentBlock::Text(text), Some(id)) = (chunk.content, chunk.message_id) else {
            panic!("no text");
        };
        match texts.get_mut(&*id.0) {
            Some(before) => before.push_str(&text.text),
            None => drop(texts.insert(id.0.to_string(), text.text)),
        }
    }
    pipes.next_answer::<PromptResponse>();
    watch.stop();
    let bytes: usize = texts.values().map(String::len).sum();
    assert_eq!(bytes, n * TEXT.len());
}

fn ask_sequentially(pipes: &mut Pipes, n: usize) {
    let mut trips = RoundTrips::new(n);
    let mut watch = Watch::start();
    for i in 0..n + WARM_UP {
        if i == WARM_UP {
            watch = Watch::start();
        }
        let start = Instant::now();
        ask(pipes, i);
        pipes.next_answer::<SetSessionModeResponse>();
        if i >= WARM_UP {
            trips.add(start);
        }
    }
    watch.stop();
    trips.report();
}

fn ask_in_flight(pipes: &mut Pipes, n: usize) {
    let watch = Watch::start();
    for i in 0..IN_FLIGHT {
        ask(pipes, i);
    }
    for i in IN_FLIGHT..n {
        pipes.next_answer::<SetSessionModeResponse>();
        ask(pipes, i);
    }
    for _ in 0..IN_FLIGHT {
        pipes.next_answer::<SetSessionModeResponse>();
    }
    watch.stop();
    figures::report("asked", crate::table::float(n));
}

fn ask(pipes: &mut Pipes, i: usize) {
    let request = SetSessionModeRequest::new(SESSION, MODE);
    pipes.call(Some(i as u64 + 2), "session/set_mode", request);
}

const VERSION: Cow<'static, str> = Cow::Borrowed("2.0");
const BUFFER: usize = 64 << 10;
