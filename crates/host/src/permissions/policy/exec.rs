//! What a policy says about a program at the moment it is executed.

use std::path::{Path, PathBuf};

use attache_schema::v1;

use super::super::command::pattern::Match;
use super::super::rules::{Rule, Rules};
use super::super::{Because, by, paths};
use super::{Policy, RuleAction};

impl Policy {
    /// Whether some rule denies or asks about commands, so that executions are worth watching.
    pub fn has_command_rules(&self) -> bool {
        self.deny.are_about_commands() || self.ask.are_about_commands()
    }

    /// The rule that denies a program which is about to be executed with these arguments, else the one that asks.
    ///
    /// `arguments` begins with the program, as it is known after links and scripts were followed. The tool that a rule
    /// names does not count here: its name is the agent's word, and a denial must not depend on it.
    pub fn judge_exec(
        &self,
        agent: &str,
        directory: &Path,
        arguments: &[String],
    ) -> Option<(RuleAction, Because)> {
        let found = |rules: &Rules, action| {
            let rule = rules.of_exec(
                |rule| rule.is_executed(agent, directory, arguments),
                arguments,
            );
            rule.map(|rule| (action, by(rule)))
        };
        found(&self.deny, RuleAction::Deny).or_else(|| found(&self.ask, RuleAction::Ask))
    }
}

impl Rule {
    fn is_executed(&self, agent: &str, directory: &Path, arguments: &[String]) -> bool {
        let touches = |path: PathBuf| {
            let path = paths::normal(Path::new("/"), &path);
            let inside = path.strip_prefix(directory).unwrap_or(&path);
            let views = [path.to_string_lossy(), inside.to_string_lossy()];
            let mut patterns = self.paths.iter();
            patterns.any(|pattern| views.iter().any(|view| pattern.covers(view)))
        };
        let mut files = arguments.iter().skip(1).map(|word| directory.join(word));
        self.is_for_any_name(agent)
            && (self.kinds.is_empty() || self.kinds.contains(&v1::ToolKind::Execute))
            && self
                .commands
                .iter()
                .any(|it| it.catches(arguments) == Match::Yes)
            && (self.paths.is_empty() || files.any(touches))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(policy: &str, arguments: &[&str]) -> String {
        let policy = Policy::parse("policy.json", policy).unwrap();
        let arguments: Vec<String> = arguments.iter().map(|word| (*word).to_owned()).collect();
        match policy.judge_exec("claude", Path::new("/w"), &arguments) {
            Some((action, because)) => format!("{action:?}: {because}"),
            None => "nothing".to_owned(),
        }
    }

    #[test]
    fn the_rule_on_a_program_that_is_executed() {
        let policy = r#"{"rules":[
            {"action":"allow","command":"curl **"},
            {"action":"ask","command":"git push **"},
            {"action":"deny","command":"git push --force **","id":"no-force"},
            {"action":"deny","tool":"Bash","command":"curl **"},
            {"action":"deny","agent":"gemini","command":"ls **"},
            {"action":"deny","command":"cat **","path":"secrets"}]}"#;
        for (arguments, expected) in [
            (&["/usr/bin/curl", "-V"][..], "Deny: policy rule `rules[3]`"),
            (&["git", "-C", "x", "push"], "Ask: policy rule `rules[1]`"),
            (&["git", "push", "-f"], "Deny: policy rule `no-force`"),
            (&["ls"], "nothing"),
            (&["cat", "a"], "nothing"),
            (&["cat", "secrets/a"], "Deny: policy rule `rules[5]`"),
            (&["sh", "-c", "echo curl"], "nothing"),
        ] {
            assert_eq!(judged(policy, arguments), expected, "{arguments:?}");
        }
    }
}
