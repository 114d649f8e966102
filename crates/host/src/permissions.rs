//! Permissions: one verdict for every action of an agent. Rules that deny come first, then what the user decided
//! before, then the other rules and the preset, then the user.

mod action;
mod command;
mod denied_action;
mod exec_rules;
mod expiry;
mod facts;
mod grants;
mod path_pattern;
mod path_rules;
mod path_views;
mod paths;
mod pattern_files;
mod policy;
mod records;
mod remembered;
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
pub use expiry::{Expiry, ExpiryError};
pub use grants::{Grant, GrantedBy, ShownChange, ShownContent, WholeFileChange};
pub use path_pattern::PathPattern;
pub use path_rules::PathRules;
pub use policy::{Policy, PolicyError, PolicyWarning, RuleAction};
pub use remembered_decision::{ActionPattern, DecisionSubject, RememberedDecision, WorkspaceId};
pub use request_options::{option_allows, option_label, pick_option};
pub use resolved_files::{Protection, ResolvedFile, ResolvedFiles};
pub use state::DecisionFilter;
pub use vocabulary::{
    Decision, Enforcement, PermissionConfig, Preset, Reason, Scope, StoreWarning, Verdict,
};

pub(crate) use command::base_name;
pub(crate) use command::options::subcommands;
pub(crate) use command::pattern::CommandMatch;
pub(crate) use path_rules::{PathRule, RuleReach};
pub(crate) use path_views::{PathViews, word_values};
pub(crate) use paths::normal_path;
pub(crate) use resolved_files::PathLookups;

use facts::ActionFacts;
use remembered_decision::seconds;
use rules::Rule;
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

    /// Reads the rules and what was remembered before. A file of decisions that can't be trusted counts as empty and
    /// yields a warning to show.
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

    /// Judges an action. After a tool call has changed, judge it again. Decisions made by other processes count from
    /// the next call on. Looks at the disk.
    pub fn judge(&self, action: &Action) -> Verdict {
        let store = self.refreshed_store();
        let (own, directories) = self.state().context_of(action);
        let facts = ActionFacts::of(action, &directories);
        let none = Policy::default();
        let policy = self.config.policy.as_ref().unwrap_or(&none);
        if let Some(rule) = policy.deny.catching(&facts) {
            return Verdict::Deny(rule_reason(rule));
        }
        if self.config.preset == Preset::DenyAll {
            return Verdict::Deny(Reason::new(&self.config.preset_source));
        }
        let doubt = self.doubt(&facts, policy);
        let now = seconds((self.config.clock)());
        if let Some(remembered) =
            find_decision(own.iter().chain(stored_decisions(&store)), &facts, now)
        {
            let reason = Reason::new(format!(
                "remembered decision {} ({})",
                remembered.id, remembered.scope
            ));
            if !remembered.is_allowed {
                return Verdict::Deny(reason);
            }
            let is_certain =
                matches!(remembered.subject, DecisionSubject::Exactly(_)) || !doubt.is_strong();
            if is_certain && !facts.is_asked_each_time() {
                return Verdict::Allow(reason);
            }
        }
        let verdict = self
            .judge_by_policy(&facts, policy, &doubt)
            .unwrap_or_else(|| self.judge_by_preset(&facts));
        match verdict {
            Verdict::Allow(_)
                if !facts.line.variables.is_empty() && self.config.preset != Preset::ApproveAll =>
            {
                self.ask(VARIABLES)
            }
            Verdict::Allow(_) if action.is_ambiguous => self.ask(AMBIGUOUS),
            verdict => verdict,
        }
    }

    /// Whether it is certain which rules the action falls under. What is enforced while the agent acts needs no
    /// certainty here.
    fn doubt(&self, facts: &ActionFacts<'_>, policy: &Policy) -> Doubt {
        let enforcement = self.enforcement();
        let rules = [&policy.deny, &policy.ask];
        let about_commands = rules.iter().any(|rules| rules.are_about_commands());
        let about_paths = rules.iter().any(|rules| rules.are_about_paths());
        if about_commands && !enforcement.commands {
            if let Some(why) = facts.hides_commands() {
                return Doubt::Strong(why);
            }
            if rules.iter().any(|rules| rules.may_catch(facts)) {
                return Doubt::Strong("it is unknown which of its words a program gets");
            }
        }
        // No rule can ask while a file is being opened, and no rule covers a file that is created or renamed later.
        let is_covered = enforcement.paths && !policy.ask.are_about_paths();
        let missing = self.state().missing.clone();
        let is_open = policy.deny.have_wildcards() || !missing.is_empty();
        let is_left = about_paths && (!is_covered || is_open);
        if is_left
            && !is_covered
            && let Some(why) = facts.hides_paths()
        {
            return Doubt::Strong(why);
        }
        if facts.action.command.is_some() && missing.iter().any(|it| facts.touches(it)) {
            return Doubt::Weak(LATER_FILE);
        }
        // Files that exist now are out of reach, so a rule on the command can allow it.
        if is_left && is_covered && facts.hides_paths().is_some() {
            return Doubt::Parts(LATER_FILE);
        }
        if rules.iter().any(|rules| rules.may_be_aliased(facts)) {
            return Doubt::Parts(ALIAS);
        }
        let is_open = about_commands && !enforcement.commands;
        match facts.runs_unknown() {
            true if is_open || (is_left && !is_covered) => Doubt::Parts(UNKNOWN_PROGRAM),
            true if is_left => Doubt::Parts(LATER_FILE),
            _ => Doubt::None,
        }
    }

    /// The rule of the policy that denies the action. Nothing overrules it.
    pub fn denying_rule(&self, action: &Action) -> Option<Reason> {
        let directories = self.state().directories(&action.session).to_vec();
        let facts = ActionFacts::of(action, &directories);
        let rule = self.config.policy.as_ref()?.deny.catching(&facts);
        rule.map(rule_reason)
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

    /// Forgets a decision and returns it, or `None` if there is none with that id.
    ///
    /// # Errors
    ///
    /// If the file of decisions can't be written.
    pub fn revoke(&self, id: &str) -> Result<Option<RememberedDecision>, StoreError> {
        let mut removed = self.remove(|remembered| remembered.id == id)?;
        Ok(removed.pop())
    }

    /// Makes a remembered decision expire after a time from now, or never, and returns it; `None` if there is none with
    /// that id.
    ///
    /// # Errors
    ///
    /// If the file of decisions can't be written.
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
    /// If the file of decisions can't be written.
    pub fn clear(&self, filter: &DecisionFilter) -> Result<usize, StoreError> {
        let removed = self.remove(|remembered| filter.fits(remembered))?;
        Ok(removed.len())
    }

    /// Returns a problem with the file of decisions, each one once.
    pub fn fault(&self) -> Option<String> {
        self.state().fault()
    }

    fn judge_by_policy(
        &self,
        facts: &ActionFacts<'_>,
        policy: &Policy,
        doubt: &Doubt,
    ) -> Option<Verdict> {
        if facts.is_cut() {
            return Some(self.ask("it names more files than can be checked"));
        }
        if let Some(rule) = policy.ask.catching(facts) {
            return Some(self.ask(&format!(
                "{} asks, and nobody can be asked",
                rule_reason(rule)
            )));
        }
        if let Some(rule) = policy.allow.spelling_out(facts) {
            return Some(Verdict::Allow(rule_reason(rule)));
        }
        if let Doubt::Strong(why) = doubt {
            return Some(self.ask(&format!("a rule may deny it: {why}")));
        }
        if let Some(rule) = policy.allow.allowing(facts) {
            return Some(Verdict::Allow(rule_reason(rule)));
        }
        if let Some(rule) = policy.escalate.catching(facts) {
            return Some(self.ask(&format!(
                "{} asks, and nobody can be asked",
                rule_reason(rule)
            )));
        }
        let open = match doubt {
            Doubt::Parts(_) if policy.allow.cover_doubtful_parts(facts) => None,
            Doubt::Parts(why) | Doubt::Weak(why) => Some(why),
            Doubt::None | Doubt::Strong(_) => None,
        };
        if let Some(why) = open {
            return Some(self.ask(&format!(
                "a rule may deny it: {why}; a rule can allow this command"
            )));
        }
        match policy.default? {
            RuleAction::Allow if facts.is_protected() => Some(self.ask(PROTECTED)),
            RuleAction::Allow => Some(Verdict::Allow(Reason::new("default of the policy"))),
            RuleAction::Ask => Some(self.ask("the policy asks, and nobody can be asked")),
            RuleAction::Deny => Some(Verdict::Deny(Reason::new("default of the policy"))),
        }
    }

    fn judge_by_preset(&self, facts: &ActionFacts<'_>) -> Verdict {
        let reads = facts.only_reads_inside();
        let reason = |text: &str| Reason::new(text);
        let preset = || Reason::new(&self.config.preset_source);
        match self.config.preset {
            Preset::DenyAll => Verdict::Deny(preset()),
            Preset::ApproveAll if facts.is_protected() => self.ask(PROTECTED),
            Preset::ApproveAll => Verdict::Allow(preset()),
            Preset::ApproveReads if reads => Verdict::Allow(preset()),
            Preset::ApproveReads => Verdict::Deny(preset()),
            Preset::Ask if reads => Verdict::Allow(reason("reading inside the workspace")),
            Preset::Ask => Verdict::Ask,
        }
    }

    /// Asks the user; where nobody can be asked, denies with this reason.
    fn ask(&self, why_not: &str) -> Verdict {
        match self.config.can_ask() {
            true => Verdict::Ask,
            false => Verdict::Deny(Reason::new(why_not)),
        }
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

    /// Writes a decision to disk if it outlives the process, and keeps it in memory otherwise.
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

/// How certain it is which rules an action falls under.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Doubt {
    None,
    /// The action runs a program about which nothing is known, or that may reach a file which matches a pattern only
    /// later. Once rules allow the parts of the line that do so, the other parts are judged like any command.
    Parts(&'static str),
    /// It names a file that a rule denies and that does not exist yet. Only a rule for the whole command allows it.
    Weak(&'static str),
    /// It may be something that a rule denies or asks about. Only a rule or a decision for exactly this action allows
    /// it.
    Strong(&'static str),
}

const UNKNOWN_PROGRAM: &str = "its program may do more than its words say";
const LATER_FILE: &str = "it may create or reach another file that a path rule denies, by a pattern or because it does not exist \
    yet; a rule on an existing directory, such as `./secrets`, has no such gap";
const ALIAS: &str = "its subcommand is not built in and may be an alias";

impl Doubt {
    fn is_strong(self) -> bool {
        matches!(self, Doubt::Strong(_))
    }
}

/// The remembered decision that applies to an action. One that denies takes precedence over those that allow.
fn find_decision<'a>(
    all: impl Iterator<Item = &'a RememberedDecision>,
    facts: &ActionFacts<'_>,
    now: u64,
) -> Option<&'a RememberedDecision> {
    let agent = &facts.action.agent;
    let mut own = all
        .filter(|remembered| remembered.agent == *agent)
        .peekable();
    own.peek()?;
    let workspace = WorkspaceId::at(&facts.action.workspace);
    let fitting = own.filter(|remembered| remembered.applies_to(facts, &workspace, now));
    fitting.min_by_key(|remembered| remembered.is_allowed)
}

fn stored_decisions(store: &Option<DecisionStore>) -> impl Iterator<Item = &RememberedDecision> {
    store.iter().flat_map(DecisionStore::decisions)
}

fn rule_reason(rule: &Rule) -> Reason {
    Reason::new(match &rule.reason {
        Some(reason) => format!("policy rule `{}`: {reason}", rule.id),
        None => format!("policy rule `{}`", rule.id),
    })
}

const VARIABLES: &str = "it sets variables that change what the command does";
const AMBIGUOUS: &str = "a member occurs twice in its input, so it is unclear what it does";
const PROTECTED: &str = "it would change a protected file";
