//! Compares a command pattern with an executed program: by its names and its file, then by its arguments.

use std::path::PathBuf;

use super::invocation::Invocation;
use super::named_files::{NamedFiles, RememberedFile};
use super::programs::{Programs, RuleFile, are_different, is_built_into_git};
use crate::permissions::{
    CommandMatch, CommandPattern, SimpleCommand, base_name, names_git_script, subcommands,
};

/// A pattern of a rule, with the files of its program.
#[derive(Debug)]
pub(super) struct ExecPattern {
    written: CommandPattern,
    /// The name of its program without a directory.
    base: String,
    /// The files that the program's name leads to.
    files: Vec<RuleFile>,
    /// The files that it has led to so far, for a rule that denies or asks.
    named: NamedFiles,
}

impl ExecPattern {
    /// Reads a pattern as the user wrote it.
    pub(super) fn parse(text: &str) -> Option<ExecPattern> {
        let written = CommandPattern::parse(text).ok()?;
        Some(ExecPattern {
            base: base_name(written.program()),
            files: Vec::new(),
            named: NamedFiles::default(),
            written,
        })
    }

    /// Looks up where the program's name leads now.
    pub(super) fn look_up_files(&mut self, programs: &Programs, directories: &[PathBuf]) {
        self.files = programs.files_of(self.written.program(), directories);
    }

    /// Remembers the files that were just found, up to a number of files in all.
    pub(super) fn remember_files(&mut self, most: usize) {
        self.named.add(&self.files, most);
    }

    /// How many files are remembered.
    pub(super) fn remembered_count(&self) -> usize {
        self.named.len()
    }

    /// Remembers a file of this program that was seen for another process tree.
    pub(super) fn restore_file(&mut self, file: &RememberedFile) {
        if file.is_of(self.written.program()) {
            self.named.restore(file);
        }
    }

    /// The remembered files, for another process tree.
    pub(super) fn remembered_files(&self) -> impl Iterator<Item = RememberedFile> {
        self.named.remembered(self.written.program())
    }

    /// Whether the program is named with its directory.
    pub(super) fn has_directory(&self) -> bool {
        self.written.program().contains('/')
    }

    /// Whether an invocation runs its program.
    pub(super) fn names(&self, invocation: &Invocation) -> bool {
        let same: Vec<&RuleFile> = self
            .files
            .iter()
            .filter(|file| file.is(invocation.file))
            .collect();
        let is_named = !same.is_empty() || invocation.is(self.written.program(), &self.base);
        (is_named && !self.is_other_program(invocation, &same)) || self.has_named(invocation)
    }

    /// Whether an invocation runs a file that was the rule's program earlier.
    fn has_named(&self, invocation: &Invocation) -> bool {
        let same: Vec<&RuleFile> = self.named.same_as(invocation.file).collect();
        !same.is_empty() && !self.is_other_program(invocation, &same)
    }

    /// Whether these files act on the name they are started by, and were started by another name.
    fn is_other_program(&self, invocation: &Invocation, same: &[&RuleFile]) -> bool {
        let own = &self.base;
        let is_other = |name: &String| {
            name != own
                && (are_different(own, name)
                    || (!same.is_empty() && same.iter().all(|file| file.is_other_name(name))))
        };
        !invocation.call_names.is_empty() && invocation.call_names.iter().all(is_other)
    }

    /// Whether a rule that denies or asks catches an invocation. `has_own_scripts` says whether git finds its separate
    /// programs where they are installed.
    pub(super) fn catches(
        &self,
        invocation: &Invocation,
        has_own_scripts: impl Fn() -> bool,
    ) -> CommandMatch {
        if !self.names(invocation) {
            return CommandMatch::No;
        }
        let is_script = || self.base == "git" && names_git_script(&invocation.words);
        match self.written.catches_call(&invocation.words) {
            CommandMatch::No if !invocation.is_dashed() && is_script() && !has_own_scripts() => {
                CommandMatch::Maybe
            }
            // A program `git-name` is that subcommand itself, whatever aliases there are.
            CommandMatch::Maybe if invocation.is_dashed() => CommandMatch::No,
            CommandMatch::Maybe if self.is_of_git_alone(invocation) => CommandMatch::No,
            found => found,
        }
    }

    /// Whether every word that may be the subcommand is built into git, such as `bisect--helper`.
    fn is_of_git_alone(&self, invocation: &Invocation) -> bool {
        let mut found = subcommands("git", &invocation.words);
        self.base == "git"
            && found.all(|word| word.is_some_and(|word| is_built_into_git(word, invocation.file)))
    }

    /// Whether this part of a line, which the user saw, is a command that the pattern is about.
    pub(super) fn is_shown_by(&self, part: &SimpleCommand) -> bool {
        let found = self.written.catches(&part.words);
        // A command that may be an alias was asked about too, unless a rule allows it.
        found == CommandMatch::Yes
            || (found == CommandMatch::Maybe && part.literal_words().is_some())
    }

    /// Whether a rule that allows covers an invocation, word for word.
    pub(super) fn allows(&self, invocation: &Invocation) -> bool {
        let words = invocation.words.iter().map(String::as_str);
        let words: Vec<&str> = std::iter::once(self.written.program())
            .chain(words)
            .collect();
        self.names(invocation) && self.written.allows_words(&words)
    }
}

/// Looks up the files of patterns in rules that deny or ask, and remembers them: of programs that are named with their
/// directory, and of the others too if they are due.
pub(super) fn remember_files<'a>(
    patterns: impl Iterator<Item = &'a mut ExecPattern>,
    is_due: bool,
    programs: &Programs,
    directories: &[PathBuf],
) {
    let mut patterns: Vec<&mut ExecPattern> = patterns.collect();
    let mut count: usize = patterns.iter().map(|it| it.remembered_count()).sum();
    for pattern in &mut patterns {
        if !is_due && !pattern.has_directory() {
            continue;
        }
        pattern.look_up_files(programs, directories);
        let before = pattern.remembered_count();
        pattern.remember_files(before + MAX_REMEMBERED.saturating_sub(count));
        count = (count + pattern.remembered_count()).saturating_sub(before);
    }
}

/// Files that are remembered in all. Each takes a descriptor.
const MAX_REMEMBERED: usize = 128;
