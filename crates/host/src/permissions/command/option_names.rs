//! Other spellings of options: short and long names of the same option, joined short options, abbreviated long names, and
//! values in the same word. They count for rules that deny or ask.

use std::borrow::Cow;

use super::base_name;
use super::options::CommandWord;

/// A word of a command that may have been spelled in another way.
#[derive(Debug, Clone)]
pub(super) struct RespelledWord<'a>(pub(super) Option<Cow<'a, str>>);

impl CommandWord for RespelledWord<'_> {
    fn literal(&self) -> Option<&str> {
        self.0.as_deref()
    }
}

/// An option of a pattern that may have a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct OptionPair<'a> {
    pub(super) option: &'a str,
    pub(super) value: &'a str,
    /// Where it begins in the pattern, and how many words it takes.
    pub(super) at: usize,
    pub(super) len: usize,
}

/// The options of a pattern that have a value, if the word after them or the end of their own word is one.
pub(super) fn pairs<'a>(words: &[&'a str]) -> Vec<OptionPair<'a>> {
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate().filter(|(_, it)| is_option(it)) {
        if let Some(value) = words.get(at + 1).filter(|it| !is_option(it)) {
            found.push(OptionPair {
                option: word,
                value,
                at,
                len: 2,
            });
        }
        let joined = match word.strip_prefix("--") {
            Some(_) => word.split_once('='),
            None => {
                let end = word.char_indices().nth(2).map_or(word.len(), |(at, _)| at);
                let (option, value) = word.split_at(end);
                // `-rf` is two options.
                let is_value = value.len() > 1 || value.starts_with(|it: char| it.is_ascii_digit());
                is_value.then_some((option, value))
            }
        };
        if let Some((option, value)) = joined.filter(|(_, value)| !value.is_empty()) {
            found.push(OptionPair {
                option,
                value,
                at,
                len: 1,
            });
        }
    }
    found
}

impl OptionPair<'_> {
    /// The arguments of a command without this option and value, if they are among them. What is left of a word with
    /// several options stays.
    pub(super) fn removed_from<'a, W: CommandWord>(
        &self,
        program: &str,
        arguments: &'a [W],
    ) -> Option<Vec<RespelledWord<'a>>> {
        let mut words = Vec::with_capacity(arguments.len());
        let (mut at, mut is_found) = (0, false);
        while let Some(word) = arguments.get(at) {
            let (left, len) = match self.at(program, arguments, at) {
                Some((left, len)) => (left.map(Some), len),
                None => (Some(word.literal()), 1),
            };
            is_found |= len > 1 || left != Some(word.literal());
            words.extend(left.map(|word| RespelledWord(word.map(Cow::Borrowed))));
            at += len;
        }
        is_found.then_some(words)
    }

    /// What is left of the word at a place if it is the option with the value, and how many words they take.
    fn at<'a, W: CommandWord>(
        &self,
        program: &str,
        arguments: &'a [W],
        at: usize,
    ) -> Option<(Option<&'a str>, usize)> {
        let word = arguments.get(at)?.literal()?;
        let is_before = || arguments.get(at + 1).and_then(CommandWord::literal) == Some(self.value);
        if !is_option(word) {
            return None;
        }
        if word.starts_with("--") {
            let (name, value) = match word.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (word, None),
            };
            let is_it = has_option(program, &[name], self.option);
            return match value {
                Some(value) if is_it && value == self.value => Some((None, 1)),
                None if is_it && is_before() => Some((None, 2)),
                Some(_) | None => None,
            };
        }
        let ends_with_option = |word: &str| {
            let last = word.chars().next_back();
            let is_letter = last.is_some_and(|letter| is_letter_of(program, letter, self.option));
            is_letter && has_option(program, &[word], self.option)
        };
        if ends_with_option(word) && is_before() {
            return Some((Some(word), 2));
        }
        let left = word.strip_suffix(self.value)?;
        let left = left.strip_suffix('=').unwrap_or(left);
        (left.len() > 1 && ends_with_option(left)).then_some((Some(left), 1))
    }
}

/// Whether an option of a pattern is among others, written alone, together with others, shortened, or by its other name.
pub(super) fn has_option(program: &str, given: &[&str], wanted: &str) -> bool {
    let names = OptionNames::of(program);
    let long = |name: &str| {
        given.iter().any(|word| match name.contains('=') {
            true => *word == name,
            false => {
                let word = word.split('=').next().unwrap_or(word);
                word.len() > 2 && name.starts_with(word)
            }
        })
    };
    let letter = |letter: char| {
        let mut clusters = given.iter().filter(|word| !word.starts_with("--"));
        clusters.any(|word| word.contains(letter))
    };
    match wanted.strip_prefix("--") {
        _ if given.contains(&wanted) => true,
        Some(_) => {
            let twins = || names.twins(wanted);
            long(wanted) || twins().iter().any(|it| has_twin(it, &long, &letter))
        }
        None => wanted[1..].chars().all(|it| {
            let twins = || names.twins(it.encode_utf8(&mut [0; 4]));
            letter(it) || twins().iter().any(|it| has_twin(it, &long, &letter))
        }),
    }
}

fn has_twin(twin: &str, long: &impl Fn(&str) -> bool, letter: &impl Fn(char) -> bool) -> bool {
    match twin.starts_with("--") {
        true => long(twin),
        false => twin.chars().all(letter),
    }
}

/// Whether a letter is an option of a pattern, or its last one.
fn is_letter_of(program: &str, letter: char, option: &str) -> bool {
    let mut buffer = [0; 4];
    let letter: &str = letter.encode_utf8(&mut buffer);
    let names = OptionNames::of(program);
    match option.strip_prefix("--") {
        Some(_) => names.twins(option).contains(&letter),
        None => {
            let last = option.char_indices().next_back();
            let last = last.map_or("", |(at, _)| &option[at..]);
            last == letter || names.twins(last).contains(&letter)
        }
    }
}

/// Whether other names of the options in a pattern are not known.
pub(super) fn has_unknown_names(program: &str, options: &[&str]) -> bool {
    let names = OptionNames::of(program);
    let is_unknown = |option: &&str| match option.strip_prefix("--") {
        Some(_) => {
            let name = option.split('=').next().unwrap_or(option);
            names.twins(name).is_empty()
        }
        None => option[1..]
            .chars()
            .any(|it| names.twins(it.encode_utf8(&mut [0; 4])).is_empty()),
    };
    names.own.is_none() && options.iter().any(is_unknown)
}

/// The first word of `tar` may be options without a dash.
pub(super) fn is_tar_letters(program: &str, first: &str) -> bool {
    base_name(program) == "tar"
        && !first.is_empty()
        && first.chars().all(|it| it.is_ascii_alphabetic())
}

pub(super) fn is_option(word: &str) -> bool {
    word.starts_with('-') && word.len() > 1
}

/// Which options of a program are the same.
struct OptionNames {
    own: Option<&'static str>,
}

impl OptionNames {
    fn of(program: &str) -> OptionNames {
        let name = base_name(program);
        let name = name.trim_end_matches(|it: char| it.is_ascii_digit() || it == '.');
        let has_name = |names: &str| names.split(' ').any(|it| it == name);
        let own = PROGRAMS.iter().find(|(names, _)| has_name(names));
        OptionNames {
            own: own.map(|(_, groups)| *groups),
        }
    }

    /// The other names of an option: letters without a dash, and long names.
    fn twins(&self, option: &str) -> Vec<&'static str> {
        let groups = [COMMON, self.own.unwrap_or_default()];
        let groups = groups.into_iter().flat_map(|it| it.split(','));
        let same = groups.filter(|group| group.split(' ').any(|it| it == option));
        same.flat_map(|group| group.split(' '))
            .filter(|it| *it != option)
            .collect()
    }
}

/// Names of the same option in the programs that rules are mostly about.
const COMMON: &str = "f --force,r R --recursive,d D --delete";
/// Names of the same option in other programs.
const PROGRAMS: &[(&str, &str)] = &[
    (
        "git",
        "n --no-verify --dry-run,m --message,a --all,u --set-upstream,q --quiet,v --verbose,b --branch,c --create,\
         C --force-create,i --interactive,p --patch,s --signoff,S --gpg-sign,x --exec",
    ),
    (
        "npm",
        "g --global --location=global,D --save-dev,S --save,E --save-exact,O --save-optional,y --yes,w --workspace,\
         C --prefix,c --call",
    ),
    (
        "curl",
        "X --request,o --output,O --remote-name,d --data --data-ascii --data-raw --data-binary,H --header,F --form,\
         T --upload-file,u --user,x --proxy,k --insecure,L --location,K --config,G --get,I --head,A --user-agent,\
         b --cookie,c --cookie-jar,e --referer,E --cert,s --silent,S --show-error,v --verbose,i --include,f --fail",
    ),
    (
        "sed gsed",
        "i --in-place,n --quiet --silent,e --expression,f --file,E --regexp-extended,s --separate,z --null-data,\
         u --unbuffered",
    ),
    (
        "tar gtar",
        "x --extract --get,c --create,t --list,r --append,u --update,A --catenate --concatenate,f --file,C --directory,\
         z --gzip --ungzip,j --bzip2,J --xz,P --absolute-names,p --preserve-permissions,T --files-from,X --exclude-from,\
         v --verbose,k --keep-old-files",
    ),
    ("python", ""),
    (
        "rm cp mv ln chmod chown chgrp",
        "a --archive,i --interactive,v --verbose,t --target-directory,n --no-clobber",
    ),
];

#[cfg(test)]
mod attack_option_names;
