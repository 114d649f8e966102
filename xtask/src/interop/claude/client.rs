//! A small ACP client that records every message and answers requests as configured.

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

pub(super) type Failure = String;

/// A client, the agent it talks to, and the messages received so far.
pub(super) struct ScriptedClient {
    child: Child,
    stdin: ChildStdin,
    lines: Receiver<(Instant, Value)>,
    next: u64,
    /// The answer to permission requests: an option's id or kind. `None` leaves requests open.
    pub(super) permission_choice: Option<&'static str>,
    /// The answer to forms: their content, or null to decline. `None` leaves forms open.
    pub(super) form_answer: Option<Value>,
    pub(super) received: Vec<(Instant, Value)>,
}

impl ScriptedClient {
    pub(super) fn start(
        words: &[OsString],
        env: &[(String, OsString)],
        cwd: &Path,
        capabilities: Value,
    ) -> Result<ScriptedClient, Failure> {
        let [program, args @ ..] = words else {
            return Err("no program".to_owned());
        };
        let mut command = Command::new(program);
        command.args(args).current_dir(cwd).env_clear();
        command.envs(env.iter().map(|(name, value)| (name, value)));
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut child = command
            .spawn()
            .map_err(|error| format!("can't start the agent: {error}"))?;
        let stdin = child.stdin.take().ok_or("no stdin")?;
        let stdout = child.stdout.take().ok_or("no stdout")?;
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                let message = serde_json::from_str(&line).unwrap_or(Value::String(line));
                if sender.send((Instant::now(), message)).is_err() {
                    return;
                }
            }
        });
        let mut client = ScriptedClient {
            child,
            stdin,
            lines,
            next: 0,
            permission_choice: Some("allow_once"),
            form_answer: Some(Value::Null),
            received: Vec::new(),
        };
        let initialize = json!({ "protocolVersion": 1, "clientCapabilities": capabilities });
        client.request("initialize", initialize)?;
        Ok(client)
    }

    pub(super) fn pid(&self) -> u32 {
        self.child.id()
    }

    pub(super) fn session(&mut self, cwd: &Path) -> Result<String, Failure> {
        self.session_with(cwd, json!([]))
    }

    pub(super) fn session_with(&mut self, cwd: &Path, servers: Value) -> Result<String, Failure> {
        let params = json!({ "cwd": cwd, "mcpServers": servers });
        let opened = self.request("session/new", params)?;
        let id = opened["result"]["sessionId"].as_str();
        id.map(str::to_owned)
            .ok_or_else(|| format!("no session: {opened}"))
    }

    /// Sends a request and waits for its response.
    pub(super) fn request(&mut self, method: &str, params: Value) -> Result<Value, Failure> {
        let id = self.send(method, params)?;
        self.answer(id)
    }

    pub(super) fn send(&mut self, method: &str, params: Value) -> Result<u64, Failure> {
        self.next += 1;
        let id = self.next;
        self.write(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))?;
        Ok(id)
    }

    pub(super) fn notify(&mut self, method: &str, params: Value) -> Result<(), Failure> {
        self.write(&json!({ "jsonrpc": "2.0", "method": method, "params": params }))
    }

    /// Sends a prompt that contains a script for the model.
    pub(super) fn prompt(&mut self, session: &str, script: &Value) -> Result<u64, Failure> {
        self.prompt_text(session, &format!("Go on. <<{script}>>"))
    }

    pub(super) fn prompt_text(&mut self, session: &str, text: &str) -> Result<u64, Failure> {
        let prompt = json!([{ "type": "text", "text": text }]);
        self.send(
            "session/prompt",
            json!({ "sessionId": session, "prompt": prompt }),
        )
    }

    /// Runs a whole turn and returns its stop reason.
    pub(super) fn turn(&mut self, session: &str, script: &Value) -> Result<String, Failure> {
        let id = self.prompt(session, script)?;
        self.stop_reason(id)
    }

    pub(super) fn stop_reason(&mut self, id: u64) -> Result<String, Failure> {
        let answer = self.answer(id)?;
        let reason = answer["result"]["stopReason"].as_str();
        reason
            .map(str::to_owned)
            .ok_or_else(|| format!("the turn failed: {answer}"))
    }

    pub(super) fn answer(&mut self, id: u64) -> Result<Value, Failure> {
        let answer = |message: &Value| message["id"] == id && message["method"].is_null();
        let what = format!("a response to request {id}");
        self.wait(&what, answer)
    }

    /// Waits for a message, including those already received.
    pub(super) fn wait(
        &mut self,
        what: &str,
        fits: impl Fn(&Value) -> bool,
    ) -> Result<Value, Failure> {
        let end = Instant::now() + PATIENCE;
        let mut seen = 0;
        loop {
            while let Some((_, message)) = self.received.get(seen) {
                if fits(message) {
                    return Ok(message.clone());
                }
                seen += 1;
            }
            let left = end.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left) {
                Ok((time, message)) => self.receive(time, message)?,
                Err(RecvTimeoutError::Timeout) => return Err(format!("{what} did not arrive")),
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(format!("the agent exited before {what} arrived"));
                }
            }
        }
    }

    /// All updates of a kind received so far.
    pub(super) fn updates(&self, kind: &str) -> Vec<&Value> {
        let updates = self
            .received
            .iter()
            .map(|(_, message)| &message["params"]["update"]);
        updates
            .filter(|update| update["sessionUpdate"] == kind)
            .collect()
    }

    /// The text of all agent messages.
    pub(super) fn message_text(&self) -> String {
        let chunks = self.updates("agent_message_chunk");
        let texts = chunks
            .iter()
            .filter_map(|chunk| chunk["content"]["text"].as_str());
        texts.collect()
    }

    pub(super) fn kill(&mut self) -> Result<(), Failure> {
        self.child.kill().map_err(|error| error.to_string())?;
        self.child
            .wait()
            .map(drop)
            .map_err(|error| error.to_string())
    }

    fn receive(&mut self, time: Instant, message: Value) -> Result<(), Failure> {
        let answer = match message["method"].as_str() {
            Some("session/request_permission") => {
                self.permission_response(&message["params"]["options"])
            }
            Some("elicitation/create") => self.form_answer.as_ref().map(|content| match content {
                Value::Null => json!({ "action": "decline" }),
                content => json!({ "action": "accept", "content": content }),
            }),
            _ => None,
        };
        if let Some(result) = answer {
            self.write(&json!({ "jsonrpc": "2.0", "id": message["id"], "result": result }))?;
        }
        self.received.push((time, message));
        Ok(())
    }

    fn permission_response(&self, options: &Value) -> Option<Value> {
        let wanted = self.permission_choice?;
        let options = options.as_array()?;
        let found = options
            .iter()
            .find(|option| option["optionId"] == wanted || option["kind"] == wanted);
        let outcome = match found {
            Some(option) => json!({ "outcome": "selected", "optionId": option["optionId"] }),
            None => json!({ "outcome": "cancelled" }),
        };
        Some(json!({ "outcome": outcome }))
    }

    fn write(&mut self, message: &Value) -> Result<(), Failure> {
        let line = format!("{message}\n");
        let said = self.stdin.write_all(line.as_bytes());
        said.map_err(|error| format!("can't write to the agent: {error}"))
    }
}

impl Drop for ScriptedClient {
    fn drop(&mut self) {
        // The agent may already have exited.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

const PATIENCE: Duration = Duration::from_secs(30);
