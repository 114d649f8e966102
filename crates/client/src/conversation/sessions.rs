//! The sessions that were opened here, the children that they have started, and what was told of sessions too early.

use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;

use attache::{Transcript, json, v1};
use tokio::sync::oneshot;

use super::permission::WithdrawnRequests;
use crate::tool_call::ReportedToolCall;

/// The sessions that were opened here, and their children.
#[derive(Debug, Default)]
pub(super) struct Sessions {
    known: HashMap<v1::SessionId, Session>,
    /// Sessions that have been asked for and have no id yet.
    expected: usize,
    /// What was told of sessions that nobody knows, while some are expected.
    early: VecDeque<v1::SessionNotification>,
    early_bytes: usize,
    dropped: u64,
    turns: u64,
}

/// One session.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) state: SessionState,
    pub(super) cwd: PathBuf,
    /// The session that has started it.
    pub(super) parent: Option<v1::SessionId>,
    /// The tool calls, as far as they were told: a question may name one by its id alone.
    pub(super) tools: Transcript,
    pub(super) turn: Option<RunningTurn>,
    /// Prompts that wait for their turn.
    pub(super) waiting: VecDeque<Vec<v1::ContentBlock>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SessionState {
    /// It was asked for: it may tell its history, but not be talked to.
    Opening,
    Open,
    /// The agent that knew it is gone.
    Suspended,
}

/// The turn that runs.
#[derive(Debug)]
pub(super) struct RunningTurn {
    pub(super) number: u64,
    /// Cancels it; `None` once that has been done.
    pub(super) cancel: Option<oneshot::Sender<Vec<WithdrawnRequests>>>,
}

impl Sessions {
    pub(super) fn get(&self, id: &v1::SessionId) -> Option<&Session> {
        self.known.get(id)
    }

    pub(super) fn get_mut(&mut self, id: &v1::SessionId) -> Option<&mut Session> {
        self.known.get_mut(id)
    }

    /// A session that can be talked to.
    pub(super) fn open_mut(&mut self, id: &v1::SessionId) -> Option<&mut Session> {
        self.known
            .get_mut(id)
            .filter(|session| session.state == SessionState::Open)
    }

    /// Whether a session of this id is there that an agent still knows.
    pub(super) fn is_in_use(&self, id: &v1::SessionId) -> bool {
        let known = self.known.get(id);
        known.is_some_and(|session| session.state != SessionState::Suspended)
    }

    pub(super) fn ids(&self) -> Vec<v1::SessionId> {
        self.known.keys().cloned().collect()
    }

    pub(super) fn dropped(&self) -> u64 {
        self.dropped
    }

    pub(super) fn count_dropped(&mut self) {
        self.dropped += 1;
    }

    /// The turn that a session works for: its own, or that of a session above it.
    pub(super) fn turn_of(&self, session: &v1::SessionId) -> Option<u64> {
        let mut above = self.above(session);
        above.find_map(|session| session.turn.as_ref().map(|turn| turn.number))
    }

    pub(super) fn next_turn(&mut self) -> u64 {
        self.turns += 1;
        self.turns
    }

    /// A session whose id is not known has been asked for.
    pub(super) fn expect(&mut self) {
        self.expected += 1;
    }

    /// It has come, or will not.
    pub(super) fn settle(&mut self) {
        self.expected = self.expected.saturating_sub(1);
        if self.expected == 0 {
            let left = u64::try_from(self.early.len()).unwrap_or(u64::MAX);
            self.dropped = self.dropped.saturating_add(left);
            self.forget_early();
        }
    }

    /// Makes a session known. Prompts that waited in it wait on.
    pub(super) fn insert(&mut self, id: v1::SessionId, cwd: PathBuf, state: SessionState) {
        let before = self.known.remove(&id);
        let waiting = before.map(|session| session.waiting).unwrap_or_default();
        self.known.insert(id, Session::new(cwd, state, waiting));
    }

    /// Makes a child of a session known, once, unless there are too many.
    pub(super) fn insert_child(&mut self, id: &v1::SessionId, parent: &v1::SessionId) -> bool {
        if self.known.contains_key(id) || self.known.len() >= MOST_SESSIONS {
            return false;
        }
        let Some(cwd) = self.known.get(parent).map(|session| session.cwd.clone()) else {
            return false;
        };
        let mut child = Session::new(cwd, SessionState::Open, VecDeque::new());
        child.parent = Some(parent.clone());
        self.known.insert(id.clone(), child);
        true
    }

    /// Forgets a session and its children; who they were.
    pub(super) fn remove(&mut self, id: &v1::SessionId) -> Vec<v1::SessionId> {
        let family = self.family(id);
        for id in &family {
            self.known.remove(id);
        }
        family
    }

    /// The session and everyone below it.
    pub(super) fn family(&self, id: &v1::SessionId) -> Vec<v1::SessionId> {
        let mut family = vec![id.clone()];
        let mut next = 0;
        while let Some(parent) = family.get(next).cloned() {
            let children = self.known.iter().filter(|(child, session)| {
                session.parent.as_ref() == Some(&parent) && !family.contains(child)
            });
            let children: Vec<_> = children.map(|(child, _)| child.clone()).collect();
            family.extend(children);
            next += 1;
        }
        family
    }

    /// Whether the turn that a session works for is being cancelled.
    pub(super) fn is_cancelling(&self, id: &v1::SessionId) -> bool {
        let turns = self.above(id).filter_map(|session| session.turn.as_ref());
        turns.into_iter().any(RunningTurn::is_cancelled)
    }

    /// The session and those above it.
    fn above(&self, id: &v1::SessionId) -> impl Iterator<Item = &Session> {
        let parent = |session: &&Session| self.known.get(session.parent.as_ref()?);
        std::iter::successors(self.known.get(id), parent).take(MOST_SESSIONS)
    }

    /// The agent is gone: every session has to be taken up again. The ones whose turn was running.
    pub(super) fn suspend(&mut self) -> Vec<v1::SessionId> {
        self.known.retain(|_, session| session.parent.is_none());
        self.expected = 0;
        self.forget_early();
        let mut running = Vec::new();
        for (id, session) in &mut self.known {
            session.state = SessionState::Suspended;
            if session.turn.take().is_some() {
                running.push(id.clone());
            }
        }
        running.sort();
        running
    }

    /// Keeps what was told of a session that may be about to come.
    pub(super) fn keep_early(&mut self, told: v1::SessionNotification) {
        let is_full = self.early.len() >= MOST_EARLY;
        let bytes = match self.expected == 0 || is_full {
            true => usize::MAX,
            false => self.early_bytes.saturating_add(weight(&told)),
        };
        if bytes > MOST_EARLY_BYTES {
            return self.count_dropped();
        }
        self.early_bytes = bytes;
        self.early.push_back(told);
    }

    fn forget_early(&mut self) {
        self.early.clear();
        self.early_bytes = 0;
    }

    /// What was told of a session before it was there.
    pub(super) fn take_early(&mut self, id: &v1::SessionId) -> Vec<v1::SessionNotification> {
        let early = std::mem::take(&mut self.early).into_iter();
        let (its, others): (Vec<_>, Vec<_>) = early.partition(|told| told.session_id == *id);
        self.early_bytes = others.iter().map(weight).sum();
        self.early = others.into();
        its
    }
}

impl Session {
    fn new(cwd: PathBuf, state: SessionState, waiting: VecDeque<Vec<v1::ContentBlock>>) -> Session {
        Session {
            state,
            cwd,
            parent: None,
            tools: Transcript::with_limit(TOOLS),
            turn: None,
            waiting,
        }
    }

    /// Folds what was told of a tool call; whether it was about one.
    pub(super) fn apply_tool_call(&mut self, update: &v1::SessionUpdate) -> Option<v1::ToolCallId> {
        let id = ReportedToolCall::in_update(update)?.id();
        self.tools.apply(update.clone());
        Some(id.clone())
    }

    pub(super) fn tool(&self, id: &v1::ToolCallId) -> Option<&v1::ToolCall> {
        self.tools.tool_call(id).map(|call| &call.report)
    }
}

impl RunningTurn {
    pub(super) fn is_cancelled(&self) -> bool {
        self.cancel.is_none()
    }
}

/// What is told takes about as much as on the wire.
fn weight(told: &v1::SessionNotification) -> usize {
    json::to_string(told).len()
}

const MOST_SESSIONS: usize = 1024;
const MOST_EARLY: usize = 256;
const MOST_EARLY_BYTES: usize = 4 << 20;
/// Bytes of tool calls that a session keeps, the latest ones.
const TOOLS: usize = 8 << 20;
