//! The files that a simple command names to change them, as far as its words tell. Nothing here looks at the disk.

use std::borrow::Cow;

use super::code::code_words;
use super::line::{ShellWord, SimpleCommand};
use super::options::{CommandWord as _, subcommands};
use super::programs::{self, ProgramReach};
use super::wrappers::{self, InnerCommands};

/// A file that a simple command may change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) struct ChangedFile {
    /// The file.
    pub(in super::super) word: ShellWord,
    /// How the command changes it.
    pub(in super::super) change: FileChange,
}

/// How a command changes a file that it names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum FileChange {
    /// The program is unknown: it may change what it names.
    Possible,
    /// The word is code, which may change what it names.
    Code,
    /// Something is put into a directory, if it is one: `cp a.md docs` writes `docs/a.md`.
    Into,
    /// The file is written.
    Write,
    /// The file is removed.
    Remove,
    /// The file is moved or copied, with everything below it.
    Move,
}

/// The files that a simple command may change: where its output goes, and what its words name. A program that is known
/// to only read changes none.
pub(in super::super) fn changed_files(part: &SimpleCommand) -> Vec<ChangedFile> {
    let mut found = ChangedFiles(Vec::new());
    for file in part.redirections.iter().filter(|file| file.is_write) {
        found.add(&file.target, FileChange::Write);
    }
    if let Some((program, arguments)) = part.words.split_first() {
        match program.literal() {
            Some(_) => found.by_program(part, arguments),
            None => found.all(arguments, FileChange::Possible),
        }
    }
    found.0
}

/// Whether a simple command changes no file that it names, as far as is known.
fn only_reads(part: &SimpleCommand) -> bool {
    part.program().is_some() && changed_files(part).is_empty()
}

struct ChangedFiles(Vec<ChangedFile>);

impl ChangedFiles {
    fn add(&mut self, word: &ShellWord, change: FileChange) {
        self.0.push(ChangedFile {
            word: word.clone(),
            change,
        });
    }

    fn all(&mut self, words: &[ShellWord], change: FileChange) {
        words.iter().for_each(|word| self.add(word, change));
    }

    fn text(&mut self, text: impl Into<Cow<'static, str>>, change: FileChange) {
        let text = text.into().into_owned();
        self.add(&ShellWord::Literal(text), change);
    }

    fn by_program(&mut self, part: &SimpleCommand, arguments: &[ShellWord]) {
        let program = part.program().unwrap_or_default();
        match &*program {
            "find" | "fd" | "fdfind" => return self.by_find(part, arguments),
            "git" => return self.by_git(arguments),
            "sed" | "gsed" => return self.by_sed(arguments),
            "awk" | "gawk" | "mawk" | "nawk" => return self.by_awk(arguments),
            _ => {}
        }
        // The program that it runs is another part.
        if part.runs_others
            && matches!(
                wrappers::inner(part),
                InnerCommands::Known(_) | InnerCommands::Line(_) | InnerCommands::Changed(..)
            )
        {
            return;
        }
        let operands = || operands(arguments);
        if WRITERS.split_ascii_whitespace().any(|it| it == program) {
            // The value of an option may be glued to it.
            let is_option =
                |word: &&ShellWord| word.literal().is_some_and(|it| it.starts_with('-'));
            let options = arguments.iter().filter(is_option);
            options.for_each(|word| self.add(word, FileChange::Possible));
        }
        match &*program {
            "rm" | "rmdir" | "unlink" => {
                operands().for_each(|word| self.add(word, FileChange::Remove));
            }
            "mv" | "rename" => operands().for_each(|word| self.add(word, FileChange::Move)),
            "cp" | "install" | "ln" => self.by_copy(&program, arguments),
            "tee" | "touch" | "mkdir" | "truncate" | "shred" | "mktemp" | "sponge" => {
                operands().for_each(|word| self.add(word, FileChange::Write));
            }
            "chmod" | "chown" | "chgrp" => self.all(arguments, FileChange::Possible),
            // The second operand is their output.
            "uniq" | "xxd" => operands()
                .skip(1)
                .for_each(|word| self.add(word, FileChange::Write)),
            "sort" | "shuf" | "tree" => self.by_output_option(arguments, "--o", 'o'),
            "dd" => {
                let is_input =
                    |word: &&ShellWord| word.literal().is_some_and(|text| text.starts_with("if="));
                let words = arguments.iter().filter(|word| !is_input(word));
                words.for_each(|word| self.add(word, FileChange::Possible));
            }
            _ if is_reader(part) || programs::reach_of(part) != ProgramReach::Unknown => {}
            _ => self.by_unknown(&program, arguments),
        }
    }

    /// A program about which nothing is known may change what it names. If it takes code, it may change each word in
    /// the code.
    fn by_unknown(&mut self, program: &str, arguments: &[ShellWord]) {
        if !programs::reads_code(program) {
            return self.all(arguments, FileChange::Possible);
        }
        // A script in the first place is run, not changed.
        let is_script = |word: &ShellWord| !word.literal().is_some_and(|it| it.starts_with('-'));
        let is_code = code_words(program, arguments);
        match arguments {
            [script, rest @ ..] if is_script(script) && !is_editor(program) => {
                self.code_and_words(rest, &is_code[1..]);
            }
            all => self.code_and_words(all, &is_code),
        }
    }

    /// Words of a program that takes code. The others may contain code, too.
    fn code_and_words(&mut self, arguments: &[ShellWord], is_code: &[bool]) {
        for (word, is_code) in arguments.iter().zip(is_code) {
            if !is_code {
                self.add(word, FileChange::Possible);
            }
            self.add(word, FileChange::Code);
        }
    }

    /// The targets of a copy. Something that is copied with everything below it may bring something protected along.
    fn by_copy(&mut self, program: &str, arguments: &[ShellWord]) {
        let is_recursive = program == "cp" && has_option(arguments, &["--r", "--ar"], "rRa");
        let words: Vec<&ShellWord> = operands(arguments).collect();
        if is_recursive {
            return words
                .into_iter()
                .for_each(|word| self.add(word, FileChange::Move));
        }
        let named = arguments
            .iter()
            .enumerate()
            .find_map(|(at, word)| match word.literal()? {
                "-t" | "--target-directory" => arguments.get(at + 1).cloned(),
                text => {
                    let directory = text.strip_prefix("--target-directory=");
                    let directory = directory.or_else(|| text.strip_prefix("-t"))?;
                    Some(ShellWord::Literal(directory.to_owned()))
                }
            });
        // With `-d` it creates all of them.
        let makes_all = program == "install" && has_option(arguments, &["--d"], "d");
        let (target, sources) = match (named, words.as_slice()) {
            (Some(target), sources) => (target, sources),
            (None, [sources @ .., target]) => ((*target).clone(), sources),
            (None, []) => return,
        };
        self.add(&target, FileChange::Write);
        for source in sources {
            // In a directory it keeps its name.
            if let (Some(target), Some(source)) = (target.literal(), source.literal()) {
                let name = source.trim_end_matches('/').rsplit('/').next();
                let name = name.unwrap_or(source);
                self.text(format!("{target}/{name}"), FileChange::Into);
            }
            if program == "ln" || makes_all || source.literal().is_none() {
                self.add(source, FileChange::Possible);
            }
        }
    }

    fn by_output_option(&mut self, arguments: &[ShellWord], long: &str, letter: char) {
        let letter = letter.to_string();
        if has_option(arguments, &[long], &letter) {
            self.all(arguments, FileChange::Possible);
        }
    }

    /// `find` changes what it finds with `-delete`, or by what it runs.
    fn by_find(&mut self, part: &SimpleCommand, arguments: &[ShellWord]) {
        let changes = match wrappers::inner(part) {
            InnerCommands::Nothing => false,
            InnerCommands::Known(commands) => !commands.iter().all(only_reads),
            _ => true,
        };
        if changes {
            self.all(arguments, FileChange::Possible);
            let patterns = arguments.iter().filter_map(|word| word.literal());
            let patterns = patterns.filter(|text| !text.starts_with('-'));
            let patterns: Vec<String> = patterns.map(str::to_owned).collect();
            for pattern in patterns {
                self.add(&ShellWord::Undecided(pattern), FileChange::Possible);
            }
        }
    }

    fn by_git(&mut self, arguments: &[ShellWord]) {
        let is_among = |list: &str, word: Option<&str>| {
            word.is_some_and(|word| list.split_ascii_whitespace().any(|it| it == word))
        };
        let found: Vec<Option<&str>> = subcommands("git", arguments).collect();
        let only = |list: &str| !found.is_empty() && found.iter().all(|it| is_among(list, *it));
        if only(programs::GIT) || only(GIT_KEEPS_FILES) {
            let is_output = |word: &&ShellWord| {
                let text = word.literal().unwrap_or_default();
                text.starts_with("--outp") && !text.starts_with("--output-ind")
            };
            let has_output = arguments.iter().any(|word| is_output(&word));
            if has_output {
                self.all(arguments, FileChange::Possible);
            }
            return;
        }
        if found.contains(&Some("config")) && !reads_config(arguments) {
            self.text(".git/config", FileChange::Write);
        }
        self.all(arguments, FileChange::Possible);
    }

    fn by_sed(&mut self, arguments: &[ShellWord]) {
        if has_option(arguments, &["--i"], "i") {
            let is_code = script_words("sed", arguments);
            return self.code_and_words(arguments, &is_code);
        }
        // `w file` and `s/a/b/w file`.
        for word in arguments {
            let (ShellWord::Literal(text) | ShellWord::Undecided(text)) = word;
            let behind = text.match_indices(['w', 'W']);
            for (at, _) in behind {
                let rest = &text[at + 1..];
                if rest.starts_with([' ', '\t']) {
                    let file = rest.trim_start();
                    let end = file.find(['\n', ';', '}']).unwrap_or(file.len());
                    self.text(file[..end].trim_end().to_owned(), FileChange::Possible);
                }
            }
        }
    }

    fn by_awk(&mut self, arguments: &[ShellWord]) {
        let separates = |word: &ShellWord| {
            word.literal()
                .is_some_and(|text| text.starts_with("-F") || text.starts_with("-v"))
        };
        let mut options = arguments.iter().filter(|word| {
            word.literal()
                .is_some_and(|text| text.starts_with('-') && text.len() > 1)
        });
        let only_separates = options.all(separates);
        let code = |word: &ShellWord| {
            let (ShellWord::Literal(text) | ShellWord::Undecided(text)) = word;
            text.contains(['>', '|']) || text.contains("system")
        };
        if !only_separates || arguments.iter().any(code) {
            let is_code = script_words("awk", arguments);
            self.code_and_words(arguments, &is_code);
        }
    }
}

/// Which arguments of sed or awk are code: the values of options, or else the first word that is not an option.
fn script_words(program: &str, arguments: &[ShellWord]) -> Vec<bool> {
    let mut is_code = code_words(program, arguments);
    let is_option = |word: &ShellWord| word.literal().is_some_and(|it| it.starts_with('-'));
    if arguments.iter().all(|word| !is_script_option(word))
        && let Some(at) = arguments.iter().position(|word| !is_option(word))
        && let Some(first) = is_code.get_mut(at)
    {
        *first = true;
    }
    is_code
}

/// Whether an option of sed or awk may name or contain the script.
fn is_script_option(word: &ShellWord) -> bool {
    has_option(std::slice::from_ref(word), &["--e", "--f", "--s"], "ef")
}

/// The words that are not options.
fn operands(arguments: &[ShellWord]) -> impl Iterator<Item = &ShellWord> {
    let is_option = |word: &&ShellWord| {
        word.literal()
            .is_some_and(|text| text.starts_with('-') && text.len() > 1)
    };
    // After `--` every word is an operand, and one that begins with a dash names nothing protected.
    arguments.iter().filter(move |word| !is_option(word))
}

/// Whether one of the options is there: a long one by its beginning, or a letter among others.
fn has_option(arguments: &[ShellWord], long: &[&str], letters: &str) -> bool {
    arguments.iter().any(|word| match word.literal() {
        Some(text) if text.starts_with("--") => long.iter().any(|start| text.starts_with(start)),
        Some(text) => text
            .strip_prefix('-')
            .is_some_and(|text| text.contains(|letter| letters.contains(letter))),
        None => false,
    })
}

/// Whether `git config` only shows something.
fn reads_config(arguments: &[ShellWord]) -> bool {
    let words = arguments.iter().map(|word| word.literal().unwrap_or("$"));
    let behind: Vec<&str> = words.skip_while(|word| *word != "config").skip(1).collect();
    let is_get = |word: &&str| {
        matches!(*word, "-l" | "get" | "list")
            || word.starts_with("--get")
            || word.starts_with("--li")
    };
    let is_set = |word: &&str| {
        const SETS: [&str; 6] = [
            "-e",
            "set",
            "unset",
            "edit",
            "rename-section",
            "remove-section",
        ];
        let long = ["--ad", "--un", "--re", "--ed"];
        SETS.contains(word) || long.iter().any(|start| word.starts_with(start))
    };
    let operands = behind.iter().filter(|word| !word.starts_with('-')).count();
    !behind.iter().any(is_set) && (operands == 1 || behind.iter().any(is_get))
}

/// Whether the program only shows files. A repository may contain a program with that name.
fn is_reader(part: &SimpleCommand) -> bool {
    let program = part.words.first().and_then(|word| word.literal());
    program.is_some_and(|program| READERS.split_ascii_whitespace().any(|it| it == program))
}

/// Whether the program's first word is a file that it changes, rather than a script.
fn is_editor(program: &str) -> bool {
    matches!(program, "vi" | "vim" | "nvim" | "ex" | "ed" | "emacs")
}

/// Subcommands of git that change no file in the working tree. `config` and hooks are not among them.
const GIT_KEEPS_FILES: &str = "add stage commit push fetch";
const WRITERS: &str = "mv cp install ln tee touch mkdir truncate shred mktemp";
/// Programs that show files, in addition to those with a known reach.
const READERS: &str = "less more most bat batcat glow delta difft cloc tokei scc shellcheck actionlint hadolint yamllint \
    zcat zless zgrep xzcat bzcat";
