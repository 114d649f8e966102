//! What everyone builds who depends on the SDK: few crates, no C, and no feature that only our programs need.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::Violation;
use super::tree::Tree;
use crate::cargo;

/// What cargo would build for a project whose only dependency is the SDK, on Linux: a line for each crate, with its
/// version, and its features behind `;`.
pub(super) fn resolve(root: &Path) -> Result<String, String> {
    let mut tree = cargo::command(root);
    tree.args(["tree", "--locked", "--package", "attache", "--edges"]);
    tree.args(["normal,build", "--prefix", "none", "--format", "{p};{f}"]);
    tree.args(["--target", "x86_64-unknown-linux-gnu"]);
    let output = tree.output();
    let output = output.map_err(|error| format!("can't start cargo: {error}"))?;
    if !output.status.success() {
        let reason = String::from_utf8_lossy(&output.stderr);
        return Err(format!("`cargo tree --package attache` failed: {reason}"));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

pub(super) fn check(tree: &Tree) -> Vec<Violation> {
    let crates: BTreeSet<BuiltCrate<'_>> =
        tree.sdk_closure.lines().map(BuiltCrate::parse).collect();
    let mut messages = Vec::new();
    if crates.len() > MAX_CRATES {
        messages.push(format!(
            "the SDK builds {} crates, {MAX_CRATES} are allowed; `cargo tree -p attache -e normal` lists them",
            crates.len()
        ));
    }
    let mut versions: BTreeMap<&str, usize> = BTreeMap::new();
    for built in &crates {
        *versions.entry(built.name).or_default() += 1;
        if C_TOOLS.contains(&built.name) {
            messages.push(format!(
                "the SDK builds `{}`, which compiles C; find a dependency without C",
                built.name
            ));
        }
        for (name, feature) in UNWANTED {
            if built.name == name && built.features.split(',').any(|on| on == feature) {
                messages.push(format!(
                    "the SDK builds `{name}` with `{feature}`; enable it only in the crates that need it"
                ));
            }
        }
    }
    for (name, count) in versions {
        if count > 1 {
            messages.push(format!(
                "the SDK builds `{name}` {count} times; use one version"
            ));
        }
    }
    let violations = messages.into_iter();
    violations
        .map(|message| Violation::new("crates/sdk/Cargo.toml", 1, message))
        .collect()
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct BuiltCrate<'l> {
    name: &'l str,
    version: &'l str,
    features: &'l str,
}

impl<'l> BuiltCrate<'l> {
    fn parse(line: &'l str) -> BuiltCrate<'l> {
        let line = line.trim_end_matches(" (*)");
        let (package, features) = line.split_once(';').unwrap_or((line, ""));
        let mut words = package.split(' ');
        BuiltCrate {
            name: words.next().unwrap_or_default(),
            version: words.next().unwrap_or_default(),
            features,
        }
    }
}

const MAX_CRATES: usize = 45;
const C_TOOLS: [&str; 5] = ["bindgen", "cc", "cmake", "pkg-config", "vcpkg"];
/// Features that cost everyone crates or time, and that our programs may enable beside the SDK.
const UNWANTED: [(&str, &str); 5] = [
    ("serde_json", "preserve_order"),
    ("tokio", "process"),
    ("tokio", "rt-multi-thread"),
    ("tokio", "signal"),
    ("tokio", "test-util"),
];

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn check(closure: &str, expect: Expect) {
        let tree = Tree {
            sdk_closure: closure.to_owned(),
            ..Tree::default()
        };
        let lines = super::check(&tree)
            .into_iter()
            .map(|violation| format!("{violation}\n"));
        expect.assert_eq(&lines.collect::<String>());
    }

    #[test]
    fn a_small_sdk_passes() {
        check(
            "attache v0.1.0 (/here);\ntokio v1.54.1;default,macros\ntokio v1.54.1;default,macros (*)\n",
            expect![""],
        );
    }

    #[test]
    fn features_of_our_programs_and_c_and_two_versions_are_named() {
        check(
            "attache v0.1.0 (/here);\nserde_json v1.0.154;default,preserve_order,std\ncc v1.2.0;\nsyn v2.0.1;\nsyn v3.0.1;\n",
            expect![[r#"
                crates/sdk/Cargo.toml:1: the SDK builds `cc`, which compiles C; find a dependency without C
                crates/sdk/Cargo.toml:1: the SDK builds `serde_json` with `preserve_order`; enable it only in the crates that need it
                crates/sdk/Cargo.toml:1: the SDK builds `syn` 2 times; use one version
            "#]],
        );
    }

    #[test]
    fn too_many_crates_are_counted() {
        let many: String = (0..46)
            .map(|number| format!("crate-{number} v1.0.0;\n"))
            .collect();
        check(
            &many,
            expect![[r#"
            crates/sdk/Cargo.toml:1: the SDK builds 46 crates, 45 are allowed; `cargo tree -p attache -e normal` lists them
        "#]],
        );
    }
}
