//! An agent that follows a script. A step either asks for permission, with a kind and a tool name that may be lies, and
//! then runs a line in the client's terminal or requests a file, whatever the response was; or it runs the line itself
//! without asking. At the end the agent says that it went on.

use std::fs;
use std::io::{self, BufRead, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::interop::child;

/// The agent's last message.
pub(super) const WENT_ON: &str = "The agent went on.";

/// Runs the script in this file. The output of each line goes to its own file in a directory next to the script.
pub(super) fn run(script: &Path) -> Result<(), String> {
    let fail = |error: io::Error| format!("the scripted agent failed: {error}");
    let text = fs::read(script).map_err(fail)?;
    let script_steps: Value = serde_json::from_slice(&text).map_err(|error| error.to_string())?;
    let mut agent = ScriptedAgent {
        incoming: incoming(),
        sent: 1000,
        cwd: String::new(),
    };
    let outputs = script.with_extension("out");
    fs::create_dir_all(&outputs).map_err(fail)?;
    while let Some(message) = agent.receive() {
        let (id, params) = (&message["id"], &message["params"]);
        match message["method"].as_str() {
            Some("initialize") => agent.respond(id, json!({"protocolVersion": 1})),
            Some("session/new") => {
                agent.cwd = params["cwd"].as_str().unwrap_or_default().to_owned();
                agent.respond(id, json!({"sessionId": "s"}))
            }
            Some("session/prompt") => {
                for step in script_steps.as_array().into_iter().flatten() {
                    agent.run_step(step, &outputs).map_err(fail)?;
                }
                agent.send_message(WENT_ON).map_err(fail)?;
                agent.respond(id, json!({"stopReason": "end_turn"}))
            }
            _ => Ok(()),
        }
        .map_err(fail)?;
    }
    Ok(())
}

struct ScriptedAgent {
    incoming: Receiver<Value>,
    /// The id of the last request.
    sent: u64,
    cwd: String,
}

impl ScriptedAgent {
    fn receive(&self) -> Option<Value> {
        self.incoming.recv().ok()
    }

    fn run_step(&mut self, step: &Value, outputs: &Path) -> io::Result<()> {
        let name = step["name"].as_str().unwrap_or_default();
        let words: Vec<&str> = step["words"].as_array().map_or_else(Vec::new, |words| {
            words.iter().filter_map(Value::as_str).collect()
        });
        let output = outputs.join(name);
        match step["way"].as_str() {
            Some("terminal") => {
                let line = words.last().copied().unwrap_or_default();
                self.request_permission(step, json!({ "command": line }))?;
                fs::write(output, self.run_in_terminal(&words)?)
            }
            Some("request") => {
                self.request_permission(step, json!({ "path": step["path"] }))?;
                fs::write(output, self.request_file(step)?)
            }
            _ => run_directly(&words, &self.cwd, &output),
        }
    }

    fn request_permission(&mut self, step: &Value, input: Value) -> io::Result<()> {
        let option = |id, kind| json!({"optionId": id, "name": id, "kind": kind});
        let call = json!({
            "toolCallId": step["name"],
            "title": step["title"],
            "kind": step["kind"],
            "rawInput": input,
            "_meta": {"claudeCode": {"toolName": step["tool"]}},
        });
        let options = [option("yes", "allow_once"), option("no", "reject_once")];
        let params = json!({"sessionId": "s", "toolCall": call, "options": options});
        self.request("session/request_permission", params).map(drop)
    }

    /// Requests to read a file, or to add a word to it.
    fn request_file(&mut self, step: &Value) -> io::Result<String> {
        let path = &step["path"];
        let Some(word) = step["adds"].as_str() else {
            let params = json!({"sessionId": "s", "path": path});
            let read = self.request("fs/read_text_file", params)?;
            let content = read["result"]["content"].as_str();
            return Ok(content.unwrap_or_default().to_owned());
        };
        let content = fs::read_to_string(path.as_str().unwrap_or_default());
        let content = format!("{}{word}\n", content.unwrap_or_default());
        let params = json!({"sessionId": "s", "path": path, "content": content});
        self.request("fs/write_text_file", params)?;
        Ok(String::new())
    }

    fn run_in_terminal(&mut self, words: &[&str]) -> io::Result<String> {
        let (command, arguments) = words.split_first().unwrap_or((&"", &[]));
        let started = self.request(
            "terminal/create",
            json!({"sessionId": "s", "command": command, "args": arguments, "cwd": self.cwd}),
        )?;
        let terminal = &started["result"]["terminalId"];
        if terminal.is_null() {
            return Ok(String::new());
        }
        let terminal = json!({"sessionId": "s", "terminalId": terminal});
        self.request("terminal/wait_for_exit", terminal.clone())?;
        let output = self.request("terminal/output", terminal.clone())?;
        self.request("terminal/release", terminal)?;
        let output = output["result"]["output"].as_str();
        Ok(output.unwrap_or_default().to_owned())
    }

    /// Sends a request and returns the response, or an error object if none arrives in time.
    fn request(&mut self, method: &str, params: Value) -> io::Result<Value> {
        self.sent += 1;
        let id = self.sent;
        send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))?;
        let deadline = Instant::now() + LIMIT;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.incoming.recv_timeout(left) {
                Ok(message) if message["id"] == id => return Ok(message),
                Ok(_) => {}
                Err(RecvTimeoutError::Timeout) => return Ok(json!({"error": "no answer"})),
                Err(RecvTimeoutError::Disconnected) => return Err(io::ErrorKind::BrokenPipe.into()),
            }
        }
    }

    fn respond(&self, id: &Value, result: Value) -> io::Result<()> {
        send(&json!({"jsonrpc": "2.0", "id": id, "result": result}))
    }

    fn send_message(&self, text: &str) -> io::Result<()> {
        let content = json!({"type": "text", "text": text});
        let update = json!({"sessionUpdate": "agent_message_chunk", "content": content});
        let params = json!({"sessionId": "s", "update": update});
        send(&json!({"jsonrpc": "2.0", "method": "session/update", "params": params}))
    }
}

fn run_directly(words: &[&str], cwd: &str, output: &Path) -> io::Result<()> {
    let (program, arguments) = words.split_first().unwrap_or((&"", &[]));
    let file = fs::File::create(output)?;
    let mut command = Command::new(program);
    command.args(arguments).current_dir(cwd);
    command.stdin(Stdio::null()).stdout(file.try_clone()?);
    match command.stderr(file).spawn() {
        Ok(mut child) => child::wait(&mut child, LIMIT).map(drop),
        Err(error) => fs::write(output, error.to_string()),
    }
}

fn send(message: &Value) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{message}")?;
    out.flush()
}

fn incoming() -> Receiver<Value> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        for line in io::stdin().lock().lines().map_while(Result::ok) {
            let Ok(message) = serde_json::from_str(&line) else {
                continue;
            };
            if sender.send(message).is_err() {
                break;
            }
        }
    });
    receiver
}

/// The time limit of one line.
const LIMIT: Duration = Duration::from_secs(10);
