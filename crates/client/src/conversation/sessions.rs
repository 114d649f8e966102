//! The open sessions and their child sessions, and updates that arrive before their session is open.

use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;

use attache::{Transcript, json, v1};
use tokio::sync::oneshot;

use super::permission::WithdrawnRequests;
use crate::tool_call::ReportedToolCall;

/// The sessions that were opened here, and their child sessions.
#[derive(Debug, Default)]
pub(super) struct Sessions {
    known: HashMap<v1::SessionId, Session>,
    /// Number of requested sessions whose id is not known yet.
    expected: usize,
    /// Updates of unknown sessions, kept while a session is requested.
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
    /// The parent of a child session.
    pub(super) parent: Option<v1::SessionId>,
    /// The reported tool calls, because a permission request may contain only an id.
    pub(super) tools: Transcript,
    pub(super) turn: Option<RunningTurn>,
    /// Queued prompts.
    pub(super) waiting: VecDeque<Vec<v1::ContentBlock>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SessionState {
    /// Requested: the agent may replay its history, but prompts are not possible yet.
    Opening,
    Open,
    /// The agent has exited. The session must be loaded or resumed.
    Suspended,
}

/// A running turn.
#[derive(Debug)]
pub(super) struct RunningTurn {
    pub(super) number: u64,
    /// Cancels the turn; `None` if it was cancelled.
    pub(super) cancel: Option<oneshot::Sender<Vec<WithdrawnRequests>>>,
}

impl Sessions {
    pub(super) fn get(&self, id: &v1::SessionId) -> Option<&Session> {
        self.known.get(id)
    }

    pub(super) fn get_mut(&mut self, id: &v1::SessionId) -> Option<&mut Session> {
        self.known.get_mut(id)
    }

    /// A session that accepts prompts.
    pub(super) fn open_mut(&mut self, id: &v1::SessionId) -> Option<&mut Session> {
        self.known
            .get_mut(id)
            .filter(|session| session.state == SessionState::Open)
    }

    /// Whether the running agent has a session with this id.
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

    /// The turn that a session works for: its own, or its parent's.
    pub(super) fn turn_of(&self, session: &v1::SessionId) -> Option<u64> {
        let mut above = self.above(session);
        above.find_map(|session| session.turn.as_ref().map(|turn| turn.number))
    }

    pub(super) fn next_turn(&mut self) -> u64 {
        self.turns += 1;
        self.turns
    }

    /// Notes that a session was requested whose id is not known yet.
    pub(super) fn expect(&mut self) {
        self.expected += 1;
    }

    /// Notes that a requested session has arrived or failed.
    pub(super) fn settle(&mut self) {
        self.expected = self.expected.saturating_sub(1);
        if self.expected == 0 {
            let left = u64::try_from(self.early.len()).unwrap_or(u64::MAX);
            self.dropped = self.dropped.saturating_add(left);
            self.forget_early();
        }
    }

    /// Adds a session. Queued prompts of an earlier session with this id stay queued.
    pub(super) fn insert(&mut self, id: v1::SessionId, cwd: PathBuf, state: SessionState) {
        let before = self.known.remove(&id);
        let waiting = before.map(|session| session.waiting).unwrap_or_default();
        self.known.insert(id, Session::new(cwd, state, waiting));
    }

    /// Adds a child session, once, unless there are too many sessions.
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

    /// Removes a session and its children, and returns their ids.
    pub(super) fn remove(&mut self, id: &v1::SessionId) -> Vec<v1::SessionId> {
        let family = self.family(id);
        for id in &family {
            self.known.remove(id);
        }
        family
    }

    /// The ids of a session and all its descendants.
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

    /// Whether the turn that a session works for was cancelled.
    pub(super) fn is_cancelling(&self, id: &v1::SessionId) -> bool {
        let turns = self.above(id).filter_map(|session| session.turn.as_ref());
        turns.into_iter().any(RunningTurn::is_cancelled)
    }

    /// The session and its ancestors.
    fn above(&self, id: &v1::SessionId) -> impl Iterator<Item = &Session> {
        let parent = |session: &&Session| self.known.get(session.parent.as_ref()?);
        std::iter::successors(self.known.get(id), parent).take(MOST_SESSIONS)
    }

    /// Suspends all sessions because the agent has exited. Returns those whose turn was running.
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

    /// Keeps an update whose session may be about to open.
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

    /// Takes the updates that arrived before the session was open.
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

    /// Applies an update if it reports a tool call, and returns the tool call's id.
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

/// Memory that an update takes, approximated by its size on the wire.
fn weight(told: &v1::SessionNotification) -> usize {
    json::to_string(told).len()
}

const MOST_SESSIONS: usize = 1024;
const MOST_EARLY: usize = 256;
const MOST_EARLY_BYTES: usize = 4 << 20;
/// Maximum bytes of tool calls that a session keeps; the oldest are dropped first.
const TOOLS: usize = 8 << 20;
