//! The judge of one program's tree.

use std::collections::HashSet;
use std::path::PathBuf;

use attache_transport::process::{Exec, ExecJudge, ExecProcess, ExecVerdict};

use super::daemons;
use super::invocation::{self, Calls, Invocation};
use super::pattern::Pattern;
use super::programs::Programs;
use super::{Approved, ExecRule, ExecRules};
use crate::permissions::{Match, PathPattern, Seen, ShellLine, values};

/// Keeps the command rules of a policy.
pub(super) struct Judge {
    deny: Vec<Rule>,
    ask: Vec<Rule>,
    allowed: Vec<Pattern>,
    approved: Vec<Approved>,
    /// Where relative paths of rules are looked for.
    directories: Vec<PathBuf>,
    is_attended: bool,
    programs: Programs,
}

struct Rule {
    why: String,
    commands: Vec<Pattern>,
    paths: Vec<PathPattern>,
}

/// What keeps a program from being executed at once.
enum Objection<'a> {
    Denied(&'a Rule),
    Asked(&'a Rule),
    /// Words that could not be looked at may make it a command that the rule names.
    Unchecked(&'a Rule),
    /// What it runs could not be looked at, for this reason.
    Unseen(&'static str),
    /// Its subcommand may be an alias of one that the rule names.
    Renamed(&'a Rule),
    /// It is a client of a daemon, by this name.
    Daemon(&'static str),
}

impl Judge {
    /// None if a pattern cannot be read.
    pub(super) fn new(rules: ExecRules) -> Option<Judge> {
        let programs = Programs::on_path();
        let pattern = |text: &String| Pattern::parse(text, |name| programs.files_of(name));
        let rule = |rule: ExecRule| {
            let paths = rule.paths.iter().map(|text| PathPattern::parse(text).ok());
            Some(Rule {
                commands: rule.commands.iter().map(pattern).collect::<Option<_>>()?,
                paths: paths.collect::<Option<_>>()?,
                why: rule.why,
            })
        };
        let (deny, ask): (Vec<ExecRule>, Vec<ExecRule>) =
            rules.rules.into_iter().partition(|rule| rule.is_denial);
        Some(Judge {
            deny: deny.into_iter().map(rule).collect::<Option<_>>()?,
            ask: ask.into_iter().map(rule).collect::<Option<_>>()?,
            allowed: rules.allowed.iter().map(pattern).collect::<Option<_>>()?,
            approved: rules.approved,
            directories: rules.directories,
            is_attended: rules.is_attended,
            programs,
        })
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

    fn objection(&self, exec: &Exec, calls: &Calls) -> Option<Objection<'_>> {
        let all = calls.all.as_slice();
        let caught = |rule: &Rule| {
            let each = all.iter();
            let each = each.map(|it| rule.catches(exec, it, &self.directories));
            each.max().unwrap_or(Caught::No)
        };
        let (mut unchecked, mut renamed) = (None, None);
        for rule in &self.deny {
            match caught(rule) {
                Caught::Yes => return Some(Objection::Denied(rule)),
                Caught::Maybe => unchecked = unchecked.or(Some(rule)),
                Caught::Renamed => renamed = renamed.or(Some(rule)),
                Caught::No => {}
            }
        }
        let mut asking = None;
        for rule in &self.ask {
            match caught(rule) {
                Caught::Yes => asking = asking.or(Some(rule)),
                Caught::Maybe => unchecked = unchecked.or(Some(rule)),
                Caught::Renamed => renamed = renamed.or(Some(rule)),
                Caught::No => {}
            }
        }
        let unseen = exec.unseen.or(calls.is_cut.then_some(CUT));
        let by_rule = unchecked
            .map(Objection::Unchecked)
            .or(unseen.map(Objection::Unseen))
            .or(asking.map(Objection::Asked))
            .or(renamed
                .filter(|_| !self.is_allowed(&all[0]))
                .map(Objection::Renamed));
        by_rule.or_else(|| self.daemon(all).map(Objection::Daemon))
    }

    fn daemon(&self, all: &[Invocation]) -> Option<&'static str> {
        let mut clients = all
            .iter()
            .filter(|_| !self.deny.is_empty())
            .filter(|invocation| !self.is_allowed(invocation));
        clients.find_map(daemons::client)
    }

    fn is_allowed(&self, invocation: &Invocation) -> bool {
        let mut allowed = self.allowed.iter();
        allowed.any(|pattern| pattern.allows(invocation))
    }

    /// The approval that covers an exec: of the same program and words, in a directory that was shown, without variables
    /// that were not, and shown as a command that the rule is about. A link with another name was not.
    fn approval(
        &self,
        exec: &Exec,
        objection: &Objection<'_>,
        process: &dyn ExecProcess,
    ) -> Option<usize> {
        let args = exec.args.as_deref().filter(|_| exec.more == 0)?;
        let cwd = exec.cwd.as_ref()?;
        let file = exec.file.as_ref()?.id;
        let is_meant = |approved: &&Approved| {
            let words = approved.words.iter().map(|word| Some(&**word));
            args.iter().map(|arg| arg.to_str()).eq(words)
                && approved.directories.contains(cwd)
                && approved.files.contains(&file)
        };
        if !self.approved.iter().any(|approved| is_meant(&approved)) {
            return None;
        }
        let set = super::variables_to_show(&process.variables()?);
        self.approved.iter().position(|approved| {
            is_meant(&approved)
                && set.iter().all(|it| approved.variables.contains(it))
                && objection.is_to(&approved.words)
        })
    }
}

impl Objection<'_> {
    /// Whether the words of a command show what the objection is about.
    fn is_to(&self, words: &[String]) -> bool {
        let line = ShellLine::of(words);
        let mut parts = line.parts.iter();
        match self {
            Objection::Asked(rule) | Objection::Renamed(rule) => parts.any(|part| {
                let mut commands = rule.commands.iter();
                commands.any(|pattern| pattern.is_shown_by(part))
            }),
            Objection::Daemon(client) => {
                parts.any(|part| part.program().as_deref() == Some(client))
            }
            Objection::Denied(_) | Objection::Unchecked(_) | Objection::Unseen(_) => false,
        }
    }

    fn why(&self) -> String {
        match self {
            Objection::Denied(rule) | Objection::Asked(rule) => rule.why.clone(),
            Objection::Unchecked(rule) => {
                format!("{}; it has more arguments than can be checked", rule.why)
            }
            Objection::Unseen(what) => format!("{what}; no rule can be checked on that"),
            Objection::Renamed(rule) => format!(
                "{}; its subcommand is not built in and may be an alias; a rule that allows this command decides it",
                rule.why
            ),
            Objection::Daemon(client) => format!(
                "`{client}` can have a program outside run commands, where no rule that denies commands applies"
            ),
        }
    }
}

/// Whether a rule is about an exec.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Caught {
    No,
    /// Its subcommand may be an alias of one that the rule names.
    Renamed,
    /// There is more than was looked at.
    Maybe,
    Yes,
}

impl Rule {
    fn catches(&self, exec: &Exec, invocation: &Invocation, directories: &[PathBuf]) -> Caught {
        let each = self.commands.iter();
        let found = each.map(|pattern| pattern.catches(invocation)).max();
        let mut commands = self.commands.iter();
        if found == Some(Match::Maybe) {
            return Caught::Renamed;
        }
        if found != Some(Match::Yes) {
            // Words beyond those that were read could still make it a command that the rule names.
            return match exec.more > 0 && commands.any(|pattern| pattern.names(invocation)) {
                true => Caught::Maybe,
                false => Caught::No,
            };
        }
        match self.paths.is_empty() {
            true => Caught::Yes,
            false => self.touches(exec, invocation, directories),
        }
    }

    /// Whether the directory of a command or one of its arguments leads to a path of the rule.
    fn touches(&self, exec: &Exec, invocation: &Invocation, directories: &[PathBuf]) -> Caught {
        let bases = match &exec.cwd {
            Some(cwd) => std::slice::from_ref(cwd),
            None => directories,
        };
        let workspaces = directories.iter().map(PathBuf::as_path);
        let mut found = Caught::No;
        for workspace in workspaces.chain(bases.iter().map(PathBuf::as_path)) {
            let words = invocation.words.iter().flat_map(|word| values(word));
            let arguments = Seen::in_words(words, bases, std::iter::empty(), workspace);
            let running_in = Seen::of(exec.cwd.iter().cloned(), workspace);
            let mut views = arguments.views.iter().chain(&running_in.views);
            if views.any(|view| self.paths.iter().any(|pattern| pattern.covers(view))) {
                return Caught::Yes;
            }
            if arguments.is_cut || exec.more > 0 {
                found = Caught::Maybe;
            }
        }
        found
    }
}

impl ExecJudge for Judge {
    fn judge(&mut self, exec: &Exec, process: &dyn ExecProcess) -> ExecVerdict {
        if !self.is_enforcing() {
            return ExecVerdict::Continue;
        }
        if exec.args.is_none() {
            return self.ask(UNREADABLE.to_owned());
        }
        let calls = invocation::of(exec, &self.programs, process);
        let Some(objection) = self.objection(exec, &calls) else {
            return ExecVerdict::Continue;
        };
        if let Objection::Denied(rule) = objection {
            let why = rule.why.clone();
            return ExecVerdict::Deny { why };
        }
        match self.approval(exec, &objection, process) {
            Some(used) => {
                self.approved.swap_remove(used);
                ExecVerdict::Continue
            }
            None => self.ask(objection.why()),
        }
    }

    fn looks_at_directory(&self) -> bool {
        let mut rules = self.deny.iter().chain(&self.ask);
        !self.approved.is_empty() || rules.any(|rule| !rule.paths.is_empty())
    }

    fn is_enforcing(&self) -> bool {
        !self.deny.is_empty() || !self.ask.is_empty()
    }
}

/// Files by device and inode.
pub(super) type Files = HashSet<(u64, u64)>;

const CUT: &str = "it runs a program that is named behind more arguments than are read";
const UNREADABLE: &str = "the program's arguments cannot be read, so no rule can be checked";
