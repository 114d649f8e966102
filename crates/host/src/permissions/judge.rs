//! Judges actions: by rules that deny, remembered decisions, the other rules, the preset, and the grants of a turn.

use super::facts::ActionFacts;
use super::grants::WholeFileChange;
use super::remembered_decision::seconds;
use super::rules::Rule;
use super::{
    Action, DecisionSubject, Permissions, Policy, Preset, Reason, RememberedDecision, RuleAction,
    Verdict, WorkspaceId, stored_decisions,
};

impl Permissions {
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
            let reason = remembered.reason();
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

    /// Judges a program that waits to be executed because a rule asks about it. Permission that the user gave before
    /// counts: a remembered decision, or a grant of this turn for the same words in the same directory, which is used
    /// up. Rules and defaults that allow do not count: the rule that asks was checked on the executed program itself.
    /// Looks at the disk.
    pub fn judge_exec(&self, action: &Action) -> Verdict {
        if let Some(reason) = self.denying_rule(action) {
            return Verdict::Deny(reason);
        }
        let recalled = self.recall(action);
        match (recalled, self.config.can_ask()) {
            (Some(found), _) if !found.is_allowed => Verdict::Deny(found.reason()),
            (_, false) => {
                let why = "a rule asks about it, and nobody can be asked".to_owned();
                Verdict::Deny(Reason::new(why))
            }
            (Some(found), _) => Verdict::Allow(found.reason()),
            (None, _) if self.use_grant(action, None) => Verdict::Allow(Reason::used_grant()),
            (None, _) => Verdict::Ask,
        }
    }

    /// The rule of the policy that denies the action. Nothing overrules it.
    pub fn denying_rule(&self, action: &Action) -> Option<Reason> {
        let directories = self.state().directories(&action.session).to_vec();
        let facts = ActionFacts::of(action, &directories);
        let rule = self.config.policy.as_ref()?.deny.catching(&facts);
        rule.map(rule_reason)
    }

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

    /// How certain it is which rules the action falls under. Rules that are enforced while the agent acts raise no
    /// doubt here.
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
            RuleAction::Allow if facts.is_protected() => Some(self.ask(facts.why_protected())),
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
            Preset::ApproveAll if facts.is_protected() => self.ask(facts.why_protected()),
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
}

/// How certain it is which rules an action falls under.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Doubt {
    None,
    /// The action runs a program about which nothing is known, or that may reach a file which matches a pattern only
    /// later. Once rules allow the parts of the line that do so, the other parts are judged like any command.
    Parts(&'static str),
    /// The action names a file that a rule denies and that does not exist yet. Only a rule for the whole command allows
    /// it.
    Weak(&'static str),
    /// A deny or ask rule may apply to the action. Only a rule or a decision for exactly this action allows it.
    Strong(&'static str),
}

impl Doubt {
    fn is_strong(self) -> bool {
        matches!(self, Doubt::Strong(_))
    }
}

/// The remembered decision that applies to an action. One that denies takes precedence over those that allow.
pub(super) fn find_decision<'a>(
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

pub(super) fn rule_reason(rule: &Rule) -> Reason {
    Reason::new(match &rule.reason {
        Some(reason) => format!("policy rule `{}`: {reason}", rule.id),
        None => format!("policy rule `{}`", rule.id),
    })
}

const UNKNOWN_PROGRAM: &str = "its program may do more than its words say";
const LATER_FILE: &str = "it may create or reach another file that a path rule denies, by a pattern or because it does not exist \
    yet; a rule on an existing directory, such as `./secrets`, has no such gap";
const ALIAS: &str = "its subcommand is not built in and may be an alias";
const VARIABLES: &str = "it sets variables that change what the command does";
const AMBIGUOUS: &str = "a member occurs twice in its input, so it is unclear what it does";
