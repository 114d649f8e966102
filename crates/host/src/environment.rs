//! The environment of child processes. A child gets the variables on a documented list and those that the user adds.
//! All other variables are withheld, and so are their values wherever a child prints them. Neither an agent nor a
//! repository can change that. `docs/terminals.md` contains the list.

mod harmless;
mod names;
mod secret_values;
mod withheld_values;

use std::collections::{BTreeMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use attache_process::Program;

use crate::config_command;

pub use harmless::is_harmless;
pub use withheld_values::{ReplacingStream, WithheldValues};

/// The environment of child processes: commands in terminals, and MCP servers. Clones share it.
#[derive(Clone)]
pub struct ChildEnvironment(Arc<Variables>);

struct Variables {
    passed: BTreeMap<OsString, OsString>,
    /// The names of withheld variables. Names that look like secrets come first.
    withheld: Vec<String>,
    values: WithheldValues,
    /// The patterns that the user configured.
    pass: Vec<String>,
}

/// A pattern for variables that the user passes to children: `NAME`, or `PREFIX_*` for all names with this prefix.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VariablePattern {
    text: String,
}

/// The text is not the name of a variable or a prefix of names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected the name of a variable such as `DATABASE_URL`, or a prefix such as `AWS_*`")]
pub struct VariablePatternError;

impl ChildEnvironment {
    /// The environment of this process, reduced to the listed variables and those that match one of these patterns.
    pub fn of_process(pass: &[VariablePattern]) -> ChildEnvironment {
        ChildEnvironment::of(std::env::vars_os(), pass)
    }

    /// Like [`of_process`](Self::of_process), for the given variables.
    pub fn of(
        variables: impl IntoIterator<Item = (OsString, OsString)>,
        pass: &[VariablePattern],
    ) -> ChildEnvironment {
        let is_passed = |name: &OsStr| {
            name.to_str().is_some_and(|name| {
                names::is_listed(name) || pass.iter().any(|pattern| pattern.matches(name))
            })
        };
        let (passed, withheld): (BTreeMap<_, _>, BTreeMap<_, _>) =
            variables.into_iter().partition(|(name, _)| is_passed(name));
        let values = WithheldValues::of(&passed, &withheld);
        let mut withheld: Vec<String> = withheld
            .into_keys()
            .map(|name| name.to_string_lossy().into_owned())
            .collect();
        withheld.sort_by_key(|name| !names::looks_secret(name));
        ChildEnvironment(Arc::new(Variables {
            passed,
            withheld,
            values,
            pass: pass.iter().map(ToString::to_string).collect(),
        }))
    }

    /// Sets this environment on a program. Variables that were set before are removed.
    #[must_use]
    pub fn apply(&self, program: Program) -> Program {
        let set =
            |program: Program, (name, value): (&OsString, &OsString)| program.env(name, value);
        self.0.passed.iter().fold(program.env_clear(), set)
    }

    /// The value of a variable that children get.
    pub fn get(&self, name: &str) -> Option<&OsStr> {
        self.0.passed.get(OsStr::new(name)).map(OsString::as_os_str)
    }

    /// The withheld values, to be replaced in the output of children.
    pub fn values(&self) -> &WithheldValues {
        &self.0.values
    }

    /// If a text names withheld variables, returns a hint how to pass them. Programs usually name the variable that
    /// they miss.
    pub fn missing_variables_notice(&self, text: &str) -> Option<String> {
        let words = text.split(|char: char| !char.is_ascii_alphanumeric() && char != '_');
        let words: HashSet<&str> = words.filter(|word| word.len() >= SHORTEST_MISSED).collect();
        let missed = self.possibly_needed().filter(|name| words.contains(name));
        let missed: Vec<&str> = missed.take(MOST_NAMED).collect();
        if missed.is_empty() {
            return None;
        }
        let line = config_command::adding_to_list("environment.pass", &self.0.pass, &missed);
        let names = missed.join(", ");
        Some(format!("commands do not get {names}; to pass it: {line}"))
    }

    /// The withheld variables that a command might need.
    fn possibly_needed(&self) -> impl Iterator<Item = &str> {
        let withheld = self.0.withheld.iter().map(String::as_str);
        withheld.filter(|name| !names::is_desktop_variable(name))
    }

    /// One sentence that names the withheld variables and says how to pass them, without their values; `None` if no
    /// command is likely to need one.
    pub fn notice(&self) -> Option<String> {
        let wanted: Vec<&str> = self.possibly_needed().collect();
        let first = wanted.first()?;
        let shown = wanted
            .iter()
            .take(MOST_NAMED)
            .map(|name| printable_name(name));
        let shown = shown.collect::<Vec<_>>().join(", ");
        let more = match wanted.len().saturating_sub(MOST_NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let line = config_command::adding_to_list("environment.pass", &self.0.pass, &[*first]);
        Some(format!(
            "commands do not get these variables: {shown}{more}; to pass one: {line}"
        ))
    }
}

impl Default for ChildEnvironment {
    fn default() -> ChildEnvironment {
        ChildEnvironment::of_process(&[])
    }
}

impl fmt::Debug for ChildEnvironment {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("ChildEnvironment")
            .field("passed", &self.0.passed.keys())
            .field("withheld", &self.0.withheld)
            .finish_non_exhaustive()
    }
}

impl VariablePattern {
    fn matches(&self, name: &str) -> bool {
        match self.text.strip_suffix('*') {
            Some(start) => name.starts_with(start),
            None => name == self.text,
        }
    }
}

impl FromStr for VariablePattern {
    type Err = VariablePatternError;

    fn from_str(text: &str) -> Result<VariablePattern, VariablePatternError> {
        let name = text.strip_suffix('*').unwrap_or(text);
        let is_name = |char: char| char.is_ascii_alphanumeric() || char == '_';
        let begins_well = !name.starts_with(|char: char| char.is_ascii_digit());
        match !text.is_empty() && begins_well && name.chars().all(is_name) {
            true => Ok(VariablePattern {
                text: text.to_owned(),
            }),
            false => Err(VariablePatternError),
        }
    }
}

impl fmt::Display for VariablePattern {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.text)
    }
}

/// A name for a message: escaped, and cut to 64 characters.
pub(crate) fn printable_name(name: &str) -> String {
    let name: String = name.chars().take(LONGEST_NAME).collect();
    name.escape_debug().to_string()
}

/// The number of variables that a notice names.
const MOST_NAMED: usize = 10;
const LONGEST_NAME: usize = 64;
/// Shorter names occur in any text.
const SHORTEST_MISSED: usize = 3;

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use expect_test::{Expect, expect};

    use super::{ChildEnvironment, VariablePattern};

    fn environment(variables: &[(&str, &str)], pass: &[&str]) -> ChildEnvironment {
        let variables = variables
            .iter()
            .map(|(name, value)| (OsString::from(name), OsString::from(value)));
        let pass: Vec<VariablePattern> = pass.iter().map(|it| it.parse().unwrap()).collect();
        ChildEnvironment::of(variables, &pass)
    }

    fn check(variables: &[(&str, &str)], pass: &[&str], expected: &Expect) {
        let environment = environment(variables, pass);
        let passed: Vec<_> = environment.0.passed.keys().collect();
        let notice = environment.notice().unwrap_or_default();
        expected.assert_eq(&format!("{passed:?}\n{notice}"));
    }

    #[test]
    fn children_get_listed_variables_and_those_that_the_user_passes() {
        let variables = [
            ("PATH", "/bin"),
            ("LC_TIME", "C"),
            ("https_proxy", "http://proxy"),
            ("CARGO_HOME", "/c"),
            ("OPENAI_API_KEY", "x"),
            ("AWS_PROFILE", "x"),
            ("AWS_SECRET_ACCESS_KEY", "x"),
            ("MY_FLAG", "1"),
            ("LD_PRELOAD", "x"),
            ("LS_COLORS", "x"),
        ];
        check(
            &variables,
            &[],
            &expect![[r#"
                ["CARGO_HOME", "LC_TIME", "PATH", "https_proxy"]
                commands do not get these variables: AWS_SECRET_ACCESS_KEY, OPENAI_API_KEY, AWS_PROFILE, LD_PRELOAD, MY_FLAG; to pass one: attache config set environment.pass '["AWS_SECRET_ACCESS_KEY"]'"#]],
        );
        check(
            &variables,
            &["AWS_*", "MY_FLAG"],
            &expect![[r#"
                ["AWS_PROFILE", "AWS_SECRET_ACCESS_KEY", "CARGO_HOME", "LC_TIME", "MY_FLAG", "PATH", "https_proxy"]
                commands do not get these variables: OPENAI_API_KEY, LD_PRELOAD; to pass one: attache config set environment.pass '["AWS_*","MY_FLAG","OPENAI_API_KEY"]'"#]],
        );
        check(
            &variables[..4],
            &[],
            &expect![[r#"
                ["CARGO_HOME", "LC_TIME", "PATH", "https_proxy"]
            "#]],
        );
    }

    #[test]
    fn a_notice_names_ten_variables_and_counts_the_rest() {
        let names: Vec<String> = (10..40).map(|number| format!("VAR_{number}")).collect();
        let variables: Vec<(&str, &str)> = names.iter().map(|name| (&**name, "value")).collect();
        check(
            &variables,
            &[],
            &expect![[r#"
                []
                commands do not get these variables: VAR_10, VAR_11, VAR_12, VAR_13, VAR_14, VAR_15, VAR_16, VAR_17, VAR_18, VAR_19 and 20 more; to pass one: attache config set environment.pass '["VAR_10"]'"#]],
        );
    }

    #[test]
    fn patterns_are_names_or_beginnings_of_names() {
        for good in ["A", "AWS_*", "_x", "*", "a1"] {
            assert!(good.parse::<VariablePattern>().is_ok(), "{good}");
        }
        for bad in ["", "1A", "A*B", "A=B", "A B", "**", "Ä", "A\n"] {
            assert!(bad.parse::<VariablePattern>().is_err(), "{bad}");
        }
    }

    #[test]
    fn the_documentation_lists_every_variable_that_is_passed() {
        let page = include_str!("../../../docs/terminals.md");
        for name in super::names::listed() {
            assert!(page.contains(&format!("`{name}`")), "{name}");
        }
        for (name, _) in super::harmless::harmless() {
            assert!(page.contains(&format!("`{name}`")), "{name}");
        }
    }
}
