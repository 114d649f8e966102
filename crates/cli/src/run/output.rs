//! What is printed while a turn runs: the agent's words on standard output, what it does on standard error.

use std::io::{self, IsTerminal, Write};

use attache::{ClientCall, v1};

use super::Policy;
use crate::exit::Exit;

pub(super) struct Output {
    policy: Policy,
    denied: usize,
    /// Whether the last thing on standard output is a line without its end.
    in_line: bool,
    /// Whether standard output has gone away.
    is_deaf: bool,
}

impl Output {
    pub(super) fn new(policy: Policy) -> Self {
        Output {
            policy,
            denied: 0,
            in_line: false,
            is_deaf: false,
        }
    }

    pub(super) fn has_denied(&self) -> bool {
        self.denied > 0
    }

    /// Shows what the agent says, and answers what it asks.
    pub(super) fn take(&mut self, call: ClientCall) {
        match call {
            ClientCall::Session(said) => self.update(said.update),
            ClientCall::RequestPermission(request, reply) => {
                let verdict = self.policy.decide(&request);
                let title = request.tool_call.title.as_deref().unwrap_or("a tool");
                let word = if verdict.is_denied {
                    "denied"
                } else {
                    "allowed"
                };
                self.note(&format!("{word}: {}", safe(title)));
                self.denied += usize::from(verdict.is_denied);
                reply.ok(v1::RequestPermissionResponse::new(verdict.outcome));
            }
            other => other.refuse(),
        }
    }

    /// What the end of the turn means.
    pub(super) fn stopped(&mut self, reason: &v1::StopReason) -> Exit {
        match reason {
            v1::StopReason::EndTurn => Exit::Done,
            other => {
                self.note(&format!("stopped: {}", safe(other.as_str())));
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

    fn update(&mut self, update: v1::SessionUpdate) {
        match update {
            v1::SessionUpdate::AgentMessageChunk(chunk) => {
                if let v1::ContentBlock::Text(text) = chunk.content {
                    self.print(&text.text);
                }
            }
            v1::SessionUpdate::ToolCall(call) => self.note(&format!("tool: {}", safe(&call.title))),
            _ => {}
        }
    }

    /// A pipe that is closed stops the words, not the turn.
    fn print(&mut self, text: &str) {
        let mut stdout = io::stdout().lock();
        let shown = if stdout.is_terminal() {
            safe_lines(text)
        } else {
            text.to_owned()
        };
        let written = stdout
            .write_all(shown.as_bytes())
            .and_then(|()| stdout.flush());
        self.is_deaf |= written.is_err();
        self.in_line = !text.ends_with('\n') && (self.in_line || !text.is_empty()) && !self.is_deaf;
    }

    fn note(&mut self, text: &str) {
        self.end();
        let stderr = io::stderr();
        let (dim, plain) = if stderr.is_terminal() {
            ("\u{1b}[2m", "\u{1b}[0m")
        } else {
            ("", "")
        };
        eprintln!("{dim}{text}{plain}");
    }
}

/// A line of the agent's that cannot touch the terminal.
fn safe(text: &str) -> String {
    text.chars()
        .map(|c| if is_control(c) { '\u{fffd}' } else { c })
        .collect()
}

/// The same for text of several lines.
fn safe_lines(text: &str) -> String {
    let keep = |c: char| c == '\n' || c == '\t' || !is_control(c);
    text.chars()
        .map(|c| if keep(c) { c } else { '\u{fffd}' })
        .collect()
}

/// Control characters, and those that change the direction of the text around them.
fn is_control(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}
