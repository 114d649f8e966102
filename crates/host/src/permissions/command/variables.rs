//! Variables that a shell line sets: which of them a program sees, and which of those are free. `docs/permissions.md` has
//! the rule as a table.

use super::line::{ShellWord, SimpleCommand};
use super::options::CommandWord as _;
use crate::environment::is_harmless;

/// A variable that a line sets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Setting {
    pub(super) name: String,
    /// `None` where a variable of the shell is exported as it is.
    pub(super) value: Option<ShellWord>,
    /// Whether programs see it, or only the shell.
    pub(super) is_exported: bool,
}

/// What a simple command sets, for its own program or for what follows.
pub(super) fn set_by(command: &SimpleCommand) -> Vec<Setting> {
    let program = command.program();
    let program = program.as_deref();
    let arguments = command.words.get(1..).unwrap_or_default();
    let mut found: Vec<Setting> = command
        .assignments
        .iter()
        // `IFS= read line` is over before anything runs.
        .filter(|_| program != Some("read"))
        .map(|(name, value)| Setting {
            name: name.clone(),
            value: Some(value.clone()),
            is_exported: !command.words.is_empty(),
        })
        .collect();
    match program {
        Some("export") => found.extend(arguments.iter().filter_map(|word| declared(word, true))),
        Some("declare" | "typeset" | "local" | "readonly") => {
            let exports = |word: &ShellWord| match word.literal() {
                Some(text) => text.starts_with('-') && text.contains('x'),
                None => true,
            };
            let is_exported = arguments.iter().any(exports);
            let each = arguments.iter();
            found.extend(each.filter_map(|word| declared(word, is_exported)));
        }
        Some("read" | "mapfile" | "readarray" | "getopts" | "printf") => {
            let names = match (program, arguments) {
                (Some("printf"), [flag, name, ..]) if flag.literal() == Some("-v") => {
                    std::slice::from_ref(name)
                }
                (Some("printf"), _) => &[],
                _ => arguments,
            };
            let names = names.iter().filter_map(|word| word.literal());
            found.extend(names.map(|name| Setting::unknown(name, false)));
        }
        // It splits a text into variables and a command by rules of its own.
        Some("env") => {
            let is_split = |word: &&ShellWord| {
                let text = word.literal().unwrap_or_default();
                let is_short = text.starts_with('-') && !text.starts_with("--");
                (is_short && text.contains('S')) || text.starts_with("--s")
            };
            let split = arguments.iter().find(is_split);
            found.extend(split.map(|_| Setting::unknown("env -S", true)));
        }
        _ => {}
    }
    found
}

/// The variables that programs of a line may see and that are not free, each once.
pub(super) fn seen_by_programs(
    settings: &[Setting],
    exports_all: bool,
) -> Vec<(String, ShellWord)> {
    let mut seen: Vec<(String, ShellWord)> = Vec::new();
    let is_exported = |name: &str| {
        let mut others = settings.iter();
        others.any(|it| it.is_exported && it.value.is_none() && it.name == name)
    };
    for setting in settings {
        let name = &setting.name;
        let counts = setting.is_exported || exports_all || is_special(name) || is_exported(name);
        let is_set_elsewhere = || {
            let mut others = settings.iter();
            others.any(|it| it.value.is_some() && it.name == *name)
        };
        if !counts || (setting.value.is_none() && is_set_elsewhere()) {
            continue;
        }
        let value = setting.value.clone();
        let value = value.unwrap_or_else(|| ShellWord::Undecided(format!("${name}")));
        let entry = (name.clone(), value);
        if !is_free(&entry.0, &entry.1) && !seen.contains(&entry) {
            seen.push(entry);
        }
    }
    seen
}

/// Whether an agent may set a variable to this without asking.
pub(super) fn is_free(name: &str, value: &ShellWord) -> bool {
    value
        .literal()
        .is_some_and(|value| is_harmless(name, value))
}

/// Whether a shell variable of this name changes what runs, though nothing exports it: shells look at it themselves, or it
/// is in the environment, where a new value reaches programs.
pub(super) fn is_special(name: &str) -> bool {
    let is_start = |start: &str| name.starts_with(start);
    SPECIAL.split_whitespace().any(|it| it == name)
        || STARTS.split_whitespace().any(is_start)
        || name.ends_with("_proxy")
        || std::env::var_os(name).is_some()
}

/// Whether only the shell knows a variable of this name. Those in capitals may be exported.
pub(super) fn is_local_name(name: &str) -> bool {
    let is_plain = |char: char| char.is_ascii_lowercase() || char.is_ascii_digit() || char == '_';
    !name.is_empty() && name.chars().all(is_plain) && !is_special(name)
}

impl Setting {
    pub(super) fn unknown(name: &str, is_exported: bool) -> Setting {
        Setting {
            name: name.to_owned(),
            value: Some(ShellWord::Undecided("…".to_owned())),
            is_exported,
        }
    }
}

/// `NAME=value` or `NAME` behind `export` and the like.
fn declared(word: &ShellWord, is_exported: bool) -> Option<Setting> {
    let (name, value) = match word {
        ShellWord::Literal(text) if text.starts_with('-') => return None,
        ShellWord::Literal(text) => match text.split_once('=') {
            Some((name, value)) => (name, Some(ShellWord::Literal(value.to_owned()))),
            None => (text.as_str(), None),
        },
        ShellWord::Undecided(text) => match text.split_once('=') {
            Some((name, value)) => (name, Some(ShellWord::Undecided(value.to_owned()))),
            None => (text.as_str(), Some(word.clone())),
        },
    };
    Some(Setting {
        name: name.strip_suffix('+').unwrap_or(name).to_owned(),
        value,
        is_exported,
    })
}

/// Names that shells give a meaning to; those in small letters are of zsh.
const SPECIAL: &str = "PATH IFS ENV HOME SHELL PWD OLDPWD CDPATH SHELLOPTS BASHOPTS PS1 PS2 PS4 PROMPT_COMMAND GLOBIGNORE \
    EXECIGNORE POSIXLY_CORRECT ZDOTDIR FPATH FUNCNEST INPUTRC MAILCHECK FIGNORE NULLCMD READNULLCMD TMPPREFIX \
    MODULE_PATH \
    path fpath cdpath manpath argv status pipestatus prompt psvar watch mailpath module_path fignore \
    histchars zsh_eval_context signals aliases functions options commands parameters builtins dis_aliases galiases \
    saliases nameddirs userdirs dirstack history keymaps modules reswords widgets term terminfo termcap";
const STARTS: &str = "LD_ DYLD_ GIT_ BASH_ HIST";
