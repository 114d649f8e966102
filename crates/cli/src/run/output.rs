//! What is printed while a turn runs: the agent's words on standard output, what it does on standard error.

use std::io::{self, IsTerminal, Write};
use std::sync::Arc;

use attache::{ClientCall, Transcript, v1};
use tokio::sync::Notify;

use super::Policy;
use crate::exit::Exit;
use crate::text;

pub(super) struct Output {
    policy: Policy,
    session: Option<v1::SessionId>,
    transcript: Transcript,
    denied: usize,
    /// Whether the last thing on standard output is a line without its end.
    in_line: bool,
    /// Why standard output takes nothing any more.
    lost: Option<io::Error>,
    loss: Arc<Notify>,
}

impl Output {
    pub(super) fn new(policy: Policy) -> Self {
        Output {
            policy,
            session: None,
            transcript: Transcript::new(),
            denied: 0,
            in_line: false,
            lost: None,
            loss: Arc::default(),
        }
    }

    /// Shows this session and no other.
    pub(super) fn follow(&mut self, session: v1::SessionId) {
        self.session = Some(session);
    }

    pub(super) fn has_denied(&self) -> bool {
        self.denied > 0
    }

    /// Tells when standard output takes nothing any more.
    pub(super) fn loss(&self) -> Arc<Notify> {
        Arc::clone(&self.loss)
    }

    /// How it ends when standard output takes nothing any more.
    pub(super) fn lost(&self) -> anyhow::Result<Exit> {
        match &self.lost {
            Some(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                Err(anyhow::anyhow!("the answer cannot be written: {error}"))
            }
            _ => Ok(Exit::Unread),
        }
    }

    /// Shows what the agent says, and answers what it asks.
    pub(super) fn take(&mut self, call: ClientCall) {
        match call {
            ClientCall::Session(said) if self.session.as_ref() == Some(&said.session_id) => {
                self.update(said.update);
            }
            ClientCall::Session(_) => {}
            ClientCall::RequestPermission(request, reply) => {
                let outcome = self.decide(&request);
                reply.ok(v1::RequestPermissionResponse::new(outcome));
            }
            other => other.refuse(),
        }
    }

    /// What the end of the turn means.
    pub(super) fn stopped(&mut self, reason: &v1::StopReason) -> Exit {
        match reason {
            v1::StopReason::EndTurn if self.has_denied() => Exit::Denied,
            v1::StopReason::EndTurn => Exit::Done,
            other => {
                self.note(&format!("stopped: {}", text::line(other.as_str())));
                Exit::Failed
            }
        }
    }

    /// Ends the last line.
    pub(super) fn end(&mut self) {
        if self.in_line {
            self.print("\n");
        }
    }

    /// A request may name a tool call by its id alone: the rest has been told before.
    fn decide(&mut self, request: &v1::RequestPermissionRequest) -> v1::RequestPermissionOutcome {
        let asked = &request.tool_call;
        let told = self.transcript.tool_call(&asked.tool_call_id);
        let told = told.map(|call| &call.said);
        let kind = asked.kind.as_ref().or(told.map(|call| &call.kind));
        let title = asked.title.as_deref().or(told.map(|call| &*call.title));
        let title = text::line(title.unwrap_or("a tool"));
        let verdict = self.policy.decide(kind, &request.options);
        let word = if verdict.is_denied {
            "denied"
        } else {
            "allowed"
        };
        self.note(&format!("{word}: {title}"));
        self.denied += usize::from(verdict.is_denied);
        verdict.outcome
    }

    fn update(&mut self, update: v1::SessionUpdate) {
        match &update {
            v1::SessionUpdate::AgentMessageChunk(chunk) => {
                if let Some(text) = chunk.content.as_text() {
                    self.print(text);
                }
            }
            v1::SessionUpdate::ToolCall(call) => {
                self.note(&format!("tool: {}", text::line(&call.title)));
            }
            _ => {}
        }
        self.transcript.apply(update);
    }

    fn print(&mut self, text: &str) {
        if self.lost.is_some() {
            return;
        }
        let mut stdout = io::stdout().lock();
        let shown = if stdout.is_terminal() {
            text::lines(text)
        } else {
            text.to_owned()
        };
        let written = stdout.write_all(shown.as_bytes());
        if let Err(error) = written.and_then(|()| stdout.flush()) {
            self.lost = Some(error);
            self.in_line = false;
            self.loss.notify_one();
            return;
        }
        self.in_line = !text.ends_with('\n') && (self.in_line || !text.is_empty());
    }

    fn note(&mut self, text: &str) {
        self.end();
        let (dim, plain) = if io::stderr().is_terminal() {
            ("\u{1b}[2m", "\u{1b}[0m")
        } else {
            ("", "")
        };
        eprintln!("{dim}{text}{plain}");
    }
}
