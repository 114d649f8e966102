//! The command rules of a policy in the form in which they are enforced when a program is executed.

use attache_schema::v1;

use super::rules::Rule;
use super::{Permissions, Preset, action, by};
use crate::exec::{ExecRule, ExecRules};

impl Permissions {
    /// The command rules of the policy for one agent, to be enforced when a program is executed. Rules that also name a
    /// tool or a path are not among them: neither can be seen there.
    pub fn exec_rules(&self, agent: &str) -> ExecRules {
        let Some(policy) = &self.config.policy else {
            return ExecRules::default();
        };
        let catches = |rule: &&Rule| {
            is_about_programs(rule) && action::names(agent).any(|name| rule.is_for(name))
        };
        let exec_rule = |rule: &Rule, is_denial| ExecRule {
            why: by(rule).0,
            is_denial,
            commands: rule.commands.iter().map(ToString::to_string).collect(),
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
        let allow = allow.filter(|rule| is_about_programs(rule) && rule.is_for(agent));
        let allowed = allow
            .flat_map(|rule| &rule.commands)
            .map(ToString::to_string);
        let mut left = policy.deny.iter().chain(policy.ask.iter());
        ExecRules {
            rules: deny.chain(ask).collect(),
            allowed: allowed.collect(),
            is_attended: self.config.preset == Preset::Ask,
            // A rule that is left out is kept by what an agent tells, if at all.
            is_complete: left.all(|rule| rule.commands.is_empty() || is_about_programs(rule)),
            ..ExecRules::default()
        }
    }
}

fn is_about_programs(rule: &Rule) -> bool {
    !rule.commands.is_empty()
        && rule.tools.is_empty()
        && rule.paths.is_empty()
        && rule.words.is_empty()
        && (rule.kinds.is_empty() || rule.kinds.contains(&v1::ToolKind::Execute))
}
