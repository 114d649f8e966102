//! One verdict for every question an agent asks: rules that deny first, then what was decided before, then the policy,
//! then a person.

mod answer;
mod command;
mod facts;
mod glob;
mod memory;
mod paths;
mod policy;
mod question;
mod rules;
mod state;
mod store;
mod term;
mod terms;
#[cfg(test)]
mod tests;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use attache_schema::v1;

pub use crate::private::Error as StoreError;
pub use answer::{label, outcome, outcome_within};
pub use command::CommandPattern;
pub use glob::PathPattern;
pub use memory::{Pattern, Remembered, What, Workspace};
pub use policy::{Action, Policy, PolicyError};
pub use question::{Digest, Question};
pub use state::Filter;
pub use term::{Term, TermError};
pub use terms::{Because, Config, Decision, Preset, Scope, Verdict, Warning};

use command::Reading;
use facts::Facts;
use memory::seconds;
use rules::Rule;
use state::State;

/// Rules, remembered decisions and a preset. Clones share what is remembered.
#[derive(Debug, Clone)]
pub struct Permissions {
    config: Arc<Config>,
    state: Arc<Mutex<State>>,
}

impl Permissions {
    /// Only a preset: no rules, nothing remembered.
    pub fn preset(preset: Preset) -> Permissions {
        Permissions::new(Config::new(preset))
    }

    /// With what was remembered before. A file that cannot be trusted counts as empty, and that is a warning to show.
    pub fn open(config: Config) -> (Permissions, Vec<Warning>) {
        let permissions = Permissions::new(config);
        let warnings = {
            let mut state = permissions.state();
            state.refresh();
            state.warnings()
        };
        (permissions, warnings)
    }

    fn new(config: Config) -> Permissions {
        Permissions {
            state: Arc::new(Mutex::new(State::new(config.store.clone()))),
            config: Arc::new(config),
        }
    }

    /// Judges a question. One whose tool call has changed is another question. Decisions of other processes count from
    /// the next question on.
    pub fn judge(&self, question: &Question) -> Verdict {
        let mut state = self.state();
        state.refresh();
        let facts = Facts::of(question, state.directories(&question.session));
        let none = Policy::default();
        let policy = self.config.policy.as_ref().unwrap_or(&none);
        if let Some(rule) = policy.deny.catching(&facts) {
            return Verdict::Deny(by(rule));
        }
        if let Some(remembered) = state.recall(&facts, seconds((self.config.clock)())) {
            let because = Because(format!(
                "remembered decision {} ({})",
                remembered.id, remembered.scope
            ));
            if !remembered.is_allowed {
                return Verdict::Deny(because);
            }
            if self.config.preset != Preset::DenyAll && !question.is_protected() {
                return Verdict::Allow(because);
            }
        }
        self.judge_by_policy(&facts, policy)
            .unwrap_or_else(|| self.judge_by_preset(&facts))
    }

    /// The rule of the policy that denies it, which nothing else overrules.
    pub fn forbids(&self, question: &Question) -> Option<Because> {
        let state = self.state();
        let facts = Facts::of(question, state.directories(&question.session));
        let rule = self.config.policy.as_ref()?.deny.catching(&facts);
        rule.map(by)
    }

    /// Remembers what a person has decided on a question, as far as the scope reaches. Leave to change a protected file
    /// holds once, whatever the scope. A decision that cannot be stored holds until the program ends, and
    /// [`fault`](Self::fault) says so. Writes to disk.
    pub fn remember(&self, question: &Question, decision: &Decision) {
        self.keep(
            question,
            decision,
            What::Exactly(question.subject.to_string()),
        );
    }

    /// Remembers a decision for all that fits a pattern which the person chose. Never offer one that an agent wrote.
    pub fn remember_pattern(&self, question: &Question, decision: &Decision, pattern: &Pattern) {
        self.keep(question, decision, What::from(pattern));
    }

    /// More directories that count as inside, for one session.
    pub fn add_directories(&self, session: &v1::SessionId, directories: &[PathBuf]) {
        self.state().add_directories(session, directories);
    }

    /// Forgets what was decided for a session.
    pub fn end_session(&self, session: &v1::SessionId) {
        self.state().end_session(session);
    }

    /// All that is remembered and still holds.
    pub fn list(&self) -> Vec<Remembered> {
        let mut state = self.state();
        state.refresh();
        state.list(seconds((self.config.clock)()))
    }

    /// Forgets a decision and returns it; `None` if there is none of that id.
    ///
    /// # Errors
    ///
    /// When the store cannot be written.
    pub fn revoke(&self, id: &str) -> Result<Option<Remembered>, StoreError> {
        let mut removed = self.state().remove(|remembered| remembered.id == id)?;
        Ok(removed.pop())
    }

    /// Has a decision that is remembered end after a time from now, or never, and returns it; `None` if there is none of
    /// that id.
    ///
    /// # Errors
    ///
    /// When the store cannot be written.
    pub fn expire(&self, id: &str, term: Term) -> Result<Option<Remembered>, StoreError> {
        let expires = self.end_of(term).map(seconds);
        self.state().expire(id, expires)
    }

    /// When a decision ends that is made now.
    pub fn end_of(&self, term: Term) -> Option<SystemTime> {
        match term {
            Term::Endless => None,
            Term::For(time) => (self.config.clock)().checked_add(time),
        }
    }

    /// Forgets all decisions that fit, and says how many.
    ///
    /// # Errors
    ///
    /// When the store cannot be written.
    pub fn clear(&self, filter: &Filter) -> Result<usize, StoreError> {
        let removed = self.state().remove(|remembered| filter.fits(remembered))?;
        Ok(removed.len())
    }

    /// Something that went wrong with the store, once.
    pub fn fault(&self) -> Option<String> {
        self.state().fault()
    }

    fn judge_by_policy(&self, facts: &Facts<'_>, policy: &Policy) -> Option<Verdict> {
        let has_limits = policy.deny.are_about_commands() && facts.reading == Reading::Unreadable;
        if has_limits || (!policy.deny.is_empty() && facts.is_cut()) {
            return Some(self.ask("it cannot be told whether a rule denies it"));
        }
        if let Some(rule) = policy.ask.catching(facts) {
            return Some(self.ask(&format!("{} asks and nobody is there", by(rule))));
        }
        if let Some(rule) = policy.allow.allowing(facts) {
            return Some(Verdict::Allow(by(rule)));
        }
        if let Some(rule) = policy.escalate.catching(facts) {
            return Some(self.ask(&format!("{} asks and nobody is there", by(rule))));
        }
        match policy.default? {
            Action::Allow if facts.question.is_protected() => Some(self.ask(PROTECTED)),
            Action::Allow => Some(Verdict::Allow(Because("default of the policy".to_owned()))),
            Action::Ask => Some(self.ask("the policy asks and nobody is there")),
            Action::Deny => Some(Verdict::Deny(Because("default of the policy".to_owned()))),
        }
    }

    fn judge_by_preset(&self, facts: &Facts<'_>) -> Verdict {
        let reads = matches!(
            facts.kind(),
            v1::ToolKind::Read | v1::ToolKind::Search | v1::ToolKind::Think
        );
        let reads = reads && facts.is_inside() && !facts.is_cut();
        let because = |text: &str| Because(text.to_owned());
        match self.config.preset {
            Preset::DenyAll => Verdict::Deny(because("--deny-all")),
            Preset::ApproveAll if facts.question.is_protected() => {
                Verdict::Deny(because(PROTECTED))
            }
            Preset::ApproveAll => Verdict::Allow(because("--approve-all")),
            Preset::ApproveReads if reads => Verdict::Allow(because("--approve-reads")),
            Preset::ApproveReads => Verdict::Deny(because("--approve-reads")),
            Preset::Ask if reads => Verdict::Allow(because("reading inside the workspace")),
            Preset::Ask => Verdict::Ask,
        }
    }

    /// A person is asked; where nobody is, it is denied.
    fn ask(&self, why_not: &str) -> Verdict {
        match self.config.preset {
            Preset::Ask => Verdict::Ask,
            _ => Verdict::Deny(Because(why_not.to_owned())),
        }
    }

    fn keep(&self, question: &Question, decision: &Decision, what: What) {
        let is_once =
            decision.scope == Scope::Once || (decision.is_allowed && question.is_protected());
        if is_once {
            return;
        }
        let now = (self.config.clock)();
        let remembered = Remembered::new(question, decision, what, now);
        self.state().keep(remembered, seconds(now));
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn by(rule: &Rule) -> Because {
    Because(match &rule.reason {
        Some(reason) => format!("policy rule `{}`: {reason}", rule.id),
        None => format!("policy rule `{}`", rule.id),
    })
}

const PROTECTED: &str = "it would change a protected file";
