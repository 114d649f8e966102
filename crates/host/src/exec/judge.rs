//! The judge of one program's tree.

use std::collections::HashSet;
use std::ffi::OsStr;

use attache_transport::process::{Exec, ExecFile, ExecJudge, ExecVerdict};

use super::daemons;
use super::invocation::{self, Invocation};
use super::pattern::Pattern;
use super::programs::Programs;
use super::{Approved, ExecRules};

/// Keeps the command rules of a policy.
pub(super) struct Judge {
    deny: Vec<(String, Vec<Pattern>)>,
    ask: Vec<(String, Vec<Pattern>)>,
    allowed: Vec<Pattern>,
    approved: Vec<Approved>,
    is_attended: bool,
    programs: Programs,
}

impl Judge {
    /// None if a pattern cannot be read.
    pub(super) fn new(rules: ExecRules) -> Option<Judge> {
        let programs = Programs::on_path();
        let mut judge = Judge {
            deny: Vec::new(),
            ask: Vec::new(),
            allowed: Vec::new(),
            approved: rules.approved,
            is_attended: rules.is_attended,
            programs,
        };
        for rule in rules.rules {
            let patterns = rule.commands.iter().map(|text| judge.pattern(text));
            let patterns = patterns.collect::<Option<Vec<_>>>()?;
            match rule.is_denial {
                true => judge.deny.push((rule.why, patterns)),
                false => judge.ask.push((rule.why, patterns)),
            }
        }
        for text in &rules.allowed {
            let pattern = judge.pattern(text)?;
            judge.allowed.push(pattern);
        }
        Some(judge)
    }

    fn pattern(&self, text: &str) -> Option<Pattern> {
        Pattern::parse(text, |program| self.programs.files_of(program))
    }

    /// A user is asked; where nobody can be, it is denied.
    fn ask(&self, why: String) -> ExecVerdict {
        match self.is_attended {
            true => ExecVerdict::Ask { why },
            false => ExecVerdict::Deny {
                why: format!("{why}; nobody can be asked"),
            },
        }
    }

    /// Whether the user has just allowed exactly this, for once.
    fn take_approval(&mut self, exec: &Exec) -> bool {
        let is_same = |approved: &Approved| {
            let args = exec.args.as_deref().unwrap_or_default();
            exec.cwd.as_ref() == Some(&approved.cwd)
                && exec.more == 0
                && args
                    .iter()
                    .map(|arg| arg.to_str())
                    .eq(approved.words.iter().map(|word| Some(&**word)))
        };
        let found = self.approved.iter().position(is_same);
        if let Some(found) = found {
            self.approved.swap_remove(found);
        }
        found.is_some()
    }

    fn judge_rules(&self, exec: &Exec, all: &[Invocation]) -> Option<ExecVerdict> {
        let catches = |patterns: &[Pattern]| {
            all.iter()
                .any(|invocation| patterns.iter().any(|pattern| pattern.covers(invocation)))
        };
        if let Some((why, _)) = self.deny.iter().find(|(_, patterns)| catches(patterns)) {
            return Some(ExecVerdict::Deny { why: why.clone() });
        }
        // Words beyond those that were read could still make it a command that a rule names.
        let names = |patterns: &[Pattern]| {
            all.iter()
                .any(|invocation| patterns.iter().any(|pattern| pattern.names(invocation)))
        };
        let mut rules = self.deny.iter().chain(&self.ask);
        if exec.more > 0
            && let Some((why, _)) = rules.find(|(_, patterns)| names(patterns))
        {
            return Some(self.ask(format!("{why}; it has more arguments than can be checked")));
        }
        let asking = self.ask.iter().find(|(_, patterns)| catches(patterns));
        asking.map(|(why, _)| self.ask(why.clone()))
    }

    fn judge_daemons(&self, all: &[Invocation]) -> Option<ExecVerdict> {
        if self.deny.is_empty() {
            return None;
        }
        let client = all.iter().find_map(|invocation| {
            let client = daemons::client(invocation)?;
            let is_allowed = self
                .allowed
                .iter()
                .any(|pattern| pattern.covers(invocation));
            (!is_allowed).then_some(client)
        })?;
        Some(self.ask(format!(
            "`{client}` can have a program outside run commands, where no rule that denies commands applies"
        )))
    }
}

impl ExecJudge for Judge {
    fn judge(&mut self, exec: &Exec, find: &dyn Fn(&OsStr) -> Option<ExecFile>) -> ExecVerdict {
        if !self.is_enforcing() {
            return ExecVerdict::Continue;
        }
        if exec.args.is_none() {
            return self.ask(UNREADABLE.to_owned());
        }
        let all = invocation::of(exec, &self.programs, find);
        let verdict = self
            .judge_rules(exec, &all)
            .or_else(|| self.judge_daemons(&all));
        match verdict {
            None => ExecVerdict::Continue,
            Some(ExecVerdict::Deny { why }) if self.is_denied(&why) => ExecVerdict::Deny { why },
            Some(_) if self.take_approval(exec) => ExecVerdict::Continue,
            Some(verdict) => verdict,
        }
    }

    fn looks_at_directory(&self) -> bool {
        !self.approved.is_empty()
    }

    fn is_enforcing(&self) -> bool {
        !self.deny.is_empty() || !self.ask.is_empty()
    }
}

impl Judge {
    /// Whether a rule denies it, rather than that nobody can be asked.
    fn is_denied(&self, why: &str) -> bool {
        self.deny.iter().any(|(rule, _)| rule == why)
    }
}

/// Files by device and inode.
pub(super) type Files = HashSet<(u64, u64)>;

const UNREADABLE: &str = "the program's arguments cannot be read, so no rule can be checked";
