//! Rules that do less than they seem to, or less than in earlier versions, and what to write instead.

use std::fmt;

use attache_schema::v1;

use super::super::rules::{Rule, is_about_files};
use super::Policy;

/// A rule that does less than it seems to.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PolicyWarning {
    /// The rule: its id, or its place in the file.
    pub rule: String,
    /// How it falls short.
    pub problem: String,
    /// What to write instead.
    pub remedy: String,
}

impl fmt::Display for PolicyWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rule `{}` {}; {}", self.rule, self.problem, self.remedy)
    }
}

impl Policy {
    /// Rules that do less than they seem to. Tool names and kinds are the agent's words, so a rule that names only
    /// those allows little, and one that denies is not enforced when programs are executed.
    pub fn warnings(&self) -> Vec<PolicyWarning> {
        let allow = self.allow.iter().filter_map(warning);
        let deny = self.deny.iter().chain(self.ask.iter());
        let all = allow.chain(deny.filter_map(warning_at_exec));
        let mut found: Vec<PolicyWarning> = all.take(MAX_WARNINGS).collect();
        found.sort_by(|a, b| a.rule.cmp(&b.rule));
        found
    }
}

/// The warning on a rule that denies or asks about commands and is not fully enforced when a program is executed.
fn warning_at_exec(rule: &Rule) -> Option<PolicyWarning> {
    if rule.commands.is_empty() {
        return None;
    }
    let has_path = !rule.paths.is_empty();
    match (rule.tools.is_empty(), rule.is_about_programs()) {
        (false, _) => warn(rule, NOT_EXECUTED_TOOL, WRITE_NO_TOOL),
        (true, false) => warn(rule, NOT_EXECUTED_KIND, WRITE_NO_KIND),
        (true, true) if has_path => warn(rule, PARTLY_EXECUTED, WRITE_PATH),
        (true, true) => {
            let mut commands = rule.commands.iter();
            let pattern = commands.find(|it| it.has_options_with_unknown_names())?;
            let problem = format!("knows no other names of the options in `{pattern}`");
            warn(rule, &problem, WRITE_NAMES)
        }
    }
}

fn warn(rule: &Rule, problem: &str, remedy: &str) -> Option<PolicyWarning> {
    Some(PolicyWarning {
        rule: rule.id.clone(),
        problem: problem.to_owned(),
        remedy: remedy.to_owned(),
    })
}

fn warning(rule: &Rule) -> Option<PolicyWarning> {
    let warn = |problem: &str, remedy: &str| warn(rule, problem, remedy);
    if let Some(pattern) = rule.commands.iter().find(|it| it.covers_nothing()) {
        let problem = format!("allows nothing with `{pattern}`: that program runs others");
        return warn(&problem, "name those with patterns of their own");
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

const NO_COMMAND: &str = "allows no command, because the agent chooses the kind";
const WRITE_COMMAND: &str = "name the commands with `command`";
const NO_AGENT: &str = "allows nothing without `agent`, because the agent chooses names and kinds";
const WRITE_TOOL: &str =
    "write a rule with `agent` and `tool`; commands need `command` and files need `path`";
const WRITE_KIND: &str = "write a rule with `agent` and `kind`";
const NOT_EXECUTED_TOOL: &str = "is checked only on what the agent says: which tool runs a program cannot be seen when it is executed";
const WRITE_NO_TOOL: &str = "leave out `tool` to have it enforced";
const NOT_EXECUTED_KIND: &str =
    "is checked only on what the agent says: a program that is executed is of kind `execute`";
const WRITE_NO_KIND: &str = "leave out `kind` to have it enforced";
const PARTLY_EXECUTED: &str = "sees the directory and the arguments of a program that is executed, not the files that it \
    or its shell opens";
const WRITE_PATH: &str = "to keep every program from the path, write a rule with `path` alone";
const WRITE_NAMES: &str = "if one has a short and a long name, write a pattern for each";
const MAX_WARNINGS: usize = 100;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_whose_meaning_changed_are_named_with_a_remedy() {
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
            "rule `run` allows no command, because the agent chooses the kind; name the commands with `command`"
        );
    }

    #[test]
    fn rules_that_are_not_enforced_at_exec_are_named_with_a_remedy() {
        let policy = r#"{"rules":[
            {"action":"deny","command":"curl"},
            {"action":"deny","command":"curl","kind":"execute","agent":"x"},
            {"action":"deny","path":"secrets"},
            {"action":"deny","tool":"Bash"},
            {"action":"ask","command":"curl","tool":"Bash","id":"tool"},
            {"action":"deny","command":"curl","kind":"read","id":"kind"},
            {"action":"deny","command":["rm -rf **","curl -X POST **","tool run"],"id":"known"},
            {"action":"deny","command":["curl","tool --all **"],"id":"names"},
            {"action":"allow","command":"tool --all **","id":"allowed"},
            {"action":"deny","command":"cat **","path":"secrets","id":"path"}]}"#;
        let policy = Policy::parse("policy.json", policy).unwrap();
        let shown: Vec<String> = policy.warnings().iter().map(ToString::to_string).collect();
        expect_test::expect![[r#"
            rule `kind` is checked only on what the agent says: a program that is executed is of kind `execute`; leave out `kind` to have it enforced
            rule `names` knows no other names of the options in `tool --all **`; if one has a short and a long name, write a pattern for each
            rule `path` sees the directory and the arguments of a program that is executed, not the files that it or its shell opens; to keep every program from the path, write a rule with `path` alone
            rule `tool` is checked only on what the agent says: which tool runs a program cannot be seen when it is executed; leave out `tool` to have it enforced"#]]
        .assert_eq(&shown.join("\n"));
    }
}
