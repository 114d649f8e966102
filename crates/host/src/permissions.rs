//! Permissions: one verdict for every action of an agent, and what the user decided before. Rules that deny come
//! first, then remembered decisions, then the other rules and the preset, then the user.

mod action;
mod command;
mod denied_action;
mod enforced_rules;
mod facts;
mod grants;
mod judge;
mod path_pattern;
mod path_views;
mod paths;
mod pattern_files;
mod policy;
mod remembered_decision;
mod request_options;
mod resolved_files;
mod rules;
mod state;
mod store;
#[cfg(test)]
mod tests;
mod vocabulary;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use attache_schema::v1;

pub use action::{Action, Digest, UnknownTexts};
pub use attache_disk::private::Error as StoreError;
pub use command::line::{Redirection, ShellLine, ShellWord, SimpleCommand};
pub use command::pattern::CommandPattern;
pub use enforced_rules::PathRules;
pub use grants::{
    ChangeSinceAllowed, ComparedChange, ContentBefore, DiskComparison, Grant, GrantedBy,
    ShownChange, ShownContent, WholeFileChange,
};
pub use path_pattern::PathPattern;
pub use policy::{Policy, PolicyError, PolicyWarning, RuleAction};
pub use remembered_decision::{ActionPattern, DecisionSubject, RememberedDecision, WorkspaceId};
pub use request_options::{MAX_OPTIONS, option_allows, option_label, pick_option};
pub use resolved_files::{Protection, ResolvedFile, ResolvedFiles};
pub use state::DecisionFilter;
pub use vocabulary::{
    Decision, Enforcement, Expiry, ExpiryError, PermissionConfig, Preset, Reason, Scope,
    StoreWarning, Verdict,
};

pub(crate) use command::base_name;
pub(crate) use command::options::{names_git_script, subcommands};
pub(crate) use command::pattern::CommandMatch;
pub(crate) use enforced_rules::{PathRule, RuleReach};
pub(crate) use path_views::{PathViews, WordPaths};
pub(crate) use paths::normal_path;
pub(crate) use resolved_files::PathLookups;

use facts::ActionFacts;
use judge::find_decision;
use remembered_decision::{bound, seconds};
use state::PermissionState;
use store::DecisionStore;

/// Rules, remembered decisions and a preset, which together judge actions. Clones share what is remembered.
///
/// Methods that are documented to look at the disk may block on it. All others never block, even while another clone
/// waits for the disk.
#[derive(Debug, Clone)]
pub struct Permissions {
    config: Arc<PermissionConfig>,
    state: Arc<Mutex<PermissionState>>,
    /// Held while the disk is accessed. Lock this before `state`, never the other way round.
    store: Arc<Mutex<Option<DecisionStore>>>,
}

impl Permissions {
    /// Permissions with a preset alone: no rules and nothing remembered.
    pub fn preset(preset: Preset) -> Permissions {
        Permissions::new(PermissionConfig::new(preset))
    }

    /// Permissions with these settings and the stored decisions. A file of decisions that can't be trusted counts as
    /// empty and yields a warning to show.
    pub fn open(config: PermissionConfig) -> (Permissions, Vec<StoreWarning>) {
        let permissions = Permissions::new(config);
        drop(permissions.refreshed_store());
        let warnings = permissions.state().warnings();
        (permissions, warnings)
    }

    fn new(config: PermissionConfig) -> Permissions {
        Permissions {
            state: Arc::new(Mutex::new(PermissionState::new(config.enforcement))),
            store: Arc::new(Mutex::new(config.store.clone().map(DecisionStore::at))),
            config: Arc::new(config),
        }
    }

    /// Remembers the user's decision on an action for its scope and returns the record; [`revoke`](Self::revoke) takes
    /// its id. Returns `None` where nothing is remembered: the scope is once, or a protected file would be changed. A
    /// decision that can't be stored lasts until the process ends, and [`fault`](Self::fault) reports it. Returns once
    /// the decision is on disk.
    pub fn remember(&self, action: &Action, decision: &Decision) -> Option<RememberedDecision> {
        self.remember_subject(action, decision, self.exactly(action))
    }

    /// Remembers a decision for every action that fits a pattern the user chose. Never pass a pattern that an agent
    /// wrote.
    pub fn remember_pattern(
        &self,
        action: &Action,
        decision: &Decision,
        pattern: &ActionPattern,
    ) -> Option<RememberedDecision> {
        self.remember_subject(action, decision, DecisionSubject::from(pattern))
    }

    /// Sets the directories of a session that count as inside, beside its workspace.
    pub fn add_directories(&self, session: &v1::SessionId, directories: &[PathBuf]) {
        self.state().add_directories(session, directories);
    }

    /// Forgets the decisions for a session and ends its grants.
    pub fn end_session(&self, session: &v1::SessionId) {
        self.state().end_session(session);
    }

    /// All remembered decisions that have not expired.
    pub fn list(&self) -> Vec<RememberedDecision> {
        let store = self.refreshed_store();
        let now = seconds((self.config.clock)());
        let state = self.state();
        let all = state.remembered.decisions().chain(stored_decisions(&store));
        all.filter(|remembered| !remembered.has_expired(now))
            .cloned()
            .collect()
    }

    /// Forgets a decision and returns it; `None` if no decision has that id.
    ///
    /// # Errors
    ///
    /// When the file of decisions can't be written.
    pub fn revoke(&self, id: &str) -> Result<Option<RememberedDecision>, StoreError> {
        let mut removed = self.remove(|remembered| remembered.id == id)?;
        Ok(removed.pop())
    }

    /// Makes a remembered decision expire after a time from now, or never, and returns it; `None` if no decision has
    /// that id.
    ///
    /// # Errors
    ///
    /// When the file of decisions can't be written.
    pub fn expire(
        &self,
        id: &str,
        expiry: Expiry,
    ) -> Result<Option<RememberedDecision>, StoreError> {
        let expires = self.expiry_time(expiry).map(seconds);
        let set = |decisions: &mut Vec<RememberedDecision>| {
            let found = decisions.iter_mut().find(|it| it.id == id)?;
            found.expires = expires;
            Some(found.clone())
        };
        if let Some(found) = self.state().remembered.change_decisions(set) {
            return Ok(Some(found));
        }
        match &mut *self.store() {
            Some(store) if store.exists() => store.change(set),
            _ => Ok(None),
        }
    }

    /// When a decision that is made now expires.
    pub fn expiry_time(&self, expiry: Expiry) -> Option<SystemTime> {
        match expiry {
            Expiry::Never => None,
            Expiry::After(time) => (self.config.clock)().checked_add(time),
        }
    }

    /// Forgets all decisions that the filter selects and returns how many.
    ///
    /// # Errors
    ///
    /// When the file of decisions can't be written.
    pub fn clear(&self, filter: &DecisionFilter) -> Result<usize, StoreError> {
        let removed = self.remove(|remembered| filter.fits(remembered))?;
        Ok(removed.len())
    }

    /// Returns a problem with the file of decisions, each one once.
    pub fn fault(&self) -> Option<String> {
        self.state().fault()
    }

    fn remember_subject(
        &self,
        action: &Action,
        decision: &Decision,
        subject: DecisionSubject,
    ) -> Option<RememberedDecision> {
        let remembered = self.record_of(action, decision, subject)?;
        let now = seconds((self.config.clock)());
        if let Err(error) = self.store_decision(&remembered, now) {
            let mut state = self.state();
            state.warn(format!(
                "the decision lasts only until Attaché ends: {error}"
            ));
            state.add_decision(remembered.clone());
        }
        Some(remembered)
    }

    /// Writes a decision to disk if it lasts longer than the session, and keeps it in memory otherwise.
    fn store_decision(&self, remembered: &RememberedDecision, now: u64) -> Result<(), StoreError> {
        let mut store = self.store();
        let Some(store) = store.as_mut().filter(|_| remembered.session.is_none()) else {
            self.state().add_decision(remembered.clone());
            return Ok(());
        };
        store.change(|decisions| {
            decisions.retain(|old| !remembered.replaces(old) && !old.has_expired(now));
            decisions.push(remembered.clone());
        })
    }

    fn remove(
        &self,
        fits: impl Fn(&RememberedDecision) -> bool,
    ) -> Result<Vec<RememberedDecision>, StoreError> {
        let take = |decisions: &mut Vec<RememberedDecision>| {
            decisions
                .extract_if(.., |remembered| fits(remembered))
                .collect::<Vec<_>>()
        };
        let mut removed = self.state().remembered.change_decisions(take);
        if let Some(store) = &mut *self.store()
            && store.exists()
        {
            removed.extend(store.change(take)?);
        }
        Ok(removed)
    }

    /// The decisions as they are on disk now.
    fn refreshed_store(&self) -> MutexGuard<'_, Option<DecisionStore>> {
        let mut store = self.store();
        if let Some(Err(error)) = store.as_mut().map(DecisionStore::refresh) {
            self.state()
                .warn(format!("remembered decisions are ignored: {error}"));
        }
        store
    }

    fn store(&self) -> MutexGuard<'_, Option<DecisionStore>> {
        self.store.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn state(&self) -> MutexGuard<'_, PermissionState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Grants: permission for one turn of one session.
///
/// A grant lets the agent carry out an action that was allowed.
impl Permissions {
    /// Keeps a grant until the turn of its session ends, and returns its id. `None` if it is not kept because there are
    /// too many.
    pub fn grant(&self, grant: Grant) -> Option<String> {
        self.state().remembered.add_grant(grant)
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

    /// What has changed since an action was allowed in this turn, if no grant covers it any more for that reason.
    pub fn change_since_allowed(
        &self,
        action: &Action,
        written: Option<WholeFileChange<'_>>,
    ) -> Option<ChangeSinceAllowed> {
        self.state()
            .remembered
            .change_since_allowed(action, written)
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

    fn record_of(
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
    fn exactly(&self, action: &Action) -> DecisionSubject {
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

/// Enforcement in addition to the verdict.
impl Permissions {
    /// Sets the enforcement from now on, for every action that these permissions judge. Call it once the agent and its
    /// commands run under that enforcement, and again when they no longer do.
    pub fn enforce(&self, enforcement: Enforcement) {
        self.state().enforcement = enforcement;
    }

    /// The current enforcement.
    pub fn enforcement(&self) -> Enforcement {
        self.state().enforcement
    }
}

fn stored_decisions(store: &Option<DecisionStore>) -> impl Iterator<Item = &RememberedDecision> {
    store.iter().flat_map(DecisionStore::decisions)
}
