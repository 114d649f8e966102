//! Facts about an action that rules and presets ask for.

mod possible_files;

use std::cell::OnceCell;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

use attache_schema::v1;

use super::action::MAX_PATHS;
use super::command::line::{ShellLine, ShellWord, SimpleCommand};
use super::command::options::CommandWord as _;
use super::command::pattern::{CommandMatch, CommandPattern};
use super::command::programs::{self, ProgramReach};
use super::command::{self, MAX_TOKENS};
use super::path_pattern::PathPattern;
use super::path_views::{MAX_LINKS, PathViews, word_values};
use super::pattern_files::PatternFiles;
use super::resolved_files::{PathLookups, ResolvedFile, ResolvedFiles};
use super::{Action, paths};

/// Facts about an action that rules and presets ask for, each worked out once.
pub(super) struct ActionFacts<'a> {
    pub(super) action: &'a Action,
    /// The simple commands that the action runs.
    pub(super) line: ShellLine,
    /// The programs by which rules on commands are found.
    pub(super) programs: Vec<String>,
    /// Lines that it may also run: texts in input that is not understood.
    others: Vec<ShellLine>,
    /// Words of the title, if the tool runs a command and does not say which.
    title: Vec<&'a str>,
    /// The title, and what it begins with. Titles are the agent's words: they may deny an action, never allow it.
    pub(super) titles: [String; 3],
    pub(super) given_paths: Vec<GivenPath>,
    /// Directories that count as inside, in addition to the workspace.
    directories: &'a [PathBuf],
    lookups: PathLookups,
    /// The files as they are on the disk now.
    on_disk: OnceCell<ResolvedFiles>,
    /// Every way in which its paths can be read, for rules that deny.
    path_views: PathViews,
    /// Likewise for paths that may be in the command, in input that is not understood and behind patterns.
    other_path_views: OnceCell<PathViews>,
    /// Files that match its patterns now, and its paths that may be patterns.
    pattern_files: OnceCell<PatternFiles>,
    may_name_protected: OnceCell<bool>,
    is_understood: OnceCell<bool>,
}

/// A path as it was given, for rules that allow.
#[derive(Debug)]
pub(super) struct GivenPath {
    pub(super) absolute: Option<String>,
    pub(super) inside: Option<String>,
    is_inside: bool,
}

impl<'a> ActionFacts<'a> {
    /// Gathers the facts about an action. `also` are directories that count as inside, in addition to the workspace.
    pub(super) fn of(action: &'a Action, directories: &'a [PathBuf]) -> ActionFacts<'a> {
        let runs_unseen = action.command.is_none() && action.kind == v1::ToolKind::Execute;
        let title = match runs_unseen {
            true => command::tokens(&action.title),
            false => Vec::new(),
        };
        let line = action.command.as_deref().map(ShellLine::of);
        let line = line.unwrap_or_default();
        let others = action.unknown_texts.commands.iter();
        let others: Vec<ShellLine> = others.map(|words| ShellLine::of(words)).collect();
        let base = &action.workspace;
        let given_paths = action
            .paths
            .iter()
            .map(|path| GivenPath::of(path, base, directories));
        ActionFacts {
            programs: programs(action, std::iter::once(&line).chain(&others), &title),
            line,
            others,
            title,
            titles: titles(&action.title),
            given_paths: given_paths.collect(),
            directories,
            lookups: PathLookups::default(),
            on_disk: OnceCell::new(),
            path_views: PathViews::of(action.paths.iter().cloned(), base),
            other_path_views: OnceCell::new(),
            pattern_files: OnceCell::new(),
            may_name_protected: OnceCell::new(),
            is_understood: OnceCell::new(),
            action,
        }
    }

    /// The kind of tool. Anything that runs a command counts as `execute`, whatever it says it is.
    pub(super) fn kind(&self) -> v1::ToolKind {
        match self.action.command {
            Some(_) => v1::ToolKind::Execute,
            None => self.action.kind.clone(),
        }
    }

    /// Whether the action names files, and all of them lie inside.
    pub(super) fn is_inside(&self) -> bool {
        !self.given_paths.is_empty() && self.has_nothing_outside()
    }

    /// Whether none of the files that it names lies outside, or leads there.
    pub(super) fn has_nothing_outside(&self) -> bool {
        self.given_paths.iter().all(|place| place.is_inside) && self.on_disk().is_inside()
    }

    /// The files as they are on the disk now.
    pub(super) fn on_disk(&self) -> &ResolvedFiles {
        let line = self.action.command.is_some().then_some(&self.line);
        self.on_disk
            .get_or_init(|| ResolvedFiles::of(self.action, line, self.directories, &self.lookups))
    }

    /// Whether the user is asked about it each time.
    pub(super) fn is_asked_each_time(&self) -> bool {
        self.action.is_ambiguous || self.is_protected()
    }

    /// Whether the action may change a protected file, by what it says or by what its input may contain.
    pub(super) fn is_protected(&self) -> bool {
        self.on_disk().is_protected() || self.may_name_protected()
    }

    /// What is wrong with an action that may change a protected file, for the user.
    pub(super) fn why_protected(&self) -> &'static str {
        match !self.may_name_protected() && self.on_disk().is_only_unknown() {
            true => UNKNOWN_PATH,
            false => PROTECTED,
        }
    }

    /// Whether the patterns cover all files, by their names and where they lead.
    pub(super) fn are_allowed_by<'p>(
        &self,
        patterns: impl Iterator<Item = &'p PathPattern> + Clone,
    ) -> bool {
        let covers = |(place, file): (&GivenPath, &ResolvedFile)| {
            let is_named = patterns.clone().any(|pattern| place.is_allowed_by(pattern));
            let is_covered = |there: &PathBuf| {
                patterns
                    .clone()
                    .any(|pattern| file.is_allowed_by(pattern, there))
            };
            is_named && file.leads_to.as_ref().is_none_or(is_covered)
        };
        let files = self.on_disk().files();
        !self.given_paths.is_empty()
            && self.given_paths.len() == files.len()
            && self.given_paths.iter().zip(files).all(covers)
    }

    /// Whether the action only reads files inside, as far as that is certain. The kind is the agent's word, so it must
    /// name the files, and have no input whose meaning is unknown.
    pub(super) fn only_reads_inside(&self) -> bool {
        self.action.only_reads()
            && self.is_inside()
            && !self.is_cut()
            && self.patterns_lead_inside()
    }

    /// Whether there is more than is inspected.
    pub(super) fn is_cut(&self) -> bool {
        let action = self.action;
        action.paths.len() >= MAX_PATHS || self.path_views.is_cut || action.unknown_texts.is_cut
    }

    /// Whether one of its simple commands falls under a pattern. A title can only deny.
    pub(super) fn runs(&self, pattern: &CommandPattern) -> CommandMatch {
        let found = self
            .all_parts()
            .map(|part| match pattern.catches(&part.words) {
                // It could only be an alias: see `may_be_alias_in`.
                CommandMatch::Maybe if part.literal_words().is_some() => CommandMatch::No,
                found => found,
            });
        let found = found.max();
        let in_title = (0..self.title.len()).any(|at| pattern.begins(&self.title[at..]));
        match in_title {
            true => CommandMatch::Yes,
            false => found.unwrap_or(CommandMatch::No),
        }
    }

    /// The lines that it runs, and those that it may run.
    pub(super) fn lines(&self) -> impl Iterator<Item = &ShellLine> {
        std::iter::once(&self.line).chain(&self.others)
    }

    fn all_parts(&self) -> impl Iterator<Item = &SimpleCommand> {
        self.lines().flat_map(|line| &line.parts)
    }

    /// Whether a simple command whose words are all known may fall under a pattern.
    pub(super) fn may_be_alias_in(&self, pattern: &CommandPattern) -> bool {
        let mut parts = self.line.parts.iter();
        parts.any(|part| {
            part.literal_words().is_some() && pattern.catches(&part.words) == CommandMatch::Maybe
        })
    }

    /// Why it may run something that none of its parts shows, for rules on commands.
    pub(super) fn hides_commands(&self) -> Option<&'static str> {
        let action = self.action;
        match action.kind {
            _ if action.has_unknown_input => Some(UNKNOWN_INPUT),
            _ if action.command.is_some() => self.line.doubt,
            v1::ToolKind::Execute => Some("it does not say what it runs"),
            _ => None,
        }
    }

    /// Whether the action would run a program about which nothing is known, and which may start others.
    pub(super) fn runs_unknown(&self) -> bool {
        self.line.parts.iter().any(is_unknown)
    }

    /// The parts of the line for which it is uncertain what they reach or run; `None` if that is so for the whole line.
    pub(super) fn doubtful_parts(&self) -> Option<Vec<&SimpleCommand>> {
        let line = &self.line;
        if self.action.command.is_none() || line.doubt.is_some() || self.other_path_views().is_cut {
            return None;
        }
        let is_doubtful = |part: &&SimpleCommand| is_unknown(part) || self.reaches_more(part);
        Some(line.parts.iter().filter(is_doubtful).collect())
    }

    /// Why it may reach files that it does not name, for rules on paths.
    pub(super) fn hides_paths(&self) -> Option<&'static str> {
        let action = self.action;
        if action.has_unknown_input {
            return Some(UNKNOWN_INPUT);
        }
        let has_patterns = !action.patterns.is_empty() || !action.wild_paths.is_empty();
        if action.command.is_none() {
            return match action.kind {
                v1::ToolKind::Execute => Some("it does not say what it runs"),
                _ if has_patterns && self.pattern_files().is_open => {
                    Some("it may reach files that a rule is about")
                }
                // A directory stands for everything below it.
                v1::ToolKind::Search | v1::ToolKind::Delete | v1::ToolKind::Move
                    if self.names_no_file() =>
                {
                    Some("it may reach files that a rule is about")
                }
                _ => None,
            };
        }
        let mut parts = self.line.parts.iter();
        match self.other_path_views().is_cut || parts.any(|part| self.reaches_more(part)) {
            true => Some("it may reach files that a rule is about"),
            false => self.line.doubt,
        }
    }

    /// Whether a part may reach files that it does not name.
    fn reaches_more(&self, part: &SimpleCommand) -> bool {
        let reach = programs::reach_of(part);
        let is_unsure = part.words.iter().any(|word| word.literal().is_none());
        let files = part.redirections.iter();
        let is_unsure_file = |file: &ShellWord| file.literal().is_none();
        let by_process = |word: &ShellWord| word.literal().is_some_and(|it| it.contains("/proc/"));
        reach == ProgramReach::Tree
            || part.words.iter().any(by_process)
            || files.clone().any(|file| by_process(&file.target))
            || ((reach != ProgramReach::Silent || changes_directory(part)) && is_unsure)
            || files.map(|file| &file.target).any(is_unsure_file)
            || (reach == ProgramReach::Files
                && programs::enters_directories(part)
                && self.names_directory(part))
    }

    /// Whether the action names nothing, or something that does not exist as a file.
    fn names_no_file(&self) -> bool {
        let paths = &self.action.paths;
        let is_file = |path: &PathBuf| self.action.workspace.join(path).is_file();
        paths.is_empty() || paths.len() > MAX_LINKS || !paths.iter().all(is_file)
    }

    fn names_directory(&self, part: &SimpleCommand) -> bool {
        let bases = self.bases();
        let words = part.words.iter().skip(1).filter_map(|word| word.literal());
        let mut places = words
            .filter(|word| !word.starts_with('-'))
            .flat_map(|word| bases.iter().map(move |base| base.join(word)));
        places.any(|place| place.is_dir())
    }

    pub(super) fn touches(&self, pattern: &PathPattern) -> bool {
        self.all_path_views().any(|path| pattern.covers(path))
    }

    pub(super) fn all_path_views(&self) -> impl Iterator<Item = &String> {
        self.path_views
            .views
            .iter()
            .chain(&self.other_path_views().views)
    }

    fn other_path_views(&self) -> &PathViews {
        self.other_path_views
            .get_or_init(|| self.find_other_path_views())
    }

    /// The workspace, the directory that the command may run in, and those that it changes to.
    fn bases(&self) -> Vec<PathBuf> {
        let workspace = &self.action.workspace;
        let named = self.action.paths.iter().take(MAX_DIRECTORIES);
        let mut bases = vec![workspace.clone()];
        bases.extend(named.map(|path| workspace.join(path)));
        let goes = self.line.parts.iter().filter_map(directory);
        bases.extend(goes.take(MAX_DIRECTORIES).map(|dir| workspace.join(dir)));
        bases
    }

    /// Words as paths, from each directory that the command may run in, other texts that may be files, and where links
    /// lead from them.
    fn find_other_path_views(&self) -> PathViews {
        let words = self.words_as_paths();
        if words.len() >= MAX_WORDS_AS_PATHS {
            return PathViews {
                is_cut: true,
                ..PathViews::default()
            };
        }
        let workspace = &self.action.workspace;
        let other = &self.action.unknown_texts.paths;
        let paths = self.action.paths.iter().chain(other);
        let given: Vec<PathBuf> = paths
            .map(|path| workspace.join(path))
            .chain(self.pattern_files().paths.iter().cloned())
            .collect();
        let written = given.iter().skip(self.action.paths.len()).cloned();
        let mut all = PathViews::of(written, workspace);
        let seen = PathViews::in_words(
            words.into_iter(),
            &self.bases(),
            given.into_iter(),
            workspace,
            &self.lookups,
        );
        all.is_cut |= seen.is_cut;
        all.views.extend(seen.views);
        all
    }

    /// Words that may be paths: every known word of a program that opens files, the values of its options, and the
    /// pieces of words that are not known.
    fn words_as_paths(&self) -> HashSet<&str> {
        let words = self.all_parts().map(|part| part.words.len()).sum();
        let mut found = HashSet::with_capacity(MAX_WORDS_AS_PATHS.min(words));
        for part in self.all_parts() {
            let is_silent =
                programs::reach_of(part) == ProgramReach::Silent && !changes_directory(part);
            // Rules find the program itself by its name.
            let is_named = part.words.first().and_then(|word| word.literal());
            let skipped = usize::from(is_named.is_some_and(|name| !name.contains('/')));
            let words = part.words.iter().skip(skipped).filter(|_| !is_silent);
            let files = part.redirections.iter().map(|file| &file.target);
            for word in words.chain(files) {
                if found.len() >= MAX_WORDS_AS_PATHS {
                    return found;
                }
                match word {
                    ShellWord::Literal(text) => found.extend(word_values(text)),
                    ShellWord::Undecided(text) => {
                        found.extend(command::tokens(text).into_iter().flat_map(word_values))
                    }
                }
            }
        }
        if self.line.doubt.is_some() {
            let text = self.action.command.iter().flatten();
            let tokens = text.flat_map(|word| command::tokens(word)).take(MAX_TOKENS);
            found.extend(tokens.flat_map(word_values));
        }
        found
    }

    pub(super) fn is_kind_or_tool(&self, word: &str, kind: &v1::ToolKind) -> bool {
        let tool = self.action.tool.as_deref();
        kind.as_str() == word || tool.is_some_and(|tool| tool.to_lowercase() == word)
    }

    /// The kinds that rules which deny or ask compare: what the agent says, and `execute` if it may run something.
    pub(super) fn kinds(&self) -> Vec<v1::ToolKind> {
        let mut kinds = vec![self.action.kind.clone(), self.kind()];
        kinds.extend(self.action.runs_code.then_some(v1::ToolKind::Execute));
        kinds
    }

    /// Whether a word names its kind, its tool or its title. Titles are the agent's words: they may deny an action,
    /// never allow it.
    pub(super) fn is_named(&self, word: &str) -> bool {
        self.kinds().iter().any(|kind| kind.as_str() == word)
            || self.action.tools().any(|tool| tool.to_lowercase() == word)
            || self.titles.iter().any(|title| title == word)
    }
}

/// Whether nothing is known about the program.
fn is_unknown(part: &SimpleCommand) -> bool {
    !part.is_transparent() && programs::reach_of(part) == ProgramReach::Unknown
}

fn programs<'l>(
    action: &Action,
    lines: impl Iterator<Item = &'l ShellLine>,
    title: &[&str],
) -> Vec<String> {
    let parts = lines.flat_map(|line| &line.parts);
    let parts = parts.filter_map(SimpleCommand::program);
    let title = title.iter().map(|word| command::base_name(word));
    let mut programs: Vec<String> = parts.chain(title).collect();
    // A rule may contain a whole line as it is.
    if let Some([word, _, ..]) = action.command.as_deref() {
        programs.push(command::base_name(word));
    }
    programs
}

fn titles(title: &str) -> [String; 3] {
    let title = title.trim().to_lowercase();
    let head = title.split(':').next().unwrap_or_default();
    let first = title.split_whitespace().next().unwrap_or_default();
    [head.trim().to_owned(), first.to_owned(), title]
}

impl GivenPath {
    /// Reads a path. One that may mean something else is not inside anything.
    fn of(path: &Path, base: &Path, directories: &[PathBuf]) -> GivenPath {
        let is_straight = paths::is_straight(path);
        let relative = match path.is_absolute() {
            true => path.strip_prefix(base).ok(),
            false => Some(path),
        };
        let text = |path: &Path| {
            path.components()
                .collect::<PathBuf>()
                .to_string_lossy()
                .into_owned()
        };
        let is_also = directories.iter().any(|dir| path.starts_with(dir));
        GivenPath {
            absolute: (is_straight && path.is_absolute()).then(|| text(path)),
            inside: relative.filter(|_| is_straight).map(text),
            is_inside: is_straight && (relative.is_some() || is_also),
        }
    }

    fn is_allowed_by(&self, pattern: &PathPattern) -> bool {
        let path = match pattern.is_absolute() {
            true => &self.absolute,
            false => &self.inside,
        };
        path.as_ref().is_some_and(|path| pattern.is_match(path))
    }
}

impl ResolvedFile {
    /// Whether a pattern covers the place the file leads to.
    fn is_allowed_by(&self, pattern: &PathPattern, there: &Path) -> bool {
        let path = match pattern.is_absolute() {
            true => Some(there),
            false => self.inside.as_deref(),
        };
        path.is_some_and(|path| pattern.is_match(&path.to_string_lossy()))
    }
}

/// The directory that a simple command changes to, or tells its program to work in.
fn directory(part: &SimpleCommand) -> Option<&str> {
    let mut words = part.words.iter().skip(1).map(|word| word.literal());
    match part.program().as_deref() {
        Some("cd" | "pushd") => words.flatten().find(|word| !word.starts_with('-')),
        Some("git" | "make" | "gmake" | "ninja" | "tar" | "cargo" | "env" | "npm" | "go") => {
            let is_option =
                |word: &str| matches!(word, "-C" | "--directory" | "--chdir" | "--prefix");
            while let Some(word) = words.next() {
                match word {
                    Some(word) if is_option(word) => return words.next().flatten(),
                    Some(word) if word.starts_with("-C") => return Some(&word[2..]),
                    _ => {}
                }
            }
            None
        }
        _ => None,
    }
}

fn changes_directory(part: &SimpleCommand) -> bool {
    matches!(part.program().as_deref(), Some("cd" | "pushd"))
}

const UNKNOWN_INPUT: &str = "it is unknown what the tool does";

/// Words of a command that are taken for paths. With more, nothing is allowed that a rule could deny.
const MAX_WORDS_AS_PATHS: usize = 1024;

/// A call names one directory to run in; checking a few others among its paths costs little.
const MAX_DIRECTORIES: usize = 4;
const PROTECTED: &str = "it would change a protected file";
const UNKNOWN_PATH: &str =
    "it names a path that can't be followed, such as one in `/proc` or `/dev/fd`";
