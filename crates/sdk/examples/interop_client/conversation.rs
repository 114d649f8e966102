//! The client side of the conversation: prints updates and responds to requests.

use std::fs;
use std::io;
use std::path::PathBuf;

use attache::client::AgentSession;
use attache::json::{Encode, Object, Raw, RawObject};
use attache::schema::error;
use attache::{ClientCall, Error, Extension, Reply, v1};

use crate::terminal::Terminals;
use crate::trace::{self, Line};
use crate::{Reaction, Step};

pub(crate) struct Conversation {
    session: AgentSession,
    cwd: PathBuf,
    step: Option<Step>,
    terminals: Terminals,
}

impl Conversation {
    pub(crate) fn new(session: AgentSession, cwd: PathBuf) -> Self {
        Conversation {
            session,
            cwd,
            step: None,
            terminals: Terminals::default(),
        }
    }

    pub(crate) fn session(&self) -> &AgentSession {
        &self.session
    }

    pub(crate) fn begin_step(&mut self, step: Step) {
        self.step = Some(step);
    }

    /// A line of this step.
    pub(crate) fn step_line(&self, name: &'static str, value: &(impl Encode + ?Sized)) -> Line {
        self.line().with(name, value)
    }

    fn line(&self) -> Line {
        let prompt = self.step.map(|step| step.prompt.to_owned());
        Line::of("prompt", &prompt)
    }

    pub(crate) fn handle_call(&mut self, call: ClientCall) {
        match call {
            ClientCall::Session(news) => self.print_update(&news.update),
            ClientCall::RequestPermission(request, reply) => {
                self.answer_permission(&request, reply)
            }
            ClientCall::WriteTextFile(request, reply) => reply.with(self.write(&request)),
            ClientCall::ReadTextFile(request, reply) => reply.with(self.read(&request)),
            ClientCall::Extension(call, reply) if call.method == "_interop/echo" => {
                reply.with(self.echo(&call));
            }
            ClientCall::ExtensionNotification(note) => {
                let n = member(&note, "n");
                self.step_line("notification", &note.method)
                    .with("n", &n)
                    .print();
            }
            other => self.serve_terminal(other),
        }
    }

    fn serve_terminal(&self, call: ClientCall) {
        let method = call.method().to_owned();
        let asked = |id: &v1::TerminalId| self.step_line("request", &method).with("id", id).print();
        match call {
            ClientCall::CreateTerminal(request, reply) => {
                self.step_line("request", &method)
                    .with("command", &request.command)
                    .with("args", &request.args)
                    .print();
                let terminals = self.terminals.clone();
                tokio::spawn(async move { reply.with(terminals.create(request).await) });
            }
            ClientCall::WaitForTerminalExit(request, reply) => {
                asked(&request.terminal_id);
                match self.terminals.get(&request.terminal_id) {
                    Ok(terminal) => {
                        tokio::spawn(async move { reply.ok(terminal.ended().await) });
                    }
                    Err(error) => reply.fail(error),
                }
            }
            ClientCall::TerminalOutput(request, reply) => {
                asked(&request.terminal_id);
                let terminal = self.terminals.get(&request.terminal_id);
                reply.with(terminal.map(|terminal| terminal.output()));
            }
            ClientCall::KillTerminal(request, reply) => {
                asked(&request.terminal_id);
                let terminal = self.terminals.get(&request.terminal_id);
                let killed = terminal.map(|terminal| terminal.kill());
                reply.with(killed.map(|()| v1::KillTerminalResponse::new()));
            }
            ClientCall::ReleaseTerminal(request, reply) => {
                asked(&request.terminal_id);
                let released = self.terminals.release(&request.terminal_id);
                reply.with(released.map(|()| v1::ReleaseTerminalResponse::new()));
            }
            other => other.refuse(),
        }
    }

    fn print_update(&self, update: &v1::SessionUpdate) {
        self.line().with_update(&self.cwd, update).print();
        if let v1::SessionUpdate::AgentMessageChunk(chunk) = update
            && trace::text(&chunk.content).as_deref() == Some("waiting")
            && self.reaction() == Reaction::Cancel
        {
            let session = self.session.clone();
            tokio::spawn(async move { session.cancel().await });
        }
    }

    fn answer_permission(
        &self,
        request: &v1::RequestPermissionRequest,
        reply: Reply<v1::RequestPermissionResponse>,
    ) {
        let options = request.options.iter().map(|option| {
            let mut shown = Object::default();
            shown.put("id", &option.option_id);
            shown.put("kind", &option.kind);
            shown
        });
        self.step_line("request", "session/request_permission")
            .with("id", &request.tool_call.tool_call_id)
            .with("options", &options.collect::<Vec<_>>())
            .print();
        if let Reaction::Select(option) = self.reaction() {
            let selected = v1::SelectedPermissionOutcome::new(option);
            return reply.ok(v1::RequestPermissionResponse::new(selected));
        }
        let session = self.session.clone();
        tokio::spawn(async move {
            // `cancel` responds to the open permission requests. A reply dropped before it would send an error instead.
            let cancelled = session.cancel().await;
            drop(reply);
            cancelled
        });
    }

    fn write(
        &self,
        request: &v1::WriteTextFileRequest,
    ) -> Result<v1::WriteTextFileResponse, Error> {
        self.step_line("request", "fs/write_text_file")
            .with("path", &trace::normal(&self.cwd, &request.path))
            .with("content", &request.content)
            .print();
        fs::write(&request.path, &request.content).map_err(|error| failed(&error))?;
        Ok(v1::WriteTextFileResponse::new())
    }

    fn read(&self, request: &v1::ReadTextFileRequest) -> Result<v1::ReadTextFileResponse, Error> {
        self.step_line("request", "fs/read_text_file")
            .with("path", &trace::normal(&self.cwd, &request.path))
            .with("line", &request.line)
            .with("limit", &request.limit)
            .print();
        let text = fs::read_to_string(&request.path).map_err(|error| failed(&error))?;
        let before = request.line.unwrap_or(1).saturating_sub(1) as usize;
        let wanted = request.limit.map_or(usize::MAX, |limit| limit as usize);
        let lines: Vec<&str> = text.split('\n').skip(before).take(wanted).collect();
        Ok(v1::ReadTextFileResponse::new(lines.join("\n")))
    }

    fn echo(&self, call: &Extension) -> Result<Raw, Error> {
        let value = member(call, "value");
        self.step_line("request", &call.method)
            .with("value", &value)
            .print();
        let value = value.ok_or_else(|| error::unusable_params("there is no `value`"))?;
        Ok(Raw::of(&RawObject::new().with("value", value)))
    }

    fn reaction(&self) -> Reaction {
        self.step.map_or(Reaction::Nothing, |step| step.reaction)
    }
}

fn member(call: &Extension, name: &str) -> Option<Raw> {
    let params: RawObject = call.params.as_ref()?.read().ok()?;
    params.get(name)
}

fn failed(error: &io::Error) -> Error {
    error::internal(&error.to_string())
}
