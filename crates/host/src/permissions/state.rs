//! What permissions know while they run, beside the file of decisions.

use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;

use attache_schema::v1;

use super::remembered::{RememberedPermissions, TooManyDecisions};
use super::remembered_decision::{RememberedDecision, WorkspaceId};
use super::{Action, Enforcement, PathPattern, StoreWarning};

/// Selects remembered decisions, for [`Permissions::clear`](super::Permissions::clear). The default selects all of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DecisionFilter {
    /// Only decisions about this agent.
    pub agent: Option<String>,
    /// Only decisions for this workspace.
    pub workspace: Option<PathBuf>,
}

impl DecisionFilter {
    /// Whether a decision is selected. A decision for every workspace belongs to none.
    pub(super) fn fits(&self, decision: &RememberedDecision) -> bool {
        let is_agent = |agent: &String| *agent == decision.agent;
        let is_there = |path: &PathBuf| {
            let known = decision.workspace.as_ref();
            let there = WorkspaceId::at(path);
            known.is_some_and(|known| known.is(&there) || known.path == there.path)
        };
        self.agent.as_ref().is_none_or(is_agent) && self.workspace.as_ref().is_none_or(is_there)
    }
}

/// The part of [`Permissions`](super::Permissions) that changes and needs no disk.
#[derive(Debug, Default)]
pub(super) struct PermissionState {
    pub(super) remembered: RememberedPermissions,
    directories: HashMap<v1::SessionId, Vec<PathBuf>>,
    pub(super) enforcement: Enforcement,
    /// Paths that rules spell out and that do not exist yet. Nothing keeps a command from creating them.
    pub(super) missing: Vec<PathPattern>,
    faults: VecDeque<StoreWarning>,
}

impl PermissionState {
    pub(super) fn new(enforcement: Enforcement) -> PermissionState {
        PermissionState {
            enforcement,
            ..PermissionState::default()
        }
    }

    /// What counts for an action: the decisions about its agent, and the directories that count as inside.
    pub(super) fn context_of(&self, action: &Action) -> (Vec<RememberedDecision>, Vec<PathBuf>) {
        let own = self.remembered.decisions();
        let own = own.filter(|it| it.agent == action.agent);
        let directories = self.directories(&action.session);
        (own.cloned().collect(), directories.to_vec())
    }

    pub(super) fn add_decision(&mut self, decision: RememberedDecision) {
        if let Err(TooManyDecisions) = self.remembered.add_decision(decision) {
            self.warn("too many decisions for one session; this one is not remembered".to_owned());
        }
    }

    pub(super) fn add_directories(&mut self, session: &v1::SessionId, directories: &[PathBuf]) {
        self.directories
            .insert(session.clone(), directories.to_vec());
    }

    pub(super) fn directories(&self, session: &v1::SessionId) -> &[PathBuf] {
        self.directories.get(session).map_or(&[], Vec::as_slice)
    }

    pub(super) fn end_session(&mut self, session: &v1::SessionId) {
        self.remembered.end_session(session);
        self.directories.remove(session);
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

const MAX_FAULTS: usize = 16;
