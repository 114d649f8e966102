//! The script that an interpreter runs, found by the options of its family. An unknown option may or may not have the
//! next word as its value: then both readings count.

mod families;
mod filters;
mod shells;

use families::{FAMILIES, InterpreterFamily, LAUNCHER, WordRole};

/// A script or a module among an interpreter's words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ScriptWord<'a> {
    /// The word at this position is the script.
    Script(usize),
    /// The word at this position is the script if there is such a file.
    PossibleScript(usize),
    /// The value of an option is a file that runs before the script, with the words from this position.
    Preloaded(&'a str, usize),
    /// A module with this name is run as a program, with the words from this position.
    Module(&'a str, usize),
}

/// Where an interpreter looks for a script.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum ScriptSearch {
    /// At the path that the word is.
    #[default]
    AsGiven,
    /// There, and on `PATH` for a word without a directory.
    OnPath,
    /// There, with an ending added, or what a directory names as its program.
    WithEndings,
    /// There, or `__main__.py` in a directory.
    InDirectory,
}

/// A word that names a script, and where it is looked for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Script<'a> {
    pub(super) word: &'a str,
    pub(super) search: ScriptSearch,
    pub(super) directory: Option<&'a str>,
}

/// The scripts that an interpreter runs.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct FoundScripts<'a> {
    pub(super) programs: Vec<ScriptWord<'a>>,
    /// Whether another script may be named after the words that were read.
    pub(super) is_open: bool,
    pub(super) search: ScriptSearch,
    /// Whether files that options name are looked for only at the path that is written.
    pub(super) is_exact: bool,
    /// The directory in which an option makes the interpreter look for scripts.
    pub(super) directory: Option<&'a str>,
    /// Whether the interpreter may read a script from its input.
    pub(super) reads_input: bool,
}

impl FoundScripts<'_> {
    /// Whether an option names the input as a script.
    fn names_input(&self) -> bool {
        let is_input = |word: &str| word == "-" || word.starts_with("/dev/");
        let mut programs = self.programs.iter();
        programs.any(|it| matches!(it, ScriptWord::Preloaded(word, _) if is_input(word)))
    }
}

/// The target of a Python module that runs other programs.
pub(super) enum LauncherTarget<'a> {
    /// The first word is a module.
    Module(&'a str),
    Scripts(FoundScripts<'a>),
}

/// The scripts that the interpreter with this name runs with these words; `None` if it is not a known interpreter.
pub(super) fn scripts_run_by<'a>(name: &str, words: &'a [String]) -> Option<FoundScripts<'a>> {
    let end = name
        .find(|char: char| !char.is_ascii_alphabetic())
        .unwrap_or(name.len());
    let (family, version) = name.split_at(end);
    let is_version = version.is_empty()
        || version.starts_with(|char: char| char.is_ascii_digit() || char == '.')
        || ["-static", "-dbg", "-debug"].contains(&version);
    let mut families = FAMILIES.iter().filter(|_| is_version);
    let family = families.find(|it| it.names.contains(&family))?;
    let found = match family.words {
        _ if family.is_shell() => shells::read(words),
        WordRole::Script => family.read(words),
        WordRole::ScriptWithOption => filters::read(words),
        WordRole::Scripts | WordRole::Data => family.read_all(words),
    };
    Some(FoundScripts {
        search: family.search,
        reads_input: match family.words {
            WordRole::Script | WordRole::Scripts => true,
            WordRole::Data | WordRole::ScriptWithOption => found.names_input(),
        },
        ..found
    })
}

/// The usual names of the known interpreters.
pub(super) fn interpreters() -> impl Iterator<Item = &'static str> {
    let names = FAMILIES.iter().flat_map(|family| family.names).copied();
    names.chain(["python3", "python2"])
}

/// The target of a Python module such as `pdb` with these words; `None` if the module runs no others.
pub(super) fn launched_by<'a>(module: &str, words: &'a [String]) -> Option<LauncherTarget<'a>> {
    let top = module.split('.').next().unwrap_or(module);
    match top {
        "runpy" => Some(LauncherTarget::Module(words.first()?)),
        _ if LAUNCHER.names.contains(&top) => Some(LauncherTarget::Scripts(FoundScripts {
            search: LAUNCHER.search,
            ..LAUNCHER.read(words)
        })),
        _ => None,
    }
}

/// Where the value of an option is.
enum OptionValue<'a> {
    SameWord(&'a str),
    NextWord,
}

/// The effect of an option on the search for the script.
enum OptionEffect<'a> {
    /// The search goes on with the next word.
    Flag,
    /// The next word is a value.
    Skip,
    /// The next word may be a value.
    Unknown,
    /// The value is run, and no script.
    Code(OptionValue<'a>),
    Directory(OptionValue<'a>),
    File(OptionValue<'a>),
    /// The value may be a file that is run, and may be no value.
    PossibleFile(OptionValue<'a>),
    Module(OptionValue<'a>),
}

impl InterpreterFamily {
    fn read<'a>(&self, words: &'a [String]) -> FoundScripts<'a> {
        let mut found = FoundScripts::default();
        let (mut at, mut is_doubtful, mut runs_code) = (0, false, false);
        while let Some(word) = words.get(at) {
            at += 1;
            // After code there are options that load files, then words for the code.
            if runs_code && (!word.starts_with('-') || word == "--" || word == "-") {
                return found;
            }
            if word == "--" || word == "-" {
                // A lone dash is standard input, or the end of the options.
                let next = |at| match word == "-" {
                    true => ScriptWord::PossibleScript(at),
                    false => ScriptWord::Script(at),
                };
                found.programs.extend(words.get(at).map(|_| next(at)));
                found.is_open = at >= words.len();
                return found;
            }
            let is_option = word.starts_with('-');
            if !is_option && is_doubtful {
                found.programs.push(ScriptWord::PossibleScript(at - 1));
                is_doubtful = false;
                continue;
            }
            if !is_option && self.subcommands.contains(&word.as_str()) {
                continue;
            }
            if !is_option {
                found.programs.push(ScriptWord::Script(at - 1));
                return found;
            }
            // It may be the value of the option before it, and the next word the script.
            if std::mem::take(&mut is_doubtful) && at < words.len() {
                found.programs.push(ScriptWord::PossibleScript(at));
            }
            match self.effect(word) {
                OptionEffect::Flag => {}
                OptionEffect::Skip => at += 1,
                OptionEffect::Unknown => is_doubtful = true,
                OptionEffect::PossibleFile(value) => {
                    is_doubtful = true;
                    found.programs.extend(value.possible_file(words, at));
                }
                OptionEffect::Code(_) if self.code_ends_options => return found,
                OptionEffect::Code(value) => {
                    runs_code = true;
                    if value.read(words, &mut at).is_none() {
                        break;
                    }
                }
                OptionEffect::Directory(value) => {
                    let Some(directory) = value.read(words, &mut at) else {
                        break;
                    };
                    found.directory = Some(directory);
                }
                OptionEffect::File(value) => {
                    let Some(file) = value.read(words, &mut at) else {
                        break;
                    };
                    found.programs.push(ScriptWord::Preloaded(file, at));
                }
                OptionEffect::Module(value) => {
                    let Some(module) = value.read(words, &mut at) else {
                        break;
                    };
                    found.programs.push(ScriptWord::Module(module, at));
                    return found;
                }
            }
        }
        found.is_open = true;
        found
    }

    /// Reads the words of a program whose options name scripts, and whose other words are all scripts or none.
    fn read_all<'a>(&self, words: &'a [String]) -> FoundScripts<'a> {
        let mut found = FoundScripts {
            is_exact: true,
            ..FoundScripts::default()
        };
        let (mut at, mut is_doubtful, mut has_ended, mut has_words) = (0, false, false, false);
        while let Some(word) = words.get(at) {
            at += 1;
            let is_option = word.starts_with('-') && word.len() > 1 && !has_ended;
            if !is_option {
                // The value of an option that is not known may be a script like any other.
                if self.words == WordRole::Scripts {
                    found.programs.push(ScriptWord::PossibleScript(at - 1));
                }
                has_words |= !is_doubtful;
                is_doubtful = false;
                continue;
            }
            if word == "--" {
                has_ended = true;
                continue;
            }
            is_doubtful = false;
            match self.effect(word) {
                OptionEffect::Flag => {}
                // A value that looks like an option is read as one, too.
                OptionEffect::Skip => {
                    found.programs.extend(self.executed(words, at + 1));
                    OptionValue::NextWord.read_unless_option(words, &mut at);
                }
                OptionEffect::Unknown => is_doubtful = true,
                OptionEffect::PossibleFile(value) => {
                    is_doubtful = true;
                    found.programs.extend(value.possible_file(words, at));
                }
                OptionEffect::Code(value) | OptionEffect::Module(value) => {
                    value.read_unless_option(words, &mut at);
                }
                OptionEffect::Directory(value) => {
                    found.directory = value.read(words, &mut at).or(found.directory);
                }
                OptionEffect::File(value) => {
                    let is_next = matches!(value, OptionValue::NextWord);
                    let behind = if is_next { at + 1 } else { at };
                    if let Some(file) = value.read_unless_option(words, &mut at) {
                        found.programs.push(ScriptWord::Preloaded(file, behind));
                        let named = file.strip_prefix('=').filter(|_| !is_next);
                        let named = named.map(|file| ScriptWord::Preloaded(file, behind));
                        found.programs.extend(named);
                    }
                }
            }
        }
        // Many words are usual for data, and hardly ever precede an option.
        found.is_open = !has_words;
        found
    }

    /// The script behind `-W exec`, as mawk writes `-f`.
    fn executed<'a>(&self, words: &'a [String], at: usize) -> Option<ScriptWord<'a>> {
        let value = words.get(at.checked_sub(1)?)?;
        let is_exec = self.names.contains(&"mawk") && "exec".starts_with(value.as_str());
        let file = words.get(at).filter(|_| is_exec)?;
        Some(ScriptWord::Preloaded(file, at + 1))
    }

    fn is_shell(&self) -> bool {
        self.names.contains(&"sh")
    }

    fn effect<'a>(&self, word: &'a str) -> OptionEffect<'a> {
        if word.starts_with("--") {
            return self.long(word);
        }
        if self.has_one_dash && word.len() > 2 {
            // A letter with its value looks the same.
            let long = format!("-{word}");
            let name = long.split('=').next().unwrap_or(&long);
            let value = word.split_once('=').map(|(_, value)| value);
            let names = |list: &[&str]| list.iter().any(|it| it.starts_with(name));
            if names(self.long_files) {
                return OptionEffect::File(
                    value.map_or(OptionValue::NextWord, OptionValue::SameWord),
                );
            }
            if names(self.long_valued) || names(self.long_flags) {
                return OptionEffect::Unknown;
            }
        }
        let mut is_doubtful = false;
        for (at, letter) in word.char_indices().skip(1) {
            let rest = &word[at + letter.len_utf8()..];
            let value = match rest {
                "" => OptionValue::NextWord,
                rest => OptionValue::SameWord(rest),
            };
            let is_in = |letters: &str| letters.contains(letter);
            let may_name_file = is_in(self.possible_files) && rest.is_empty();
            if may_name_file || (is_doubtful && is_in(self.files)) {
                return OptionEffect::PossibleFile(value);
            }
            is_doubtful |= is_in(self.possible_files);
            if is_doubtful || is_in(self.flags) {
                continue;
            }
            if is_in(self.code) {
                return OptionEffect::Code(value);
            }
            if is_in(self.directories) {
                return OptionEffect::Directory(value);
            }
            if is_in(self.glued) {
                return OptionEffect::Flag;
            }
            if is_in(self.modules) {
                return OptionEffect::Module(value);
            }
            if is_in(self.files) {
                return OptionEffect::File(value);
            }
            match (is_in(self.valued), value) {
                (true, OptionValue::NextWord) => return OptionEffect::Skip,
                (true, OptionValue::SameWord(_)) => return OptionEffect::Flag,
                // An option with a file may be behind it in the same word.
                (false, _) => is_doubtful = true,
            }
        }
        match is_doubtful {
            true => OptionEffect::Unknown,
            false => OptionEffect::Flag,
        }
    }

    fn long<'a>(&self, word: &'a str) -> OptionEffect<'a> {
        let (name, value) = match word.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (word, None),
        };
        let is_short = |list: &[&str]| self.is_gnu && list.iter().any(|it| it.starts_with(name));
        if self.long_files.contains(&name) || is_short(self.long_files) {
            return OptionEffect::File(value.map_or(OptionValue::NextWord, OptionValue::SameWord));
        }
        if self.long_modules.contains(&name) {
            return OptionEffect::Module(
                value.map_or(OptionValue::NextWord, OptionValue::SameWord),
            );
        }
        if self.long_code.contains(&name) {
            return OptionEffect::Code(value.map_or(OptionValue::NextWord, OptionValue::SameWord));
        }
        if self.long_directories.contains(&name) {
            return OptionEffect::Directory(
                value.map_or(OptionValue::NextWord, OptionValue::SameWord),
            );
        }
        match value {
            Some(_) => OptionEffect::Flag,
            None if self.long_flags.contains(&name) => OptionEffect::Flag,
            None if self.long_valued.contains(&name) => OptionEffect::Skip,
            None => OptionEffect::Unknown,
        }
    }
}

impl<'a> OptionValue<'a> {
    /// The value as a file that may be run; the next word is at this position.
    fn possible_file(&self, words: &'a [String], at: usize) -> Option<ScriptWord<'a>> {
        match self {
            OptionValue::SameWord(value) => Some(ScriptWord::Preloaded(value, at)),
            OptionValue::NextWord => (at < words.len()).then_some(ScriptWord::PossibleScript(at)),
        }
    }

    /// The value; the next word is read again if it looks like an option.
    fn read_unless_option(self, words: &'a [String], at: &mut usize) -> Option<&'a str> {
        let next = words
            .get(*at)
            .filter(|it| it.starts_with('-') && it.len() > 1);
        match (&self, next) {
            (OptionValue::NextWord, Some(next)) => Some(next),
            _ => self.read(words, at),
        }
    }

    fn read(self, words: &'a [String], at: &mut usize) -> Option<&'a str> {
        match self {
            OptionValue::SameWord(value) => Some(value),
            OptionValue::NextWord => {
                let value = words.get(*at)?;
                *at += 1;
                Some(value)
            }
        }
    }
}

#[cfg(test)]
mod attack_file_options;
#[cfg(test)]
mod attack_shells;
#[cfg(test)]
mod tests {
    use super::{ScriptWord, scripts_run_by};

    #[test]
    fn attack_options_of_interpreters_do_not_hide_the_script() {
        // The script is `S`, and `A` the first word for it; everything else belongs to options.
        for line in [
            "sh S A",
            "sh -e S A",
            "sh -ex S A",
            "sh +e S A",
            "bash -o posix S A",
            "bash -eo pipefail S A",
            "bash +o posix -O extglob S A",
            "bash --rcfile x S A",
            "bash --init-file=x --norc S A",
            "dash -- S A",
            "zsh --emulate sh S A",
            "fish -N S A",
            "python3 -X utf8 -W ignore S A",
            "python3 -Es S A",
            "python3.11 -Wignore -Xutf8 -u S A",
            "python3.13t -I S A",
            "node --require x S A",
            "node --import=x S A",
            "node --import x -r y S A",
            "node --max-old-space-size=9 S A",
            "node inspect S A",
            "node -p -- S A",
            "node -p --no-warnings S A",
            "nodejs --print -i S A",
            "perl -w -I lib S A",
            "perl -Ilib -Mstrict -S S A",
            "perl -0777 -i.bak -S S A",
            "ruby -S S A",
            "ruby -W0 -ruri -I lib S A",
            "php -d a=b -f S A",
            "php S A",
            "lua -e x -l y S A",
            "deno run -A --allow-read=. S A",
            "bun run S A",
            "bun --cwd x S A",
            "node -e 1 -r S A",
            "node -e 1 --import S A",
            "node --eval=1 --require=S A",
            "ruby -C x S A",
            "ruby -Cx S A",
            "ruby -r S A",
            "ruby -e 1 -rS A",
            "expect -d S A",
            "luajit -j off S A",
            "luajit -joff S A",
            "lua -l S A",
            "bun --bun S A",
            "bun --config S A",
            "bun -c S A",
            "node --new -e S A",
            "bash -oO pipefail extglob S A",
            "bash -eoO pipefail extglob S A",
            "bash -Oo extglob pipefail S A",
            "bash +oO posix extglob S A",
            "bash -oOe pipefail extglob -- S A",
        ] {
            let mut words = line.split(' ').map(str::to_owned);
            let name = words.next().unwrap();
            let words: Vec<String> = words.collect();
            let found = scripts_run_by(&name, &words).unwrap().programs;
            let is_found = found.iter().any(|program| match program {
                ScriptWord::Script(at) | ScriptWord::PossibleScript(at) => words[*at] == "S",
                ScriptWord::Preloaded(file, at) => {
                    *file == "S" && words.get(*at).is_some_and(|it| it == "A")
                }
                ScriptWord::Module(..) => false,
            });
            assert!(is_found, "{line}: {found:?}");
        }
        for (line, module) in [
            ("python -m pip A", "pip"),
            ("python3 -mpip A", "pip"),
            ("python3 -Im pip A", "pip"),
            ("python3 -W ignore -X utf8 -m pip A", "pip"),
        ] {
            let mut words = line.split(' ').map(str::to_owned);
            let name = words.next().unwrap();
            let words: Vec<String> = words.collect();
            let found = scripts_run_by(&name, &words).unwrap().programs;
            assert_eq!(
                found,
                [ScriptWord::Module(module, words.len() - 1)],
                "{line}"
            );
        }
    }

    #[test]
    fn code_is_not_a_script() {
        for line in [
            "sh -c S",
            "bash -ec S",
            "bash --norc -c S",
            "python3 -c S",
            "python3 -c x -m S",
            "node -e x S",
            "node -e x --no-warnings S",
            "perl -e x S",
            "perl -e S",
            "perl -lne S",
            "ruby -e S",
            "node -e S",
            "node --eval S",
            "php -r S",
            "fish --command=S",
            "awk S",
            "awk -v f=S x",
            "gawk -e S x",
            "sed S x",
            "sed -n -e S x",
            "sed --expression S x",
            "make S",
            "make -C S x",
            "jq S x",
            "jq -r S",
            "gdb S",
            "gdb -ex S x",
            "vim S",
        ] {
            let mut words = line.split(' ').map(str::to_owned);
            let name = words.next().unwrap();
            let words: Vec<String> = words.collect();
            assert_eq!(
                scripts_run_by(&name, &words).unwrap().programs,
                [],
                "{line}"
            );
        }
        assert_eq!(scripts_run_by("shred", &["S".to_owned()]), None);
        assert_eq!(scripts_run_by("node-gyp", &["S".to_owned()]), None);
    }

    #[test]
    fn an_unknown_option_may_have_a_value() {
        let words = ["--new", "x", "S"].map(str::to_owned);
        let found = scripts_run_by("node", &words).unwrap();
        assert_eq!(
            found.programs,
            [ScriptWord::PossibleScript(1), ScriptWord::Script(2)]
        );
        assert!(!found.is_open);
        let words = ["-X", "a", "-X"].map(str::to_owned);
        assert!(scripts_run_by("python3", &words).unwrap().is_open);
    }
}
