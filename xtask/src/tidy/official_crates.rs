//! The official ACP crates are used only in tests and benchmarks.

use super::Violation;
use super::package::DependencyKind;
use super::tree::Tree;

pub(super) fn check(tree: &Tree) -> Vec<Violation> {
    let mut found = Vec::new();
    for package in &tree.packages {
        for dependency in &package.dependencies {
            if dependency.kind != DependencyKind::Dev && dependency.package.starts_with(OFFICIAL) {
                let message = format!(
                    "`{}` outside tests; move it to [dev-dependencies]",
                    dependency.package
                );
                found.push(Violation::new(&package.manifest, dependency.line, message));
            }
        }
    }
    found
}

const OFFICIAL: &str = "agent-client-protocol";

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::fixture;

    #[test]
    fn an_official_crate_outside_tests_is_named() {
        fixture::check(
            super::check,
            r#"
//- Cargo.toml
[workspace]
members = ["crates/*"]
[workspace.dependencies]
agent-client-protocol = "5"
//- crates/schema/Cargo.toml
[package]
name = "attache-schema"
[dependencies]
agent-client-protocol-schema.workspace = true
[build-dependencies]
oracle = { package = "agent-client-protocol", version = "5" }
[dev-dependencies]
agent-client-protocol.workspace = true
"#,
            expect![[r#"
                crates/schema/Cargo.toml:4: `agent-client-protocol-schema` outside tests; move it to [dev-dependencies]
                crates/schema/Cargo.toml:6: `agent-client-protocol` outside tests; move it to [dev-dependencies]
            "#]],
        );
    }
}
