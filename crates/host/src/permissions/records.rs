//! What permissions remember: grants for a turn, and decisions as records that their owner can keep in a journal and
//! restore later.

use attache_schema::v1;

use super::facts::ActionFacts;
use super::grants::{Grant, WholeFileChange};
use super::remembered_decision::{DecisionSubject, RememberedDecision, seconds};
use super::resolved_files::ResolvedFiles;
use super::{
    Action, Decision, Enforcement, Permissions, Reason, Scope, Verdict, find_decision, rule_reason,
    stored_decisions,
};

/// Grants: permission for one turn of one session.
///
/// A grant lets the agent carry out an action that was allowed.
impl Permissions {
    /// Keeps a grant until the turn of its session ends, and returns its id. `None` if it is not kept because there are
    /// too many.
    pub fn grant(&self, grant: Grant) -> Option<String> {
        self.state().remembered.add_grant(grant)
    }

    /// Judges a request of the agent to read or write a file or to run a command: as an action of its own, and by the
    /// grants of this turn. No grant overrides a rule or a remembered decision that denies. `written` is the content
    /// that a file would get. Looks at the disk.
    pub fn judge_host_request(
        &self,
        action: &Action,
        written: Option<WholeFileChange<'_>>,
    ) -> Verdict {
        let verdict = self.judge(action);
        let is_denied = matches!(verdict, Verdict::Deny(_)) && {
            let recalled = self.recall(action);
            self.denying_rule(action).is_some() || recalled.is_some_and(|it| !it.is_allowed)
        };
        match !is_denied && self.use_grant(action, written) {
            true => Verdict::Allow(Reason::used_grant()),
            false => verdict,
        }
    }

    /// Uses a grant for an action, and returns whether one covers it. `written` is the content that a file would get.
    /// Looks at the disk if a grant comes from a remembered decision.
    #[must_use]
    pub fn use_grant(&self, action: &Action, written: Option<WholeFileChange<'_>>) -> bool {
        let needs_list = self
            .state()
            .remembered
            .has_remembered_grants(&action.session);
        let remembered = match needs_list {
            true => self.list(),
            false => Vec::new(),
        };
        self.state()
            .remembered
            .use_grant(action, written, &remembered)
    }

    /// Ends a grant before its turn does, and returns the action it was for; `None` if nothing of it was left.
    pub fn end_grant(&self, id: &str) -> Option<Action> {
        self.state().remembered.end_grant(id)
    }

    /// Ends all grants, in every session, for the command or the files of an action that was denied.
    pub fn end_grants_about(&self, denied: &Action) {
        self.state().remembered.end_grants_about(denied);
    }

    /// Ends the grants of a session, because its turn has ended, was cancelled, or a new one begins.
    pub fn end_turn(&self, session: &v1::SessionId) {
        self.state().remembered.end_turn(session);
    }
}

/// Decisions as records.
impl Permissions {
    /// A decision as a record. It counts after [`restore`](Permissions::restore). `None` where nothing is remembered:
    /// the scope is once, or a protected file would be changed.
    ///
    /// Records can be serialised. An owner with a journal writes the record there first and then restores it; everyone
    /// else uses [`remember`](Permissions::remember).
    pub fn record(&self, action: &Action, decision: &Decision) -> Option<RememberedDecision> {
        self.record_of(action, decision, self.exactly(action))
    }

    /// Makes a decision for a session count, and returns whether it does: decisions with other scopes are in the file
    /// of decisions.
    pub fn restore(&self, record: RememberedDecision) -> bool {
        let is_for_session = record.scope == Scope::Session && record.session.is_some();
        if is_for_session {
            self.state().add_decision(record);
        }
        is_for_session
    }

    /// The remembered decision on an action, regardless of rules and preset. One that denies takes precedence over one
    /// that allows. Permission to change a protected file is never remembered. Looks at the disk.
    pub fn recall(&self, action: &Action) -> Option<RememberedDecision> {
        let store = self.refreshed_store();
        let (own, directories) = self.state().context_of(action);
        let facts = ActionFacts::of(action, &directories);
        let now = seconds((self.config.clock)());
        find_decision(own.iter().chain(stored_decisions(&store)), &facts, now)
            .filter(|found| !(found.is_allowed && facts.is_asked_each_time()))
            .cloned()
    }

    pub(super) fn record_of(
        &self,
        action: &Action,
        decision: &Decision,
        subject: DecisionSubject,
    ) -> Option<RememberedDecision> {
        let is_asked = || {
            let directories = self.state().directories(&action.session).to_vec();
            let facts = ActionFacts::of(action, &directories);
            action.is_asked_each_time() || facts.may_name_protected()
        };
        let is_once = decision.scope == Scope::Once || (decision.is_allowed && is_asked());
        (!is_once)
            .then(|| RememberedDecision::new(action, decision, subject, (self.config.clock)()))
    }

    /// Exactly this action, with its files as the user was shown them. Looks at the disk unless that was done before.
    pub(super) fn exactly(&self, action: &Action) -> DecisionSubject {
        let shown = match &action.on_disk {
            Some(_) => action.disk(),
            None => self.with_disk(action.clone()).disk(),
        };
        DecisionSubject::Exactly(bound(action, &shown))
    }

    /// The action with its files as they are on the disk now, to be shown and remembered that way. Looks at the disk.
    pub fn with_disk(&self, action: Action) -> Action {
        let directories = self.state().directories(&action.session).to_vec();
        action.with_disk(&directories)
    }
}

/// The digest that a decision is bound to. A decision on a class of actions is about no file.
pub(super) fn bound(action: &Action, files: &ResolvedFiles) -> String {
    let subject = action.subject.to_string();
    match action.is_class {
        true => subject,
        false => files.bind(&subject),
    }
}

/// Rules alone, without remembered decisions and preset.
impl Permissions {
    /// The rule of the policy that asks about an action.
    pub fn asking_rule(&self, action: &Action) -> Option<Reason> {
        let directories = self.state().directories(&action.session).to_vec();
        let facts = ActionFacts::of(action, &directories);
        let policy = self.config.policy.as_ref()?;
        let asking = policy.ask.catching(&facts);
        asking
            .or_else(|| policy.escalate.catching(&facts))
            .map(rule_reason)
    }
}

/// What is enforced in addition to the verdict.
impl Permissions {
    /// Sets what is enforced from now on, for everything that these permissions judge. Call it once the agent and its
    /// commands run under that enforcement, and again when they no longer do.
    pub fn enforce(&self, enforcement: Enforcement) {
        self.state().enforcement = enforcement;
    }

    /// What is enforced now.
    pub fn enforcement(&self) -> Enforcement {
        self.state().enforcement
    }
}
