//! The prompts that built-in commands send to the model: prose for a language model, grammar for the embedded one.

use std::path::Path;

use attache_text::shell::single_quoted;

use super::BuiltinCommand;

/// The properties of a project, detected from the files in its directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Project {
    language: &'static str,
    test: Option<&'static str>,
}

impl Project {
    /// Detects the project from well-known files.
    pub(crate) fn at(cwd: &Path) -> Project {
        let known = KNOWN.iter().find(|(file, ..)| cwd.join(file).is_file());
        match known {
            Some((_, language, test)) => Project {
                language,
                test: Some(test),
            },
            None => Project {
                language: "unknown",
                test: None,
            },
        }
    }

    /// The prompt for a language model.
    pub(crate) fn prose(self, command: BuiltinCommand, behind: &str) -> Option<String> {
        let given = |otherwise: &str| match behind {
            "" => otherwise.to_owned(),
            behind => behind.to_owned(),
        };
        Some(match command {
            BuiltinCommand::Plan => format!(
                "Make a plan with the `plan` tool and explain it. Look at whatever you need, but change nothing yet. The task: {}",
                given("what we have been talking about")
            ),
            BuiltinCommand::Test => format!(
                "Run the tests of this project ({}). If some fail, find out why and say what would mend them; change nothing without saying so.",
                given(self.test.unwrap_or("find out how they are run"))
            ),
            BuiltinCommand::Review => format!(
                "Review {}. Read the surrounding code where it matters. Report what is wrong, by weight, with file and line, and what you would do about each; leave matters of taste out.",
                given("the changes in the working tree that are not committed (`git diff HEAD`)")
            ),
            BuiltinCommand::Init => "Look through this project and write an AGENTS.md in its root that tells a coding agent what it must know: what it is, how to build, test and run it, how it is laid out, and the conventions that its code keeps. Short, exact, nothing that the code says by itself. If there is one, improve it.".to_owned(),
            BuiltinCommand::Help | BuiltinCommand::Compact | BuiltinCommand::Clear | BuiltinCommand::Mcp => return None,
        })
    }

    /// The prompt for the embedded model, in its grammar.
    pub(crate) fn plain(self, command: BuiltinCommand, behind: &str) -> Option<String> {
        Some(match (command, behind) {
            (BuiltinCommand::Plan, "") => return None,
            (BuiltinCommand::Plan, items) => format!("plan: {items}"),
            (BuiltinCommand::Test, "") => format!("run {}", self.test?),
            (BuiltinCommand::Test, command) => format!("run {command}"),
            (BuiltinCommand::Review, "") => {
                "run git --no-pager diff --stat HEAD\nrun git --no-pager diff HEAD".to_owned()
            }
            (BuiltinCommand::Review, what) => {
                format!("run git --no-pager diff HEAD -- {}", single_quoted(what))
            }
            (BuiltinCommand::Init, _) => {
                format!("write AGENTS.md with {}", single_quoted(&self.notes()))
            }
            (
                BuiltinCommand::Help
                | BuiltinCommand::Compact
                | BuiltinCommand::Clear
                | BuiltinCommand::Mcp,
                _,
            ) => return None,
        })
    }

    /// The contents of an AGENTS.md that can be written without reading the project.
    fn notes(self) -> String {
        let test = match self.test {
            Some(test) => format!("- Run the tests with `{test}`.\n"),
            None => String::new(),
        };
        format!(
            "# For agents\n\n- Language: {}.\n{test}- Add how to build and run it, and the conventions of its code.\n",
            self.language
        )
    }
}

/// A file that identifies the language, the language, and the usual command for tests.
const KNOWN: [(&str, &str, &str); 8] = [
    ("Cargo.toml", "Rust", "cargo test"),
    ("go.mod", "Go", "go test ./..."),
    ("package.json", "JavaScript", "npm test"),
    ("pyproject.toml", "Python", "python3 -m pytest"),
    ("setup.py", "Python", "python3 -m pytest"),
    ("pom.xml", "Java", "mvn -q test"),
    ("build.gradle", "Java", "./gradlew test"),
    ("Makefile", "make", "make test"),
];
