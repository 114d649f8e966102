//! Analyses the words of a command before it runs.

pub(super) mod changes;
pub(super) mod code;
mod expansion;
pub(super) mod line;
mod line_scanner;
mod option_names;
pub(super) mod options;
pub(super) mod pattern;
pub(super) mod programs;
mod shell_call;
mod subcommands;
mod variables;
mod wrappers;

use attache_text::shell::{is_plain, is_plain_char};

/// The words of a command that is given as one text: split where any shell would see nothing but spaces, otherwise one
/// word.
pub(super) fn words(text: &str) -> Vec<String> {
    let split: Vec<String> = text
        .split(' ')
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect();
    if !split.is_empty() && split.iter().all(|word| is_plain(word)) {
        return split;
    }
    vec![text.to_owned()]
}

/// Every plain word anywhere in a text, for rules that deny.
pub(super) fn tokens(text: &str) -> Vec<&str> {
    let parts = text.split(|char| !is_plain_char(char));
    parts
        .filter(|part| !part.is_empty())
        .take(MAX_TOKENS)
        .collect()
}

/// The name of a program without its directory, in lower case as some file systems have it.
pub(crate) fn base_name(word: &str) -> String {
    let name = word.rsplit(['/', '\\']).next().unwrap_or(word);
    let name = name.to_lowercase();
    match name.strip_suffix(".exe") {
        Some(stem) => stem.to_owned(),
        None => name,
    }
}

/// A program without its directory, if that is one of the system's. A repository may contain a program of any name.
pub(super) fn without_system_directory(program: &str) -> &str {
    SYSTEM_DIRECTORIES
        .iter()
        .find_map(|directory| program.strip_prefix(directory))
        .unwrap_or(program)
}

const SYSTEM_DIRECTORIES: [&str; 4] = [
    "/bin/",
    "/usr/bin/",
    "/usr/local/bin/",
    "/opt/homebrew/bin/",
];
/// Longer commands are not analysed.
const MAX_WORDS: usize = 4096;
const MAX_BYTES: usize = 64 * 1024;
pub(super) const MAX_TOKENS: usize = 4096;
