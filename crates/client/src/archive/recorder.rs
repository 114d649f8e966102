//! Turns events into lines of a transcript. A thread of its own writes them, so that the screen never waits for a disk.

use std::collections::HashSet;
use std::path::PathBuf;
use std::time::Duration;

use attache::v1;
use attache_disk::{BackgroundWriter, QueueLimits};
use attache_host::terminals::Terminals;

use super::terminals::{PendingTerminals, TerminalJson, TerminalRecord};
use super::writer::{RecordStart, TranscriptWriter, WriteCommand};
use super::{file_name, line};
use crate::command::SessionStart;
use crate::event::{Event, OpenedSession};

/// Records the sessions of one agent. It takes every event and ignores those that are not part of a transcript.
///
/// Each line is queued for writing at once. When a slow disk lets the queue grow beyond 64 MiB, lines are dropped and the
/// transcript says how many. A session without messages leaves no transcript.
#[derive(Debug)]
pub struct Recorder {
    agent: String,
    open: HashSet<v1::SessionId>,
    /// Sessions without messages so far. They leave no transcript.
    silent: HashSet<v1::SessionId>,
    writer: Option<BackgroundWriter<WriteCommand>>,
    lost: u64,
    terminals: PendingTerminals,
}

impl Recorder {
    pub(super) fn new(folder: PathBuf, agent: &str) -> Recorder {
        let limits = QueueLimits {
            max_queued: BYTES,
            max_batch: usize::MAX,
            gather_for: Duration::ZERO,
        };
        let mut writer = TranscriptWriter::new(folder);
        let write = move |commands| writer.write(commands);
        Recorder {
            agent: agent.to_owned(),
            open: HashSet::new(),
            silent: HashSet::new(),
            writer: Some(BackgroundWriter::start("transcripts", limits, write)),
            lost: 0,
            terminals: PendingTerminals::default(),
        }
    }

    /// Records the output of commands in these terminals, too.
    #[must_use]
    pub fn terminals(mut self, terminals: Terminals) -> Recorder {
        self.terminals = PendingTerminals::of(terminals);
        self
    }

    /// Records an event.
    pub fn record(&mut self, event: &Event) {
        match event {
            Event::SessionOpened(opened) => self.opened(opened),
            Event::TurnStarted { session, content } => {
                self.silent.remove(session);
                self.line(session, line::of("prompt", content));
            }
            Event::Steered { session, content } => self.line(session, line::of("steer", content)),
            Event::Update(told) => {
                if has_content(&told.update) {
                    self.silent.remove(&told.session_id);
                }
                self.line(&told.session_id, line::of("update", &told.update));
                let wrote = self.terminals.record_tool_call(told);
                wrote
                    .into_iter()
                    .for_each(|wrote| self.record_terminal(wrote));
            }
            Event::TerminalChanged(id) => {
                if let Some(wrote) = self.terminals.terminal_changed(id) {
                    self.record_terminal(wrote);
                }
            }
            Event::TurnEnded { session, outcome } => {
                self.line(session, line::end(outcome));
                self.send(WriteCommand::Flush(file_name(&self.agent, session)));
            }
            // A session that is loaded again is replayed: that must not end up behind the first transcript.
            Event::AgentExited { .. } => {
                for session in std::mem::take(&mut self.open) {
                    self.closed(&session, WriteCommand::Close);
                }
            }
            Event::SessionClosed(session) => self.closed(session, WriteCommand::Close),
            Event::SessionDeleted(session) => self.closed(session, WriteCommand::Delete),
            // Not part of a transcript.
            Event::AgentReady(_)
            | Event::SessionsListed(_)
            | Event::QueueChanged { .. }
            | Event::ModeSet { .. }
            | Event::OptionsSet { .. }
            | Event::PermissionRequested(_)
            | Event::PermissionWithdrawn(_)
            | Event::PermissionDecided { .. }
            | Event::DecisionRemembered { .. }
            | Event::DecisionUndone { .. }
            | Event::FormRequested { .. }
            | Event::FormWithdrawn(_)
            | Event::FormCompleted(_)
            | Event::Notice(_)
            | Event::LoginRequired(_)
            | Event::LoggedIn(_)
            | Event::LoggedOut
            | Event::Problem(_)
            | Event::CommandFailed(_)
            | Event::InvalidOutput { .. } => {}
        }
    }

    /// Stops recording and waits until everything is written, for a few seconds at most.
    pub fn finish(mut self) {
        self.end();
    }

    fn record_terminal(&mut self, (session, id, view): TerminalRecord) {
        self.line(&session, line::of("terminal", &TerminalJson(&id, &view)));
    }

    fn opened(&mut self, opened: &OpenedSession) {
        let OpenedSession {
            session, request, ..
        } = opened;
        self.open.insert(session.clone());
        if request.start == SessionStart::New {
            self.silent.insert(session.clone());
        }
        self.send(WriteCommand::Open {
            name: file_name(&self.agent, session),
            head: line::head(&self.agent, session, &request.cwd),
            start: match request.start {
                SessionStart::New | SessionStart::Fork(_) => RecordStart::New,
                SessionStart::Load(_) => RecordStart::Replayed,
                SessionStart::Resume(_) => RecordStart::Continued,
            },
        });
    }

    fn closed(&mut self, session: &v1::SessionId, command: fn(String) -> WriteCommand) {
        self.open.remove(session);
        let command = match self.silent.remove(session) {
            true => WriteCommand::Delete,
            false => command,
        };
        self.send(command(file_name(&self.agent, session)));
    }

    fn line(&mut self, session: &v1::SessionId, text: String) {
        let fits = |writer: &BackgroundWriter<WriteCommand>| writer.fits(cost(&text));
        if !self.writer.as_ref().is_some_and(fits) {
            self.lost += 1;
            return;
        }
        let name = file_name(&self.agent, session);
        if self.lost > 0 {
            let lost = line::of("lost", &self.lost);
            self.lost = 0;
            self.write(name.clone(), lost);
        }
        self.write(name, text);
    }

    fn write(&self, name: String, text: String) {
        let cost = cost(&text);
        self.push(WriteCommand::Line { name, text }, cost);
    }

    /// Queues a command that is not a line, even if the queue is full.
    fn send(&self, command: WriteCommand) {
        self.push(command, 0);
    }

    fn push(&self, command: WriteCommand, weight: usize) {
        if let Some(writer) = &self.writer {
            writer.push(command, weight);
        }
    }

    fn end(&mut self) {
        let rest = self.terminals.drain();
        rest.into_iter()
            .for_each(|wrote| self.record_terminal(wrote));
        for session in std::mem::take(&mut self.silent) {
            self.send(WriteCommand::Delete(file_name(&self.agent, &session)));
        }
        if let Some(writer) = self.writer.take() {
            writer.close(PATIENCE);
        }
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        self.end();
    }
}

/// Whether an update is worth a transcript: a message or a tool call.
fn has_content(update: &v1::SessionUpdate) -> bool {
    use v1::SessionUpdate::{AgentMessageChunk, ToolCall, ToolCallUpdate, UserMessageChunk};
    matches!(
        update,
        AgentMessageChunk(_) | UserMessageChunk(_) | ToolCall(_) | ToolCallUpdate(_)
    )
}

/// Bytes that a line takes in the queue.
fn cost(text: &str) -> usize {
    text.len() + size_of::<WriteCommand>() + NAME
}

/// Length of a transcript's file name.
const NAME: usize = 70;
const BYTES: usize = 64 * 1024 * 1024;
const PATIENCE: Duration = Duration::from_secs(3);
