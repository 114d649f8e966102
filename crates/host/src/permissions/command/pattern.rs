//! Patterns for commands, as users write them in rules.

use std::fmt;

use super::line::SimpleCommand;
use super::options::{CommandWord, normalized};
use super::{base_name, is_plain, wrappers};

/// Words that a command may begin with, as a user writes them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandPattern {
    words: Vec<String>,
    rest: Rest,
}

/// What may follow the words of a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rest {
    Nothing,
    /// `*`: words that are no options.
    Words,
    /// `**`: anything.
    Anything,
}

/// Whether a command is one that a pattern denies or asks about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Match {
    /// It is not.
    No,
    /// It may be: some of its words are not known.
    Maybe,
    /// It is.
    Yes,
}

impl CommandPattern {
    /// Reads a pattern: words between spaces, the last of which may be `*` (more words, no options) or `**` (anything).
    ///
    /// # Errors
    ///
    /// What is wrong with it.
    pub fn parse(text: &str) -> Result<CommandPattern, String> {
        let mut words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
        let rest = match words.last().map(String::as_str) {
            Some("*") => Rest::Words,
            Some("**") => Rest::Anything,
            _ => Rest::Nothing,
        };
        if rest != Rest::Nothing {
            words.pop();
        }
        if words.is_empty() {
            return Err("a command starts with the name of a program".to_owned());
        }
        if let Some(word) = words.iter().find(|word| !is_plain(word)) {
            return Err(format!(
                "`{word}` means something to a shell; write plain words, and `*` only as the last one"
            ));
        }
        Ok(CommandPattern { words, rest })
    }

    /// Its words with the program first, and whether more may follow.
    pub(crate) fn parts(&self) -> (&[String], bool) {
        (&self.words, self.rest != Rest::Nothing)
    }

    /// The program, by which patterns are found.
    pub(crate) fn program(&self) -> &str {
        &self.words[0]
    }

    /// Whether these are exactly the words of the pattern, and it has no `*` or `**`.
    pub(crate) fn is_exactly<W: AsRef<str>>(&self, words: &[W]) -> bool {
        let mut pairs = self.words.iter().zip(words);
        self.rest == Rest::Nothing
            && self.words.len() == words.len()
            && pairs.all(|(wanted, word)| wanted == word.as_ref())
    }

    /// Whether it is for a program whose words never tell all that it runs, so that `*` and `**` cover nothing.
    pub(crate) fn covers_nothing(&self) -> bool {
        let program = base_name(self.program());
        self.rest != Rest::Nothing
            && self.words.len() == 1
            && wrappers::always_runs_others(&program)
    }

    /// Whether a simple command begins like this, whose words are all known and tell all that it runs.
    pub(crate) fn allows(&self, part: &SimpleCommand) -> bool {
        let Some(words) = part.literal_words() else {
            return false;
        };
        let begins =
            words.len() >= self.words.len() && self.words.iter().zip(&words).all(|(a, b)| a == b);
        let mut more = words.iter().skip(self.words.len());
        begins
            && match self.rest {
                Rest::Nothing => more.len() == 0,
                _ if part.runs_others || !part.is_exact() => false,
                Rest::Words => more.all(|word| !word.starts_with(['-', '+'])),
                Rest::Anything => true,
            }
    }

    /// Whether a rule that denies or asks catches a command. The words are those that will be executed, or those of a
    /// simple command of a shell line.
    ///
    /// The program is compared without its directory, unless the pattern has one. Options in front of a subcommand do
    /// not count ([`normalized`]), and an option of the pattern may stand anywhere and in any spelling: `rm -rf **`
    /// catches `rm x -r --force`.
    pub fn catches<W: CommandWord>(&self, words: &[W]) -> Match {
        let (Some(program), Some((first, wanted))) = (words.first(), self.words.split_first())
        else {
            return Match::No;
        };
        let Some(program) = program.literal() else {
            return Match::Maybe;
        };
        let is_program = match first.contains('/') {
            true => first == program,
            false => base_name(program) == base_name(first),
        };
        if !is_program {
            return Match::No;
        }
        let readings = normalized(words).into_iter();
        let matches =
            readings.map(|words| self.begins(wanted, words).max(self.contains(wanted, words)));
        matches.max().unwrap_or(Match::No)
    }

    /// Whether words begin like the pattern, whatever follows.
    pub(crate) fn begins_with(&self, words: &[&str]) -> bool {
        let open = CommandPattern {
            words: self.words.clone(),
            rest: Rest::Anything,
        };
        open.catches(words) == Match::Yes
    }

    /// Whether words begin as wanted.
    fn begins<W: CommandWord>(&self, wanted: &[String], words: &[W]) -> Match {
        for (at, wanted) in wanted.iter().enumerate() {
            match words.get(at).map(CommandWord::literal) {
                Some(Some(word)) if word == wanted => {}
                Some(None) => return Match::Maybe,
                _ => return Match::No,
            }
        }
        let mut rest = words[wanted.len()..].iter();
        match self.rest {
            Rest::Words | Rest::Anything => Match::Yes,
            Rest::Nothing if rest.len() == 0 => Match::Yes,
            // Each of them may become nothing.
            Rest::Nothing if rest.all(|word| word.literal().is_none()) => Match::Maybe,
            Rest::Nothing => Match::No,
        }
    }

    /// Whether words contain the wanted options anywhere, and begin with the other wanted words.
    fn contains<W: CommandWord>(&self, wanted: &[String], words: &[W]) -> Match {
        let is_option = |word: &str| word.starts_with('-') && word.len() > 1;
        let (options, wanted): (Vec<&String>, Vec<&String>) =
            wanted.iter().partition(|word| is_option(word));
        if options.is_empty() {
            return Match::No;
        }
        let known: Vec<&str> = words.iter().filter_map(CommandWord::literal).collect();
        let is_unsure = known.len() < words.len();
        let (given, others): (Vec<&str>, Vec<&str>) =
            known.into_iter().partition(|word| is_option(word));
        let has_options = options.iter().all(|option| has_option(&given, option));
        let begins = wanted
            .iter()
            .zip(&others)
            .all(|(wanted, word)| wanted == word);
        let is_whole = self.rest != Rest::Nothing || others.len() == wanted.len();
        match has_options && begins && is_whole && others.len() >= wanted.len() {
            true => Match::Yes,
            false if is_unsure => Match::Maybe,
            false => Match::No,
        }
    }
}

/// Whether an option is among others, written alone, together with others, shortened, or in its long form.
fn has_option(given: &[&str], wanted: &str) -> bool {
    let long = |name: &str| {
        given.iter().any(|word| {
            let word = word.split('=').next().unwrap_or(word);
            word.len() > 3 && name.starts_with(word)
        })
    };
    let letter = |letter: char| {
        let mut clusters = given.iter().filter(|word| !word.starts_with("--"));
        clusters.any(|word| word.contains(letter))
    };
    let twins = |of: char| LETTERS.iter().filter(move |(it, _)| *it == of);
    match wanted.strip_prefix("--") {
        Some(_) => {
            let mut short = LETTERS.iter().filter(|(_, name)| *name == wanted);
            long(wanted) || short.any(|(it, _)| letter(*it))
        }
        // Some programs have long options with one dash.
        None if given.contains(&wanted) => true,
        None => wanted[1..].chars().all(|it| {
            letter(it) || twins(it).any(|(_, name)| long(name) || same(name).any(letter))
        }),
    }
}

/// The letters of a long option.
fn same(name: &str) -> impl Iterator<Item = char> {
    let letters = LETTERS.iter().filter(move |(_, it)| *it == name);
    letters.map(|(letter, _)| *letter)
}

/// Letters that stand for the same option in the programs that rules are mostly about.
const LETTERS: &[(char, &str)] = &[
    ('f', "--force"),
    ('r', "--recursive"),
    ('R', "--recursive"),
    ('d', "--delete"),
    ('D', "--delete"),
];

impl fmt::Display for CommandPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words.join(" "))?;
        match self.rest {
            Rest::Nothing => Ok(()),
            Rest::Words => f.write_str(" *"),
            Rest::Anything => f.write_str(" **"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pattern: &str, line: &str, expected: Match) {
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
    fn what_a_rule_that_denies_catches() {
        for (pattern, line, expected) in [
            ("curl **", "curl x", Match::Yes),
            ("curl **", "/usr/bin/curl -V", Match::Yes),
            ("curl **", "CURL.exe", Match::Yes),
            ("curl **", "echo curl", Match::No),
            ("curl **", "? x", Match::Maybe),
            ("/usr/bin/curl **", "curl x", Match::No),
            (
                "git push **",
                "git -C d -c a=b --no-pager push x",
                Match::Yes,
            ),
            ("git push **", "git status ?", Match::No),
            ("git push **", "git ? push", Match::Maybe),
            ("git push **", "git -C ? push", Match::Yes),
            ("git push", "git push ?", Match::Maybe),
            ("git push", "git push origin", Match::No),
            ("rm -rf **", "rm -rf x", Match::Yes),
            ("rm -rf **", "rm -fr x", Match::Yes),
            ("rm -rf **", "rm x -Rvf", Match::Yes),
            ("rm -rf **", "rm -r --force x", Match::Yes),
            ("rm -rf **", "rm --recurs --force x", Match::Yes),
            ("rm -rf **", "rm -r x", Match::No),
            ("rm -rf **", "rm -r ?", Match::Maybe),
            ("git push --force **", "git push origin --force", Match::Yes),
            ("git push --force **", "git -C d push -f", Match::Yes),
            ("git push --force **", "git push origin", Match::No),
            ("npm publish **", "npm --prefix x publish", Match::Yes),
            ("npm publish **", "npm --odd x publish", Match::Yes),
        ] {
            check(pattern, line, expected);
        }
    }
}
