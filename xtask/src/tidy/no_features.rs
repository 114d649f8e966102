//! No cargo features: use separate crates instead.

use proc_macro2::{Group, TokenTree};

use super::Violation;
use super::package::{Package, Presence};
use super::tokens::{is_ident, is_punct, walk};
use super::tree::{Rust, Tree};

pub(super) fn check(tree: &Tree) -> Vec<Violation> {
    let mut found: Vec<Violation> = tree.packages.iter().flat_map(in_manifest).collect();
    for (file, rust) in tree.rust_files() {
        for line in conditions(rust) {
            let message =
                "code under a cargo feature; always build it, or move it to its own crate";
            found.push(Violation::new(&file.path, line, message));
        }
    }
    found
}

fn in_manifest(package: &Package) -> Vec<Violation> {
    let features = package.features.map(|line| {
        let message = "a `[features]` section; remove it and use separate crates";
        Violation::new(&package.manifest, line, message)
    });
    let optional = package
        .dependencies
        .iter()
        .filter(|dependency| dependency.presence == Presence::Optional)
        .map(|dependency| {
            let message = format!(
                "`{}` is optional; always depend on it, or not at all",
                dependency.package
            );
            Violation::new(&package.manifest, dependency.line, message)
        });
    features.into_iter().chain(optional).collect()
}

fn conditions(rust: &Rust) -> Vec<usize> {
    let mut lines = Vec::new();
    walk(rust.tokens.clone(), &mut |ahead| {
        let condition = match ahead {
            [cfg, TokenTree::Group(condition), ..] if is_cfg(cfg) => condition,
            [cfg, bang, TokenTree::Group(condition), ..] if is_cfg(cfg) && is_punct(bang, '!') => {
                condition
            }
            _ => return,
        };
        if names_a_feature(condition) {
            lines.push(condition.span_open().start().line);
        }
    });
    lines
}

fn is_cfg(token: &TokenTree) -> bool {
    is_ident(token, "cfg") || is_ident(token, "cfg_attr")
}

fn names_a_feature(condition: &Group) -> bool {
    let mut named = false;
    walk(condition.stream(), &mut |ahead| {
        named |= matches!(ahead, [feature, equals, ..] if is_ident(feature, "feature") && is_punct(equals, '='));
    });
    named
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::fixture;

    #[test]
    fn features_and_optional_dependencies_are_named() {
        fixture::check(
            super::check,
            r#"
//- Cargo.toml
[workspace]
members = ["xtask"]
//- xtask/Cargo.toml
[package]
name = "xtask"
[dependencies]
plain = "1"
choice = { version = "1", optional = true }
[dependencies.other]
optional = true
version = "1"
[features]
default = []
"#,
            expect![[r#"
                xtask/Cargo.toml:5: `choice` is optional; always depend on it, or not at all
                xtask/Cargo.toml:6: `other` is optional; always depend on it, or not at all
                xtask/Cargo.toml:9: a `[features]` section; remove it and use separate crates
            "#]],
        );
    }

    #[test]
    fn conditions_on_features_are_named() {
        fixture::check(
            super::check,
            r#"
//- crates/rpc/src/lib.rs
// #[cfg(feature = "a")]
#[cfg(feature = "a")]
fn a() {}
#[cfg_attr(all(unix, feature = "b"), inline)]
fn b() { if cfg!(feature = "c") {} }
#[cfg(test)]
const TEXT: &str = "cfg(feature = )";
"#,
            expect![[r#"
                crates/rpc/src/lib.rs:2: code under a cargo feature; always build it, or move it to its own crate
                crates/rpc/src/lib.rs:4: code under a cargo feature; always build it, or move it to its own crate
                crates/rpc/src/lib.rs:5: code under a cargo feature; always build it, or move it to its own crate
            "#]],
        );
    }
}
