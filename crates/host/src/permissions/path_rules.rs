//! Rules about paths, taken from a policy for the code that enforces them: on open files, and in the kernel.

use std::fmt;
use std::sync::Arc;

use attache_schema::v1;

use super::path_pattern::PathPattern;
use super::rules::Rule;
use super::{Enforcement, Permissions, Policy};

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

/// What a deny rule forbids to do with its paths.
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
    /// Whether there are no rules.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a rule names paths by a pattern such as `*.pem`. It covers the files that match when the agent or the
    /// command starts; a command may create or reach another one later.
    pub fn have_globs(&self) -> bool {
        let mut patterns = self.0.iter().flat_map(|rule| &rule.patterns);
        patterns.any(|pattern| pattern.tree().is_none())
    }

    /// Whether some rule keeps only commands from a path. A command that an agent runs by itself can't be told from the
    /// agent.
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
        let about_paths = |rule: &&Rule| {
            !rule.paths.is_empty() && rule.tools.is_empty() && rule.commands.is_empty()
        };
        let rules = self.deny.iter().filter(about_paths);
        path_rules(rules, agent)
    }

    /// The rules that ask about paths, likewise.
    pub fn ask_path_rules(&self, agent: &str) -> PathRules {
        let about_paths = |rule: &&Rule| {
            !rule.paths.is_empty() && rule.tools.is_empty() && rule.commands.is_empty()
        };
        path_rules(self.ask.iter().filter(about_paths), agent)
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

    /// Adds paths that rules spell out and that don't exist yet. Whether a command will create one can't be decided.
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

fn path_rules<'a>(rules: impl Iterator<Item = &'a Rule>, agent: &str) -> PathRules {
    let rules = rules.filter(|rule| rule.is_for_any_name(agent));
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
