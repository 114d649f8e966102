//! The agent as a child, and a client that records the time of each message.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// A running agent, killed when dropped.
pub(crate) struct Peer {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<(Instant, Value)>,
    last_id: u64,
}

impl Peer {
    pub(crate) fn start(data: &Path, script: &Path) -> Peer {
        Peer::of(&mut Peer::command(data, script))
    }

    pub(crate) fn command(data: &Path, script: &Path) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_attache"));
        command.arg("agent").arg("--data").arg(data);
        command.arg("--script").arg(script);
        command.env("ATTACHE_HOME", data.with_extension("home"));
        command
    }

    pub(crate) fn of(command: &mut Command) -> Peer {
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let (seen, lines) = channel();
        std::thread::spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                // A line that a kill has cut in two was not seen.
                if let Ok(message) = serde_json::from_str(&line)
                    && seen.send((Instant::now(), message)).is_err()
                {
                    break;
                }
            }
        });
        Peer {
            stdin: child.stdin.take(),
            child,
            lines,
            last_id: 0,
        }
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Sends a request and returns its id.
    pub(crate) fn request(&mut self, method: &str, params: Value) -> u64 {
        self.last_id += 1;
        let id = self.last_id;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        id
    }

    pub(crate) fn answer(&mut self, id: &Value, result: Value) {
        self.send(&json!({"jsonrpc": "2.0", "id": id, "result": result}));
    }

    fn send(&mut self, message: &Value) {
        // An agent that is gone is noticed where it is read from.
        if let Some(stdin) = &mut self.stdin {
            stdin.write_all(format!("{message}\n").as_bytes()).ok();
        }
    }

    /// The next message, unless the moment comes first or nothing more will come.
    pub(crate) fn next(&self, until: Instant) -> PeerOutput {
        let left = until.saturating_duration_since(Instant::now());
        match self.lines.recv_timeout(left) {
            Ok((at, message)) => PeerOutput::Message(at, message),
            Err(RecvTimeoutError::Timeout) => PeerOutput::Late,
            Err(RecvTimeoutError::Disconnected) => PeerOutput::End,
        }
    }

    /// Sends a request, and returns the updates before the response, and the response: a result or an error.
    pub(crate) fn ask(
        &mut self,
        method: &str,
        params: Value,
    ) -> (Vec<Value>, Result<Value, Value>) {
        let id = self.request(method, params);
        self.await_answer(id)
    }

    /// Waits for a response, and allows every permission request.
    pub(crate) fn await_answer(&mut self, id: u64) -> (Vec<Value>, Result<Value, Value>) {
        let mut updates = Vec::new();
        let deadline = Instant::now() + PATIENCE;
        loop {
            match self.next(deadline) {
                PeerOutput::Message(_, message) if message["method"] == "session/update" => {
                    updates.push(message["params"]["update"].clone());
                }
                PeerOutput::Message(_, message)
                    if message["method"] == "session/request_permission" =>
                {
                    self.answer(&message["id"], allowed());
                }
                PeerOutput::Message(_, mut message) if message["id"] == id => {
                    return match message.get("error") {
                        Some(error) => (updates, Err(error.clone())),
                        None => (updates, Ok(message["result"].take())),
                    };
                }
                PeerOutput::Message(..) => {}
                PeerOutput::Late => panic!("no answer to request {id} in time"),
                PeerOutput::End => panic!("the agent ended before it answered request {id}"),
            }
        }
    }

    pub(crate) fn initialize(&mut self) {
        let params = json!({"protocolVersion": 1, "clientCapabilities": {}});
        self.ask("initialize", params).1.unwrap();
    }

    /// Creates a session in `code` mode, in which only commands need permission.
    pub(crate) fn new_session(&mut self, cwd: &Path) -> String {
        self.initialize();
        let params = json!({"cwd": cwd, "mcpServers": []});
        let session = self.ask("session/new", params).1.unwrap();
        let session = session["sessionId"].as_str().unwrap().to_owned();
        let mode = json!({"sessionId": session, "modeId": "code"});
        self.ask("session/set_mode", mode).1.unwrap();
        session
    }

    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    pub(crate) fn hang_up(&mut self) {
        self.stdin = None;
    }

    /// Waits up to two seconds for the agent to exit by itself, and returns its exit status.
    pub(crate) fn end(&mut self) -> ExitStatus {
        soon("the agent ends", || {
            self.child.try_wait().unwrap().is_some()
        });
        self.child.wait().unwrap()
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // The agent may have exited already.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

pub(crate) enum PeerOutput {
    Message(Instant, Value),
    Late,
    End,
}

pub(crate) fn prompt(session: &str, text: &str) -> Value {
    json!({"sessionId": session, "prompt": [{"type": "text", "text": text}]})
}

pub(crate) fn load(session: &str, cwd: &Path) -> Value {
    json!({"sessionId": session, "cwd": cwd, "mcpServers": []})
}

pub(crate) fn allowed() -> Value {
    json!({"outcome": {"outcome": "selected", "optionId": "allow_once"}})
}

/// Waits for a condition, two seconds at most.
pub(crate) fn soon(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(2);
    while !holds() {
        assert!(Instant::now() < deadline, "not within two seconds: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

const PATIENCE: Duration = Duration::from_secs(30);
