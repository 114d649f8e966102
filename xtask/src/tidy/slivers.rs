//! Warns about directories of many tiny files, which are hard to read. Files that are only read together belong
//! together. This is a warning, not a rule. Examples are separate programs, and short on purpose.

use std::collections::BTreeMap;

use super::Violation;
use super::tree::Tree;

pub(super) fn check(tree: &Tree) -> Vec<Violation> {
    let mut folders: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (file, _) in tree.rust_files() {
        let folder = file.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        if folder.ends_with("/examples") {
            continue;
        }
        let lengths = folders.entry(folder).or_default();
        lengths.push(file.text.lines().count());
    }
    let mut found = Vec::new();
    for (folder, mut lengths) in folders {
        lengths.sort_unstable();
        let median = lengths[lengths.len() / 2];
        if lengths.len() >= MANY && median < SHORT {
            let count = lengths.len();
            let message = format!(
                "{count} files with a median of {median} lines; merge what is read together"
            );
            found.push(Violation::new(folder, 1, message));
        }
    }
    found
}

const MANY: usize = 4;
const SHORT: usize = 60;

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::fixture;

    #[test]
    fn a_folder_of_tiny_files_is_named() {
        let long = "// a line\n".repeat(60);
        let fixture = format!(
            "//- crates/rpc/src/a/b.rs\n//- crates/rpc/src/a/c.rs\n//- crates/rpc/src/a/d.rs\n{long}//- crates/rpc/src/a/e.rs\n\
             //- crates/rpc/src/a.rs\n//- crates/rpc/src/b.rs\n//- crates/rpc/src/c.rs\n\
             //- crates/rpc/examples/a.rs\n//- crates/rpc/examples/b.rs\n//- crates/rpc/examples/c.rs\n//- crates/rpc/examples/d.rs\n"
        );
        fixture::check(
            super::check,
            &fixture,
            expect![[r#"
                crates/rpc/src/a:1: 4 files with a median of 0 lines; merge what is read together
            "#]],
        );
    }

    #[test]
    fn a_few_tiny_files_among_others_pass() {
        let long = "// a line\n".repeat(60);
        let fixture = format!(
            "//- crates/rpc/src/a.rs\n//- crates/rpc/src/b.rs\n//- crates/rpc/src/c.rs\n{long}//- crates/rpc/src/d.rs\n{long}"
        );
        fixture::check(super::check, &fixture, expect![""]);
    }
}
