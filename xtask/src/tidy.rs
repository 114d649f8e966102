//! The rules of this repository that the compiler does not check, one file each. A rule reports violations and changes
//! nothing.

mod allow;
mod counted;
mod crate_graph;
mod doc_paths;
mod hygiene;
mod ignored_tests;
mod length;
mod map;
mod may_not_touch;
mod no_features;
mod no_mod_rs;
mod no_print;
mod official_crates;
mod package;
mod sdk_closure;
mod silent_arms;
mod slivers;
mod tokens;
mod tree;
mod type_names;
mod unsafe_code;

#[cfg(test)]
mod fixture;

use std::fmt;
use std::path::Path;

use tree::Tree;

pub(crate) fn run(root: &Path) -> Result<(), String> {
    let tree = Tree::load(root)?;
    let violations = violations(&tree);
    let mut warnings = slivers::check(&tree);
    warnings.sort();
    for warning in &warnings {
        println!("warning: {warning}");
    }
    for violation in &violations {
        println!("{violation}");
    }
    match violations.len() {
        0 => {
            println!("0 violations in {} files", tree.files.len());
            Ok(())
        }
        1 => Err("1 violation".to_owned()),
        count => Err(format!("{count} violations")),
    }
}

fn violations(tree: &Tree) -> Vec<Violation> {
    let mut all: Vec<Violation> = RULES.iter().flat_map(|rule| rule(tree)).collect();
    all.sort();
    all
}

type Rule = fn(&Tree) -> Vec<Violation>;

const RULES: [Rule; 15] = [
    crate_graph::check,
    may_not_touch::check,
    no_features::check,
    no_mod_rs::check,
    no_print::check,
    official_crates::check,
    sdk_closure::check,
    unsafe_code::check,
    length::check_files,
    length::check_functions,
    doc_paths::check,
    hygiene::check,
    ignored_tests::check,
    silent_arms::check,
    type_names::check,
];

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Violation {
    path: String,
    line: usize,
    message: String,
}

impl Violation {
    fn new(path: &str, line: usize, message: impl Into<String>) -> Violation {
        Violation {
            path: path.to_owned(),
            line,
            message: message.into(),
        }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.path, self.line, self.message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_repository_is_tidy() -> Result<(), String> {
        run(&crate::root()?)
    }
}
