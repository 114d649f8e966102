//! The rules of a policy for the code that enforces them while an agent acts: on open files, in the kernel, and when a
//! program is executed.

use std::fmt;
use std::sync::Arc;

use attache_schema::v1;

use super::judge::rule_reason;
use super::path_pattern::PathPattern;
use super::rules::Rule;
use super::{Enforcement, Permissions, Policy};
use crate::exec::{ExecRule, ExecRules};

/// The deny rules of a policy that name paths, for one agent. Rules that also name a tool or a command are left out:
/// they say nothing about other tools. Clones share the rules.
#[derive(Debug, Clone, Default)]
pub struct PathRules(Arc<Vec<PathRule>>);

/// A deny rule about paths.
#[derive(Debug)]
pub(crate) struct PathRule {
    pub(crate) id: String,
    pub(crate) reach: RuleReach,
    pub(crate) patterns: Vec<PathPattern>,
}

/// The uses of its paths that a deny rule forbids.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RuleReach {
    /// Reading and changing them.
    Everything,
    /// Anything that commands do with them.
    Commands,
    /// Changing them.
    Changes,
}

impl PathRules {
    /// Whether the list is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a rule names paths by a pattern such as `*.pem`. It covers the files that match when the agent or the
    /// command starts; a command may create or reach another one later.
    pub fn have_globs(&self) -> bool {
        let mut patterns = self.0.iter().flat_map(|rule| &rule.patterns);
        patterns.any(|pattern| pattern.tree().is_none())
    }

    /// Whether some rule keeps only commands from a path. A command that an agent runs by itself can't be distinguished
    /// from the agent.
    pub(crate) fn are_about_commands(&self) -> bool {
        self.0.iter().any(|rule| rule.reach == RuleReach::Commands)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &PathRule> {
        self.0.iter()
    }
}

impl Policy {
    /// The deny rules that name paths, for an agent by its name or the path of its program.
    pub fn deny_path_rules(&self, agent: &str) -> PathRules {
        path_rules(self.deny.iter(), agent)
    }

    /// The rules that ask about paths, likewise.
    pub fn ask_path_rules(&self, agent: &str) -> PathRules {
        path_rules(self.ask.iter(), agent)
    }
}

impl Permissions {
    /// Records whether the kernel keeps the agent, and everything it starts, from the denied paths. This counts only if
    /// the kernel can enforce every rule that denies paths.
    pub(crate) fn enforce_paths(&self, agent: &str, is_enforced: bool) {
        let denied = self.config.policy.iter().flat_map(|it| it.deny.iter());
        let mut about_paths = denied.filter(|rule| !rule.paths.is_empty());
        let is_whole = about_paths.all(|rule| rule.tools.is_empty() && rule.commands.is_empty());
        let paths = is_enforced && is_whole && !self.deny_path_rules(agent).are_about_commands();
        self.enforce(Enforcement {
            paths,
            ..self.enforcement()
        });
    }

    /// Adds paths that rules spell out and that don't exist yet. Nothing can tell in advance whether a command will
    /// create one.
    pub(crate) fn expect_missing(&self, missing: impl IntoIterator<Item = PathPattern>) {
        let known = &mut self.state().missing;
        for pattern in missing {
            if !known.iter().any(|it| it.tree() == pattern.tree()) {
                known.push(pattern);
            }
        }
    }

    /// The deny rules of the policy that name paths, for an agent.
    pub fn deny_path_rules(&self, agent: &str) -> PathRules {
        let policy = self.config.policy.as_ref();
        policy.map_or_else(PathRules::default, |policy| policy.deny_path_rules(agent))
    }

    /// The rules of the policy that ask about paths, for an agent.
    pub fn ask_path_rules(&self, agent: &str) -> PathRules {
        let policy = self.config.policy.as_ref();
        policy.map_or_else(PathRules::default, |policy| policy.ask_path_rules(agent))
    }
}

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

impl Rule {
    /// Whether the rule applies when a program is executed.
    pub(super) fn is_about_programs(&self) -> bool {
        !self.commands.is_empty()
            && self.tools.is_empty()
            && self.words.is_empty()
            && (self.kinds.is_empty() || self.kinds.contains(&v1::ToolKind::Execute))
    }
}

fn path_rules<'a>(rules: impl Iterator<Item = &'a Rule>, agent: &str) -> PathRules {
    let is_about_paths =
        |rule: &&Rule| !rule.paths.is_empty() && rule.tools.is_empty() && rule.commands.is_empty();
    let rules = rules
        .filter(is_about_paths)
        .filter(|rule| rule.is_for_any_name(agent));
    let rules = rules.flat_map(|rule| {
        reaches(&rule.kinds).map(|reach| PathRule {
            id: rule.id.clone(),
            reach,
            patterns: rule.paths.clone(),
        })
    });
    PathRules(Arc::new(rules.collect()))
}

fn reaches(kinds: &[v1::ToolKind]) -> impl Iterator<Item = RuleReach> {
    use v1::ToolKind::{Delete, Edit, Execute, Move, Read, Search};
    let has = |wanted: &[v1::ToolKind]| kinds.iter().any(|kind| wanted.contains(kind));
    let (everything, changes, commands) = match kinds.is_empty() || has(&[Read, Search]) {
        true => (true, false, false),
        false => (false, has(&[Edit, Delete, Move]), has(&[Execute])),
    };
    [
        everything.then_some(RuleReach::Everything),
        changes.then_some(RuleReach::Changes),
        commands.then_some(RuleReach::Commands),
    ]
    .into_iter()
    .flatten()
}

impl fmt::Display for RuleReach {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            RuleReach::Everything => "neither read nor changed",
            RuleReach::Commands => "out of reach of commands",
            RuleReach::Changes => "not changed",
        })
    }
}
