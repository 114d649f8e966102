//! The command rules of a policy, as they are enforced when a program is executed.

use attache_schema::v1;

use super::rules::Rule;
use super::{Action, Permissions, Reason, RememberedDecision, Verdict, rule_reason};
use crate::exec::{ExecRule, ExecRules};

impl Permissions {
    /// The command rules of the policy for one agent, to be enforced when a program is executed. Rules that also name a
    /// tool are left out: which tool runs a program can't be seen there.
    pub fn exec_rules(&self, agent: &str) -> ExecRules {
        let Some(policy) = &self.config.policy else {
            return ExecRules::default();
        };
        let catches = |rule: &&Rule| rule.is_about_programs() && rule.is_for_any_name(agent);
        let exec_rule = |rule: &Rule, is_denial| ExecRule {
            why: rule_reason(rule).to_string(),
            is_denial,
            commands: rule.commands.iter().map(ToString::to_string).collect(),
            paths: rule.paths.iter().map(ToString::to_string).collect(),
        };
        let deny = policy
            .deny
            .iter()
            .filter(catches)
            .map(|rule| exec_rule(rule, true));
        let ask = policy
            .ask
            .iter()
            .filter(catches)
            .map(|rule| exec_rule(rule, false));
        let allow = policy.allow.iter();
        let allow = allow
            .filter(|rule| rule.is_about_programs() && rule.paths.is_empty() && rule.is_for(agent));
        let allowed = allow
            .flat_map(|rule| &rule.commands)
            .map(ToString::to_string);
        let mut left = policy.deny.iter().chain(policy.ask.iter());
        ExecRules {
            rules: deny.chain(ask).collect(),
            allowed: allowed.collect(),
            is_attended: self.config.can_ask(),
            // A rule that is left out is applied only to what an agent says, if at all.
            is_complete: left.all(|rule| {
                rule.commands.is_empty() || (rule.is_about_programs() && rule.paths.is_empty())
            }),
            ..ExecRules::default()
        }
    }
}

/// Requests to execute programs.
impl Permissions {
    /// Judges a program that waits to be executed because some rule asks about it. What the user allowed before counts:
    /// a remembered decision, or a grant of this turn for the same words in the same directory, which is used up. Rules
    /// and defaults that allow do not count: the rule that asks was checked on what is really executed. Looks at the
    /// disk.
    pub fn judge_exec(&self, action: &Action) -> Verdict {
        if let Some(reason) = self.denying_rule(action) {
            return Verdict::Deny(reason);
        }
        let recalled = self.recall(action);
        let reason = |found: &RememberedDecision| {
            Reason::new(format!(
                "remembered decision {} ({})",
                found.id, found.scope
            ))
        };
        match (recalled, self.config.can_ask()) {
            (Some(found), _) if !found.is_allowed => Verdict::Deny(reason(&found)),
            (_, false) => {
                let why = "a rule asks about it, and nobody can be asked".to_owned();
                Verdict::Deny(Reason::new(why))
            }
            (Some(found), _) => Verdict::Allow(reason(&found)),
            (None, _) if self.use_grant(action, None) => Verdict::Allow(Reason::used_grant()),
            (None, _) => Verdict::Ask,
        }
    }
}

impl Rule {
    /// Whether the rule applies when a program is executed.
    pub(super) fn is_about_programs(&self) -> bool {
        !self.commands.is_empty()
            && self.tools.is_empty()
            && self.words.is_empty()
            && (self.kinds.is_empty() || self.kinds.contains(&v1::ToolKind::Execute))
    }
}
