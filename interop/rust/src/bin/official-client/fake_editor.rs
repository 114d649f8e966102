//! The editor side of the client: prints every message of the agent and responds to its requests.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::{env, fs};

use agent_client_protocol::v1::{ConnectionTo, schema as v1};
use agent_client_protocol::{Agent, Error, Result};
use serde::Serialize;
use serde_json::{Value, json};

use crate::trace::TraceFormat;
use crate::terminal::Terminal;
use crate::{Step, ClientAction};

pub(crate) struct FakeEditor {
    trace: TraceFormat,
    step: Mutex<Option<Step>>,
    terminals: Mutex<HashMap<v1::TerminalId, Terminal>>,
}

impl FakeEditor {
    pub(crate) fn new() -> Result<Self> {
        let cwd = env::current_dir().map_err(Error::into_internal_error)?;
        Ok(Self {
            trace: TraceFormat { cwd },
            step: Mutex::default(),
            terminals: Mutex::default(),
        })
    }

    pub(crate) fn cwd(&self) -> PathBuf {
        self.trace.cwd.clone()
    }

    pub(crate) fn start(&self, step: Step) {
        *locked(&self.step) = Some(step);
    }

    pub(crate) fn print_event(&self, event: Value) {
        let mut line = json!({ "prompt": locked(&self.step).map(|step| step.prompt) });
        if let (Some(line), Value::Object(event)) = (line.as_object_mut(), event) {
            line.extend(event);
        }
        print(&line);
    }

    pub(crate) fn handle_notification(
        &self,
        notification: v1::AgentNotification,
        agent: &ConnectionTo<Agent>,
    ) -> Result<()> {
        match notification {
            v1::AgentNotification::SessionNotification(update) => {
                self.print_event(self.trace.update(&update.update));
                if self.action() == ClientAction::Cancel && is_message(&update.update, "waiting") {
                    agent.send_notification(v1::CancelNotification::new(update.session_id))?;
                }
            }
            v1::AgentNotification::ExtNotification(note) => {
                let params: Value = serde_json::from_str(note.params.get())?;
                self.print_event(json!({ "notification": *note.method, "n": params["n"] }));
            }
            _ => {}
        }
        Ok(())
    }

    pub(crate) fn handle_request(
        &self,
        request: v1::AgentRequest,
        agent: &ConnectionTo<Agent>,
    ) -> Result<Value> {
        match request {
            v1::AgentRequest::RequestPermissionRequest(request) => {
                to_value(self.permission(request, agent)?)
            }
            v1::AgentRequest::WriteTextFileRequest(request) => to_value(self.write(&request)?),
            v1::AgentRequest::ReadTextFileRequest(request) => to_value(self.read(&request)?),
            v1::AgentRequest::CreateTerminalRequest(request) => to_value(self.create(request)?),
            v1::AgentRequest::TerminalOutputRequest(request) => {
                self.print_event(json!({ "request": "terminal/output", "id": request.terminal_id }));
                let terminals = locked(&self.terminals);
                let terminal = terminals
                    .get(&request.terminal_id)
                    .ok_or_else(no_terminal)?;
                to_value(v1::TerminalOutputResponse::new(terminal.output(), false))
            }
            v1::AgentRequest::ReleaseTerminalRequest(request) => {
                self.print_event(json!({ "request": "terminal/release", "id": request.terminal_id }));
                locked(&self.terminals)
                    .remove(&request.terminal_id)
                    .ok_or_else(no_terminal)?;
                to_value(v1::ReleaseTerminalResponse::new())
            }
            v1::AgentRequest::ExtMethodRequest(request) if &*request.method == "_interop/echo" => {
                let params: Value = serde_json::from_str(request.params.get())?;
                self.print_event(json!({ "request": "_interop/echo", "value": params["value"] }));
                Ok(json!({ "value": params["value"] }))
            }
            _ => Err(Error::method_not_found()),
        }
    }

    fn permission(
        &self,
        request: v1::RequestPermissionRequest,
        agent: &ConnectionTo<Agent>,
    ) -> Result<v1::RequestPermissionResponse> {
        let option =
            |option: &v1::PermissionOption| json!({ "id": option.option_id, "kind": option.kind });
        let options: Vec<Value> = request.options.iter().map(option).collect();
        let id = &request.tool_call.tool_call_id;
        self.print_event(json!({ "request": "session/request_permission", "id": id, "options": options }));
        let outcome = match self.action() {
            ClientAction::Select(option) => {
                v1::RequestPermissionOutcome::Selected(v1::SelectedPermissionOutcome::new(option))
            }
            ClientAction::Cancel | ClientAction::Nothing => {
                agent.send_notification(v1::CancelNotification::new(request.session_id))?;
                v1::RequestPermissionOutcome::Cancelled
            }
        };
        Ok(v1::RequestPermissionResponse::new(outcome))
    }

    fn write(&self, request: &v1::WriteTextFileRequest) -> Result<v1::WriteTextFileResponse> {
        let path = self.trace.path(&request.path);
        self.print_event(
            json!({ "request": "fs/write_text_file", "path": path, "content": request.content }),
        );
        fs::write(&request.path, &request.content).map_err(Error::into_internal_error)?;
        Ok(v1::WriteTextFileResponse::new())
    }

    fn read(&self, request: &v1::ReadTextFileRequest) -> Result<v1::ReadTextFileResponse> {
        let (line, limit) = (request.line, request.limit);
        let path = self.trace.path(&request.path);
        self.print_event(
            json!({ "request": "fs/read_text_file", "path": path, "line": line, "limit": limit }),
        );
        let text = read(&request.path)?;
        let skipped = line.unwrap_or(1).saturating_sub(1) as usize;
        let wanted = limit.map_or(usize::MAX, |limit| limit as usize);
        let lines: Vec<&str> = text.split('\n').skip(skipped).take(wanted).collect();
        Ok(v1::ReadTextFileResponse::new(lines.join("\n")))
    }

    fn create(&self, request: v1::CreateTerminalRequest) -> Result<v1::CreateTerminalResponse> {
        let (command, args) = (request.command, request.args);
        self.print_event(json!({ "request": "terminal/create", "command": command, "args": args }));
        let mut terminals = locked(&self.terminals);
        let id = v1::TerminalId::new(format!("terminal-{}", terminals.len() + 1));
        let terminal = Terminal::start(&command, &args).map_err(Error::into_internal_error)?;
        terminals.insert(id.clone(), terminal);
        Ok(v1::CreateTerminalResponse::new(id))
    }

    pub(crate) fn exit(
        &self,
        request: &v1::WaitForTerminalExitRequest,
    ) -> impl Future<Output = Result<v1::WaitForTerminalExitResponse>> + use<> {
        self.print_event(json!({ "request": "terminal/wait_for_exit", "id": request.terminal_id }));
        let exit = locked(&self.terminals)
            .get(&request.terminal_id)
            .map(Terminal::exit);
        async move {
            Ok(v1::WaitForTerminalExitResponse::new(
                exit.ok_or_else(no_terminal)?.await,
            ))
        }
    }

    fn action(&self) -> ClientAction {
        locked(&self.step).map_or(ClientAction::Nothing, |step| step.action)
    }
}

pub(crate) fn print(event: &Value) {
    println!("{event}");
}

fn to_value(response: impl Serialize) -> Result<Value> {
    Ok(serde_json::to_value(response)?)
}

fn is_message(update: &v1::SessionUpdate, wanted: &str) -> bool {
    let v1::SessionUpdate::AgentMessageChunk(chunk) = update else {
        return false;
    };
    matches!(&chunk.content, v1::ContentBlock::Text(text) if text.text == wanted)
}

fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).map_err(Error::into_internal_error)
}

fn no_terminal() -> Error {
    Error::new(-32002, "no such terminal")
}

fn locked<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
