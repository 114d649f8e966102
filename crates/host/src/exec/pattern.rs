//! A command pattern against what is really executed: the program by its names and its file, then its arguments.

use super::invocation::Invocation;
use super::judge::Files;
use crate::permissions::{CommandPattern, Match, SimpleCommand};

/// A pattern of a rule.
#[derive(Debug)]
pub(super) struct Pattern {
    written: CommandPattern,
    /// The files that the program's name leads to.
    files: Files,
}

impl Pattern {
    /// A pattern as a user wrote it.
    pub(super) fn parse(text: &str, files: impl Fn(&str) -> Files) -> Option<Pattern> {
        let written = CommandPattern::parse(text).ok()?;
        let files = files(written.program());
        Some(Pattern { written, files })
    }

    /// Whether this is its program.
    pub(super) fn names(&self, invocation: &Invocation) -> bool {
        invocation.is(self.written.program())
            || invocation
                .file
                .is_some_and(|file| self.files.contains(&file))
    }

    /// Whether a rule that denies or asks catches this.
    pub(super) fn catches(&self, invocation: &Invocation) -> Match {
        if !self.names(invocation) {
            return Match::No;
        }
        match self.written.catches_call(&invocation.words) {
            // A program `git-name` is that subcommand itself, whatever aliases there are.
            Match::Maybe if invocation.is_dashed() => Match::No,
            found => found,
        }
    }

    /// Whether a user who saw this part of a line saw what the pattern is about.
    pub(super) fn is_shown_by(&self, part: &SimpleCommand) -> bool {
        let found = self.written.catches(&part.words);
        // A command that may be an alias was asked about too, unless a rule allows it.
        found == Match::Yes || (found == Match::Maybe && part.literal_words().is_some())
    }

    /// Whether a rule that allows covers this, word for word.
    pub(super) fn allows(&self, invocation: &Invocation) -> bool {
        let words = invocation.words.iter().map(String::as_str);
        let words: Vec<&str> = std::iter::once(self.written.program())
            .chain(words)
            .collect();
        self.names(invocation) && self.written.allows_words(&words)
    }
}
