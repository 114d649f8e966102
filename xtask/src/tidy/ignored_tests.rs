//! An ignored test states its reason: `#[ignore = "reason"]`.

use proc_macro2::{Group, TokenTree};

use super::Violation;
use super::tokens::{is_ident, is_punct, walk};
use super::tree::Tree;

pub(super) fn check(tree: &Tree) -> Vec<Violation> {
    let mut found = Vec::new();
    for (file, rust) in tree.rust_files() {
        walk(rust.tokens.clone(), &mut |ahead| {
            if let [hash, TokenTree::Group(attribute), ..] = ahead
                && is_punct(hash, '#')
                && ignores_silently(attribute)
            {
                let line = attribute.span_open().start().line;
                let message = "a test ignored without a reason; write `#[ignore = \"reason\"]`, or let it run";
                found.push(Violation::new(&file.path, line, message));
            }
        });
    }
    found
}

fn ignores_silently(attribute: &Group) -> bool {
    let first = attribute.stream().into_iter().next();
    if !first.is_some_and(|name| is_ident(&name, "ignore") || is_ident(&name, "cfg_attr")) {
        return false;
    }
    let mut silent = false;
    walk(attribute.stream(), &mut |ahead| {
        silent |= match ahead {
            [ignore, equals, TokenTree::Literal(reason), ..] if is_ident(ignore, "ignore") => {
                !is_punct(equals, '=') || reason.to_string() == "\"\""
            }
            [ignore, ..] => is_ident(ignore, "ignore"),
            [] => false,
        };
    });
    silent
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::fixture;

    #[test]
    fn an_ignored_test_without_a_reason_is_named() {
        fixture::check(
            super::check,
            r#"
//- crates/rpc/tests/all.rs
// #[ignore]
#[test]
#[ignore]
fn silent() {}
#[test]
#[ignore = ""]
fn empty() {}
#[cfg_attr(miri, ignore)]
fn conditional() {}
proptest! {
    #[test]
    #[ignore]
    fn inside_a_macro() {}
}
"#,
            expect![[r#"
                crates/rpc/tests/all.rs:3: a test ignored without a reason; write `#[ignore = "reason"]`, or let it run
                crates/rpc/tests/all.rs:6: a test ignored without a reason; write `#[ignore = "reason"]`, or let it run
                crates/rpc/tests/all.rs:8: a test ignored without a reason; write `#[ignore = "reason"]`, or let it run
                crates/rpc/tests/all.rs:12: a test ignored without a reason; write `#[ignore = "reason"]`, or let it run
            "#]],
        );
    }

    #[test]
    fn a_reason_passes() {
        fixture::check(
            super::check,
            r#"
//- crates/rpc/tests/all.rs
#[test]
#[ignore = "needs an hour"]
fn slow() {}
#[cfg_attr(miri, ignore = "needs a file")]
fn conditional() { ignore(); }
"#,
            expect![""],
        );
    }
}
