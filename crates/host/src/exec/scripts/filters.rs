//! The script of `jq`: with `-f`, the first word that is not an option is a file. In newer versions, the file may also be
//! the word behind that option.

use super::{FoundScripts, ScriptWord};

pub(super) fn read(words: &[String]) -> FoundScripts<'_> {
    let mut found = FoundScripts {
        is_exact: true,
        ..FoundScripts::default()
    };
    let mut first = Vec::new();
    let mut behind = None;
    let (mut at, mut has_ended) = (0, false);
    while let Some(word) = words.get(at) {
        at += 1;
        let is_option = word.starts_with('-') && word.len() > 1 && !has_ended;
        if !is_option {
            // An option that is not known may have the first word as its value.
            if first.len() < MAX_WORDS {
                first.push(at - 1);
            }
            continue;
        }
        has_ended = word == "--";
        if TWO_VALUES.contains(&word.as_str()) {
            at += 2;
        } else if ONE_VALUE.contains(&word.as_str()) {
            at += 1;
        } else if is_from_file(word) {
            behind = behind.or(Some(at));
        }
    }
    found.is_open = first.is_empty();
    if let Some(behind) = behind {
        let behind = Some(behind).filter(|at| *at < words.len() && !first.contains(at));
        let all = first.into_iter().chain(behind);
        found.programs = all.map(ScriptWord::PossibleScript).collect();
    }
    found
}

/// Whether an option says that the program is in a file: `-f`, alone or together with other letters.
fn is_from_file(word: &str) -> bool {
    match word.strip_prefix("--") {
        Some(name) => {
            !name.is_empty() && "from-file".starts_with(name.split('=').next().unwrap_or(name))
        }
        None => word[1..].contains('f'),
    }
}

const TWO_VALUES: &[&str] = &[
    "--arg",
    "--argjson",
    "--slurpfile",
    "--rawfile",
    "--argfile",
];
const ONE_VALUE: &[&str] = &["-L", "--library-path", "--indent"];
const MAX_WORDS: usize = 3;
