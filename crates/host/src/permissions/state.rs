//! What permissions know beside the store: what holds for this program only, and what went wrong.

use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;

use attache_schema::v1;

use super::grants::{Grant, WholeFileChange};
use super::memory::{self, RememberedDecision, WorkspaceId};
use super::{Action, Enforcement, PathPattern, StoreWarning};

/// Which decisions are meant.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DecisionFilter {
    /// Only those of this agent.
    pub agent: Option<String>,
    /// Only those of this directory.
    pub workspace: Option<PathBuf>,
}

impl DecisionFilter {
    /// Whether a decision is meant. One that holds everywhere is of no directory.
    pub(super) fn fits(&self, remembered: &RememberedDecision) -> bool {
        let is_agent = |agent: &String| *agent == remembered.agent;
        let is_there = |path: &PathBuf| {
            let known = remembered.workspace.as_ref();
            let there = WorkspaceId::at(path);
            known.is_some_and(|known| known.is(&there) || known.path == there.path)
        };
        self.agent.as_ref().is_none_or(is_agent) && self.workspace.as_ref().is_none_or(is_there)
    }
}

#[derive(Debug, Default)]
pub(super) struct State {
    /// Decisions for a session, and those that could not be stored.
    here: Vec<RememberedDecision>,
    /// What was allowed in the turns that run now.
    grants: HashMap<v1::SessionId, Vec<Grant>>,
    last_grant: u64,
    directories: HashMap<v1::SessionId, Vec<PathBuf>>,
    pub(super) enforcement: Enforcement,
    /// Paths that rules spell out and that are not there, so that nobody keeps a command from making them.
    pub(super) missing: Vec<PathPattern>,
    faults: VecDeque<StoreWarning>,
}

impl State {
    pub(super) fn new(enforcement: Enforcement) -> State {
        State {
            enforcement,
            ..State::default()
        }
    }

    /// What is known for a question: decisions of its agent, and directories that count as inside.
    pub(super) fn of(&self, action: &Action) -> (Vec<RememberedDecision>, Vec<PathBuf>) {
        let own = self.here().filter(|it| it.agent == action.agent);
        let directories = self.directories(&action.session);
        (own.cloned().collect(), directories.to_vec())
    }

    pub(super) fn here(&self) -> impl Iterator<Item = &RememberedDecision> {
        self.here.iter()
    }

    pub(super) fn change<T>(
        &mut self,
        change: impl FnOnce(&mut Vec<RememberedDecision>) -> T,
    ) -> T {
        change(&mut self.here)
    }

    pub(super) fn keep(&mut self, remembered: RememberedDecision) {
        self.here.retain(|old| !remembered.replaces(old));
        if self.here.len() >= MAX_HERE {
            return self
                .warn("too many decisions for one session; this one is not remembered".to_owned());
        }
        self.here.push(remembered);
    }

    /// Grants beyond the limit are not kept: the agent is asked again when it acts.
    pub(super) fn grant(&mut self, mut grant: Grant) -> Option<String> {
        if grant.id.is_empty() {
            self.last_grant += 1;
            grant.id = format!("once-{}", self.last_grant);
        }
        let id = grant.id.clone();
        let grants = self.grants.entry(grant.action().session.clone());
        let grants = grants.or_default();
        if grants.len() >= MAX_GRANTS {
            return None;
        }
        grants.push(grant);
        Some(id)
    }

    /// Whether a session has grants by decisions that are remembered.
    pub(super) fn has_remembered_grants(&self, session: &v1::SessionId) -> bool {
        let mut grants = self.grants.get(session).into_iter().flatten();
        grants.any(Grant::is_remembered)
    }

    /// `remembered` are the decisions that still count.
    pub(super) fn use_grant(
        &mut self,
        action: &Action,
        written: Option<WholeFileChange<'_>>,
        remembered: &[RememberedDecision],
    ) -> bool {
        let Some(grants) = self.grants.get_mut(&action.session) else {
            return false;
        };
        let counts = |grant: &Grant| {
            let is_it =
                |decision: &RememberedDecision| decision.is_allowed && decision.id == grant.id;
            !grant.is_remembered() || remembered.iter().any(is_it)
        };
        let mut usable = grants.iter_mut().enumerate();
        let used = usable.find_map(|(at, grant)| {
            let is_used = counts(grant) && grant.use_for(action, written);
            is_used.then_some(at)
        });
        if let Some(at) = used
            && grants[at].is_spent()
        {
            grants.remove(at);
        }
        used.is_some()
    }

    /// Ends the grants of an id, and gives what they were for.
    pub(super) fn end_grant(&mut self, id: &str) -> Option<Action> {
        let grants = self.grants.values().flatten();
        let action = grants
            .filter(|grant| grant.id == id)
            .last()?
            .action()
            .clone();
        for grants in self.grants.values_mut() {
            grants.retain(|grant| grant.id != id);
        }
        Some(action)
    }

    pub(super) fn end_grants_about(&mut self, denied: &Action) {
        for grants in self.grants.values_mut() {
            grants.retain(|grant| !grant.is_about(denied));
        }
    }

    pub(super) fn end_turn(&mut self, session: &v1::SessionId) {
        self.grants.remove(session);
    }

    pub(super) fn add_directories(&mut self, session: &v1::SessionId, directories: &[PathBuf]) {
        self.directories
            .insert(session.clone(), directories.to_vec());
    }

    pub(super) fn directories(&self, session: &v1::SessionId) -> &[PathBuf] {
        self.directories.get(session).map_or(&[], Vec::as_slice)
    }

    pub(super) fn end_session(&mut self, session: &v1::SessionId) {
        self.here
            .retain(|remembered| !memory::is_of_session(remembered, session));
        self.directories.remove(session);
        self.grants.remove(session);
    }

    pub(super) fn warnings(&mut self) -> Vec<StoreWarning> {
        self.faults.drain(..).collect()
    }

    pub(super) fn fault(&mut self) -> Option<String> {
        self.faults.pop_front().map(|warning| warning.0)
    }

    pub(super) fn warn(&mut self, text: String) {
        if self.faults.len() < MAX_FAULTS {
            self.faults.push_back(StoreWarning(text));
        }
    }
}

const MAX_HERE: usize = 10_000;
const MAX_GRANTS: usize = 256;
const MAX_FAULTS: usize = 16;
