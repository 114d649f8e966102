//! What the user has allowed or denied so far, in memory: decisions that are not in the file of decisions, and grants.

use std::collections::HashMap;

use attache_schema::v1;

use super::Action;
use super::grants::{Grant, WholeFileChange};
use super::remembered_decision::RememberedDecision;

/// The decisions and grants of this process. Decisions that outlive the process are in the
/// [`DecisionStore`](super::store::DecisionStore).
#[derive(Debug, Default)]
pub(super) struct RememberedPermissions {
    /// Decisions that last for a session, and those that could not be stored.
    decisions: Vec<RememberedDecision>,
    /// What was allowed in the turns that run now.
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
