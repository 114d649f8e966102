//! The judge of the programs that one process tree executes.

use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::{Duration, Instant};

use attache_process::{
    Exec, ExecFile, ExecJudge, ExecProcess, ExecVerdict, FileLookup, FileOrigin,
};

use super::daemons;
use super::invocation::{self, Invocation, Invocations};
use super::pattern::{ExecPattern, remember_files};
use super::programs::{Programs, is_git_core};
use super::text::unescaped;
use super::{ApprovedCommand, ExecRule, ExecRules};
use crate::permissions::{CommandMatch, PathLookups, PathPattern, PathViews, ShellLine, WordPaths};

/// Enforces the command rules of a policy.
pub(super) struct RuleJudge {
    deny: Vec<CompiledRule>,
    ask: Vec<CompiledRule>,
    allowed: Vec<ExecPattern>,
    approved: Vec<ApprovedCommand>,
    /// The directories that relative paths in rules refer to.
    directories: Vec<PathBuf>,
    is_attended: bool,
    programs: Programs,
    /// When the files behind names on `PATH` are looked up again.
    next_lookup: Instant,
}

struct CompiledRule {
    why: String,
    commands: Vec<ExecPattern>,
    paths: Vec<PathPattern>,
}

/// Why a program is not executed at once.
enum Objection<'a> {
    DenyRule(&'a CompiledRule),
    AskRule(&'a CompiledRule),
    /// The program has more arguments than were read. With those, it may be a command that the rule names.
    TooManyArguments(&'a CompiledRule),
    /// A program that this one runs could not be inspected, for this reason.
    Uninspected(&'static str),
    /// The subcommand may be an alias of one that the rule names.
    PossibleAlias(&'a CompiledRule),
    /// The program is a client of a daemon, by this name.
    DaemonClient(&'static str),
}

impl RuleJudge {
    /// The judge for these rules; `None` if a pattern can't be read.
    pub(super) fn new(rules: ExecRules) -> Option<RuleJudge> {
        let pattern = |text: &String| ExecPattern::parse(text);
        let rule = |rule: ExecRule| {
            let paths = rule.paths.iter().map(|text| PathPattern::parse(text).ok());
            Some(CompiledRule {
                commands: rule.commands.iter().map(pattern).collect::<Option<_>>()?,
                paths: paths.collect::<Option<_>>()?,
                why: rule.why,
            })
        };
        let (deny, ask): (Vec<ExecRule>, Vec<ExecRule>) =
            rules.rules.into_iter().partition(|rule| rule.is_denial);
        let mut judge = RuleJudge {
            deny: deny.into_iter().map(rule).collect::<Option<_>>()?,
            ask: ask.into_iter().map(rule).collect::<Option<_>>()?,
            allowed: rules.allowed.iter().map(pattern).collect::<Option<_>>()?,
            approved: rules.approved,
            directories: rules.directories,
            is_attended: rules.is_attended,
            programs: Programs::on_path(),
            next_lookup: Instant::now(),
        };
        let compiled = judge.deny.iter_mut().chain(&mut judge.ask);
        for pattern in compiled.flat_map(|rule| &mut rule.commands) {
            for file in &rules.remembered {
                pattern.restore_file(file);
            }
        }
        Some(judge)
    }

    /// Looks up where the programs of the rules are now: a file may have been replaced. One that a rule names with its
    /// directory is looked up each time, the others once in a while.
    fn refresh_program_files(&mut self) {
        let start = Instant::now();
        let is_due = start >= self.next_lookup;
        let is_wanted = |pattern: &&mut ExecPattern| is_due || pattern.has_directory();
        for pattern in self.allowed.iter_mut().filter(is_wanted) {
            pattern.look_up_files(&self.programs, &self.directories);
        }
        let rules = self.deny.iter_mut().chain(&mut self.ask);
        let patterns = rules.flat_map(|rule| &mut rule.commands);
        remember_files(patterns, is_due, &self.programs, &self.directories);
        if is_due {
            let pause = start.elapsed().saturating_mul(SHARE).max(PAUSE);
            self.next_lookup = start.checked_add(pause).unwrap_or(start);
        }
    }

    /// Asks the user; where nobody can be asked, denies.
    fn ask(&self, why: String) -> ExecVerdict {
        match self.is_attended {
            true => ExecVerdict::Ask { why },
            false => ExecVerdict::Deny {
                why: format!("{why}; nobody can be asked"),
            },
        }
    }

    fn objection(
        &self,
        exec: &Exec,
        calls: &Invocations,
        process: &dyn ExecProcess,
    ) -> Option<Objection<'_>> {
        let all = calls.all.as_slice();
        let directories = self.directories.as_slice();
        let inspection = PathInspection {
            exec,
            directories,
            process,
        };
        let caught = |rule: &CompiledRule| {
            let each = all.iter();
            let each = each.map(|it| rule.catches(&inspection, it));
            each.max().unwrap_or(RuleMatch::No)
        };
        let (mut unchecked, mut possible_alias) = (None, None);
        for rule in &self.deny {
            match caught(rule) {
                RuleMatch::Yes => return Some(Objection::DenyRule(rule)),
                RuleMatch::Maybe => unchecked = unchecked.or(Some(rule)),
                RuleMatch::PossibleAlias => possible_alias = possible_alias.or(Some(rule)),
                RuleMatch::No => {}
            }
        }
        let mut asking = None;
        for rule in &self.ask {
            match caught(rule) {
                RuleMatch::Yes => asking = asking.or(Some(rule)),
                RuleMatch::Maybe => unchecked = unchecked.or(Some(rule)),
                RuleMatch::PossibleAlias => possible_alias = possible_alias.or(Some(rule)),
                RuleMatch::No => {}
            }
        }
        let uninspected = exec.unseen.or(calls.uninspected);
        let by_rule = unchecked
            .map(Objection::TooManyArguments)
            .or(uninspected.map(Objection::Uninspected))
            .or(asking.map(Objection::AskRule))
            .or(possible_alias
                .filter(|_| !self.is_allowed(&all[0]))
                .map(Objection::PossibleAlias));
        by_rule.or_else(|| self.daemon(all).map(Objection::DaemonClient))
    }

    fn daemon(&self, all: &[Rc<Invocation>]) -> Option<&'static str> {
        let mut clients = all
            .iter()
            .filter(|_| !self.deny.is_empty())
            .filter(|invocation| !self.is_allowed(invocation));
        clients.find_map(|invocation| daemons::client(invocation))
    }

    fn is_allowed(&self, invocation: &Invocation) -> bool {
        let mut allowed = self.allowed.iter();
        allowed.any(|pattern| pattern.allows(invocation))
    }

    /// The approval that covers an exec: for the same program and words, in a directory that was shown, without
    /// variables that were not shown, and shown as a command that the rule is about. A link with another name was not
    /// shown.
    fn approval(
        &self,
        exec: &Exec,
        objection: &Objection<'_>,
        process: &dyn ExecProcess,
    ) -> Option<usize> {
        let args = exec.args.as_deref().filter(|_| exec.more == 0)?;
        let cwd = exec.cwd.as_ref()?;
        let file = exec.file.as_ref()?.id;
        let is_meant = |approved: &&ApprovedCommand| {
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
                && objection.is_shown_by(&approved.words)
        })
    }
}

impl Objection<'_> {
    /// Whether the words of a command show what the objection is about.
    fn is_shown_by(&self, words: &[String]) -> bool {
        let line = ShellLine::of(words);
        let mut parts = line.parts.iter();
        match self {
            Objection::AskRule(rule) | Objection::PossibleAlias(rule) => parts.any(|part| {
                let mut commands = rule.commands.iter();
                commands.any(|pattern| pattern.is_shown_by(part))
            }),
            Objection::DaemonClient(client) => {
                parts.any(|part| part.program().as_deref() == Some(client))
            }
            Objection::DenyRule(_) | Objection::TooManyArguments(_) | Objection::Uninspected(_) => {
                false
            }
        }
    }

    fn why(&self) -> String {
        match self {
            Objection::DenyRule(rule) | Objection::AskRule(rule) => rule.why.clone(),
            Objection::TooManyArguments(rule) => {
                format!("{}; it has more arguments than can be checked", rule.why)
            }
            Objection::Uninspected(what) => format!("{what}, so no rule can be checked"),
            Objection::PossibleAlias(rule) => format!(
                "{}; its subcommand is not built in and may be an alias; a rule that allows this command decides it",
                rule.why
            ),
            Objection::DaemonClient(client) => format!(
                "`{client}` can have a program outside run commands, where no rule that denies commands applies"
            ),
        }
    }
}

/// Whether a rule is about an exec.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum RuleMatch {
    No,
    /// The subcommand may be an alias of one that the rule names.
    PossibleAlias,
    /// Some words or paths were not inspected.
    Maybe,
    Yes,
}

impl CompiledRule {
    fn catches(&self, inspection: &PathInspection<'_>, invocation: &Invocation) -> RuleMatch {
        let each = self.commands.iter();
        let has_own_scripts = || inspection.has_own_git_scripts();
        let found = each.map(|pattern| pattern.catches(invocation, has_own_scripts));
        let found = found.max();
        let mut commands = self.commands.iter();
        if found == Some(CommandMatch::Maybe) {
            return RuleMatch::PossibleAlias;
        }
        if found != Some(CommandMatch::Yes) {
            // Words after those that were read could still make it a command that the rule names.
            return match inspection.exec.more > 0
                && commands.any(|pattern| pattern.names(invocation))
            {
                true => RuleMatch::Maybe,
                false => RuleMatch::No,
            };
        }
        match self.paths.is_empty() {
            true => RuleMatch::Yes,
            false => inspection.touches(&self.paths, invocation),
        }
    }
}

/// The inspection of an exec's paths.
struct PathInspection<'a> {
    exec: &'a Exec,
    directories: &'a [PathBuf],
    process: &'a dyn ExecProcess,
}

impl PathInspection<'_> {
    /// Whether no variable makes git look for its separate programs elsewhere.
    fn has_own_git_scripts(&self) -> bool {
        let variables = self.process.variables();
        variables.is_some_and(|all| {
            let mut all = all.iter().map(|it| it.to_string_lossy());
            all.all(|it| it.strip_prefix("GIT_EXEC_PATH=").is_none_or(is_git_core))
        })
    }

    /// Whether the directory of a command or one of its arguments leads to a path of a rule: as written, as we resolve
    /// them, and as the process does.
    fn touches(&self, patterns: &[PathPattern], invocation: &Invocation) -> RuleMatch {
        let bases = match &self.exec.cwd {
            Some(cwd) => std::slice::from_ref(cwd),
            None => self.directories,
        };
        let read = WordPaths::of(&invocation.words, bases);
        let words: Vec<&str> = read.texts.iter().map(String::as_str).collect();
        let (places, is_seen) = self.resolved_paths(&words);
        let is_seen = is_seen && !read.is_cut;
        let mut found = match is_seen {
            true => RuleMatch::No,
            false => RuleMatch::Maybe,
        };
        let lookups = PathLookups::default();
        let workspaces = self.directories.iter().chain(bases);
        for workspace in workspaces.map(PathBuf::as_path) {
            let values = words.iter().copied();
            let arguments =
                PathViews::in_words(values, bases, std::iter::empty(), workspace, &lookups);
            let more = self.exec.cwd.iter().chain(&places).cloned();
            let more = PathViews::of(more, workspace);
            let mut views = arguments.views.iter().chain(&more.views);
            if views.any(|view| patterns.iter().any(|pattern| pattern.covers(view))) {
                return RuleMatch::Yes;
            }
            if arguments.is_cut || more.is_cut || self.exec.more > 0 {
                found = RuleMatch::Maybe;
            }
        }
        found
    }

    /// Where words lead for the process, and whether that is the same for us.
    fn resolved_paths(&self, words: &[&str]) -> (Vec<PathBuf>, bool) {
        let mut places = Vec::new();
        let mut is_seen = words.len() <= MAX_LOOKUPS;
        let words = words.iter().filter(|word| !word.starts_with('-'));
        let words = words.take(MAX_LOOKUPS).map(|word| unescaped(word));
        for word in words.chain(std::iter::once(".".into())) {
            let path = Path::new(&word);
            let mut note = |file: ExecFile, name: Option<&Path>| {
                is_seen &= file.origin == FileOrigin::Shared;
                places.push(name.map_or(file.path.clone(), |name| file.path.join(name)));
            };
            match self.process.find(&word) {
                FileLookup::Found(file) => note(file, None),
                FileLookup::Unknown => is_seen = false,
                // The program may create it there.
                FileLookup::Missing => {
                    let above = path.parent().filter(|it| !it.as_os_str().is_empty());
                    let name = path.file_name().map(Path::new);
                    let above = above.map(|above| self.process.find(above.as_os_str()));
                    match above {
                        Some(FileLookup::Found(file)) => note(file, name),
                        Some(FileLookup::Unknown) => is_seen = false,
                        Some(FileLookup::Missing) | None => {}
                    }
                }
            }
        }
        (places, is_seen)
    }
}

impl ExecJudge for RuleJudge {
    fn judge(&mut self, exec: &Exec, process: &dyn ExecProcess) -> ExecVerdict {
        if !self.is_enforcing() {
            return ExecVerdict::Continue;
        }
        if exec.args.is_none() {
            return self.ask(UNREADABLE.to_owned());
        }
        self.refresh_program_files();
        let calls = invocation::invocations_of(exec, &self.programs, process);
        let Some(objection) = self.objection(exec, &calls, process) else {
            return ExecVerdict::Continue;
        };
        if let Objection::DenyRule(rule) = objection {
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

    fn needs_cwd(&self) -> bool {
        let mut rules = self.deny.iter().chain(&self.ask);
        !self.approved.is_empty() || rules.any(|rule| !rule.paths.is_empty())
    }

    fn is_enforcing(&self) -> bool {
        !self.deny.is_empty() || !self.ask.is_empty()
    }
}

/// The shortest time between two lookups of the programs of rules, and how many times longer than a lookup it is.
const PAUSE: Duration = Duration::from_secs(1);
const SHARE: u32 = 50;
/// Arguments that are resolved as the process does.
const MAX_LOOKUPS: usize = 256;
const UNREADABLE: &str = "the program's arguments cannot be read, so no rule can be checked";
