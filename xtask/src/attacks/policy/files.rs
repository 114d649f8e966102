//! File rules, and which files of a run each rule protects from which runner.

use serde_json::{Value, json};

use super::super::batch::Runner;
use super::super::random::Random;
use super::super::testbed::Testbed;
use super::Restriction;

/// A rule that denies or asks about some files.
pub(super) struct FileRule {
    restriction: Restriction,
    kinds: &'static [&'static str],
    reach: Reach,
    pattern_of: &'static FilePattern,
}

/// What a rule prevents, given by its kinds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reach {
    Everything,
    Changes,
    /// Only commands in terminals.
    Commands,
}

/// A pattern and the files that it matches.
struct FilePattern {
    /// `{run}` is the directory of the run.
    pattern: &'static str,
    files: &'static [&'static str],
    /// Whether the kernel hides everything the pattern can match, so that the rule makes no command undecidable.
    names_tree: bool,
}

impl FileRule {
    pub(super) fn new(random: &mut Random) -> Self {
        let (kinds, reach) = KINDS[random.below(KINDS.len())];
        Self {
            restriction: Restriction::new(random),
            kinds,
            reach,
            pattern_of: &FILE_PATTERNS[random.below(FILE_PATTERNS.len())],
        }
    }

    pub(super) fn json(&self, testbed: &Testbed) -> Value {
        let run = testbed.run.display().to_string();
        let path = self.pattern_of.pattern.replace("{run}", &run);
        let action = self.restriction.action();
        match self.kinds {
            [] => json!({"action": action, "path": path}),
            kinds => json!({"action": action, "path": path, "kind": kinds}),
        }
    }

    pub(super) fn denies_reading(&self, file: &str, runner: Runner) -> bool {
        self.pattern_of.files.contains(&file)
            && match (self.restriction, self.reach) {
                // The kernel does not enforce rules that ask.
                (Restriction::Ask, reach) => {
                    runner == Runner::Request && reach == Reach::Everything
                }
                (Restriction::Deny, Reach::Everything) => true,
                (Restriction::Deny, Reach::Commands) => runner == Runner::Terminal,
                (Restriction::Deny, Reach::Changes) => false,
            }
    }

    pub(super) fn denies_writing(&self, file: &str, runner: Runner) -> bool {
        self.pattern_of.files.contains(&file)
            && match (self.restriction, self.reach) {
                // A rule for the kind `read` alone does not ask about changes.
                (Restriction::Ask, reach) => {
                    runner == Runner::Request && reach != Reach::Commands && self.kinds != ["read"]
                }
                (Restriction::Deny, Reach::Everything | Reach::Changes) => true,
                (Restriction::Deny, Reach::Commands) => runner == Runner::Terminal,
            }
    }

    /// Whether the kernel enforces everything that the rule can match for every process.
    pub(super) fn is_fully_enforced(&self) -> bool {
        self.restriction == Restriction::Deny
            && self.reach != Reach::Commands
            && self.pattern_of.names_tree
    }
}

const KINDS: &[(&[&str], Reach)] = &[
    (&[], Reach::Everything),
    (&[], Reach::Everything),
    (&["read"], Reach::Everything),
    (&["read", "search", "edit"], Reach::Everything),
    (&["edit"], Reach::Changes),
    (&["edit", "delete", "move"], Reach::Changes),
    (&["execute"], Reach::Commands),
];

const FILE_PATTERNS: &[FilePattern] = &[
    FilePattern {
        pattern: "secrets",
        files: &["secrets/key", "secrets/deep/er/key"],
        names_tree: true,
    },
    FilePattern {
        pattern: "secrets/**",
        files: &["secrets/key", "secrets/deep/er/key"],
        names_tree: true,
    },
    FilePattern {
        pattern: "secrets/deep",
        files: &["secrets/deep/er/key"],
        names_tree: true,
    },
    FilePattern {
        pattern: "{run}/vault",
        files: &["../vault/key"],
        names_tree: true,
    },
    FilePattern {
        pattern: "./app/.env",
        files: &["app/.env"],
        names_tree: true,
    },
    FilePattern {
        pattern: ".env",
        files: &[".env", "app/.env"],
        names_tree: false,
    },
    FilePattern {
        pattern: "*.pem",
        files: &["keys/a.pem"],
        names_tree: false,
    },
    FilePattern {
        pattern: "keys/*.pem",
        files: &["keys/a.pem"],
        names_tree: false,
    },
];
