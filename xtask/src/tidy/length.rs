//! Long files and functions are listed with their length, and the list only shrinks. A file that starts with `//
//! @generated` does not count.

use std::collections::BTreeMap;

use super::Violation;
use super::allow::{Allow, Entry};
use super::tree::{File, Tree};

mod functions;

pub(super) fn check_files(tree: &Tree) -> Vec<Violation> {
    let mut all = BTreeMap::new();
    for (file, _) in tree.rust_files().filter(|(file, _)| !is_generated(file)) {
        let lines = file.text.lines().count();
        all.insert(
            file.path.clone(),
            Measurement {
                path: &file.path,
                line: 1,
                lines,
            },
        );
    }
    compare("file", FILE_LIMIT, &all, &tree.allow.files)
}

pub(super) fn check_functions(tree: &Tree) -> Vec<Violation> {
    let mut all: BTreeMap<String, Measurement<'_>> = BTreeMap::new();
    for (file, rust) in tree.rust_files().filter(|(file, _)| !is_generated(file)) {
        for function in functions::list(&rust.syntax) {
            let key = format!("{}::{}", file.path, function.name);
            let measured = Measurement {
                path: &file.path,
                line: function.line,
                lines: function.lines,
            };
            let longest = all.entry(key).or_insert(measured);
            if longest.lines < function.lines {
                *longest = measured;
            }
        }
    }
    compare("function", FUNCTION_LIMIT, &all, &tree.allow.functions)
}

#[derive(Clone, Copy)]
struct Measurement<'t> {
    path: &'t str,
    line: usize,
    lines: usize,
}

fn compare(
    what: &str,
    limit: usize,
    all: &BTreeMap<String, Measurement<'_>>,
    listed: &BTreeMap<String, Entry<usize>>,
) -> Vec<Violation> {
    let mut found = Vec::new();
    for (key, Measurement { path, line, lines }) in all {
        if *lines <= limit {
            continue;
        }
        let message = match listed.get(key) {
            None => format!(
                "{what} of {lines} lines, the limit is {limit}; split it, or list \"{key}\" = {lines} in {}",
                Allow::PATH
            ),
            Some(entry) if *lines > entry.value => format!(
                "{what} of {lines} lines, listed with {}; shorten it to that length",
                entry.value
            ),
            Some(_) => continue,
        };
        found.push(Violation::new(path, *line, message));
    }
    for (key, entry) in listed {
        let message = match all.get(key) {
            None => format!("no {what} {key}; remove the entry"),
            Some(measured) if measured.lines <= limit => {
                format!(
                    "{key} has {} lines, which is within the limit; remove the entry",
                    measured.lines
                )
            }
            Some(measured) if measured.lines < entry.value => {
                format!(
                    "{key} has {} lines; shrink the entry to {}",
                    measured.lines, measured.lines
                )
            }
            Some(_) => continue,
        };
        found.push(Violation::new(Allow::PATH, entry.line, message));
    }
    found
}

fn is_generated(file: &File) -> bool {
    file.text.starts_with("// @generated")
}

const FILE_LIMIT: usize = 800;
const FUNCTION_LIMIT: usize = 100;

#[cfg(test)]
mod tests;
