//! Patterns for commands, as users write them in rules.

use std::borrow::Cow;
use std::fmt;

use attache_text::shell::is_plain;

use super::line::SimpleCommand;
use super::option_names::{
    RespelledWord, has_option, has_unknown_names, is_option, is_tar_letters, pairs,
};
use super::options::{CommandWord, ends};
use super::{base_name, wrappers};

/// A pattern for commands: the words that they begin with, as a user writes them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandPattern {
    words: Vec<String>,
    tail: PatternTail,
}

/// What may follow the words of a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PatternTail {
    Nothing,
    /// `*`: words that are not options.
    Words,
    /// `**`: anything.
    Anything,
}

/// Whether a deny or ask pattern matches a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum CommandMatch {
    /// The pattern does not match.
    No,
    /// The pattern may match: some words of the command are unknown, or may be an alias.
    Maybe,
    /// The pattern matches.
    Yes,
}

impl CommandPattern {
    /// Reads a pattern: words separated by spaces, the last of which may be `*` (more words, no options) or `**`
    /// (anything).
    ///
    /// # Errors
    ///
    /// When the text is not a pattern; the error says why.
    pub fn parse(text: &str) -> Result<CommandPattern, String> {
        let mut words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
        let tail = match words.last().map(String::as_str) {
            Some("*") => PatternTail::Words,
            Some("**") => PatternTail::Anything,
            _ => PatternTail::Nothing,
        };
        if tail != PatternTail::Nothing {
            words.pop();
        }
        if words.is_empty() {
            return Err("a pattern starts with the name of a program".to_owned());
        }
        if !words.iter().all(|word| is_plain(word)) {
            return Err("a word in it means something to a shell; write plain words, and `*` only as the last one".to_owned());
        }
        Ok(CommandPattern { words, tail })
    }

    /// The program, by which patterns are found.
    pub(crate) fn program(&self) -> &str {
        &self.words[0]
    }

    /// Whether these are exactly the words of the pattern, and it has no `*` or `**`.
    pub(crate) fn is_exactly<W: AsRef<str>>(&self, words: &[W]) -> bool {
        let mut pairs = self.words.iter().zip(words);
        self.tail == PatternTail::Nothing
            && self.words.len() == words.len()
            && pairs.all(|(wanted, word)| wanted == word.as_ref())
    }

    /// Whether the pattern is for a program whose words never tell everything that it runs, so that `*` and `**` cover
    /// nothing.
    pub(crate) fn covers_nothing(&self) -> bool {
        let program = base_name(self.program());
        self.tail != PatternTail::Nothing
            && self.words.len() == 1
            && wrappers::always_runs_others(&program)
    }

    /// Whether a rule that denies or asks may miss options of this pattern under other names.
    pub(crate) fn has_options_with_unknown_names(&self) -> bool {
        let words = self.words[1..].iter().map(String::as_str);
        let options: Vec<&str> = words.filter(|word| is_option(word)).collect();
        has_unknown_names(self.program(), &options)
    }

    /// Whether a rule that allows covers a simple command: its words are all known, tell everything that it runs, and
    /// begin like the pattern.
    pub(crate) fn allows(&self, part: &SimpleCommand) -> bool {
        let tells_all = self.tail == PatternTail::Nothing || (!part.runs_others && part.is_exact());
        let words = part.literal_words().filter(|_| tells_all);
        words.is_some_and(|words| self.allows_words(&words))
    }

    /// Whether words begin like the pattern, letter by letter, for rules that allow.
    pub(crate) fn allows_words(&self, words: &[&str]) -> bool {
        let Some(rest) = words.get(self.words.len()..) else {
            return false;
        };
        self.words.iter().zip(words).all(|(a, b)| a == b)
            && match self.tail {
                PatternTail::Nothing => rest.is_empty(),
                PatternTail::Words => rest.iter().all(|word| !word.starts_with(['-', '+'])),
                PatternTail::Anything => true,
            }
    }

    /// Whether a rule that denies or asks catches a simple command of a shell line.
    ///
    /// The program is compared without its directory, unless the pattern has one.
    pub(crate) fn catches<W: CommandWord>(&self, words: &[W]) -> CommandMatch {
        self.catches_with(words, self.tail_when_caught())
    }

    /// Whether words begin like the pattern, whatever follows.
    pub(crate) fn begins(&self, words: &[&str]) -> bool {
        self.catches_with(words, PatternTail::Anything) == CommandMatch::Yes
    }

    /// Whether a rule that denies or asks catches a call of its program with these arguments. Returns
    /// [`CommandMatch::Maybe`] if the subcommand may be an alias.
    pub(crate) fn catches_call(&self, arguments: &[String]) -> CommandMatch {
        self.catches_arguments(arguments, self.tail_when_caught())
    }

    /// What may follow in a rule that denies or asks. A rule that names only a program is about every call of it.
    fn tail_when_caught(&self) -> PatternTail {
        match self.words.len() {
            1 => PatternTail::Anything,
            _ => self.tail,
        }
    }

    fn catches_with<W: CommandWord>(&self, words: &[W], tail: PatternTail) -> CommandMatch {
        let Some((program, arguments)) = words.split_first() else {
            return CommandMatch::No;
        };
        let Some(program) = program.literal() else {
            return CommandMatch::Maybe;
        };
        let is_program = match self.program().contains('/') {
            true => self.program() == program,
            false => base_name(program) == base_name(self.program()),
        };
        match is_program {
            true => self.catches_arguments(arguments, tail),
            false => CommandMatch::No,
        }
    }

    /// Whether arguments match the pattern. Options before a subcommand don't count ([`ends`]), and an option of the
    /// pattern may be anywhere and in other spellings: `rm -rf **` catches `rm x -r --force`.
    fn catches_arguments<W: CommandWord>(
        &self,
        arguments: &[W],
        tail: PatternTail,
    ) -> CommandMatch {
        let words: Vec<&str> = self.words[1..].iter().map(String::as_str).collect();
        let letters;
        let has_letters =
            |first: Option<&str>| first.is_some_and(|first| is_tar_letters(self.program(), first));
        let has_options = words.iter().any(|word| is_option(word));
        let found = self.catches_words(&words, 0, arguments, tail, MAX_DEPTH);
        // `tar xf` is `tar -xf`.
        let first = arguments.first().and_then(CommandWord::literal);
        let (in_pattern, in_call) = (has_letters(words.first().copied()), has_letters(first));
        if found == CommandMatch::Yes || !(in_pattern || (in_call && has_options)) {
            return found;
        }
        let mut words = words;
        if in_pattern {
            letters = format!("-{}", words[0]);
            words[0] = &letters;
        }
        let respelled = arguments.iter().enumerate().map(|(at, word)| {
            let word = word.literal().map(|word| match at == 0 && in_call {
                true => Cow::Owned(format!("-{word}")),
                false => Cow::Borrowed(word),
            });
            RespelledWord(word)
        });
        let respelled: Vec<RespelledWord<'_>> = respelled.collect();
        found.max(self.catches_words(&words, 0, &respelled, tail, MAX_DEPTH))
    }

    /// Whether arguments match these words of the pattern. An option with its value may be anywhere, too: each is looked
    /// for, and what is left is compared with the other words.
    fn catches_words<W: CommandWord>(
        &self,
        words: &[&str],
        first: usize,
        arguments: &[W],
        tail: PatternTail,
        depth: usize,
    ) -> CommandMatch {
        let has_options = depth < MAX_DEPTH || words.iter().any(|word| is_option(word));
        let mut found = self.catches_plain_words(words, has_options, arguments, tail);
        if !has_options || found == CommandMatch::Yes || depth == 0 {
            return found;
        }
        for pair in pairs(words).into_iter().filter(|pair| pair.at >= first) {
            let left = [&words[..pair.at], &words[pair.at + pair.len..]].concat();
            if let Some(arguments) = pair.removed_from(self.program(), arguments) {
                let more = self.catches_words(&left, pair.at, &arguments, tail, depth - 1);
                found = found.max(more);
            }
        }
        found
    }

    /// The same with every option of the pattern as a word of its own.
    fn catches_plain_words<W: CommandWord>(
        &self,
        words: &[&str],
        allows_options: bool,
        arguments: &[W],
        tail: PatternTail,
    ) -> CommandMatch {
        let words = words.iter().copied();
        let (options, subcommands): (Vec<&str>, Vec<&str>) = words.partition(|it| is_option(it));
        let known = arguments.iter().filter_map(CommandWord::literal);
        let given: Vec<&str> = known.filter(|word| is_option(word)).collect();
        let is_unsure = arguments.iter().any(|word| word.literal().is_none());
        let program = self.program();
        let mut wanted = options.iter();
        let has_options = match wanted.all(|option| has_option(program, &given, option)) {
            true => CommandMatch::Yes,
            false if is_unsure => CommandMatch::Maybe,
            false => CommandMatch::No,
        };
        let ends = ends(program, &subcommands, &options, arguments);
        let behind = |end: &usize| {
            let mut left = arguments[*end..].iter().map(CommandWord::literal);
            match tail {
                PatternTail::Words | PatternTail::Anything => CommandMatch::Yes,
                PatternTail::Nothing if left.len() == 0 => CommandMatch::Yes,
                PatternTail::Nothing if allows_options => match left.flatten().all(is_option) {
                    true => CommandMatch::Yes,
                    false => CommandMatch::No,
                },
                // Each of these words may expand to nothing.
                PatternTail::Nothing if left.all(|word| word.is_none()) => CommandMatch::Maybe,
                PatternTail::Nothing => CommandMatch::No,
            }
        };
        let found = ends
            .places
            .iter()
            .map(behind)
            .max()
            .unwrap_or(CommandMatch::No);
        let found = match ends.is_unsure {
            true => found.max(CommandMatch::Maybe),
            false => found,
        };
        found.min(has_options)
    }
}

/// How many options with values of one pattern are looked for.
const MAX_DEPTH: usize = 4;

impl fmt::Display for CommandPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words.join(" "))?;
        match self.tail {
            PatternTail::Nothing => Ok(()),
            PatternTail::Words => f.write_str(" *"),
            PatternTail::Anything => f.write_str(" **"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pattern: &str, line: &str, expected: CommandMatch) {
        let words: Vec<Option<&str>> = line
            .split(' ')
            .map(|word| Some(word).filter(|word| *word != "?"))
            .collect();
        let found = CommandPattern::parse(pattern).unwrap().catches(&words);
        assert_eq!(found, expected, "{pattern} / {line}");
    }

    impl CommandWord for Option<&str> {
        fn literal(&self) -> Option<&str> {
            *self
        }
    }

    #[test]
    fn deny_rules_catch_commands() {
        for (pattern, line, expected) in [
            ("curl **", "curl x", CommandMatch::Yes),
            ("curl **", "/usr/bin/curl -V", CommandMatch::Yes),
            ("curl **", "CURL.exe", CommandMatch::Yes),
            ("curl", "curl x", CommandMatch::Yes),
            ("curl **", "echo curl", CommandMatch::No),
            ("curl **", "? x", CommandMatch::Maybe),
            ("/usr/bin/curl **", "curl x", CommandMatch::No),
            (
                "git push **",
                "git -C d -c a=b --no-pager push x",
                CommandMatch::Yes,
            ),
            ("git push **", "git status ?", CommandMatch::No),
            ("git push **", "git ? push", CommandMatch::Maybe),
            ("git push **", "git -C ? push", CommandMatch::Yes),
            ("git push", "git push ?", CommandMatch::Maybe),
            ("git push", "git push origin", CommandMatch::No),
            ("rm -rf **", "rm -rf x", CommandMatch::Yes),
            ("rm -rf **", "rm -fr x", CommandMatch::Yes),
            ("rm -rf **", "rm x -Rvf", CommandMatch::Yes),
            ("rm -rf **", "rm -r --force x", CommandMatch::Yes),
            ("rm -rf **", "rm --recurs --force x", CommandMatch::Yes),
            ("rm -rf **", "rm -r x", CommandMatch::No),
            ("rm -rf **", "rm -r ?", CommandMatch::Maybe),
            (
                "git push --force **",
                "git push origin --force",
                CommandMatch::Yes,
            ),
            ("git push --force **", "git -C d push -f", CommandMatch::Yes),
            ("git push --force **", "git push origin", CommandMatch::No),
            (
                "npm publish **",
                "npm --prefix x publish",
                CommandMatch::Yes,
            ),
            ("npm publish **", "npm --odd x publish", CommandMatch::Yes),
            (
                "docker compose down",
                "docker compose -f x down",
                CommandMatch::Yes,
            ),
            (
                "docker --context x rm **",
                "docker -D --context x rm y",
                CommandMatch::Yes,
            ),
            (
                "python -m http.server **",
                "python -W i -m http.server",
                CommandMatch::Yes,
            ),
            ("git push --force **", "git status ?", CommandMatch::No),
        ] {
            check(pattern, line, expected);
        }
    }
}
