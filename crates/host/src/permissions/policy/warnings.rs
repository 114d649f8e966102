//! Rules that allow less than they look like, or than they did in earlier versions, and what to write instead.

use std::fmt;

use attache_schema::v1;

use super::super::rules::{Rule, is_about_files};
use super::Policy;

/// A rule that allows less than it looks like.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PolicyWarning {
    /// The rule: its id, or its place in the file.
    pub rule: String,
    /// What it does not do.
    pub problem: String,
    /// What to write instead.
    pub instead: String,
}

impl fmt::Display for PolicyWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rule `{}` {}; {}", self.rule, self.problem, self.instead)
    }
}

impl Policy {
    /// Rules that allow less than they look like. Names and kinds of tools are the agent's words, so that a rule which
    /// names only those allows little.
    pub fn warnings(&self) -> Vec<PolicyWarning> {
        let mut rules = self.allow.iter();
        let mut found: Vec<PolicyWarning> = rules
            .by_ref()
            .filter_map(warning)
            .take(MAX_WARNINGS)
            .collect();
        found.sort_by(|a, b| a.rule.cmp(&b.rule));
        found
    }
}

fn warning(rule: &Rule) -> Option<PolicyWarning> {
    let warn = |problem: &str, instead: &str| {
        Some(PolicyWarning {
            rule: rule.id.clone(),
            problem: problem.to_owned(),
            instead: instead.to_owned(),
        })
    };
    if let Some(pattern) = rule.commands.iter().find(|it| it.covers_nothing()) {
        let problem = format!("allows nothing by `{pattern}`: that program runs others");
        return warn(&problem, "name those with a pattern of their own");
    }
    if !rule.commands.is_empty() {
        return None;
    }
    let is_kind = |word: &String| v1::ToolKind::from(word.as_str()).is_known();
    if let Some(word) = rule.words.first() {
        let kind = v1::ToolKind::from(word.as_str());
        return match (is_kind(word), is_about_files(&kind)) {
            (true, true) => None,
            (true, false) if kind == v1::ToolKind::Execute => warn(NO_COMMAND, WRITE_COMMAND),
            (true, false) => warn(NO_AGENT, WRITE_KIND),
            (false, _) => warn(NO_AGENT, WRITE_TOOL),
        };
    }
    if rule.kinds.contains(&v1::ToolKind::Execute) {
        return warn(NO_COMMAND, WRITE_COMMAND);
    }
    if !rule.agents.is_empty() {
        return None;
    }
    match (rule.tools.is_empty(), rule.paths.is_empty()) {
        (false, true) => warn(NO_AGENT, WRITE_TOOL),
        (true, true) if rule.kinds.iter().any(|kind| !is_about_files(kind)) => {
            warn(NO_AGENT, WRITE_KIND)
        }
        _ => None,
    }
}

const NO_COMMAND: &str = "allows no command: a kind is the agent's word";
const WRITE_COMMAND: &str = "name the commands with `command`";
const NO_AGENT: &str = "allows nothing without `agent`: names and kinds are the agent's words";
const WRITE_TOOL: &str =
    "write a rule with `agent` and `tool`; commands need `command` and files need `path`";
const WRITE_KIND: &str = "write a rule with `agent` and `kind`";
const MAX_WARNINGS: usize = 100;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_whose_meaning_changed_are_named_with_what_to_write() {
        let policy = r#"{"rules":[
            {"action":"allow","tool":"Bash"},
            {"action":"allow","kind":"execute","id":"run"},
            {"action":"allow","kind":"fetch"},
            {"action":"allow","agent":"claude","tool":"mcp__github__*"},
            {"action":"allow","kind":["read","edit"]},
            {"action":"allow","tool":"Bash","command":"npm test"},
            {"action":"allow","kind":"edit","path":"src/**"},
            {"action":"deny","tool":"Bash"}],
            "autoApprove":["edit","execute","Bash"]}"#;
        let policy = Policy::parse("policy.json", policy).unwrap();
        let shown: Vec<String> = policy.warnings().iter().map(|it| it.rule.clone()).collect();
        assert_eq!(
            shown,
            [
                "autoApprove[1]",
                "autoApprove[2]",
                "rules[0]",
                "rules[2]",
                "run"
            ]
        );
        assert_eq!(
            policy.warnings()[4].to_string(),
            "rule `run` allows no command: a kind is the agent's word; name the commands with `command`"
        );
    }
}
