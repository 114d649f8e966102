//! Recording: what happens is turned into lines here and written by a thread of its own, so that no screen waits for
//! a disk.

use std::collections::HashSet;
use std::path::PathBuf;
use std::time::Duration;

use attache::v1;
use attache_disk::{BackgroundWriter, QueueLimits};
use attache_host::terminals::Terminals;

use super::commands::{Commands, Kept, Wrote};
use super::writer::{Job, Start, Writer};
use super::{file_name, line};
use crate::command::SessionStart;
use crate::event::{Event, OpenedSession};

/// Records the sessions of one agent. It takes every event; what is no part of a transcript is passed over.
///
/// A line is on its way to the disk as soon as it is taken. When the disk is so slow that more than 64 MiB wait, lines
/// are dropped and the transcript says how many. Of a session in which nothing was said none is kept.
#[derive(Debug)]
pub struct Recorder {
    agent: String,
    open: HashSet<v1::SessionId>,
    /// Those in which nothing was said: nobody wants to read them.
    unsaid: HashSet<v1::SessionId>,
    writer: Option<BackgroundWriter<Job>>,
    lost: u64,
    commands: Commands,
}

impl Recorder {
    pub(super) fn new(folder: PathBuf, agent: &str) -> Recorder {
        let limits = QueueLimits {
            max_queued: BYTES,
            max_batch: usize::MAX,
            gather_for: Duration::ZERO,
        };
        let mut writer = Writer::new(folder);
        let write = move |jobs| writer.write(jobs);
        Recorder {
            agent: agent.to_owned(),
            open: HashSet::new(),
            unsaid: HashSet::new(),
            writer: Some(BackgroundWriter::start("transcripts", limits, write)),
            lost: 0,
            commands: Commands::default(),
        }
    }

    /// Keeps what commands write in these terminals, too.
    #[must_use]
    pub fn terminals(mut self, terminals: Terminals) -> Recorder {
        self.commands = Commands::of(terminals);
        self
    }

    /// Takes what has happened.
    pub fn record(&mut self, event: &Event) {
        match event {
            Event::SessionOpened(opened) => self.opened(opened),
            Event::TurnStarted { session, content } => {
                self.unsaid.remove(session);
                self.line(session, line::of("prompt", content));
            }
            Event::Steered { session, content } => self.line(session, line::of("steer", content)),
            Event::Update(told) => {
                if is_said(&told.update) {
                    self.unsaid.remove(&told.session_id);
                }
                self.line(&told.session_id, line::of("update", &told.update));
                let wrote = self.commands.told(told);
                wrote.into_iter().for_each(|wrote| self.wrote(wrote));
            }
            Event::TerminalChanged(id) => {
                if let Some(wrote) = self.commands.changed(id) {
                    self.wrote(wrote);
                }
            }
            Event::TurnEnded { session, outcome } => {
                self.line(session, line::end(outcome));
                self.send(Job::Flush(file_name(&self.agent, session)));
            }
            // A session that is loaded again is told again: not behind what was told before.
            Event::AgentExited { .. } => {
                for session in std::mem::take(&mut self.open) {
                    self.closed(&session, Job::Close);
                }
            }
            Event::SessionClosed(session) => self.closed(session, Job::Close),
            Event::SessionDeleted(session) => self.closed(session, Job::Delete),
            _ => {}
        }
    }

    /// Ends recording and waits until all of it is written, or for a few seconds if the disk hangs.
    pub fn finish(mut self) {
        self.end();
    }

    fn wrote(&mut self, (session, id, view): Wrote) {
        self.line(&session, line::of("terminal", &Kept(&id, &view)));
    }

    fn opened(&mut self, opened: &OpenedSession) {
        let OpenedSession {
            session, request, ..
        } = opened;
        self.open.insert(session.clone());
        if request.start == SessionStart::New {
            self.unsaid.insert(session.clone());
        }
        self.send(Job::Open {
            name: file_name(&self.agent, session),
            head: line::head(&self.agent, session, &request.cwd),
            start: match request.start {
                SessionStart::New | SessionStart::Fork(_) => Start::Anew,
                SessionStart::Load(_) => Start::Told,
                SessionStart::Resume(_) => Start::Where,
            },
        });
    }

    fn closed(&mut self, session: &v1::SessionId, job: fn(String) -> Job) {
        self.open.remove(session);
        let job = match self.unsaid.remove(session) {
            true => Job::Delete,
            false => job,
        };
        self.send(job(file_name(&self.agent, session)));
    }

    fn line(&mut self, session: &v1::SessionId, text: String) {
        let fits = |writer: &BackgroundWriter<Job>| writer.fits(cost(&text));
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
        self.push(Job::Line { name, text }, cost);
    }

    /// What is no line is done however much waits.
    fn send(&self, job: Job) {
        self.push(job, 0);
    }

    fn push(&self, job: Job, weight: usize) {
        if let Some(writer) = &self.writer {
            writer.push(job, weight);
        }
    }

    fn end(&mut self) {
        let rest = self.commands.rest();
        rest.into_iter().for_each(|wrote| self.wrote(wrote));
        for session in std::mem::take(&mut self.unsaid) {
            self.send(Job::Delete(file_name(&self.agent, &session)));
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

/// Whether somebody would miss it.
fn is_said(update: &v1::SessionUpdate) -> bool {
    use v1::SessionUpdate::{AgentMessageChunk, ToolCall, ToolCallUpdate, UserMessageChunk};
    matches!(
        update,
        AgentMessageChunk(_) | UserMessageChunk(_) | ToolCall(_) | ToolCallUpdate(_)
    )
}

/// What a line takes while it waits.
fn cost(text: &str) -> usize {
    text.len() + size_of::<Job>() + NAME
}

/// How long the name of a file is.
const NAME: usize = 70;
const BYTES: usize = 64 * 1024 * 1024;
const PATIENCE: Duration = Duration::from_secs(3);
