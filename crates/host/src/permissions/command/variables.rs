//! Variables that a shell line sets: which of them programs see, and which of those an agent may set freely.
//! `docs/permissions.md` has the rule as a table.

use super::expansion::{arithmetic, is_name};
use super::line::{ShellWord, SimpleCommand};
use super::options::CommandWord as _;
use super::shell_call;
use crate::environment::is_harmless;

/// A variable that a line sets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct VariableSetting {
    pub(super) name: String,
    /// `None` if a variable of the shell is exported as it is.
    pub(super) value: Option<ShellWord>,
    /// Whether programs see it, or only the shell.
    pub(super) is_exported: bool,
}

/// What a simple command sets, for its own program or for what follows.
pub(super) fn set_by(command: &SimpleCommand) -> Vec<VariableSetting> {
    let program = command.program();
    let program = program.as_deref();
    let arguments = command.words.get(1..).unwrap_or_default();
    let mut found: Vec<VariableSetting> = command
        .assignments
        .iter()
        // `IFS= read line` has ended before anything runs.
        .filter(|(name, _)| program != Some("read") || name != "IFS")
        .map(|(name, value)| VariableSetting {
            name: name.clone(),
            value: Some(value.clone()),
            is_exported: !command.words.is_empty(),
        })
        .collect();
    match program {
        Some("export") => found.extend(arguments.iter().filter_map(|word| declared(word, true))),
        Some("declare" | "typeset" | "local" | "readonly" | "integer" | "float" | "nameref") => {
            let has_flag = |is_flag: fn(char) -> bool| {
                arguments.iter().any(|word| match word.literal() {
                    Some(text) => text.starts_with(['-', '+']) && text[1..].contains(is_flag),
                    None => true,
                })
            };
            let is_exported = has_flag(|char| char == 'x');
            let each = arguments.iter();
            found.extend(each.filter_map(|word| declared(word, is_exported)));
            // Other names for variables, and values that are calculated.
            if has_flag(|char| !"agrxpfAlu".contains(char)) {
                found.push(VariableSetting::unknown(program.unwrap_or_default(), true));
            }
        }
        Some("read") => found.extend(read_names(arguments)),
        Some("getopts") => found.extend(read_names(arguments.get(1..2).unwrap_or_default())),
        Some("mapfile" | "readarray" | "wait" | "vared") => {
            let names = arguments.iter().filter_map(|word| word.literal());
            found.extend(
                names
                    .flat_map(name_in)
                    .map(|name| VariableSetting::unknown(name, false)),
            );
        }
        Some("printf") if prints_to_variable(arguments) => {
            let first = arguments.first().and_then(|word| word.literal());
            let name = match first.and_then(|first| first.strip_prefix("-v")) {
                Some("") => arguments.get(1).and_then(|word| word.literal()),
                name => name,
            };
            found.push(match name {
                Some(name) => VariableSetting::unknown(name, !is_name(name)),
                None => VariableSetting::unknown("printf -v", true),
            });
        }
        Some("let") => {
            let expressions = arguments.iter().map(|word| arithmetic(word.literal()?));
            let calculated: Option<Vec<_>> = expressions.collect();
            match calculated {
                Some(all) => found.extend(
                    all.into_iter()
                        .flat_map(|it| it.sets)
                        .map(VariableSetting::number),
                ),
                None => found.push(VariableSetting::unknown("let", true)),
            }
        }
        Some(program) if shell_call::is_foreign(program) && !arguments.is_empty() => {
            found.push(VariableSetting::unknown(program, true));
        }
        // It splits a text into variables and a command by rules of its own.
        Some("env") => {
            let is_split = |word: &&ShellWord| {
                let text = word.literal().unwrap_or_default();
                let is_short = text.starts_with('-') && !text.starts_with("--");
                (is_short && text.contains('S')) || text.starts_with("--s")
            };
            let split = arguments.iter().find(is_split);
            found.extend(split.map(|_| VariableSetting::unknown("env -S", true)));
        }
        _ => {}
    }
    found
}

/// Words that set variables for their program, in a shell that reads assignments after it.
pub(super) fn set_behind(command: &SimpleCommand) -> impl Iterator<Item = VariableSetting> {
    let words = command.words.iter().skip(1);
    let settings = words.filter_map(|word| declared(word, true));
    settings.filter(|it| it.value.is_some() && is_name(&it.name))
}

/// Whether `printf` may set a variable instead of printing.
pub(super) fn prints_to_variable(arguments: &[ShellWord]) -> bool {
    match arguments.first() {
        Some(ShellWord::Literal(text)) => text.starts_with("-v"),
        Some(ShellWord::Undecided(text)) => {
            text.trim_start_matches('"').starts_with(['$', '`', '{'])
        }
        None => false,
    }
}

/// The variables that programs of a line may see and that an agent may not set freely, each once.
pub(super) fn seen_by_programs(
    settings: &[VariableSetting],
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

/// Whether an agent may set a variable to this value without asking.
pub(super) fn is_free(name: &str, value: &ShellWord) -> bool {
    value
        .literal()
        .is_some_and(|value| is_harmless(name, value))
}

/// Whether a shell variable with this name changes what runs, though nothing exports it: shells look at it themselves,
/// or it is in the environment, where a new value reaches programs.
pub(super) fn is_special(name: &str) -> bool {
    let is_start = |start: &str| name.starts_with(start);
    SPECIAL.split_ascii_whitespace().any(|it| it == name)
        || STARTS.split_ascii_whitespace().any(is_start)
        || name.ends_with("_proxy")
        || std::env::var_os(name).is_some()
}

/// Whether only the shell sees a variable with this name. One in capitals may be exported.
pub(super) fn is_local_name(name: &str) -> bool {
    let is_plain = |char: char| char.is_ascii_lowercase() || char.is_ascii_digit() || char == '_';
    !name.is_empty() && name.chars().all(is_plain) && !is_special(name)
}

impl VariableSetting {
    /// A variable of the shell that is set to a number.
    pub(super) fn number(name: String) -> VariableSetting {
        VariableSetting {
            name,
            value: Some(ShellWord::Undecided("$((…))".to_owned())),
            is_exported: false,
        }
    }

    pub(super) fn unknown(name: &str, is_exported: bool) -> VariableSetting {
        VariableSetting {
            name: name.to_owned(),
            value: Some(ShellWord::Undecided("…".to_owned())),
            is_exported,
        }
    }
}

/// The variables that `read` sets. Something that is not a name may be any variable.
fn read_names(arguments: &[ShellWord]) -> Vec<VariableSetting> {
    let mut found = Vec::new();
    let mut is_value = false;
    for word in arguments {
        let was_value = std::mem::take(&mut is_value);
        match word.literal() {
            Some(text) if text.starts_with('-') || is_name(text) => {
                // `-p` and the like take the next word in some shells.
                let takes = text
                    .starts_with('-')
                    .then(|| text.find(['p', 'd', 't', 'n', 'N', 'i', 'u', 'a']));
                is_value =
                    takes.flatten().is_some_and(|at| at + 1 == text.len()) && !text.ends_with('a');
                found.extend(name_in(text).map(|name| VariableSetting::unknown(name, false)));
            }
            _ if was_value => {}
            Some(text) => found.push(VariableSetting::unknown(text, true)),
            None => found.push(VariableSetting::unknown("read", true)),
        }
    }
    found
}

/// A name, or the names that may be glued to an option.
fn name_in(word: &str) -> impl Iterator<Item = &str> {
    let from = if word.starts_with('-') {
        2..word.len()
    } else {
        0..1
    };
    let is_glued = word.starts_with('-');
    let ends = from.filter_map(|at| word.get(at..));
    ends.filter(move |end| is_name(end) && (!is_glued || is_special(end)))
}

/// `NAME=value` or `NAME` after `export` and the like.
fn declared(word: &ShellWord, is_exported: bool) -> Option<VariableSetting> {
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
    Some(VariableSetting {
        name: name.strip_suffix('+').unwrap_or(name).to_owned(),
        value,
        is_exported,
    })
}

/// Names that have a meaning for shells or that we set for commands; those in lower case are of zsh.
const SPECIAL: &str = "PATH IFS ENV HOME SHELL PWD OLDPWD SHLVL CDPATH SHELLOPTS BASHOPTS PS1 PS2 PS4 PROMPT_COMMAND GLOBIGNORE \
    EXECIGNORE POSIXLY_CORRECT ZDOTDIR FPATH FUNCNEST INPUTRC MAILCHECK FIGNORE NULLCMD READNULLCMD TMPPREFIX \
    MODULE_PATH TMPDIR \
    path fpath cdpath manpath argv status pipestatus prompt psvar watch mailpath module_path fignore \
    histchars zsh_eval_context signals aliases functions options commands parameters builtins dis_aliases galiases \
    saliases nameddirs userdirs dirstack history keymaps modules reswords widgets term terminfo termcap";
const STARTS: &str = "LD_ DYLD_ GIT_ BASH_ HIST";
