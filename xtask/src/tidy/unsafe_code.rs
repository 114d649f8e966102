//! `unsafe` occurs only in files that the allow-list names with a reason.

use std::collections::BTreeMap;

use super::Violation;
use super::allow::Allow;
use super::tokens::{is_ident, walk};
use super::tree::{Rust, Tree};

pub(super) fn check(tree: &Tree) -> Vec<Violation> {
    let places: BTreeMap<&str, Vec<usize>> = tree
        .rust_files()
        .map(|(file, rust)| (file.path.as_str(), places(rust)))
        .filter(|(_, lines)| !lines.is_empty())
        .collect();
    let listed = &tree.allow.unsafe_code;

    let unlisted = places
        .iter()
        .filter(|(path, _)| !listed.contains_key(**path))
        .flat_map(|(path, lines)| lines.iter().map(move |line| (path, *line)))
        .map(|(path, line)| {
            let message = format!(
                "`unsafe`; write safe code, or list the file in {} with a reason",
                Allow::PATH
            );
            Violation::new(path, line, message)
        });
    let stale = listed
        .iter()
        .filter(|(path, _)| !places.contains_key(path.as_str()))
        .map(|(path, entry)| {
            let message = format!("no `unsafe` in {path}; remove the entry");
            Violation::new(Allow::PATH, entry.line, message)
        });
    unlisted.chain(stale).collect()
}

fn places(rust: &Rust) -> Vec<usize> {
    let mut lines = Vec::new();
    walk(rust.tokens.clone(), &mut |ahead| {
        if let [keyword, ..] = ahead
            && is_ident(keyword, "unsafe")
        {
            lines.push(keyword.span().start().line);
        }
    });
    lines
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::fixture;

    #[test]
    fn unsafe_outside_the_list_is_named() {
        fixture::check(
            super::check,
            r#"
//- crates/rpc/src/a.rs
// unsafe
fn f(text: &str) { "unsafe"; unsafe { g() } }
unsafe fn g() {}
#[allow(unsafe_code)]
mod inner { m! { unsafe { } } }
//- crates/rpc/src/b.rs
fn f() { unsafe {} }
//- xtask/tidy-allow.toml
[unsafe]
"crates/rpc/src/b.rs" = "checked by hand"
"#,
            expect![[r#"
                crates/rpc/src/a.rs:2: `unsafe`; write safe code, or list the file in xtask/tidy-allow.toml with a reason
                crates/rpc/src/a.rs:3: `unsafe`; write safe code, or list the file in xtask/tidy-allow.toml with a reason
                crates/rpc/src/a.rs:5: `unsafe`; write safe code, or list the file in xtask/tidy-allow.toml with a reason
            "#]],
        );
    }

    #[test]
    fn an_entry_without_unsafe_is_named() {
        fixture::check(
            super::check,
            r#"
//- crates/rpc/src/a.rs
fn f() {}
//- xtask/tidy-allow.toml
[unsafe]
"crates/rpc/src/a.rs" = "gone"
"crates/rpc/src/b.rs" = "never there"
"#,
            expect![[r#"
                xtask/tidy-allow.toml:2: no `unsafe` in crates/rpc/src/a.rs; remove the entry
                xtask/tidy-allow.toml:3: no `unsafe` in crates/rpc/src/b.rs; remove the entry
            "#]],
        );
    }
}
