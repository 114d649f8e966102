//! The crates contain nothing unfinished, and no file contains anything specific to one machine.

use super::Violation;
use super::tree::{File, Tree};

pub(super) fn check(tree: &Tree) -> Vec<Violation> {
    let mut found = Vec::new();
    for file in &tree.files {
        for (number, line) in (1..).zip(file.text.lines()) {
            if let Some(message) = violation(file, line) {
                found.push(Violation::new(&file.path, number, message));
            }
        }
    }
    found
}

fn violation(file: &File, line: &str) -> Option<String> {
    if file.source_of().is_some()
        && let Some(call) = UNFINISHED.iter().find(|call| line.contains(**call))
    {
        return Some(format!(
            "`{call}…)` in a crate; finish it, or return an error"
        ));
    }
    if MACHINE_PATHS.iter().any(|path| is_absolute(line, path)) {
        return Some("a path of one machine; write a relative or a made-up one".to_owned());
    }
    let lower = line.to_lowercase();
    HOSTS
        .iter()
        .any(|host| lower.contains(host))
        .then(|| "a private host; name the public registry, or none".to_owned())
}

/// Whether `path` occurs as the beginning of a path, not inside a longer one.
fn is_absolute(line: &str, path: &str) -> bool {
    line.match_indices(path).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        !before.is_some_and(|c| c.is_alphanumeric() || "._-~})".contains(c))
    })
}

// Written in two parts, so that this file passes its own rule.
const UNFINISHED: [&str; 2] = [concat!("todo", "!("), concat!("unimplemented", "!(")];
const MACHINE_PATHS: [&str; 3] = [
    concat!("/wo", "rk/"),
    concat!("/ro", "ot/"),
    concat!("/opt/", "oracles"),
];
const HOSTS: [&str; 1] = [concat!("artif", "actory")];

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::super::fixture;

    /// `~` in the fixture splits a forbidden word, so that this file does not contain it.
    fn check(fixture: &str, expect: Expect) {
        fixture::check(super::check, &fixture.replace('~', ""), expect);
    }

    #[test]
    fn unfinished_code_in_a_crate_is_named() {
        check(
            "
//- crates/rpc/src/lib.rs
fn f() { to~do!() }
fn g() { unimpl~emented!(\"later\") }
//- xtask/src/main.rs
fn f() { to~do!() }
",
            expect![[r#"
                crates/rpc/src/lib.rs:1: `todo!(…)` in a crate; finish it, or return an error
                crates/rpc/src/lib.rs:2: `unimplemented!(…)` in a crate; finish it, or return an error
            "#]],
        );
    }

    #[test]
    fn a_path_of_one_machine_is_named() {
        check(
            "
//- README.md
see /wo~rk/notes.md
see file:///ro~ot/.cargo
//- crates/schema/fixtures/a.json
{\"cwd\":\"/op~t/oracles\"}
//- docs/a.md
https://example.com/ro~ot/x ./wo~rk/x my/wo~rk/x
",
            expect![[r#"
                README.md:1: a path of one machine; write a relative or a made-up one
                README.md:2: a path of one machine; write a relative or a made-up one
                crates/schema/fixtures/a.json:1: a path of one machine; write a relative or a made-up one
            "#]],
        );
    }

    #[test]
    fn a_private_host_is_named() {
        check(
            "
//- Cargo.lock
source = \"https://Artif~actory.example.com\"
",
            expect![[r#"
                Cargo.lock:1: a private host; name the public registry, or none
            "#]],
        );
    }
}
