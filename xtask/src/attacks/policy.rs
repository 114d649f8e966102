//! Random policies, and what they deny. The denials follow from how a policy was generated, not from reading its rules,
//! so that this code does not repeat a mistake of the code under test.

mod allowances;
mod files;

use serde_json::{Value, json};

use super::batch::Runner;
use super::lines::Target;
use super::random::Random;
use super::testbed::{FILES, PROGRAMS, Testbed};
use allowances::{ALLOWANCES, Allowance};
use files::FileRule;

/// Rules that deny, ask and allow, a default, and a preset.
pub(super) struct Policy {
    pub(super) preset: &'static str,
    programs: Vec<ProgramRule>,
    files: Vec<FileRule>,
    allowances: Vec<&'static Allowance>,
    default: Option<&'static str>,
}

/// The action of a rule that does not allow. Nobody can be asked in `attache run`, so both actions prevent the call.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Restriction {
    Deny,
    Ask,
}

struct ProgramRule {
    restriction: Restriction,
    program: &'static str,
    pattern: String,
    covers: Coverage,
}

enum Coverage {
    EveryCall,
    /// Calls whose first word other than an option is [`DENIED_WORD`].
    DeniedWord,
}

impl Policy {
    pub(super) fn new(random: &mut Random, preset: &'static str) -> Self {
        let mut policy = Self {
            preset,
            programs: Vec::new(),
            files: Vec::new(),
            allowances: Vec::new(),
            default: random.pick(&[None, None, None, Some("allow"), Some("ask"), Some("deny")]),
        };
        let shape = random.below(5);
        if shape != 0 {
            policy.add_programs(random);
        }
        if shape != 1 {
            for _ in 0..=random.below(2) {
                policy.files.push(FileRule::new(random));
            }
        }
        for _ in 0..random.below(4) {
            policy
                .allowances
                .push(&ALLOWANCES[random.below(ALLOWANCES.len())]);
        }
        policy
    }

    fn add_programs(&mut self, random: &mut Random) {
        for program in PROGRAMS {
            if !self.programs.is_empty() && random.once_in(2) {
                continue;
            }
            let (suffix, covers) = match random.below(4) {
                0 => ("", Coverage::EveryCall),
                1 => (" **", Coverage::EveryCall),
                2 => (" push **", Coverage::DeniedWord),
                _ => (" push *", Coverage::DeniedWord),
            };
            self.programs.push(ProgramRule {
                restriction: Restriction::new(random),
                program,
                pattern: format!("{program}{suffix}"),
                covers,
            });
        }
    }

    /// The policy as JSON for `--policy`.
    pub(super) fn text(&self, testbed: &Testbed) -> String {
        let programs = self
            .programs
            .iter()
            .map(|rule| json!({"action": rule.restriction.action(), "command": rule.pattern}));
        let files = self.files.iter().map(|rule| rule.json(testbed));
        let allowances = self.allowances.iter().map(|allowance| allowance.json());
        let rules: Vec<Value> = programs.chain(files).chain(allowances).collect();
        match self.default {
            Some(default) => json!({ "rules": rules, "default": default }).to_string(),
            None => json!({ "rules": rules }).to_string(),
        }
    }

    /// Whether a rule or the preset must keep a line from reaching its target with this runner.
    pub(super) fn denies(&self, target: Target, runner: Runner) -> bool {
        let by_rule = match target {
            Target::Call { program, word } => self.denies_call(program, word),
            Target::Read(file) => self.denies_reading(file, runner),
            Target::Write(file) => self.denies_writing(file, runner),
            Target::Harmless => false,
        };
        by_rule || self.preset_denies(target, runner)
    }

    /// Whether a rule prevents any process from starting this program with this first word.
    pub(super) fn denies_call(&self, program: &str, word: &str) -> bool {
        self.programs.iter().any(|rule| {
            rule.program == program
                && match rule.covers {
                    Coverage::EveryCall => true,
                    Coverage::DeniedWord => word == DENIED_WORD,
                }
        })
    }

    pub(super) fn denies_reading(&self, file: &str, runner: Runner) -> bool {
        self.files
            .iter()
            .any(|rule| rule.denies_reading(file, runner))
    }

    pub(super) fn denies_writing(&self, file: &str, runner: Runner) -> bool {
        self.files
            .iter()
            .any(|rule| rule.denies_writing(file, runner))
    }

    /// Files that no process may read.
    pub(super) fn hidden_files(&self) -> Vec<&'static str> {
        let files = FILES.iter().copied();
        files
            .filter(|file| self.denies_reading(file, Runner::AgentItself))
            .collect()
    }

    /// Files that no process may change.
    pub(super) fn unchangeable_files(&self) -> Vec<&'static str> {
        let files = FILES.iter().copied();
        files
            .filter(|file| self.denies_writing(file, Runner::AgentItself))
            .collect()
    }

    /// Whether the preset or the default denies what no rule allows. Kinds and tool names never allow a command.
    fn preset_denies(&self, target: Target, runner: Runner) -> bool {
        let may_widen = |widens: fn(&Allowance) -> bool| {
            self.preset != "--deny-all" && self.allowances.iter().any(|it| widens(it))
        };
        match (runner, target) {
            (Runner::AgentItself, _) => false,
            (Runner::Terminal | Runner::Builtin, _) => {
                !self.allows_by_default(&["--approve-all"]) && !may_widen(|it| it.covers_commands)
            }
            (Runner::Request, Target::Write(_)) => {
                !self.allows_by_default(&["--approve-all"]) && !may_widen(|it| it.covers_files)
            }
            (Runner::Request, _) => {
                !self.allows_by_default(&["--approve-all", "--approve-reads"])
                    && !may_widen(|it| it.covers_files)
            }
        }
    }

    /// Whether actions without a rule are allowed, given the presets that allow them.
    fn allows_by_default(&self, presets: &[&str]) -> bool {
        match self.default {
            _ if self.preset == "--deny-all" => false,
            Some(default) => default == "allow",
            None => presets.contains(&self.preset),
        }
    }

    /// Whether a line that reaches its target without a policy must also reach it with this one.
    pub(super) fn must_allow(&self, target: Target, runner: Runner) -> bool {
        if self.denies(target, runner) {
            return false;
        }
        match (runner, target) {
            (Runner::AgentItself, _) => true,
            // No file rule makes lines undecidable.
            (Runner::Terminal | Runner::Builtin, Target::Harmless) => {
                self.allows_by_default(&["--approve-all"])
                    && self.files.iter().all(FileRule::is_fully_enforced)
            }
            (Runner::Terminal | Runner::Builtin, _) => false,
            (Runner::Request, Target::Write(file)) => {
                self.allows_by_default(&["--approve-all"]) && !file.starts_with("..")
            }
            (Runner::Request, Target::Read(file)) => {
                self.allows_by_default(&["--approve-all", "--approve-reads"])
                    && !file.starts_with("..")
            }
            (Runner::Request, _) => false,
        }
    }
}

impl Restriction {
    fn new(random: &mut Random) -> Self {
        match random.once_in(3) {
            true => Self::Ask,
            false => Self::Deny,
        }
    }

    fn action(self) -> &'static str {
        match self {
            Self::Deny => "deny",
            Self::Ask => "ask",
        }
    }
}

pub(super) const PRESETS: [&str; 3] = ["--approve-all", "--approve-reads", "--deny-all"];

/// The word that rules with arguments deny, and one that they don't deny.
pub(super) const DENIED_WORD: &str = "push";
pub(super) const OTHER_WORD: &str = "fetch";
