//! Random policies, and what they deny. The second is worked out from how a policy was made, not by reading its rules:
//! it must not share a mistake with the code under test.

use serde_json::{Value, json};

use super::lines::Target;
use super::random::Random;
use super::stage::{FILES, PROGRAMS, Stage};

/// Rules to deny, and a preset.
pub(super) struct Policy {
    pub(super) preset: &'static str,
    programs: Vec<ProgramRule>,
    paths: Vec<&'static PathRule>,
}

struct ProgramRule {
    program: &'static str,
    pattern: String,
    covers: Covers,
}

enum Covers {
    EveryCall,
    /// Calls whose first word that is not an option is [`DENIED_WORD`].
    DeniedWord,
}

/// A way to deny some of [`FILES`].
struct PathRule {
    /// `{run}` is the directory of the run.
    pattern: &'static str,
    files: &'static [&'static str],
    /// Whether the kernel hides all that it can match, so that no command is undecidable because of it.
    names_tree: bool,
}

impl Policy {
    pub(super) fn new(random: &mut Random, preset: &'static str) -> Self {
        let mut policy = Self {
            preset,
            programs: Vec::new(),
            paths: Vec::new(),
        };
        let shape = random.below(5);
        if shape != 0 {
            policy.add_programs(random);
        }
        if shape != 1 {
            for _ in 0..=random.below(2) {
                policy.paths.push(&PATHS[random.below(PATHS.len())]);
            }
        }
        policy
    }

    fn add_programs(&mut self, random: &mut Random) {
        for program in PROGRAMS {
            if !self.programs.is_empty() && random.once_in(2) {
                continue;
            }
            let (suffix, covers) = match random.below(4) {
                0 => ("", Covers::EveryCall),
                1 => (" **", Covers::EveryCall),
                2 => (" push **", Covers::DeniedWord),
                _ => (" push *", Covers::DeniedWord),
            };
            self.programs.push(ProgramRule {
                program,
                pattern: format!("{program}{suffix}"),
                covers,
            });
        }
    }

    /// What `--policy` takes.
    pub(super) fn text(&self, stage: &Stage) -> String {
        let run = stage.run.display().to_string();
        let programs = self
            .programs
            .iter()
            .map(|rule| json!({"action": "deny", "command": rule.pattern}));
        let paths = self
            .paths
            .iter()
            .map(|rule| json!({"action": "deny", "path": rule.pattern.replace("{run}", &run)}));
        let rules: Vec<Value> = programs.chain(paths).collect();
        json!({ "rules": rules }).to_string()
    }

    pub(super) fn denies(&self, target: Target) -> bool {
        match target {
            Target::Call { program, word } => self.denies_call(program, word),
            Target::File(file) => self.denies_file(file),
            Target::Harmless => false,
        }
    }

    /// Whether it denies this program with this first word.
    pub(super) fn denies_call(&self, program: &str, word: &str) -> bool {
        self.programs.iter().any(|rule| {
            rule.program == program
                && match rule.covers {
                    Covers::EveryCall => true,
                    Covers::DeniedWord => word == DENIED_WORD,
                }
        })
    }

    fn denies_file(&self, file: &str) -> bool {
        self.paths.iter().any(|rule| rule.files.contains(&file))
    }

    pub(super) fn denied_files(&self) -> Vec<&'static str> {
        let files = FILES.iter().copied();
        files.filter(|file| self.denies_file(file)).collect()
    }

    /// Whether harmless lines run under it: its preset allows what no rule denies, and no pattern makes lines undecidable.
    pub(super) fn lets_harmless_lines_run(&self) -> bool {
        self.preset == "--approve-all" && self.paths.iter().all(|rule| rule.names_tree)
    }
}

pub(super) const PRESETS: [&str; 3] = ["--approve-all", "--approve-reads", "--deny-all"];

/// The word that rules with arguments deny, and one that they do not.
pub(super) const DENIED_WORD: &str = "push";
pub(super) const OTHER_WORD: &str = "fetch";

const PATHS: &[PathRule] = &[
    PathRule {
        pattern: "secrets",
        files: &["secrets/key", "secrets/deep/er/key"],
        names_tree: true,
    },
    PathRule {
        pattern: "secrets/**",
        files: &["secrets/key", "secrets/deep/er/key"],
        names_tree: true,
    },
    PathRule {
        pattern: "secrets/deep",
        files: &["secrets/deep/er/key"],
        names_tree: true,
    },
    PathRule {
        pattern: "{run}/vault",
        files: &["../vault/key"],
        names_tree: true,
    },
    PathRule {
        pattern: "./app/.env",
        files: &["app/.env"],
        names_tree: true,
    },
    PathRule {
        pattern: ".env",
        files: &[".env", "app/.env"],
        names_tree: false,
    },
    PathRule {
        pattern: "*.pem",
        files: &["keys/a.pem"],
        names_tree: false,
    },
    PathRule {
        pattern: "keys/*.pem",
        files: &["keys/a.pem"],
        names_tree: false,
    },
];
