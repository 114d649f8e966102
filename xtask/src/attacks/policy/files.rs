//! Rules on files, and which of the files of a run each one keeps from whom.

use serde_json::{Value, json};

use super::super::batch::Way;
use super::super::random::Random;
use super::super::stage::Stage;
use super::Restriction;

/// A rule that denies or asks about some of the files.
pub(super) struct FileRule {
    restriction: Restriction,
    kinds: &'static [&'static str],
    reach: Reach,
    place: &'static Place,
}

/// What a rule keeps from being done. The kinds of the rule say which.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reach {
    Everything,
    Changes,
    /// What commands in terminals do.
    Commands,
}

/// A way to name some of the files.
struct Place {
    /// `{run}` is the directory of the run.
    pattern: &'static str,
    files: &'static [&'static str],
    /// Whether the kernel hides all that it can match, so that no command is undecidable because of it.
    names_tree: bool,
}

impl FileRule {
    pub(super) fn new(random: &mut Random) -> Self {
        let (kinds, reach) = KINDS[random.below(KINDS.len())];
        Self {
            restriction: Restriction::new(random),
            kinds,
            reach,
            place: &PLACES[random.below(PLACES.len())],
        }
    }

    pub(super) fn json(&self, stage: &Stage) -> Value {
        let run = stage.run.display().to_string();
        let path = self.place.pattern.replace("{run}", &run);
        let action = self.restriction.action();
        match self.kinds {
            [] => json!({"action": action, "path": path}),
            kinds => json!({"action": action, "path": path, "kind": kinds}),
        }
    }

    pub(super) fn denies_reading(&self, file: &str, way: Way) -> bool {
        self.place.files.contains(&file)
            && match (self.restriction, self.reach) {
                // The kernel enforces no rule that asks.
                (Restriction::Ask, reach) => way == Way::Request && reach == Reach::Everything,
                (Restriction::Deny, Reach::Everything) => true,
                (Restriction::Deny, Reach::Commands) => way == Way::Terminal,
                (Restriction::Deny, Reach::Changes) => false,
            }
    }

    pub(super) fn denies_writing(&self, file: &str, way: Way) -> bool {
        self.place.files.contains(&file)
            && match (self.restriction, self.reach) {
                // A rule on the kind `read` alone does not ask about changes.
                (Restriction::Ask, reach) => {
                    way == Way::Request && reach != Reach::Commands && self.kinds != ["read"]
                }
                (Restriction::Deny, Reach::Everything | Reach::Changes) => true,
                (Restriction::Deny, Reach::Commands) => way == Way::Terminal,
            }
    }

    /// Whether the kernel keeps everybody from all that the rule can match.
    pub(super) fn is_enforced_whole(&self) -> bool {
        self.restriction == Restriction::Deny
            && self.reach != Reach::Commands
            && self.place.names_tree
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

const PLACES: &[Place] = &[
    Place {
        pattern: "secrets",
        files: &["secrets/key", "secrets/deep/er/key"],
        names_tree: true,
    },
    Place {
        pattern: "secrets/**",
        files: &["secrets/key", "secrets/deep/er/key"],
        names_tree: true,
    },
    Place {
        pattern: "secrets/deep",
        files: &["secrets/deep/er/key"],
        names_tree: true,
    },
    Place {
        pattern: "{run}/vault",
        files: &["../vault/key"],
        names_tree: true,
    },
    Place {
        pattern: "./app/.env",
        files: &["app/.env"],
        names_tree: true,
    },
    Place {
        pattern: ".env",
        files: &[".env", "app/.env"],
        names_tree: false,
    },
    Place {
        pattern: "*.pem",
        files: &["keys/a.pem"],
        names_tree: false,
    },
    Place {
        pattern: "keys/*.pem",
        files: &["keys/a.pem"],
        names_tree: false,
    },
];
