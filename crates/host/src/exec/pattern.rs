//! Compares a command pattern with what is really executed: the program by its names and its file, then its arguments.

use std::path::PathBuf;

use super::invocation::Invocation;
use super::programs::{Programs, RuleFile, are_different, is_built_into_git};
use crate::permissions::{CommandMatch, CommandPattern, SimpleCommand, base_name, subcommands};

/// A pattern of a rule, with the files of its program.
#[derive(Debug)]
pub(super) struct ExecPattern {
    written: CommandPattern,
    /// The name of its program without a directory.
    base: String,
    /// The files that the program's name leads to.
    files: Vec<RuleFile>,
}

impl ExecPattern {
    /// Reads a pattern as the user wrote it.
    pub(super) fn parse(text: &str) -> Option<ExecPattern> {
        let written = CommandPattern::parse(text).ok()?;
        Some(ExecPattern {
            base: base_name(written.program()),
            files: Vec::new(),
            written,
        })
    }

    /// Looks up where the program's name leads now.
    pub(super) fn look_up_files(&mut self, programs: &Programs, directories: &[PathBuf]) {
        self.files = programs.files_of(self.written.program(), directories);
    }

    /// Whether the program is named with its directory.
    pub(super) fn has_directory(&self) -> bool {
        self.written.program().contains('/')
    }

    /// Whether an invocation runs its program.
    pub(super) fn names(&self, invocation: &Invocation) -> bool {
        let program = self.written.program();
        let same: Vec<&RuleFile> = self
            .files
            .iter()
            .filter(|file| file.is(invocation.file))
            .collect();
        if same.is_empty() && !invocation.is(program, &self.base) {
            return false;
        }
        // A program that acts on the name it is started by is another program under another of its names.
        let own = &self.base;
        let is_other = |name: &String| {
            name != own
                && (are_different(own, name)
                    || (!same.is_empty() && same.iter().all(|file| file.is_other_name(name))))
        };
        invocation.call_names.is_empty() || !invocation.call_names.iter().all(is_other)
    }

    /// Whether a rule that denies or asks catches an invocation.
    pub(super) fn catches(&self, invocation: &Invocation) -> CommandMatch {
        if !self.names(invocation) {
            return CommandMatch::No;
        }
        match self.written.catches_call(&invocation.words) {
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

    /// Whether a user who saw this part of a line saw what the pattern is about.
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
