//! How a shell is called: which line it gets, and whether an option changes how it reads the line.

use super::line::ShellWord;
use super::options::CommandWord as _;
use super::wrappers::InnerCommands;

/// Options of a shell that don't change what a line runs. Any option that is not listed may.
struct Shell {
    names: &'static str,
    /// They can be written together, also with `c`.
    letters: &'static str,
    long: &'static str,
    /// Whether options between `-c` and the line are known to be options.
    reads_options_behind: bool,
}

const SHELLS: &[Shell] = &[
    Shell {
        names: "bash rbash",
        letters: "eufxvil",
        long: "--login --norc --noprofile --posix --verbose --noediting",
        reads_options_behind: true,
    },
    // Any of the other shells may have this name.
    Shell {
        names: "sh dash ash",
        letters: "eufxvil",
        long: "--login --norc --noprofile --posix",
        reads_options_behind: true,
    },
    Shell {
        names: "zsh",
        letters: "eufxvil",
        long: "--login --no-rcs",
        reads_options_behind: false,
    },
    Shell {
        names: "ksh ksh93 mksh lksh pdksh yash",
        letters: "eufxvil",
        long: "",
        reads_options_behind: false,
    },
];

/// Shells with a language of their own.
const FOREIGN: &str = "fish csh tcsh elvish nu xonsh rc es";

/// Modes that `-o` may name.
const MODES: &str = "errexit nounset pipefail xtrace verbose noglob noclobber posix";

/// What a shell runs; `None` if the program is not a shell.
pub(super) fn inner(program: &str, arguments: &[ShellWord]) -> Option<InnerCommands> {
    if is_foreign(program) {
        let lines = operands(arguments);
        let why = "its shell has a language of its own";
        return Some(InnerCommands::Changed(lines, why));
    }
    let is_named = |shell: &&Shell| shell.names.split(' ').any(|name| name == program);
    SHELLS
        .iter()
        .find(is_named)
        .map(|shell| shell.inner(arguments))
}

/// Whether a program is a shell whose lines are not analysed here.
pub(super) fn is_foreign(program: &str) -> bool {
    FOREIGN.split(' ').any(|name| name == program)
}

/// Whether a word of `set`, as in `set -euo pipefail`, does not change what a line runs.
pub(super) fn is_harmless_mode(word: &str) -> bool {
    let is_letters = |letters: &str| letters.chars().all(|char| "euxo".contains(char));
    is_mode(word) || word.strip_prefix(['-', '+']).is_some_and(is_letters)
}

fn is_mode(word: &str) -> bool {
    MODES.split(' ').any(|mode| mode == word)
}

impl Shell {
    fn inner(&self, arguments: &[ShellWord]) -> InnerCommands {
        if let [word] = arguments
            && matches!(word.literal(), Some("--version" | "--help"))
        {
            return InnerCommands::Nothing;
        }
        let mut rest = arguments.iter();
        let mut takes_line = false;
        let mut is_changed = false;
        let line = loop {
            let Some(word) = rest.next() else {
                break None;
            };
            let Some(text) = word.literal() else {
                return self.unsure(arguments);
            };
            let is_option = text.len() > 1 && text.starts_with(['-', '+']);
            if text == "-" || text == "--" {
                break rest.next();
            } else if !is_option {
                break Some(word);
            } else if takes_line && !self.reads_options_behind {
                return self.unsure(arguments);
            } else if text.starts_with("--") {
                if !self.long.split(' ').any(|long| long == text) {
                    return self.unsure(arguments);
                }
            } else {
                takes_line |= text.starts_with('-') && text.contains('c');
                match self.letters(text, rest.clone().next()) {
                    FlagEffect::Harmless => {}
                    FlagEffect::Changing => is_changed = true,
                    FlagEffect::HarmlessMode => drop(rest.next()),
                    FlagEffect::ChangingMode => {
                        is_changed = true;
                        rest.next();
                    }
                    FlagEffect::Unsure => return self.unsure(arguments),
                }
            }
        };
        match line.map(|line| line.literal()) {
            _ if !takes_line => InnerCommands::Doubt("it runs a script, or what a shell reads"),
            Some(Some(line)) if is_changed => {
                InnerCommands::Changed(vec![line.to_owned()], CHANGED)
            }
            Some(Some(line)) => InnerCommands::Line(line.to_owned()),
            _ => InnerCommands::Doubt("it is unknown what its shell runs"),
        }
    }

    /// What a word such as `-euo` does, with the word after it.
    fn letters(&self, word: &str, next: Option<&ShellWord>) -> FlagEffect {
        let letters = &word[1..];
        let is_listed = |char: char| char == 'c' || self.letters.contains(char);
        let is_off = word.starts_with('+');
        match letters.strip_suffix(['o', 'O']) {
            // Shells differ in whether it is glued to its value.
            _ if letters.trim_end_matches(['o', 'O']).contains(['o', 'O']) => FlagEffect::Unsure,
            Some(letters) if letters.ends_with(['o', 'O']) => FlagEffect::Unsure,
            Some(letters) => {
                let is_harmless = !is_off
                    && word.ends_with('o')
                    && letters.chars().all(is_listed)
                    && next.and_then(|it| it.literal()).is_some_and(is_mode);
                match is_harmless {
                    true => FlagEffect::HarmlessMode,
                    false => FlagEffect::ChangingMode,
                }
            }
            None if !is_off && letters.chars().all(is_listed) => FlagEffect::Harmless,
            None => FlagEffect::Changing,
        }
    }

    /// Any of its words may be the line.
    fn unsure(&self, arguments: &[ShellWord]) -> InnerCommands {
        InnerCommands::Changed(operands(arguments), CHANGED)
    }
}

enum FlagEffect {
    Harmless,
    Changing,
    /// The next word is the name of a mode.
    HarmlessMode,
    ChangingMode,
    /// It is uncertain which of the next words are options.
    Unsure,
}

fn operands(arguments: &[ShellWord]) -> Vec<String> {
    let words = arguments.iter().filter_map(|word| word.literal());
    let words = words.filter(|word| !word.starts_with(['-', '+']));
    words.take(MAX_LINES).map(str::to_owned).collect()
}

const CHANGED: &str = "its shell has an option that may change what it runs";
const MAX_LINES: usize = 8;
