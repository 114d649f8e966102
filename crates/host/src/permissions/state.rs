//! The state of permissions in memory: decisions that are not in the file of decisions, grants, the directories of
//! sessions, and faults.

use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;

use attache_schema::v1;

use super::grants::{ChangeSinceAllowed, Grant, WholeFileChange};
use super::remembered_decision::{RememberedDecision, WorkspaceId};
use super::{Action, Enforcement, PathPattern, StoreWarning};

/// Selects remembered decisions, for [`Permissions::clear`](super::Permissions::clear). The default selects all of
/// them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
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

    /// The decisions about an action's agent, and the directories that count as inside.
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

/// The decisions and grants of this process. Decisions that outlive the process are in the
/// [`DecisionStore`](super::store::DecisionStore).
#[derive(Debug, Default)]
pub(super) struct RememberedPermissions {
    /// Decisions that last for a session, and those that could not be stored.
    decisions: Vec<RememberedDecision>,
    /// Grants of the turns that run now.
    grants: HashMap<v1::SessionId, Vec<Grant>>,
    last_grant: u64,
}

/// There are so many decisions that another one is not remembered.
#[derive(Debug)]
pub(super) struct TooManyDecisions;

impl RememberedPermissions {
    pub(super) fn decisions(&self) -> impl Iterator<Item = &RememberedDecision> {
        self.decisions.iter()
    }

    pub(super) fn change_decisions<T>(
        &mut self,
        change: impl FnOnce(&mut Vec<RememberedDecision>) -> T,
    ) -> T {
        change(&mut self.decisions)
    }

    pub(super) fn add_decision(
        &mut self,
        decision: RememberedDecision,
    ) -> Result<(), TooManyDecisions> {
        self.decisions.retain(|old| !decision.replaces(old));
        if self.decisions.len() >= MAX_DECISIONS {
            return Err(TooManyDecisions);
        }
        self.decisions.push(decision);
        Ok(())
    }

    /// Adds a grant and returns its id. A grant beyond the limit is not kept: the agent is asked again when it acts.
    pub(super) fn add_grant(&mut self, mut grant: Grant) -> Option<String> {
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

    /// Whether a session has grants that come from remembered decisions.
    pub(super) fn has_remembered_grants(&self, session: &v1::SessionId) -> bool {
        let mut grants = self.grants.get(session).into_iter().flatten();
        grants.any(Grant::is_remembered)
    }

    /// What has changed since an action was allowed in this turn that no grant covers any more.
    pub(super) fn change_since_allowed(
        &self,
        action: &Action,
        written: Option<WholeFileChange<'_>>,
    ) -> Option<ChangeSinceAllowed> {
        let grants = self.grants.get(&action.session)?;
        let mut grants = grants.iter().rev();
        grants.find_map(|grant| grant.change_since(action, written))
    }

    /// Uses a grant for an action, if one covers it. `remembered` are the decisions that still count.
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
            && grants[at].is_used_up()
        {
            grants.remove(at);
        }
        used.is_some()
    }

    /// Ends the grants with an id, and returns the action that the last of them was for.
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

    /// Ends the grants, of every session, for the command or the files of an action that was denied.
    pub(super) fn end_grants_about(&mut self, denied: &Action) {
        for grants in self.grants.values_mut() {
            grants.retain(|grant| !grant.is_about(denied));
        }
    }

    pub(super) fn end_turn(&mut self, session: &v1::SessionId) {
        self.grants.remove(session);
    }

    pub(super) fn end_session(&mut self, session: &v1::SessionId) {
        // Two agents may use the same session id.
        let is_of_session =
            |decision: &RememberedDecision| decision.session.as_deref() == Some(session.as_str());
        self.decisions.retain(|decision| !is_of_session(decision));
        self.grants.remove(session);
    }
}

const MAX_DECISIONS: usize = 10_000;
const MAX_GRANTS: usize = 256;
const MAX_FAULTS: usize = 16;
