//! A command pattern against what is really executed. It errs on the side of covering: patterns here deny or ask.

use super::invocation::Invocation;
use super::judge::Files;
use super::options;
use crate::permissions::{CommandPattern, Match};

/// A pattern of a rule.
#[derive(Debug)]
pub(super) struct Pattern {
    written: CommandPattern,
    program: String,
    /// Subcommands, in their order.
    words: Vec<String>,
    /// Options, which may stand anywhere.
    options: Vec<String>,
    /// Whether more words may follow.
    is_open: bool,
    /// The files that the program's name leads to.
    files: Files,
}

impl Pattern {
    /// A pattern as a user wrote it.
    pub(super) fn parse(text: &str, files: impl Fn(&str) -> Files) -> Option<Pattern> {
        let pattern = CommandPattern::parse(text).ok()?;
        let (words, is_open) = pattern.parts();
        let (program, rest) = words.split_first()?;
        let (options, words): (Vec<String>, Vec<String>) =
            rest.iter().cloned().partition(|word| word.starts_with('-'));
        Some(Pattern {
            files: files(program),
            // A rule that names a program and nothing else is about the program, whatever its arguments.
            is_open: is_open || rest.is_empty(),
            program: program.clone(),
            words,
            options,
            written: pattern.clone(),
        })
    }

    /// Whether this is its program.
    pub(super) fn names(&self, invocation: &Invocation) -> bool {
        invocation.is(&self.program)
            || invocation
                .file
                .is_some_and(|file| self.files.contains(&file))
    }

    /// Whether this is its command.
    pub(super) fn covers(&self, invocation: &Invocation) -> bool {
        self.names(invocation) && self.covers_words(invocation)
    }

    fn covers_words(&self, invocation: &Invocation) -> bool {
        let words = &invocation.words;
        // What a shell line with these words would be denied for is denied here, too.
        let full: Vec<&str> = std::iter::once(self.program.as_str())
            .chain(words.iter().map(String::as_str))
            .collect();
        if self.written.catches(&full) == Match::Yes {
            return true;
        }
        let has_options = self.options.iter().all(|option| has_option(words, option));
        if !has_options {
            return false;
        }
        // A name that a link gives does not tell which options there are.
        let ends = options::ends(&self.program, &self.words, words);
        match self.is_open {
            true => !ends.is_empty(),
            false => ends.iter().any(|end| {
                let rest = &words[*end..];
                rest.iter().all(|word| self.options.contains(word))
            }),
        }
    }
}

/// Whether an option stands among words: as it is, with a value, or its letters in other bundles.
fn has_option(words: &[String], option: &str) -> bool {
    let is_it = |word: &String| {
        word == option
            || (option.starts_with("--")
                && word
                    .strip_prefix(option)
                    .is_some_and(|rest| rest.starts_with('=')))
    };
    if words.iter().any(is_it) {
        return true;
    }
    let letters = option.strip_prefix('-').unwrap_or_default();
    let is_bundle = (1..=MOST_LETTERS).contains(&letters.len())
        && letters.chars().all(|char| char.is_ascii_alphabetic());
    let has = |letter: char| {
        let mut bundles = words.iter().filter_map(|word| word.strip_prefix('-'));
        bundles.any(|bundle| !bundle.starts_with('-') && bundle.contains(letter))
    };
    is_bundle && letters.chars().all(has)
}

/// Longer words behind one dash are names, as in `find -exec`.
const MOST_LETTERS: usize = 3;
